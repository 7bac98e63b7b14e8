"""What people correct at a served table reaches the die sets: the crop, where the die lies in it, and what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.runes import png

from dicetower.cli.die_sets import corrections_to
from dicetower.model import Attack, Die, Reading, ReadingStatus, SlotName, SourceKind, Throw
from dicetower.rules.pack import standard
from dicetower.settings import Settings
from dicetower.sources.evidence import EvidenceFolder
from dicetower.store.memory import MemoryStore
from dicetower.table import Table, Tables

CROP = np.full((136, 170, 3), 90, np.uint8)
"""A die of 100 by 80 pixels with its margin of 0.35 on each side."""
BOX = (35, 28, 100, 80)


class Heard:
    """In the desk's place: notes what it is told."""

    def __init__(self, *, listens: bool = True, fails: bool = False) -> None:
        self.listens, self.fails = listens, fails
        self.told: list[tuple[tuple[int, ...], tuple[int, ...], Die, int]] = []

    def learn_crop(self, crop: Any, box: tuple[int, int, int, int], die: Die, value: int) -> None:
        self.told.append((crop.shape, box, die, value))
        if self.fails:
            raise RuntimeError("a fault of the desk's")

    def unlearn_crop(self, crop: Any, box: tuple[int, int, int, int], die: Die, value: int) -> None:
        self.told.append((crop.shape, box, die, -value))


class Ground:
    """A table where Red's D8 was read as 5 and his D6 is in doubt, both with a crop."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(journal=str(folder / "club.db"))
        self.crop = EvidenceFolder(self.settings.evidence).keep(png(CROP))
        self.store = MemoryStore()
        self.tables = Tables(self.store, standard())
        self.table: Table = self.tables.open("main")
        self.table.declare(Attack("HKP", 3, range="medium", armour=4), "red", "blue")
        self.table.throw(Throw("camera:t", SourceKind.CAMERA, (self.die(0, Die.D8, 5), self.die(1, Die.D6, None)), 1))

    def die(self, number: int, die: Die, value: int | None) -> Reading:
        status = ReadingStatus.UNSURE if value is None else ReadingStatus.SURE
        return Reading(f"camera:t:{number}", SourceKind.CAMERA, die, value, status, evidence=self.crop)

    def corrected(self, heard: Any) -> None:
        """Answer the doubt, then put the D8 right."""
        with corrections_to(heard, self.tables, self.store, self.settings):
            self.table.answer("camera:t:1", None, 3)
            self.table.correct_value("a1", SlotName.FIRER_SIZE, 6, "misread")


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def test_an_answer_and_a_correction_are_told_with_the_crop(ground: Ground) -> None:
    heard = Heard()
    ground.corrected(heard)
    assert heard.told == [((136, 170, 3), BOX, Die.D6, 3), ((136, 170, 3), BOX, Die.D8, 6)]
    ground.table.correct_value("a1", SlotName.FIRER_SIZE, 7, "misread")
    assert len(heard.told) == 2


def test_what_is_taken_back_is_told_too_and_what_then_holds_again(ground: Ground) -> None:
    """A D8 put right to 6, then to 7, both taken back, then the answered D6: values less than 0 are taken back."""
    heard: Any = Heard()
    with corrections_to(heard, ground.tables, ground.store, ground.settings):
        ground.table.answer("camera:t:1", None, 3)
        for value in (6, 7):
            ground.table.correct_value("a1", SlotName.FIRER_SIZE, value, "misread")
        for _ in range(3):
            ground.table.undo()
    told = [(die, value) for _, _, die, value in heard.told]
    assert told == [
        (Die.D6, 3), (Die.D8, 6), (Die.D8, -6), (Die.D8, 7),
        (Die.D8, -7), (Die.D8, 6), (Die.D8, -6), (Die.D6, -3),
    ]  # fmt: skip


def test_taking_back_another_decision_tells_nothing(ground: Ground) -> None:
    heard: Any = Heard()
    ground.table.answer("camera:t:1", None, 3)
    ground.table.correct_value("a1", SlotName.FIRER_SIZE, 6, "misread")
    with corrections_to(heard, ground.tables, ground.store, ground.settings):
        ground.table.reroll("a1", [SlotName.FIRER_SIZE], "off the table")
        ground.table.undo()
    assert heard.told == []


def test_a_fault_costs_the_next_correction_nothing(ground: Ground) -> None:
    heard = Heard(fails=True)
    ground.corrected(heard)
    assert len(heard.told) == 2


def test_with_no_set_in_use_nothing_is_looked_up(ground: Ground) -> None:
    heard = Heard(listens=False)
    ground.corrected(heard)
    assert heard.told == []


def test_a_crop_that_is_gone_or_broken_is_passed_over(ground: Ground) -> None:
    (ground.settings.evidence / ground.crop).write_bytes(b"\x89PNG broken, but long enough to have a head of its own")
    heard = Heard()
    ground.corrected(heard)
    assert heard.told == []
    assert ground.table.view()["attack"]["slots"][0]["value"] == 6
