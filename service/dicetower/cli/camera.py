"""The camera over a served table's tray: what it reads goes to that table, what that table owes is its prior."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dicetower.rules.ruleset import RuleSet
    from dicetower.settings import Settings
    from dicetower.sources.camera_desk import Desk
    from dicetower.sources.camera_profile import Profile
    from dicetower.sources.die_sets import DieSets
    from dicetower.sources.enrol_desk import EnrolDesk
    from dicetower.sources.evidence import EvidenceFolder
    from dicetower.table import Tables
    from dicetower.tapes.recorder import Recorder


@contextlib.contextmanager
def over_tray(
    settings: Settings,
    tables: Tables,
    rules: RuleSet,
    evidence: EvidenceFolder,
    sets: DieSets,
    recorder: Recorder | None = None,
) -> Iterator[tuple[Desk, EnrolDesk]]:
    """The camera that `settings` name, at its table, and what the pages ask of it; without one it waits for /setup."""
    from dicetower.settings import camera_folder
    from dicetower.sources.camera_desk import Desk
    from dicetower.sources.camera_live import LiveCamera, owed_by
    from dicetower.sources.camera_profile import Profiles
    from dicetower.sources.enrol_desk import EnrolDesk
    from dicetower.tapes.wrong import Corrections

    table = tables.open(settings.camera_table or settings.table)
    saw = recorder.saw if recorder is not None and table.name == settings.table else None
    camera = LiveCamera(evidence.keep, table=table.name, owed=lambda: owed_by(table.view()), saw=saw, own=sets.own)
    profiles = Profiles(camera_folder())
    profile = chosen(settings, profiles)
    if profile.source:
        camera.use(profile)
    camera.start(table.throw)
    enrol = EnrolDesk(sets, camera, configured=settings.die_sets, learn=settings.die_sets_learn)
    try:
        yield Desk(camera, profiles, Corrections(settings.corrections, rules).keep, enrol.learn), enrol
    finally:
        camera.stop()


def chosen(settings: Settings, profiles: Any) -> Profile:
    """The profile that is named, with the camera that is named; a profile of the camera's own is none's."""
    from dicetower.sources.camera_profile import Profile

    profile = profiles.load(settings.camera_profile) if settings.camera_profile else Profile()
    return replace(profile, source=settings.camera) if settings.camera else profile
