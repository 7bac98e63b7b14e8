"""Tapes at their own pace at a table that is being served, one after the other and over again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from itertools import count

from dicetower.errors import Conflict, DicetowerError
from dicetower.model import Store
from dicetower.sources.camera import Camera
from dicetower.sources.tape import Tape
from dicetower.table import Table
from dicetower.tapes.replay import parsed, play_line
from dicetower.tapes.results import Watch
from dicetower.tapes.stage import Clock, Draws, Stage
from dicetower.tapes.start import first_seq

BETWEEN_MS = 3000
"""Between two tapes, beside the time that the next one takes to begin."""

log = logging.getLogger("dicetower.tape")


class Show:
    """Plays tapes at `table` in a thread. `speed` is how many times their own pace."""

    def __init__(
        self,
        tapes: Sequence[Tape],
        table: Table,
        store: Store,
        camera: Camera,
        draws: Draws,
        now_ms: Callable[[], int],
        *,
        speed: float = 1.0,
    ) -> None:
        self._tapes, self._table, self._store = tapes, table, store
        self._camera, self._draws, self._now_ms, self._speed = camera, draws, now_ms, speed
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tapes", daemon=True)
        self.rounds = 0
        """How many times all tapes have been shown."""

    def __enter__(self) -> Show:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End, and wait for the input that is being played."""
        self._ended.set()
        self._thread.join()

    @property
    def alive(self) -> bool:
        """Whether it still plays."""
        return self._thread.is_alive()

    def _run(self) -> None:
        for number in count(1):
            for tape in self._tapes:
                try:
                    self._show(tape, f"{tape.name} {number}")
                except DicetowerError as error:
                    log.warning("%s: %s", tape.name, error)
                self._pause(BETWEEN_MS)
                if self._ended.is_set():
                    return
            self.rounds = number

    def _show(self, tape: Tape, label: str) -> None:
        """Play one tape. Whoever is at the table may act too; what that makes impossible is passed over."""
        log.info("Tape %s: %s", tape.name, tape.head.title)
        self._clear(tape)
        clock = Clock(self._now_ms())
        watch = Watch(self._table.view, lambda after: self._store.read(self._table.name, after))
        shift = first_seq(tape.head.table) - self._table.seq
        stage = Stage(self._table, watch, self._camera, clock, self._draws, label, shift)
        before = 0
        for line, given in parsed(tape):
            self._pause(line.ms - before)
            before = line.ms
            if self._ended.is_set():
                return
            play_line(stage, tape, line, given)

    def _clear(self, tape: Tape) -> None:
        """Bring the table to where the tape begins: nothing open, and its settings."""
        attack = self._table.view()["attack"]
        if attack is not None and attack["state"] in ("throwing", "damage"):
            try:
                self._table.void(attack["id"], "the next tape begins")
            except Conflict:
                log.info("Somebody ended the attack first.")
        self._table.change_settings(dict(tape.head.table["settings"]))

    def _pause(self, ms: int) -> None:
        self._ended.wait(ms / 1000 / self._speed)
