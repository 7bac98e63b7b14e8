"""What the service mounts: every page is made, names only files that are there, and escapes what it is given."""

from __future__ import annotations

import hashlib
import re

import pytest

from dicetower.display import pages


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: str(page.name))
def test_a_page_names_only_files_that_are_there(page: pages.Page) -> None:
    html = pages.render(page, "main")
    named = re.findall(r'(?:src|href)="([^"]+)"', html)
    assert len(named) >= 6
    for address in named:
        assert address.startswith(f"{pages.static_url()}/")
        assert (pages.STATIC / address.removeprefix(f"{pages.static_url()}/")).is_file(), address


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: str(page.name))
def test_a_table_name_is_text_and_never_markup(page: pages.Page) -> None:
    html = pages.render(page, '"><script>alert(1)</script>')
    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html


def test_the_address_of_the_files_holds_their_hash() -> None:
    digest = hashlib.sha256()
    for file in sorted(pages.STATIC.glob("**/*")):
        if file.is_file():
            digest.update(str(file.relative_to(pages.STATIC)).encode() + b"\0")
            digest.update(file.read_bytes())
    assert pages.static_url() == f"/static/{digest.hexdigest()[:12]}"


def test_modules_import_only_files_that_are_there() -> None:
    for file in pages.STATIC.glob("js/**/*.js"):
        for name in re.findall(r'^import .* from "([^"]+)";$', file.read_text(), re.MULTILINE):
            assert name.startswith("."), f"{file}: {name}"
            assert (file.parent / name).is_file(), f"{file}: {name}"


def test_style_sheets_name_only_files_that_are_there() -> None:
    for file in pages.STATIC.glob("css/*.css"):
        for name in re.findall(r'url\("([^"]+)"\)', file.read_text()):
            assert (file.parent / name).is_file(), f"{file}: {name}"
