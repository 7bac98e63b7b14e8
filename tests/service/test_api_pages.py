"""The pages and their files, `/docs`, and plain answers where there is nothing; all without a network."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from starlette.testclient import TestClient
from tests.support.api import ADDRESS

from dicetower.api.routes.pages import INTERFACE, VENDOR
from dicetower.display import pages

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
NAMES = ["/", "/display/main", "/overlay/main", "/docs"]


class Links(HTMLParser):
    """Every address a page loads, and every inline script or style, which the policy forbids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.inline: list[str] = []
        self._script = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.loads += [value for key, value in attrs if value and (key == "src" or (key == "href" and tag == "link"))]
        self.inline += [key for key in given if key == "style" or key.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(tag)


@pytest.mark.parametrize("path", NAMES)
def test_a_page_loads_only_what_this_server_has(client: TestClient, path: str) -> None:
    answer = client.get(path, headers=BROWSER)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    links = Links(answer.text)
    assert links.inline == []
    for address in links.loads:
        whole = urljoin(f"{ADDRESS}{path}", address)
        assert urlsplit(whole).netloc == urlsplit(ADDRESS).netloc
        assert client.get(whole).status_code == 200, address


def test_files_with_their_hash_in_the_address_are_kept_and_pages_are_not(client: TestClient) -> None:
    icon = client.get(f"{pages.static_url()}/icon.svg")
    assert "immutable" in icon.headers["cache-control"]
    assert client.get("/").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/nothing", "/join/abc", "/display/none", "/overlay/NONE", "/static/none.js"])
def test_what_is_not_there_is_a_plain_page_for_a_person_and_a_problem_for_a_program(
    client: TestClient, path: str
) -> None:
    page = client.get(path, headers=BROWSER)
    assert page.status_code == 404
    if not path.startswith("/static"):
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert 'href="/"' in page.text
    assert client.get(path).headers["content-type"] == "application/problem+json"
    assert client.get("/api/v1/none", headers=BROWSER).headers["content-type"] == "application/problem+json"


def test_what_was_asked_for_is_text_on_the_page_not_markup(client: TestClient) -> None:
    page = client.get("/display/%3Cscript%3Ealert(1)%3C%2Fscript%3E", headers=BROWSER)
    assert page.status_code == 404
    assert "<script" not in page.text


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/docs/vendor/..%2f..%2fapp.py", "/docs/vendor/%2e%2e/README.md"]
)
def test_no_path_leads_out_of_the_folders(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_method_that_is_none_is_told_so(client: TestClient) -> None:
    answer = client.request("PUT", "/api/v1/rules", json={})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_vendored_files_are_the_version_their_page_says(client: TestClient) -> None:
    said = re.search(r"swagger-ui \|.*\| (\d+\.\d+\.\d+) \|", (VENDOR / "README.md").read_text())
    assert said
    assert f'"{said[1]}"' in (VENDOR / "swagger-ui/swagger-ui-bundle.js").read_text()
    for file in [*VENDOR.rglob("*"), *INTERFACE.rglob("*")]:
        assert file.is_dir() or file.stat().st_size < 4 * 1024**2


def test_every_call_of_the_interface_is_named_in_its_page(client: TestClient) -> None:
    """docs/api.md and the code name the same calls."""
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs/api.md").read_text()
    named = set(re.findall(r"`(?:GET|POST|PATCH|DELETE) ([^`?]+?)(?:\?[^`]*)?`", page))
    named = {re.sub(r"\{\w+\}", "{}", call.replace("T/", "/api/v1/tables/{}/")) for call in named}
    paths = client.get("/openapi.json").json()["paths"]
    built = {re.sub(r"\{\w+\}", "{}", path) for path in paths if path.startswith("/api/")}
    assert built - {"/api/v1/tables/{}"} == {call for call in named if call.startswith("/api/")}
