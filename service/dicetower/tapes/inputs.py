"""Each kind of input as a value: what a person did, or what a device gave. To and from the keys of a tape's line."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from dicetower.errors import BadTape
from dicetower.game.codec import Malformed, from_json, to_json
from dicetower.game.settings import Zone
from dicetower.model import Attack, Die, PledgeState, SlotName
from dicetower.sources.in_tray import InTray
from dicetower.sources.tape import Line

HASH, SECRET = re.compile("[0-9a-f]{64}", re.ASCII), re.compile("[0-9a-f]{32}", re.ASCII)

DRAWS_MAX = 5
"""An attack owes five dice at most."""


@dataclass(frozen=True, slots=True)
class Which:
    """A die, without what it was read as.

    By its slot in the open attack; by its throw on the tape and its number therein, both from 1; or, for a die of the
    history, by its key.
    """

    slot: SlotName | None = None
    throw: int | None = None
    die: int | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class TypedOn:
    """One typed die."""

    value: int
    die: Die | None = None
    slot: SlotName | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declare:
    """An attack."""

    kind: ClassVar[str] = "declare"
    system: str
    size: int
    range: str | None = None
    armour: int | None = None
    infantry: str | None = None
    armour_type: str | None = None
    cover: str | None = None
    firer: str
    target: str

    def declared(self) -> Attack:
        """The attack, without who is who."""
        return Attack(self.system, self.size, self.range, self.armour, self.infantry, self.armour_type, self.cover)


@dataclass(frozen=True, slots=True)
class Again:
    """The last attack once more."""

    kind: ClassVar[str] = "again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct(Declare):
    """The open attack as it should have been declared."""

    kind: ClassVar[str] = "correct"
    attack: str | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Confirm:
    """The reopened attack stands."""

    kind: ClassVar[str] = "confirm"
    attack: str | None = None


@dataclass(frozen=True, slots=True)
class Void:
    """The open attack ends without an outcome."""

    kind: ClassVar[str] = "void"
    reason: str
    attack: str | None = None


@dataclass(frozen=True, slots=True)
class Type:
    """Dice typed by a person."""

    kind: ClassVar[str] = "type"
    dice: tuple[TypedOn, ...]
    player: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Virtual:
    """Dice the system threw. `drawn` are the numbers it drew, from 0: one less than the face."""

    kind: ClassVar[str] = "virtual"
    drawn: tuple[int, ...]
    player: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture of the tray. `plan` are the die types that were owed; `tray` what a live camera knew of it.

    own: the tape's file with the dice that their owners had shown.
    """

    kind: ClassVar[str] = "frame"
    file: str
    player: str | None = None
    plan: tuple[Die, ...] = ()
    request: str | None = None
    tray: InTray | None = None
    own: str | None = None


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame of the camera over the tray, as it came: what settles in a row of them is a throw."""

    kind: ClassVar[str] = "shot"
    file: str


@dataclass(frozen=True, slots=True)
class Plug:
    """A serial port came."""

    kind: ClassVar[str] = "plug"
    port: str


@dataclass(frozen=True, slots=True)
class Unplug:
    """A serial port went."""

    kind: ClassVar[str] = "unplug"
    port: str


@dataclass(frozen=True, slots=True)
class Serial:
    """Bytes from a port, a character (U+0000 to U+00FF) a byte."""

    kind: ClassVar[str] = "serial"
    port: str
    data: str

    def raw(self) -> bytes:
        """The bytes."""
        return self.data.encode("latin-1")


@dataclass(frozen=True, slots=True)
class Bind:
    """An e-die is that player's, or nobody's, and has that name; `pressed` is the roll by which it was bound."""

    kind: ClassVar[str] = "bind"
    uid: str
    player: str | None = None
    name: str = ""
    pressed: Which | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """An e-die has committed to a seed; `secret` is what the host drew for it."""

    kind: ClassVar[str] = "commit"
    uid: str
    commitment: str
    secret: str


@dataclass(frozen=True, slots=True)
class Uncommit:
    """An e-die's commitment ended so: `state` is a `model.PledgeState`, `seed` what it revealed."""

    kind: ClassVar[str] = "uncommit"
    uid: str
    commitment: str
    state: PledgeState
    text: str
    seed: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a doubtful die shows."""

    kind: ClassVar[str] = "answer"
    of: Which
    value: int
    die: Die | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """An unassigned die goes to a slot."""

    kind: ClassVar[str] = "place"
    of: Which
    slot: SlotName


@dataclass(frozen=True, slots=True)
class Dismiss:
    """An unassigned die leaves the screen."""

    kind: ClassVar[str] = "dismiss"
    of: Which


@dataclass(frozen=True, slots=True)
class Value:
    """A misread die, corrected."""

    kind: ClassVar[str] = "value"
    slot: SlotName
    value: int
    reason: str
    attack: str | None = None


@dataclass(frozen=True, slots=True)
class Reroll:
    """Dice owed again."""

    kind: ClassVar[str] = "reroll"
    slots: tuple[SlotName, ...]
    reason: str
    attack: str | None = None


@dataclass(frozen=True, slots=True)
class Undo:
    """The last decision is taken back. `stale`: it was confirmed when the table had moved on."""

    kind: ClassVar[str] = "undo"
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Agree:
    """The house agreed on these settings; None leaves one as it is."""

    kind: ClassVar[str] = "settings"
    damage_table: bool | None = None
    damage_by: str | None = None
    order: str | None = None
    virtual: bool | None = None
    assign_by_colour: bool | None = None
    cocked: str | None = None
    fair_edice: bool | None = None
    zones: tuple[Zone, ...] | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody sat down."""

    kind: ClassVar[str] = "seat"
    name: str
    colour: str | None = None
    shape: str | None = None


@dataclass(frozen=True, slots=True)
class ChangePlayer:
    """A player's name, colour or shape is now this."""

    kind: ClassVar[str] = "player"
    player: str
    name: str | None = None
    colour: str | None = None
    shape: str | None = None


Act = (
    Declare | Again | Correct | Confirm | Void | Type | Virtual | Answer | Place | Dismiss | Value | Reroll | Undo
    | Agree | Seat | ChangePlayer
)  # fmt: skip
"""What people do, and the system's own dice."""

Given = Frame | Shot | Plug | Unplug | Serial | Bind | Commit | Uncommit
"""What devices give, whose they are, and what they stand by."""

Input = Act | Given
KINDS: dict[str, type[Input]] = {kind.kind: kind for kind in (*Act.__args__, *Given.__args__)}


def parse(line: Line, at: str) -> Input:
    """The input of a tape's line; BadTape, with `at` for its place, where it is none."""
    kind = KINDS.get(line.kind)
    if kind is None:
        raise BadTape(f"{at}: there is no input {line.kind[:60]!r}; expected one of {', '.join(KINDS)}.")
    _check_texts(line.data, at)
    try:
        made = from_json(kind, dict(line.data), line.kind)
    except Malformed as fault:
        raise BadTape(f"{at}: {fault}.") from None
    _check(made, at)
    return made


def data_of(given: Input) -> dict[str, Any]:
    """The keys of its line; what is not set is left out."""
    data = _short(to_json(given))
    return {key: value for key, value in data.items() if not (key == "stale" and value is False)}


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items() if part is not None}
    return [_short(part) for part in value] if isinstance(value, list) else value


def _check_texts(value: Any, at: str) -> None:
    if isinstance(value, str) and len(value) > (1 << 16):
        raise BadTape(f"{at}: expected at most {1 << 16} characters in a text, got {len(value)}.")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_texts(part, at)


def _check(made: Input, at: str) -> None:
    """What a kind's types do not say."""
    which = getattr(made, "of", None)
    if isinstance(which, Which) and not _names_one(which):
        raise BadTape(f"{at}: of: expected a slot, or throw and die from 1, or a key.")
    if isinstance(made, Serial) and any(ord(mark) > 0xFF for mark in made.data):
        raise BadTape(f"{at}: data: expected a character a byte, U+0000 to U+00FF.")
    if isinstance(made, Frame) and made.tray is not None and _bad_places(made.tray):
        raise BadTape(f"{at}: tray: expected outlines of 3 to 12 corners, and every place from 0 to 1 both ways.")
    if isinstance(made, Frame) and made.tray is not None and made.tray.tilt and not math.hypot(*made.tray.tilt) <= 1:
        raise BadTape(f"{at}: tray: tilt: expected the sine of an angle, 1 at most, got {list(made.tray.tilt)}.")
    if isinstance(made, Commit) and not (HASH.fullmatch(made.commitment) and SECRET.fullmatch(made.secret)):
        raise BadTape(f"{at}: expected a commitment of 64 and a secret of 32 of 0-9 and a-f.")
    if isinstance(made, Virtual) and not (len(made.drawn) <= DRAWS_MAX and all(0 <= n < 20 for n in made.drawn)):
        raise BadTape(f"{at}: drawn: expected at most {DRAWS_MAX} numbers of 0 to 19.")


def _bad_places(tray: InTray) -> bool:
    """Whether a tray's places are none: corners come in threes at least, and all lie in the picture."""
    outlines = [part.corners for part in tray.zones] + ([tray.corners] if tray.corners else [])
    places = [at for corners in outlines for at in corners] + list(tray.left)
    return not (all(3 <= len(each) <= 12 for each in outlines) and all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places))


def _names_one(which: Which) -> bool:
    by_throw = which.throw is not None and which.die is not None and which.throw >= 1 and which.die >= 1
    ways = [which.slot is not None, by_throw, which.key is not None]
    return sum(ways) == 1 and ((which.throw is None) == (which.die is None))
