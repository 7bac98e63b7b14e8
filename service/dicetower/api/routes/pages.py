"""The pages, their files, and the interface's own page `/docs`: all from this machine alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from dicetower.api.services import Services
from dicetower.display import pages

HERE = Path(__file__).parents[1]
VENDOR = HERE / "vendor"
INTERFACE = HERE / "interface"

FOR_EVER = "public, max-age=31536000, immutable"
FRESH = "no-cache"


class Unchanging(StaticFiles):
    """Files whose address holds their hash: a browser may keep them for ever."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """The file, to be kept."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = FOR_EVER
        return response


def mount(app: FastAPI, services: Services) -> None:
    """Serve the pages and what they load."""
    app.mount(pages.static_url(), Unchanging(directory=pages.STATIC), name="static")
    app.mount("/docs/vendor", StaticFiles(directory=VENDOR), name="vendor")
    app.mount("/docs/interface", StaticFiles(directory=INTERFACE), name="interface")
    app.router.routes.extend(Route(page.path, _shown(page, services)) for page in pages.PAGES)
    app.router.routes.append(Route("/docs", _file(INTERFACE / "index.html")))
    app.router.routes.append(Route("/sw.js", _file(pages.SERVICE_WORKER)))


def _shown(page: pages.Page, services: Services) -> Callable[[Request], Awaitable[Response]]:
    """The route of one page. The page of a table that nobody opened is not found: its stream would never come."""

    async def show(request: Request) -> Response:
        table = request.path_params.get("table", services.first_table)
        await anyio.to_thread.run_sync(services.tables.get, table)
        return HTMLResponse(pages.render(page, table), headers={"cache-control": FRESH})

    return show


def _file(path: Path) -> Callable[[Request], Awaitable[Response]]:
    async def send(request: Request) -> Response:  # noqa: ARG001 - the same for all who ask
        return FileResponse(path, headers={"cache-control": FRESH})

    return send
