"""Who may ask, and how much: a table of requests, each let through or turned away, with the problem it gets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from dicetower.api import problems
from dicetower.api.guard import LARGEST_JSON, LARGEST_PHOTO, MULTIPART_OVERHEAD, Guard, Names, names_for
from dicetower.api.headers import HEADERS, SecurityHeaders

JSON = {"content-type": "application/json"}
HALL = names_for("0.0.0.0", ("Dice.Lan".lower(),), ("pi",))


async def count(request: Request) -> Response:
    return JSONResponse(len(await request.body()))


def client(names: Names) -> TestClient:
    paths = ("/", "/api/v1/act", "/api/v1/tables/main/photo")
    app = Starlette(routes=[Route(path, count, methods=["GET", "POST", "PATCH", "DELETE"]) for path in paths])
    app.add_exception_handler(HTTPException, problems._http)
    app.add_middleware(Guard, names=names)
    app.add_middleware(SecurityHeaders)
    return TestClient(app, base_url="http://127.0.0.1:3423")


@pytest.fixture
def loopback() -> TestClient:
    return client(names_for("127.0.0.1", ("dice.lan",)))


@pytest.mark.parametrize(
    ("host", "let_in"),
    [
        ("127.0.0.1:3423", True),
        ("127.0.0.1", True),
        ("localhost:3423", True),
        ("LOCALHOST.:3423", True),
        ("[::1]:3423", True),
        ("[::1]", True),
        ("dice.lan", True),
        ("dice.lan:80", True),
        ("evil.example", False),
        ("evil.example:3423", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example:3423", False),
        ("dice.lan.evil", False),
        ("192.168.1.7:3423", False),
        ("[fe80::1]:3423", False),
        ("::1", False),
        ("", False),
        (":3423", False),
        ("127.0.0.1:", False),
        ("127.0.0.1:x", False),
        ("127.0.0.1:3423:3423", False),
        ("user@127.0.0.1", False),
        ("127.0.0.1/", False),
        ("[127.0.0.1]", True),
        ("[", False),
        ("]", False),
        ("\xb2:1", False),
        ("a" * 5000, False),
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/v1/act"])
def test_host_names_this_server_on_every_request(loopback: TestClient, host: str, let_in: bool, path: str) -> None:
    answer = loopback.get(path, headers={b"host": host.encode("latin-1")})
    assert answer.status_code == (200 if let_in else 403)
    if not let_in:
        assert answer.headers["content-type"] == problems.MEDIA_TYPE
        assert "allowed_hosts" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("host", "let_in"),
    [("192.168.1.7:3423", True), ("[fe80::1]:1", True), ("pi:3423", True), ("dice.lan", True), ("evil.example", False)],
)
def test_bound_to_the_network_addresses_and_own_names_are_names_of_this_server(host: str, let_in: bool) -> None:
    assert client(HALL).get("/", headers={"host": host}).status_code == (200 if let_in else 403)


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({}, True),
        ({"origin": "http://127.0.0.1:3423"}, True),
        ({"origin": "http://127.0.0.1:3423", "sec-fetch-site": "same-origin"}, True),
        ({"host": "dice.lan", "origin": "https://dice.lan"}, True),
        ({"host": "dice.lan", "origin": "http://dice.lan:80"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"origin": "http://127.0.0.1:8000"}, False),
        ({"origin": "http://localhost:3423"}, False),
        ({"origin": "http://127.0.0.1"}, False),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "http://127.0.0.1:3423.evil.example"}, False),
        ({"origin": "http://evil.example/127.0.0.1:3423"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"origin": "file://"}, False),
        ({"origin": "chrome-extension://127.0.0.1:3423"}, False),
        ({"origin": "http://[::1"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:3423"}, False),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, False),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_only_this_servers_pages_change_anything(
    loopback: TestClient, method: str, headers: dict[str, str], let_in: bool
) -> None:
    answer = loopback.request(method, "/api/v1/act", headers=JSON | headers, content=b"{}")
    assert answer.status_code == (200 if let_in else 403)


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, True),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, False),
        ({"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"}, False),
    ],
)
def test_another_sites_page_reads_nothing_but_a_person_may_follow_its_link(
    loopback: TestClient, headers: dict[str, str], let_in: bool
) -> None:
    assert loopback.get("/api/v1/act", headers=headers).status_code == (200 if let_in else 403)


@pytest.mark.parametrize(
    ("path", "kind", "let_in"),
    [
        ("/api/v1/act", "application/json", True),
        ("/api/v1/act", "Application/JSON; charset=utf-8", True),
        ("/api/v1/act", "text/plain", False),
        ("/api/v1/act", "application/x-www-form-urlencoded", False),
        ("/api/v1/act", "multipart/form-data; boundary=x", False),
        ("/api/v1/act", "application/json+evil", False),
        ("/api/v1/act", "", False),
        ("/api/v1/tables/main/photo", "multipart/form-data; boundary=x", True),
        ("/api/v1/tables/main/photo", "application/json", False),
        ("/api/v1/tables/main/photo", "image/png", False),
    ],
)
def test_no_form_of_another_site_has_a_type_this_server_takes(
    loopback: TestClient, path: str, kind: str, let_in: bool
) -> None:
    answer = loopback.post(path, headers={"content-type": kind}, content=b"{}")
    assert answer.status_code == (200 if let_in else 415)


def chunks(size: int) -> Iterator[bytes]:
    """A body whose length nobody declares."""
    for _ in range(size // 1024):
        yield b"x" * 1024
    yield b"x" * (size % 1024)


@pytest.mark.parametrize(
    ("path", "kind", "limit"),
    [
        ("/api/v1/act", "application/json", LARGEST_JSON),
        ("/api/v1/tables/main/photo", "multipart/form-data; boundary=x", LARGEST_PHOTO + MULTIPART_OVERHEAD),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_a_body_has_a_largest_size_declared_or_counted(
    loopback: TestClient, path: str, kind: str, limit: int, declared: bool
) -> None:
    def sent(size: int) -> int:
        content: bytes | Iterator[bytes] = bytes(size) if declared else chunks(size)
        answer = loopback.post(path, headers={"content-type": kind}, content=content)
        return answer.status_code

    assert sent(limit) == 200
    assert sent(limit + 1) == 413


@pytest.mark.parametrize("length", ["9" * 4000, "18446744073709551617"])
def test_an_absurd_declared_length_is_too_large(loopback: TestClient, length: str) -> None:
    answer = loopback.post("/api/v1/act", headers=JSON | {"content-length": length}, content=b"{}")
    assert answer.status_code == 413


@pytest.mark.parametrize("host", ["127.0.0.1", "evil.example"])
def test_every_answer_tells_the_browser_to_run_only_our_files(loopback: TestClient, host: str) -> None:
    answer = loopback.get("/", headers={"host": host})
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
