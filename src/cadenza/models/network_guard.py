"""Which IP addresses may be connected to on behalf of a user: public ones only (protection against SSRF).

An address in a chat, or one that a user typed in, may point at this machine, its neighbours, or the metadata service of
a cloud. Checking the name is not enough: DNS may return another address a moment later, and a redirect may lead
elsewhere. So every connection is checked at the last moment, by the IP address for which a socket is opened.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import aiohttp

_NOT_PUBLIC = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # "this network"; 0.0.0.0 reaches this machine
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carrier-grade NAT
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # Azure's internal services, though the number looks public
            "169.254.0.0/16",  # link-local, and the metadata service of clouds at 169.254.169.254
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # reserved for protocols
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays, deprecated
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_PUBLIC_6 = IPv6Network("2000::/3")
"""The only range allocated for public use; all else is local, multicast or reserved."""
_NOT_PUBLIC_6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # reserved for protocols, such as Teredo tunnels
            "2001:db8::/32",  # documentation
            "3fff::/20",  # documentation
        ),
    )
)
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""IPv4 addresses translated by NAT64."""


def is_public(address: str) -> bool:
    """Whether the IP address *address* is publicly reachable; an invalid one is not."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        embedded = _embedded_ipv4(found)
        if embedded is None:
            return found in _PUBLIC_6 and not any(found in network for network in _NOT_PUBLIC_6)
        found = embedded
    return not any(found in network for network in _NOT_PUBLIC)


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address embedded in *address*, if there is one."""
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


class PrivateAddressError(OSError):
    """The address is not public, so no connection was made. An ``OSError``, as clients expect of a socket."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "the address is private")


def guard(may_reach: Callable[[str], bool] = is_public) -> Callable[[aiohttp.AddrInfoType], socket.socket]:
    """A socket factory for an aiohttp connector that refuses addresses which *may_reach* forbids."""

    def opened(info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = info
        if not may_reach(str(address[0])):
            raise PrivateAddressError
        return socket.socket(family, kind, protocol)

    return opened
