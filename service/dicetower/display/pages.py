"""The pages as the HTTP service mounts them: which there are, where their files lie, how one is made.

The service serves `STATIC` at `static_url()`, each of `PAGES` at its path, and `SERVICE_WORKER` at `/sw.js`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
STATIC = HERE / "static"

SERVICE_WORKER = STATIC / "sw.js"
"""Served at `/sw.js`: a worker rules the paths below its own, and it must rule every page."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its name, the path it is served at (FastAPI's spelling) and its template."""

    name: str
    path: str
    template: str


PAGES = (
    Page("control", "/", "control.html"),
    Page("display", "/display/{table}", "display.html"),
    Page("overlay", "/overlay/{table}", "overlay.html"),
    Page("camera", "/camera", "camera.html"),
    Page("setup", "/setup", "setup.html"),
    Page("enrol", "/enrol", "enrol.html"),
    Page("markers", "/setup/markers", "markers.html"),
)


@cache
def static_url() -> str:
    """Return where `STATIC` is mounted; every file's hash is in the path, so a browser may keep them for ever.

    Modules and style sheets name each other by relative paths, so one prefix holds for all.
    """
    digest = hashlib.sha256()
    for file in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        digest.update(file.relative_to(STATIC).as_posix().encode() + b"\0" + file.read_bytes())
    return f"/static/{digest.hexdigest()[:12]}"


def render(page: Page, table: str = "") -> str:
    """Return the page's HTML; `table` is the one in its path, as the address has it."""
    return _templates().get_template(page.template).render(page=page, static=static_url(), table=table)


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
