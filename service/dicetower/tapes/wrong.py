"""A picture that was read wrong, as a tape whose expectation is what is right: it fails until the reader is mended.

tape.json, inputs.jsonl (one frame), frames/0001.png, expected.json (the corrected, missed or absent die), sets/
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dicetower.errors import DicetowerError, Unavailable
from dicetower.game.settings import Settings
from dicetower.model import Die
from dicetower.rules.ruleset import RuleSet
from dicetower.sources import tape as tapes
from dicetower.sources.camera_desk import Fix, Misread
from dicetower.sources.own_dice import packed
from dicetower.sources.tape import Head
from dicetower.sources.tape_writer import TapeWriter, seal
from dicetower.tapes import inputs, results, start
from dicetower.tapes.replay import replay
from dicetower.tapes.results import DieSeen, Loose, Result

KEPT_MAX = 500
"""Corrections in the folder; past it the keeper must take some away. Each is a picture, some 3 MB."""


class Corrections:
    """A folder of such tapes."""

    def __init__(
        self, folder: Path, rules: RuleSet, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    ) -> None:
        self.folder, self._rules, self._now_ms = folder, rules, now_ms

    def keep(self, misread: Misread) -> str:
        """Write the tape and answer its name; Unavailable where it cannot be written."""
        at_ms = self._now_ms()
        try:
            kept = len(list(self.folder.glob("wrong-*"))) if self.folder.is_dir() else 0
            if kept >= KEPT_MAX:
                raise Unavailable(f"{self.folder} holds {kept} corrections; take some of them away first.")
            folder = self.folder / f"wrong-{at_ms}"
            self._write(folder, misread, at_ms)
        except OSError as error:
            raise Unavailable(f"The correction cannot be kept in {self.folder}: {error.strerror or error}.") from error
        return folder.name

    def _write(self, folder: Path, misread: Misread, at_ms: int) -> None:
        head = self._head(misread.fix, at_ms)
        plan = tuple(Die(die) for die in misread.plan)
        with TapeWriter(folder, head) as writer:
            own = None if misread.own is None else writer.own(*packed(misread.own))
            picture = writer.frame(misread.picture)
            frame = inputs.Frame(picture, plan=plan, request="wrong", tray=misread.tray, own=own)
            writer.add(0, frame.kind, inputs.data_of(frame))
        seal(folder, head, results.as_json(()))
        try:
            came = replay(tapes.read(folder), self._rules).results
        except DicetowerError as error:
            raise Unavailable(f"The correction could not be played: {error}") from error
        seal(folder, head, results.as_json([corrected(result, misread.fix) for result in came]))

    def _head(self, fix: Fix, at_ms: int) -> Head:
        rules = {"name": self._rules.name, "version": self._rules.version, "hash": self._rules.hash}
        table = start.start_json(start.Start("main", Settings(), ()))
        title, shows = _told(fix)
        return Head(title, (shows,), "corrected at a table", "its keeper's: ask first", at_ms, rules, table)


def _told(fix: Fix) -> tuple[str, str]:
    """The tape's title, and what it shows."""
    if fix.missed is not None:
        x, y = (f"{share:.0%}" for share in fix.missed)
        return f"A {fix.die} that shows {fix.value} lies {x} from the left and {y} from the top", "a missed die"
    if fix.value is None:
        return f"Die {fix.number + 1} from the left is no die", "an invented die"
    return f"Die {fix.number + 1} from the left is a {fix.die} that shows {fix.value}", "a misread die"


def corrected(result: Result, fix: Fix) -> Result:
    """What should have come of the picture."""
    dice, loose = list(result.dice), list(result.unassigned or ())
    loose_at = len(loose) - len(dice) + fix.number
    if fix.missed is not None:
        dice.insert(fix.number, DieSeen(fix.die, fix.value, "sure"))
        loose.insert(loose_at, Loose(fix.die, fix.value, "sure"))
    elif fix.number < len(dice):
        if fix.value is None:
            del dice[fix.number], loose[loose_at]
        else:
            seen = dice[fix.number]
            dice[fix.number] = replace(seen, die=fix.die, value=fix.value, status="sure")
            loose[loose_at] = replace(loose[loose_at], die=fix.die, value=fix.value, status="sure")
    if not dice:
        return Result(result.line, "BadPicture")  # a picture without a die is refused
    return replace(result, refused=None, dice=tuple(dice), unassigned=tuple(loose))
