"""Who may ask the server of the playground: its own page, and nobody else.

Whatever a browser shows can send requests to this machine. So the name under which we are asked must be ours (or a name
that leads here for a moment would make a foreign page one of ours), and what another page sends is refused.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType

from aiohttp import web

HEADER, PAGE = "X-Cadenza", "play"
"""What every request that changes something carries; no other page can send it without being asked first."""

_IMPORT_MAP = re.compile(rb"<script type=\"importmap\">(.*?)</script>", re.DOTALL)
_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Frame-Options": "DENY",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }
)
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Guard:
    """Knows under which names we can be asked."""

    host: str
    port: int

    def complaint(self, request: web.Request) -> str:
        """Why *request* is refused; empty if it is not."""
        if not self._is_ours(request.headers.get("Host", "")):
            return "the request names another server as its host; open the address that 'cadenza play' prints"
        origin = request.headers.get("Origin")
        if origin is not None and origin.casefold() != f"http://{request.headers['Host']}".casefold():
            return "this request comes from another page; only the playground's own page may send one"
        if not _is_from_here(request):
            return "this request comes from another page; only the playground's own page may send one"
        return _about_posting(request) if request.method not in ("GET", "HEAD") else ""

    def _is_ours(self, host: str) -> bool:
        name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "80")
        name = name.casefold()
        if is_loopback(self.host):
            return name in (*_LOCAL, self.host.casefold()) and port == str(self.port)
        # It is open to others: they reach it under addresses of this machine, and no name leads to a bare address.
        return name in (*_LOCAL, self.host.casefold()) or _is_address(name.strip("[]"))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches *host*."""
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def headers(index: bytes) -> Mapping[str, str]:
    """What every answer carries, if *index* is the page: nothing comes from elsewhere, and no script but our own runs."""
    hashes = (base64.b64encode(hashlib.sha256(found).digest()).decode() for found in _IMPORT_MAP.findall(index))
    allowed = "".join(f" 'sha256-{one}'" for one in hashes)
    policy = (
        f"default-src 'none'; script-src 'self'{allowed}; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return MappingProxyType({**_HEADERS, "Content-Security-Policy": policy})


def _is_from_here(request: web.Request) -> bool:
    """Whether a browser that says where a request comes from says that it comes from our page."""
    site = request.headers.get("Sec-Fetch-Site")
    if site in (None, "same-origin"):
        return True
    if request.path.startswith("/api/"):
        return False
    # Somebody typed the address, or came here by a link: that opens the page, and does nothing else.
    return site == "none" or (request.path == "/" and request.headers.get("Sec-Fetch-Mode") == "navigate")


def _about_posting(request: web.Request) -> str:
    if request.headers.get(HEADER) != PAGE:
        return f"a request that changes something must carry the header {HEADER}: {PAGE}"
    if request.content_type != "application/json":
        return "a request that changes something must be JSON, with that content type"
    return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
