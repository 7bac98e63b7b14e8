"""Who may ask, and how much: checked before any route sees the request.

Any web page in the keeper's browser can send requests to loopback, and by DNS rebinding read the answers. So:

- Host must name this server, on every request (against rebinding: the attacker's own name is what Host then holds).
- A request that changes something must come from a page of this very origin, or from no page: browsers send Origin
  with every such request and Sec-Fetch-Site with it; a script or `curl` sends neither.
- A body is JSON, which no foreign form can send without asking first; the one upload is named.
- A body has a largest size, counted as it comes.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicetower.api.problems import problem

LARGEST_JSON = 64 * 1024
"""Bytes. The largest call, a correction with every field set, is under 1 KiB."""

LARGEST_PHOTO = 32 * 1024 * 1024
"""Bytes. A 40-megapixel JPEG, the most pixels the reader takes, is some 20 MB."""

MULTIPART_OVERHEAD = 16 * 1024
"""Bytes for the form round the photograph: boundaries, part headers, `player` and `request`."""

READS = {"GET", "HEAD", "OPTIONS"}
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
DEFAULT_PORTS = {"http": 80, "https": 443}


class Refused(Exception):
    """Why a request is turned away: status, slug, title and sentence."""

    def __init__(self, status: int, slug: str, title: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.slug, self.title, self.detail = status, slug, title, detail


@dataclass(frozen=True, slots=True)
class Names:
    """The names this server answers to.

    `any_address`: any IP address too, as when bound to the whole network. Rebinding needs a name, so an address in
    Host is harmless.
    """

    names: frozenset[str]
    any_address: bool = False

    def hold(self, name: str) -> bool:
        """Whether `name`, lower case and without its port, is one of ours."""
        return name in self.names or (self.any_address and _is_address(name))


def names_for(host: str, allowed: tuple[str, ...] = (), own: tuple[str, ...] = ()) -> Names:
    """Return the names a server bound to `host` answers to: loopback's, and those the keeper allows.

    Bound to more than loopback, it answers to `own`, the machine's names, as well.
    """
    names = LOOPBACK | set(allowed)
    if host in LOOPBACK:
        return Names(frozenset(names))
    return Names(frozenset(names | {host.lower()} | {name.lower() for name in own}), any_address=True)


class Guard:
    """ASGI middleware that turns away what `Names` and the rules above do not allow."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self.app, self.names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer with a problem."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        try:
            limit = self._checked(scope["method"], scope["path"], Headers(scope=scope))
        except Refused as no:
            return await problem(no.status, no.slug, no.title, no.detail, scope["path"])(scope, receive, send)
        return await self.app(scope, _Counted(receive, limit), send)

    def _checked(self, method: str, path: str, headers: Headers) -> int:
        """Return how many bytes the body may have; raise Refused."""
        host = headers.get("host", "")
        self._check_host(host)
        if method in READS and not path.startswith("/api/"):
            return LARGEST_JSON
        _check_site(method, headers)
        if method in READS:
            return LARGEST_JSON
        _check_origin(headers.get("origin"), host)
        return _check_body(path, headers)

    def _check_host(self, host: str) -> None:
        parted = _parted(host)
        if parted is None or not self.names.hold(parted[0]):
            detail = (
                f"Host {_quoted(host)} is not a name of this server. Open the page by the address that `dicetower "
                "serve` printed, or add the name to `allowed_hosts`."
            )
            raise Refused(403, "foreign-host", "Not a name of this server", detail)


def _check_site(method: str, headers: Headers) -> None:
    """Refuse what a browser says another site's page sent; following a link to read something is no harm."""
    site = headers.get("sec-fetch-site", "none")
    if site in {"same-origin", "none"} or (method in READS and headers.get("sec-fetch-mode") == "navigate"):
        return
    detail = f"The request came from another site's page (Sec-Fetch-Site: {_quoted(site)}); only this server's own may."
    raise Refused(403, "foreign-page", "From another site's page", detail)


def _check_origin(origin: str | None, host: str) -> None:
    """Refuse a page of any other origin; compare name and port, for a proxy may speak https for us."""
    if origin is None:
        return
    scheme, _, place = origin.partition("://")
    default = DEFAULT_PORTS.get(scheme)
    theirs, ours = _parted(place), _parted(host)
    same = default and theirs and ours and (theirs[0], theirs[1] or default) == (ours[0], ours[1] or default)
    if not same:
        detail = f"Origin {_quoted(origin)} is not this server; open the page from the server itself."
        raise Refused(403, "foreign-origin", "From another origin", detail)


def _check_body(path: str, headers: Headers) -> int:
    """The most bytes this call's body may have; raise Refused for a wrong type or a declared size over it."""
    photo = path.endswith("/photo")
    expected = "multipart/form-data" if photo else "application/json"
    came = headers.get("content-type")
    if came is not None and came.partition(";")[0].strip().lower() != expected:
        detail = f"Expected a body of type {expected}, got {_quoted(came)}; set Content-Type."
        raise Refused(415, "media-type", "Not a type this call takes", detail)
    limit = LARGEST_PHOTO + MULTIPART_OVERHEAD if photo else LARGEST_JSON
    declared = headers.get("content-length", "0")
    if declared.isdigit() and int(declared[:18]) > limit:
        raise Refused(413, "too-large", "The body is too large", too_large(limit, photo))
    return limit


def too_large(limit: int, photo: bool) -> str:
    """What a sender of too much reads."""
    most = f"{LARGEST_PHOTO // 1024**2} MiB" if photo else f"{limit // 1024} KiB"
    return f"Expected a {'photograph' if photo else 'body'} of at most {most}, got more; send a smaller one."


class _Counted:
    """`receive`, until more than `limit` bytes have come."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.receive, self.limit, self.count = receive, limit, 0

    async def __call__(self) -> Message:
        message = await self.receive()
        self.count += len(message.get("body", b""))
        if self.count > self.limit:
            raise HTTPException(413, too_large(self.limit, self.limit > LARGEST_JSON))
        return message


def _parted(host: str) -> tuple[str, int | None] | None:
    """`name:port` as (name, port or None), lower case; None where it is no such thing."""
    name, mark, port = host.rpartition(":")
    if not mark or host.endswith("]"):
        name, port = host, ""
    elif not (port.isascii() and port.isdigit() and len(port) <= 5):
        return None
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    elif ":" in name:
        return None
    bare = name.lower().removesuffix(".")
    return (bare, int(port) if port else None) if bare else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _quoted(text: str) -> str:
    return ascii(text[:100])
