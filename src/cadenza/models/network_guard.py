"""Which addresses a stranger may send us to: public ones, and nothing that is only reachable from in here.

An address in a chat, or one that a user typed in, may name the machine that we run on, its neighbours, or the service
that gives a cloud machine its keys. A name says nothing about that, for whoever owns it can change what it stands for
between a look and a call, and a redirect can name another. So the look is taken at the last possible moment, for every
connection: at the very address for which a socket is about to be opened.
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
            "0.0.0.0/8",  # this very network; 0.0.0.0 reaches this machine
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # behind a carrier's translation
            "127.0.0.0/8",  # this machine
            "168.63.129.16/32",  # the inside of one cloud, though the number looks public
            "169.254.0.0/16",  # this cable, and 169.254.169.254, which gives a cloud machine its keys
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # kept for protocols
            "192.0.2.0/24",  # for books
            "192.88.99.0/24",  # relays of old
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # for measuring
            "198.51.100.0/24",  # for books
            "203.0.113.0/24",  # for books
            "224.0.0.0/4",  # to many
            "240.0.0.0/4",  # kept for later, and 255.255.255.255
        ),
    )
)
_PUBLIC_6 = IPv6Network("2000::/3")
"""All that has ever been given out to the public; everything else is local, to many, or kept."""
_NOT_PUBLIC_6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # kept for protocols, tunnels among them
            "2001:db8::/32",  # for books
            "3fff::/20",  # for books
        ),
    )
)
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses of the old kind, behind a translator (NAT64)."""


def is_public(address: str) -> bool:
    """Whether *address*, in numbers, is reachable for everybody alike; what cannot be read is not."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        old = _inside(found)
        if old is None:
            return found in _PUBLIC_6 and not any(found in network for network in _NOT_PUBLIC_6)
        found = old
    return not any(found in network for network in _NOT_PUBLIC)


def _inside(address: IPv6Address) -> IPv4Address | None:
    """The address of the old kind that *address* leads to, if it is one of those."""
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


class PrivateAddressError(OSError):
    """A connection to an address that is not public was not made. An ``OSError``, as clients expect of a socket."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "the address is private")


def guard(may_reach: Callable[[str], bool] = is_public) -> Callable[[aiohttp.AddrInfoType], socket.socket]:
    """What opens sockets for an aiohttp connector, but none for an address that may not be reached."""

    def opened(info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = info
        if not may_reach(str(address[0])):
            raise PrivateAddressError
        return socket.socket(family, kind, protocol)

    return opened
