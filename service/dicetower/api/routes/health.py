"""Whether the service runs, whether it can do its work, and its figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata
from typing import Any

from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import JSONResponse, Response

from dicetower.api.routes.shared import TheServices
from dicetower.api.services import Services
from dicetower.api.streams import Streams
from dicetower.api.views import HealthView, ReadyView
from dicetower.errors import Unavailable
from dicetower.model import SourceHealth

router = APIRouter(tags=["health"])
KINDS = ("camera", "e-die")


@router.get("/healthz", response_model=HealthView)
async def healthz() -> dict[str, Any]:
    """The service runs."""
    return {"ok": True, "version": metadata.version("dicetower")}


@router.get("/readyz", response_model=ReadyView, responses={503: {"model": ReadyView, "description": "not ready"}})
def readyz(services: TheServices) -> Response:
    """Database, pictures, cameras and e-dice, each with a reason. Only what is configured can fail."""
    sources = _devices(services)
    absent = [kind for kind in KINDS if all(source.detail.get("kind") != kind for source in sources)]
    parts = [
        _database(services),
        *_pictures(services),
        *sources,
        *(SourceHealth(kind, "not configured", ok=True) for kind in absent),
    ]
    ok = all(part.ok or part.detail.get("plugged") is False for part in parts)
    return JSONResponse({"ok": ok, "parts": [asdict(part) for part in parts]}, status_code=200 if ok else 503)


def _devices(services: Services) -> list[SourceHealth]:
    """The cameras and e-dice; that a press is waited for is no device."""
    return [source for source in services.sources() if source.detail.get("kind") != "pressing"]


def _database(services: Services) -> SourceHealth:
    """Ask the journal for something, and whether it could keep something."""
    try:
        services.store.tables()
        services.store.check()
    except Unavailable as error:
        return SourceHealth("database", "fault", ok=False, reason=str(error))
    return SourceHealth("database", "open", ok=True)


def _pictures(services: Services) -> Iterator[SourceHealth]:
    """Whether the pictures that dice are read from could be kept; nothing where none are."""
    if services.check_evidence is None:
        return
    try:
        services.check_evidence()
    except Unavailable as error:
        yield SourceHealth("pictures", "fault", ok=False, reason=str(error))
    else:
        yield SourceHealth("pictures", "open", ok=True)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "figures in Prometheus's text form"}},
)
async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    registry: CollectorRegistry = request.app.state.metrics
    return Response(generate_latest(registry), headers={"content-type": CONTENT_TYPE_LATEST})


class Figures:
    """Collects the figures at the moment they are asked for."""

    def __init__(self, services: Services, streams: Streams) -> None:
        self._services, self._streams = services, streams

    def collect(self) -> Iterator[Metric]:
        """Each figure, by the name it has in Prometheus."""
        hubs = self._streams.hubs
        yield GaugeMetricFamily("dicetower_pages", "Pages with an open stream.", sum(hub.listeners for hub in hubs))
        yield CounterMetricFamily("dicetower_events", "Events sent to streams.", sum(hub.events for hub in hubs))
        yield CounterMetricFamily(
            "dicetower_overruns", "Times a page was too slow and got a snapshot.", sum(hub.overruns for hub in hubs)
        )
        source = GaugeMetricFamily("dicetower_source_ok", "1 where a camera or e-die answers.", labels=["name"])
        for health in _devices(self._services):
            source.add_metric([health.name], float(health.ok))
        yield source


def registry(services: Services, streams: Streams) -> CollectorRegistry:
    """A registry of this app alone: the library's own is one for the whole process."""
    made = CollectorRegistry()
    made.register(Figures(services, streams))
    return made
