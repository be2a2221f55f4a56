"""Which addresses are public, and that no socket is opened for any other."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from random import Random

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given, strategies as st

from cadenza.models.network_guard import PrivateAddressError, guard, is_public
from tests.loopback import Answer, serving


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("1.1.1.1", id="a public one"),
        pytest.param("9.255.255.255", id="before 10/8"),
        pytest.param("11.0.0.0", id="after 10/8"),
        pytest.param("100.63.255.255", id="before a carrier's"),
        pytest.param("100.128.0.0", id="after a carrier's"),
        pytest.param("172.15.255.255", id="before 172.16/12"),
        pytest.param("172.32.0.0", id="after 172.16/12"),
        pytest.param("192.167.255.255", id="before 192.168/16"),
        pytest.param("223.255.255.255", id="before those to many"),
        pytest.param("2606:4700:4700::1111", id="a new one"),
        pytest.param("2001:4860:4860::8888", id="a new one in 2001::/16"),
        pytest.param("::ffff:1.1.1.1", id="a public one in a new one"),
        pytest.param("64:ff9b::1.1.1.1", id="a public one behind a translator"),
        pytest.param("2002:101:101::1", id="a public one in a tunnel"),
    ],
)
def test_a_public_address_may_be_reached(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("127.0.0.1", id="this machine"),
        pytest.param("127.255.255.254", id="this machine by another number"),
        pytest.param("0.0.0.0", id="nowhere, which is this machine"),  # noqa: S104  # nothing is bound to it
        pytest.param("10.1.2.3", id="private, class A"),
        pytest.param("172.16.0.1", id="private, class B"),
        pytest.param("172.31.255.255", id="the last of class B"),
        pytest.param("192.168.1.1", id="private, class C"),
        pytest.param("100.64.0.1", id="a carrier's"),
        pytest.param("100.100.100.200", id="a cloud's metadata among a carrier's"),
        pytest.param("169.254.169.254", id="a cloud's metadata"),
        pytest.param("168.63.129.16", id="the inside of a cloud"),
        pytest.param("224.0.0.1", id="to many"),
        pytest.param("239.255.255.250", id="to many in this network"),
        pytest.param("255.255.255.255", id="to all"),
        pytest.param("240.0.0.1", id="kept for later"),
        pytest.param("198.51.100.7", id="for books"),
        pytest.param("::1", id="this machine, new"),
        pytest.param("::", id="nowhere, new"),
        pytest.param("::127.0.0.1", id="this machine, in an old notation"),
        pytest.param("::ffff:127.0.0.1", id="this machine, mapped"),
        pytest.param("::ffff:169.254.169.254", id="metadata, mapped"),
        pytest.param("::ffff:0:127.0.0.1", id="this machine, translated of old"),
        pytest.param("64:ff9b::127.0.0.1", id="this machine, behind a translator"),
        pytest.param("64:ff9b::a9fe:a9fe", id="metadata, behind a translator"),
        pytest.param("64:ff9b:1::1.1.1.1", id="a translator of this network"),
        pytest.param("2002:7f00:1::1", id="this machine, in a tunnel"),
        pytest.param("2001:0:7f00:1::1", id="another tunnel"),
        pytest.param("fe80::1", id="this cable"),
        pytest.param("fe80::1%eth0", id="this cable, with the name of the card"),
        pytest.param("fc00::1", id="private, new"),
        pytest.param("fd00:ec2::254", id="a cloud's metadata, new"),
        pytest.param("fec0::1", id="private, of old"),
        pytest.param("ff02::1", id="to many, new"),
        pytest.param("2001:db8::1", id="for books, new"),
        pytest.param("100::1", id="for what is thrown away"),
        pytest.param("2130706433", id="a number that is no notation"),
        pytest.param("127.1", id="a short notation"),
        pytest.param("0x7f.0.0.1", id="a hexadecimal notation"),
        pytest.param("0177.0.0.1", id="an octal notation"),
        pytest.param("localhost", id="a name"),
        pytest.param("", id="nothing"),
    ],
)
def test_no_other_address_may_be_reached(address: str) -> None:
    assert not is_public(address)


ADDRESSES = st.one_of(
    st.integers(0, 2**32 - 1).map(IPv4Address),
    st.integers(0, 2**128 - 1).map(IPv6Address),
    st.integers(0, 2**125 - 1).map(lambda number: IPv6Address(number | 1 << 125)),
)


@given(ADDRESSES)
def test_what_the_standard_library_knows_as_local_is_never_public(address: IPv4Address | IPv6Address) -> None:
    if not address.is_global and not (isinstance(address, IPv6Address) and (address.ipv4_mapped or address.sixtofour)):
        assert not is_public(str(address))


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_an_old_address_is_as_public_in_a_new_one_as_it_is_alone(address: IPv4Address) -> None:
    number = int(address)
    forms = [
        IPv6Address(0xFFFF << 32 | number),
        IPv6Address((0x64FF9B << 96) | number),
        IPv6Address(0x2002 << 112 | number << 80),
    ]

    assert [is_public(str(address))] * 3 == [is_public(str(form)) for form in forms]


def test_most_of_the_old_internet_is_public() -> None:
    dice = Random(1)
    sample = [str(ip_address(dice.getrandbits(32))) for _ in range(2000)]

    assert 0.8 < sum(map(is_public, sample)) / len(sample) < 0.9


def info(address: str) -> aiohttp.AddrInfoType:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, 80))


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700:4700::1111"])
def test_the_guard_opens_a_socket_for_a_public_address(address: str) -> None:
    with guard()(info(address)) as opened:
        assert (info(address)[0], socket.SOCK_STREAM) == (opened.family, opened.type)


def test_the_guard_opens_none_for_another() -> None:
    with pytest.raises(PrivateAddressError):
        guard()(info("169.254.169.254"))


class Rebinding(AbstractResolver):
    """A name that stands for something else every time it is looked up."""

    def __init__(self, *addresses: str) -> None:
        self._addresses = iter(addresses)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        address = next(self._addresses)
        return [ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        pass


async def test_a_name_that_changes_what_it_stands_for_is_looked_at_every_time() -> None:
    """The first look is at an address that may be reached, the second at this machine: only the first is connected to."""
    resolver = Rebinding("127.0.0.1", "127.0.0.2")
    async with serving(Answer.of(b"{}")) as loopback:
        port = loopback.url.rpartition(":")[2]
        connector = aiohttp.TCPConnector(
            resolver=resolver,
            socket_factory=guard(lambda address: address == "127.0.0.1"),
            use_dns_cache=False,
            force_close=True,
        )
        async with aiohttp.ClientSession(connector=connector) as session:
            async with session.get(f"http://model.example:{port}/") as response:
                assert 200 == response.status
            with pytest.raises(aiohttp.ClientConnectorError):
                await session.get(f"http://model.example:{port}/")

    assert 1 == loopback.accepted
