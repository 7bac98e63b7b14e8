"""Nothing leaves the service's own address: no page asks for anything from anywhere else, and none could."""

from __future__ import annotations

import re
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect
from tests.support.screen import Play

from dicetower.display import pages


def test_no_request_leaves_the_origin(table: Play, browser: Browser) -> None:
    context = browser.new_context(service_workers="block")
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    table.play([5, 3, 7, 3], damage=6)
    for name in ("control", "display", "overlay"):
        page = context.new_page()
        page.goto(table.url(name))
        expect(page.locator("#app > *").first).to_be_visible()
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        assert page.evaluate("document.fonts.check('16px Archivo')")
    context.close()
    own = urlsplit(table.server.url).netloc
    assert len(asked) > 10
    assert {urlsplit(url).netloc for url in asked} == {own}


def test_the_policy_lets_no_page_reach_out(table: Play) -> None:
    """What an interception cannot see (a worker's requests) the browser itself refuses."""
    for name in ("control", "display", "overlay"):
        with urllib.request.urlopen(table.url(name)) as answer:
            policy = answer.headers["content-security-policy"]
            html = answer.read().decode()
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<style|<script(?![^>]*src=)|\sstyle=|\son\w+=|https?://", html), name


def test_the_files_name_no_other_host() -> None:
    named = {"www.w3.org"}  # the name of SVG, never fetched
    for file in sorted(pages.STATIC.rglob("*")):
        if file.suffix in {".js", ".css", ".svg", ".html"}:
            hosts = set(re.findall(r"https?://([\w.-]+)", file.read_text()))
            assert hosts <= named, file


def test_the_typeface_has_its_licence() -> None:
    fonts = pages.STATIC / "fonts"
    listed = (fonts / "README.md").read_text()
    for file in fonts.glob("*.woff2"):
        assert file.name in listed
    assert "SIL OPEN FONT LICENSE" in (fonts / "Archivo-OFL.txt").read_text().upper()
    assert Path(pages.SERVICE_WORKER).is_file()
