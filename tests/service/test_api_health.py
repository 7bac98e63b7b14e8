"""Runs, can work, figures; and readiness fails for what is configured and broken, with its reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from tests.support.api import ADDRESS, Bench

from dicetower.api.app import create_app
from dicetower.api.views import HealthView, ReadyView
from dicetower.errors import StoreError
from dicetower.model import SourceHealth
from dicetower.sources.evidence import EvidenceFolder


def test_it_runs(client: TestClient) -> None:
    assert HealthView.model_validate(client.get("/healthz").json()).ok


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/", "/api/v1/rules", "/api/v1/tables"])
def test_a_probe_may_ask_for_the_head_alone(client: TestClient, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]


def test_the_endless_stream_has_no_head(client: TestClient) -> None:
    assert client.head("/api/v1/tables/main/events").status_code == 405


def test_with_no_device_configured_the_database_alone_decides(client: TestClient) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    parts = ReadyView.model_validate(answer.json()).parts
    assert [(part.name, part.state, part.ok) for part in parts] == [
        ("database", "open", True),
        ("camera", "not configured", True),
        ("e-die", "not configured", True),
    ]


def test_a_configured_device_that_fails_fails_readiness_with_its_reason(bench: Bench, client: TestClient) -> None:
    bench.sources[:] = [
        SourceHealth("tray camera", "stalled", ok=False, reason="No picture for 2 s.", detail={"kind": "camera"}),
        SourceHealth("Red's e-die", "connected", ok=True, detail={"kind": "e-die"}),
    ]
    answer = client.get("/readyz")
    assert answer.status_code == 503
    parts = {part.name: part for part in ReadyView.model_validate(answer.json()).parts}
    assert parts["tray camera"].reason == "No picture for 2 s."
    assert {name: part.ok for name, part in parts.items()} == {
        "database": True,
        "tray camera": False,
        "Red's e-die": True,
    }


def test_a_journal_that_does_not_answer_fails_readiness(
    bench: Bench, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> list[str]:
        raise StoreError("The journal is on a disk that is gone.")

    monkeypatch.setattr(bench.store, "tables", gone)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"][0]["reason"] == "The journal is on a disk that is gone."
    assert client.get("/healthz").status_code == 200


def test_pictures_that_cannot_be_kept_fail_readiness(bench: Bench, tmp_path: Path) -> None:
    folder = EvidenceFolder(tmp_path / "club.evidence")
    client = TestClient(create_app(replace(bench.app.state.services, check_evidence=folder.check)), base_url=ADDRESS)
    assert client.get("/readyz").json()["parts"][1] == {
        "name": "pictures", "state": "open", "ok": True, "reason": "", "detail": {}
    }  # fmt: skip
    folder.folder.write_text("a file where the folder should be")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    pictures = next(part for part in ReadyView.model_validate(answer.json()).parts if part.name == "pictures")
    assert not pictures.ok
    assert pictures.reason.startswith(f"Pictures of dice cannot be kept in {folder.folder}: not a directory.")


def test_figures_are_prometheus_text(bench: Bench, client: TestClient) -> None:
    bench.sources.append(SourceHealth('a "camera"\n', "watching", ok=True))
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    found = {family.name: family.samples for family in text_string_to_metric_families(answer.text)}
    assert found["dicetower_pages"][0].value == 0
    assert found["dicetower_source_ok"][0].labels == {"name": 'a "camera"\n'}
