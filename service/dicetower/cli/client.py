"""A small HTTP client of a running service: what the commands that act at a table speak through."""

from __future__ import annotations

import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

from dicetower.errors import BadInput, Conflict, DicetowerError, NotFound, Unavailable

TIMEOUT_S = 60
"""A photograph of 40 megapixels on a small board takes some ten seconds to send and read."""

BY_STATUS: Mapping[int, type[DicetowerError]] = {404: NotFound, 409: Conflict, 503: Unavailable}


class Client:
    """One service, by its address such as `http://127.0.0.1:3423/`. Every fault is one of ours, with its sentence."""

    def __init__(self, server: str) -> None:
        if not _is_address(server):
            raise BadInput(f"--server: expected an address such as http://127.0.0.1:3423, got {server[:80]!a}.")
        self._base = server.rstrip("/")
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a table is never behind a proxy

    def get(self, path: str) -> dict[str, Any]:
        """Get a path of the server itself, such as `healthz`; answer the JSON that came."""
        return self._ask(path, None, None)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post JSON, answer the JSON that came."""
        return self._ask(f"api/v1/{path}", json.dumps(body).encode(), "application/json")

    def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON that changes some of a thing, answer the JSON that came."""
        return self._ask(f"api/v1/{path}", json.dumps(body).encode(), "application/json", "PATCH")

    def post_photo(self, path: str, picture: bytes, fields: Mapping[str, str]) -> dict[str, Any]:
        """Post a picture as the form a browser would send (RFC 7578)."""
        mark = secrets.token_hex(16)
        parts = [_part(mark, f'name="{name}"', value.encode()) for name, value in fields.items()]
        parts.append(_part(mark, 'name="photo"; filename="photo"', picture))
        body = b"".join(parts) + f"--{mark}--\r\n".encode()
        return self._ask(f"api/v1/{path}", body, f"multipart/form-data; boundary={mark}")

    def _ask(self, path: str, body: bytes | None, kind: str | None, method: str | None = None) -> dict[str, Any]:
        address = f"{self._base}/{path}"
        sort = {"Content-Type": kind} if kind else {}
        request = urllib.request.Request(address, body, sort, method=method)  # noqa: S310 - http only
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                return _object(answer.read(), address)
        except urllib.error.HTTPError as error:
            with error:
                raise _said(error.code, error.read(), address) from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise Unavailable(
                f"No service answers at {self._base}: {reason}. Start it with `dicetower serve`, or name it "
                "with --server."
            ) from None


def _is_address(server: str) -> bool:
    """Whether it has a scheme, a name in ASCII (an international one as `xn--...`) and, if any, a port that can be."""
    try:
        parts = urlsplit(server)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and _plain(server)
    except ValueError:  # brackets that do not close, a port that is no number or over 65535
        return False


def _plain(server: str) -> bool:
    return server.isascii() and server.isprintable() and " " not in server


def address_of(host: str, port: int) -> str:
    """The address a client on this machine reaches a server by that is bound to `host`."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound to here
    return f"http://{f'[{near}]' if ':' in near else near}:{port}"


def table_path(table: str, *rest: str) -> str:
    """The path of a table, or of something of it, under `/api/v1/`."""
    return "/".join(quote(part, safe="") for part in ("tables", table, *rest))


def _part(mark: str, names: str, value: bytes) -> bytes:
    return f"--{mark}\r\nContent-Disposition: form-data; {names}\r\n\r\n".encode() + value + b"\r\n"


def _object(text: bytes, address: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise Unavailable(f"What answers at {address} is no dicetower: expected JSON, got {text[:40]!r}.")
    return answer


def _said(status: int, text: bytes, address: str) -> DicetowerError:
    """The problem that came, as the error it was on the other side."""
    try:
        detail = str(json.loads(text)["detail"])
    except (ValueError, KeyError, TypeError):
        return Unavailable(f"What answers at {address} is no dicetower: it said {status} without a reason.")
    return BY_STATUS.get(status, BadInput if status < 500 else Unavailable)(detail)
