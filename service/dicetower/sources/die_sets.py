"""The die sets that players have shown, and those of them that are in use: what is read is held against these.

Kept by `dicevision.diesets`, a folder a set. Whoever changes a set, this program or another, readers see it at once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dicetower.errors import BadInput, Conflict, NotFound
from dicetower.model import Die
from dicevision import diesets, enrol
from dicevision.enrol import DieSet

MOST_SETS = 64
"""Sets in the folder. Nobody has so many dice; a script that makes sets without end is stopped."""

log = logging.getLogger("dicetower.die_sets")


class DieSets:
    """A folder of sets. Any thread may call."""

    def __init__(self, folder: Path, used: Sequence[str] = ()) -> None:
        """Use these sets; NotFound where one is not there, BadInput where it is broken."""
        self.folder = folder
        self._lock = threading.RLock()
        self._loaded: dict[str, tuple[int, DieSet]] = {}
        self._used = tuple(dict.fromkeys(used))
        self._own: DieSet | None = None
        self._own = self._joined()

    @property
    def used(self) -> tuple[str, ...]:
        """The sets that are in use, in the order in which they came to be."""
        return self._used

    def own(self) -> DieSet | None:
        """The sets in use as one, to read with; None where there are none.

        A set that breaks while it is in use is read as it was before, and the log says so.
        """
        with self._lock:
            try:
                self._own = self._joined()
            except (NotFound, BadInput) as error:
                log.error("%s It is read as it was before.", error)  # noqa: TRY400 - a sentence for the keeper
            return self._own

    def names(self) -> tuple[str, ...]:
        """The sets that are kept, in alphabetical order."""
        return diesets.names(self.folder)

    def load(self, name: str) -> DieSet:
        """A kept set; NotFound where there is none, BadInput where it is broken."""
        with self._lock, _translated():
            stamp = diesets.stamp(self.folder, name)
            held = self._loaded.get(name)
            if held is not None and held[0] == stamp:
                return held[1]
            known = diesets.load(self.folder, name)
            if stamp is not None:
                self._loaded[name] = (stamp, known)
            return known

    def get(self, name: str) -> DieSet:
        """A kept set, or one with nothing in it yet."""
        return self.load(name) if name in self.names() else DieSet(name, ())

    def png(self, name: str, picture: str) -> bytes:
        """A kept picture, as its file has it; BadInput where that cannot be read."""
        with _translated():
            return diesets.png(self.folder, name, picture)

    def put(self, known: DieSet) -> None:
        """Keep a set in place of the one of its name; with no face left there is none. Conflict where it cannot be."""
        with self._lock:
            if not known.faces:
                self.forget(known.name)
                return
            if known.name not in self.names() and len(self.names()) >= MOST_SETS:
                raise Conflict(f"{MOST_SETS} die sets are kept in {self.folder}; forget one first.")
            self._loaded.pop(known.name, None)
            try:
                with _translated():
                    diesets.save(self.folder, known)
            except OSError as error:
                raise Conflict(
                    f"The set cannot be kept in {self.folder}: {error.strerror or 'no reason is given'}; "
                    "make room and try again."
                ) from None

    def forget(self, name: str) -> None:
        """Take a set away with its pictures, broken ones too, and out of use.

        NotFound where there is none, Conflict where its files must stay.
        """
        with self._lock:
            try:
                with _translated():
                    diesets.forget(self.folder, name)
            except OSError as error:
                raise Conflict(
                    f"The set {name} cannot be taken out of {self.folder}: {error.strerror or 'no reason is given'}."
                ) from None
            self._loaded.pop(name, None)
            self._used = tuple(each for each in self._used if each != name)

    def use(self, name: str, on: bool) -> None:
        """Read with a set from now on, or no longer; NotFound and BadInput as `load`."""
        with self._lock:
            rest = tuple(each for each in self._used if each != name)
            if on:
                self.load(name)
            self._used = (*rest, name) if on else rest

    def _joined(self) -> DieSet | None:
        sets = [self.load(name) for name in self._used]
        if len(sets) < 2:
            return sets[0] if sets else None
        faces = tuple(face for known in sets for face in known.faces)
        joined = DieSet(" and ".join(self._used), faces)
        return self._own if self._own is not None and _same(self._own, joined) else joined


@contextmanager
def _translated() -> Iterator[None]:
    """What `dicevision` refuses, as one of this product's errors."""
    try:
        yield
    except diesets.NoSet as error:
        raise NotFound(str(error)) from None
    except diesets.BadSet as error:
        raise BadInput(str(error)) from None


def _same(one: DieSet, other: DieSet) -> bool:
    """Whether two hold the very same pictures: what they are compared by is then made once."""
    return one.name == other.name and list(map(id, one.faces)) == list(map(id, other.faces))


def values_of(die: Die) -> tuple[int, ...]:
    """The values of a die's faces, ascending."""
    return tuple(value for value in range(101) if die.holds(value))


def pairs_alike(known: DieSet) -> list[tuple[str, str, str]]:
    """(die, label, label) of faces that comparison cannot tell apart."""
    pairs = {(a.die, known.label(a.die, a.value), known.label(b.die, b.value)) for a, b in enrol.alike(known)}
    return sorted(pairs)
