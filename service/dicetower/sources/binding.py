"""Which e-die answers "press Red's die": the first that is pressed after the page asked. Pure.

    pressing = Pressing(edie.newest(), "red", until_ms)
    pressing.counts_from(uid, last)            # from each heartbeat: a die that comes later tells where it stands
    pressing.is_press("edie:00c0ffee00c0ffee:18")

A roll that waited in a die since before the page asked is no press: its number tells. A die that has not said yet
which was its newest roll is not believed until it has; its next press counts.
"""

from __future__ import annotations

from collections.abc import Mapping

ASKED_FOR_MS = 30_000
"""How long the page asks: time to find a die in its box and press it. The table's choice; nothing else hangs on it."""


class Pressing:
    """One asking. `newest` maps each e-die to the number of the newest roll it is known to have made."""

    def __init__(self, newest: Mapping[str, int], player: str, until_ms: int) -> None:
        """Ask for `player`'s die until a moment of the caller's clock."""
        self.player, self.until_ms = player, until_ms
        self._newest = dict(newest)

    def counts_from(self, uid: str, last: int) -> None:
        """A die said which was its newest roll; what is known of it already stands."""
        self._newest.setdefault(uid, last)

    def is_press(self, uid: str, roll: int) -> bool:
        """Whether that roll was made since the page asked."""
        return uid in self._newest and roll > self._newest[uid]
