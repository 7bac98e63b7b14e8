"""What the HTTP interface stands on, handed in by whoever wires the service; the rest of `api` knows no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from dicetower.errors import Conflict
from dicetower.model import Die, FaceAsked, SourceHealth, Store, Throw
from dicetower.rules.ruleset import RuleSet
from dicetower.table import Tables, View


class ReadPhoto(Protocol):
    """Reads a photograph of the tray as one throw."""

    def __call__(self, picture: bytes, throw: str, *, player: str | None, plan: Sequence[str]) -> Throw:
        """Return the throw named `throw`; BadPicture where the bytes are no picture.

        `player` is whose dice they are, if the sender said; `plan` the die types that are owed: a prior, not a mask.
        """


class FindEvidence(Protocol):
    """Finds the stored crop a doubtful die was read from."""

    def __call__(self, name: str) -> Path:
        """Return its file; NotFound where there is none."""


class Press(Protocol):
    """Asks for an e-die to be pressed: the first that is pressed is then that player's."""

    def ask(self, table: str, player: str) -> View:
        """Ask; Conflict where no die could answer, or where it would throw for an attack."""

    def cancel(self, table: str) -> View:
        """Ask no longer."""


class NoEDice:
    """Where nothing can be pressed."""

    def ask(self, table: str, player: str) -> View:  # noqa: ARG002 - one signature for all
        """Conflict."""
        raise Conflict("This service has no e-dice: start it with --edie auto, or with the ports' names.")

    def cancel(self, table: str) -> View:
        """Conflict."""
        return self.ask(table, "")


class CameraDesk(Protocol):
    """The live camera as the pages see it, and its set-up. What each value means: docs/api.md."""

    def state(self) -> dict[str, Any]:
        """How it is, and the dice it sees."""

    def picture(self, whole: bool, width_px: int) -> bytes:
        """The newest picture, a JPEG: the tray, or all that the camera sees. Conflict where none is live."""

    def look_again(self) -> list[str]:
        """Read the newest picture, keeping each stage of it; the stages' names."""

    def stage(self, number: int) -> bytes:
        """One of those stages, a PNG; NotFound."""

    def wrong(
        self, look: int, which: int | tuple[float, float] | None, die: Die | None, value: int | None
    ) -> tuple[str, str | None]:
        """Keep a misread die, by number or place, as a tape; its name, and the die set that its face is offered to."""

    def answer_away(self, at_ms: int, count: bool) -> None:
        """Dice that came while the camera was away count, or do not; Conflict where they are asked about no more."""

    def choices(self) -> dict[str, Any]:
        """The cameras of this machine, and the profiles there are."""

    def open(self, source: str) -> None:
        """Use a camera; BadInput for what is no camera."""

    def close(self) -> None:
        """Use none."""

    def change(
        self,
        *,
        corners: tuple[tuple[float, float], ...] | None = None,
        turn: int | None = None,
        width_mm: float | None = None,
        zones: str | None = None,
    ) -> None:
        """Change the set-up in force."""

    def find_tray(self) -> None:
        """Mark the tray between printed markers."""

    def learn_empty(self) -> None:
        """Take the tray for empty as it looks now."""

    def try_throws(self, on: bool) -> None:
        """Show throws here, and give none to the table, while it is on."""

    def save(self, name: str) -> None:
        """Keep the set-up under a name."""

    def load(self, name: str) -> None:
        """Use a set-up that was kept."""

    def marker(self, number: int) -> bytes:
        """A marker to print, a PNG; NotFound."""


class Teacher(Protocol):
    """The die sets as the pages see them. What each value means: docs/api.md."""

    def state(self) -> dict[str, Any]:
        """Every set."""

    def one(self, name: str) -> dict[str, Any]:
        """One set, empty where none of that name is kept."""

    def picture(self, name: str, picture: str) -> bytes:
        """A picture of a set's, a PNG; NotFound."""

    def alike(self, name: str) -> list[tuple[str, str, str]]:
        """Faces that comparison cannot tell apart: die, label, label."""

    def remove(self, name: str, picture: str) -> dict[str, Any]:
        """Take a picture out; the set."""

    def forget(self, name: str) -> None:
        """Take a set away; Conflict where the settings name it."""

    def use(self, name: str, on: bool) -> dict[str, Any]:
        """Read with a set at the table, or no longer; the set."""

    def hold(self, holder: str, on: bool) -> None:
        """Have the camera for a page, or give it back; Conflict."""

    def shoot(self, name: str, holder: str, look: int, asked: FaceAsked) -> dict[str, Any]:
        """Take the new die of the settled picture as a picture of a face; what came of it."""

    def shoot_photo(self, name: str, photograph: bytes, asked: FaceAsked) -> dict[str, Any]:
        """Take the die of a photograph; what came of it."""

    def try_look(self, name: str, look: int) -> list[dict[str, Any]]:
        """The settled picture's dice, read with a set."""

    def try_photo(self, name: str, photograph: bytes) -> list[dict[str, Any]]:
        """A photograph's dice, read with a set."""

    def decide(self, name: str, picture: str, take: bool) -> dict[str, Any]:
        """Take an offered face, or let it go; the set."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts behind the interface.

    `sources` answers how each configured camera and e-die is at this moment; it is asked often and answers at once.
    In each one's `detail`, `kind` is "camera" or "e-die"; "pressing" is no device, but says that one is waited for.
    `check_evidence` raises StoreError where no picture of a die could be kept now.
    """

    tables: Tables
    store: Store
    rules: RuleSet
    read_photo: ReadPhoto
    find_evidence: FindEvidence
    sources: Callable[[], Sequence[SourceHealth]] = tuple
    first_table: str = "main"
    press: Press = field(default_factory=NoEDice)
    camera: CameraDesk | None = None
    enrol: Teacher | None = None
    check_evidence: Callable[[], None] | None = None
