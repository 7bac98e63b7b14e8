"""Whatever a client sends: no 5xx, and every answer as `/openapi.json` says. Schemathesis, in process, from a seed."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)
from tests.support.api import HKP, Reader

from dicetower.api.app import create_app
from dicetower.api.guard import names_for
from dicetower.api.services import Services
from dicetower.errors import BadPicture
from dicetower.model import Die, Reading, ReadingStatus, SourceKind, Throw
from dicetower.rules.pack import standard
from dicetower.sources.camera_desk import Desk
from dicetower.sources.camera_live import LiveCamera
from dicetower.sources.camera_profile import Profiles
from dicetower.sources.die_sets import DieSets
from dicetower.sources.enrol_desk import EnrolDesk
from dicetower.sources.evidence import EvidenceFolder
from dicetower.store.memory import MemoryStore
from dicetower.table import Tables, TypedDie
from dicevision import diesets
from dicevision.enrol import KEPT_PX, DieSet, Face

SEED = 1
EXAMPLES = 25
"""Cases an operation and mode: some 1,200 in all, in about half a minute."""

SEATED = {"player": "red", "firer": "red", "target": "blue"}
STREAM = "/api/v1/tables/{table}/events"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
PATHS = create_app(Services(Tables(MemoryStore(), standard()), MemoryStore(), standard(), Reader(), Path)).openapi()[
    "paths"
]
OPERATIONS = [(path, method) for path, methods in PATHS.items() for method in methods if path != STREAM]


class Ground:
    """A service whose table is kept lively: an attack open, a die in doubt, a die unassigned."""

    def __init__(self, folder: Path) -> None:
        store = MemoryStore()
        self.tables = Tables(store, standard())
        self.table = self.tables.open("main")
        self.table.change_settings({"virtual": True})
        evidence = EvidenceFolder(folder)
        camera = LiveCamera(evidence.keep)
        desk = Desk(camera, Profiles(folder), lambda misread: "kept")
        self.sets = DieSets(folder / "die-sets")
        enrol = EnrolDesk(self.sets, camera)
        services = Services(self.tables, store, standard(), read_photo, evidence.find, camera=desk, enrol=enrol)
        self.app = create_app(services, names_for("127.0.0.1", ("testserver",)))
        self.schema = schemathesis.openapi.from_asgi("/openapi.json", self.app)

    def liven(self) -> dict[str, Any]:
        """Declare and throw where that is wanted, and answer path values that name something."""
        view = self.table.view()
        if view["attack"] is None or view["attack"]["state"] in {"resolved", "void"}:
            attack = {key: value for key, value in HKP.items() if key not in {"firer", "target"}}
            view = self.table.declare(_attack(attack), "red", "blue")
            self.table.type_dice(secrets.token_hex(8), [TypedDie(5, Die.D8), TypedDie(11, Die.D12)])
            view = self.table.throw(doubtful(secrets.token_hex(8), 1))
        readings = [slot["reading"] for slot in view["attack"]["slots"] if slot["question"]]
        readings += [die["reading"] for die in view["unassigned"]]
        face = Face("D4", 1, np.full((KEPT_PX, KEPT_PX, 3), 99, np.uint8))
        if self.sets.names() != ("runes",):
            self.sets.put(DieSet("runes", (face,)))
        real = {"table": "main", "attack": view["attack"]["id"], "player": "red", "name": "runes"}
        return {**real, "picture": diesets.picture_name(face), "reading": (readings or ["none"])[-1]}


def _attack(attack: dict[str, Any]) -> Any:
    from dicetower.model import Attack

    return Attack(**attack)


def doubtful(name: str, count: int) -> Throw:
    """A photograph's throw of dice in doubt."""
    readings = tuple(
        Reading(f"camera:{name}:{n}", SourceKind.CAMERA, Die.D6, None, ReadingStatus.UNSURE, 0.5, at=(0.5, 0.5))
        for n in range(count)
    )
    return Throw(f"camera:{name}", SourceKind.CAMERA, readings, 1)


def read_photo(picture: bytes, throw: str, *, player: str | None, plan: Any) -> Throw:
    """As many doubtful dice as the picture has bytes, up to three; none for what is too short to be a picture."""
    if len(picture) < 2:
        raise BadPicture("Expected a picture, got a byte.")
    return doubtful(throw, min(3, len(picture) - 1))


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("evidence"))


CASES = [
    pytest.param(path, method, mode, id=f"{method} {path} {mode.value}")
    for path, method in OPERATIONS
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or "requestBody" in PATHS[path][method] or "{" in path  # else nothing is wrong
]


@pytest.mark.parametrize(("path", "method", "mode"), CASES)
def test_no_fault_and_every_answer_as_documented(ground: Ground, path: str, method: str, mode: GenerationMode) -> None:
    """Three in four cases name the real table and what lies on it, so that they come to more than 404."""
    operation = ground.schema[path][method]

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), real=st.sampled_from([True, True, True, False]))
    def run(case: Any, real: bool) -> None:
        lively = ground.liven()
        rejects = mode is GenerationMode.NEGATIVE
        if real and case.path_parameters:
            case.path_parameters |= {key: lively[key] for key in case.path_parameters if key in lively}
            rejects = False  # the path may have been all that was wrong
        if real and mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
            case.body |= {key: seated for key, seated in SEATED.items() if key in case.body}
        case.call_and_validate(checks=[*CHECKS, negative_data_rejection] if rejects else CHECKS)

    run()
