"""Which rolls of which e-die have been met: what tells a copy, a gap and a conflict. Pure."""

from __future__ import annotations

from collections import OrderedDict

from dicetower.sources.verbs import Roll

SEEN_ROLLS = 64  # four times what a die can hold unacknowledged


class Seen:
    """The rolls of each die that this process has met: for duplicates, gaps and conflicts.

    It outlives connections. It need not outlive the process: the table takes each reading's key once.
    """

    def __init__(self) -> None:
        """Remember nothing."""
        self._contents: dict[str, OrderedDict[int, Roll]] = {}
        self._committed: set[tuple[str, int]] = set()

    def known(self, uid: str, roll: int) -> Roll | None:
        """The roll of that number as first heard, or None."""
        return self._contents.get(uid, OrderedDict()).get(roll)

    def newest(self, uid: str) -> int | None:
        """The highest roll number heard from that die, or None."""
        return max(self._contents.get(uid, {}), default=None)

    def add(self, uid: str, roll: Roll) -> None:
        """Remember a roll, not journalled yet; the oldest beyond `SEEN_ROLLS` is forgotten."""
        self._committed.discard((uid, roll.roll))
        rolls = self._contents.setdefault(uid, OrderedDict())
        rolls[roll.roll] = roll
        while len(rolls) > SEEN_ROLLS:
            oldest, _ = rolls.popitem(last=False)
            self._committed.discard((uid, oldest))

    def commit(self, uid: str, roll: int) -> None:
        """Remember that the roll is in the journal."""
        self._committed.add((uid, roll))

    def forget(self, uid: str, roll: int) -> None:
        """The roll did not reach the journal: its next copy is new again."""
        self._contents.get(uid, OrderedDict()).pop(roll, None)

    def is_committed(self, uid: str, roll: int) -> bool:
        """Whether the roll is known to be in the journal."""
        return (uid, roll) in self._committed
