"""Lets only the playground's own page send requests to the server.

Any page in a browser can send requests to this machine. So the host name must be ours (against DNS rebinding), and
requests from other origins are refused.
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

from ...errors import Sentence

HEADER, PAGE = "X-Cadenza", "play"
"""Header of every request that changes something; other pages cannot send it without a CORS preflight."""

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
    """Checks requests to *host* and *port*."""

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
        # It is open to the network: others use an IP address, which cannot be rebound.
        return name in (*_LOCAL, self.host.casefold()) or _is_address(name.strip("[]"))


def is_loopback(host: str) -> bool:
    """Whether *host* is reachable only from this machine."""
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def headers(index: bytes) -> Mapping[str, str]:
    """The security headers of every response: only the scripts of *index* run, and nothing is loaded from elsewhere."""
    hashes = (base64.b64encode(hashlib.sha256(found).digest()).decode() for found in _IMPORT_MAP.findall(index))
    allowed = "".join(f" 'sha256-{one}'" for one in hashes)
    policy = (
        f"default-src 'none'; script-src 'self'{allowed}; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return MappingProxyType({**_HEADERS, "Content-Security-Policy": policy})


def _is_from_here(request: web.Request) -> bool:
    """Whether the browser, if it says so, says that the request comes from our page."""
    site = request.headers.get("Sec-Fetch-Site")
    if site in (None, "same-origin"):
        return True
    if request.path.startswith("/api/"):
        return False
    # The address was typed, or a link was followed: that only opens the page.
    return site == "none" or (request.path == "/" and request.headers.get("Sec-Fetch-Mode") == "navigate")


def _about_posting(request: web.Request) -> str:
    if request.headers.get(HEADER) != PAGE:
        return Sentence(
            "a request that changes something must carry the header {header}: {value}", header=HEADER, value=PAGE
        )
    if request.content_type != "application/json":
        return "a request that changes something must be JSON, with that content type"
    return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
