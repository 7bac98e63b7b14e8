"""What a request may hold. Shapes and sizes are checked here; what the game allows, the rules and the table say."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictInt, StringConstraints

from dicetower.model import Attack, Die, SlotName
from dicetower.table import TypedDie


def _one_line(text: str) -> str:
    """Text that is shown and spoken: something to read, and no control characters."""
    if not text.strip():
        raise ValueError("expected something to read")
    if any(not mark.isprintable() for mark in text):
        raise ValueError("expected one line of printable characters")
    return text.strip()


Level = Annotated[
    StrictInt, Field(ge=-1_000_000, le=1_000_000, json_schema_extra={"minimum": 1, "maximum": 5}, examples=[3])
]
"""1 to 5. The rules refuse another, with the sentence a player reads; the schema says the same to programs."""

Word = Annotated[str, StringConstraints(min_length=1, max_length=40)]
"""A word of the rule pack: packs differ, so the rules say which there are."""

TABLE_NAME = r"^[a-z0-9][a-z0-9-]{0,31}$"
PROFILE_NAME = r"^[a-z0-9][-a-z0-9]{0,31}$"
PLAYER_ID = r"^[a-z0-9][a-z0-9-]{0,63}$"
REQUEST_ID = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
EDIE_UID = r"^[0-9a-f]{16}$"
COLOUR = r"^#[0-9a-fA-F]{6}$"
CROP_NAME = r"^[0-9a-f]{64}\.png$"
SET_NAME = r"^[0-9a-z][0-9a-z-]{0,31}$"
FACE_PICTURE = r"^D[0-9]{1,3}-[0-9]{1,2}-[0-9a-f]{16}\.png$"
HOLDER = r"^[0-9a-f]{8,64}$"
LABEL = r"^([^\s=:,][^=:,]{0,23})?$"

IN_WORDS = {
    TABLE_NAME: "a table's name of 1 to 32 of a-z, 0-9 and hyphens, such as club-night",
    PROFILE_NAME: "a set-up's name of 1 to 32 of a-z, 0-9 and hyphens, such as kitchen",
    PLAYER_ID: "a player's id of 1 to 64 of a-z, 0-9 and hyphens, such as red",
    REQUEST_ID: "a request's name of 1 to 64 letters, digits and - _ .",
    EDIE_UID: "an e-die's id of 16 of 0-9 and a-f",
    COLOUR: "a colour such as #d1495b",
    CROP_NAME: "a crop's name, from the table's state",
    SET_NAME: "a die set's name of 1 to 32 of a-z, 0-9 and hyphens, such as skulls",
    FACE_PICTURE: "a picture's name, from the set",
    HOLDER: "the page's own mark of 8 to 64 of 0-9 and a-f",
    LABEL: "what a symbol is called, in 1 to 24 characters, none of them = : ,",
}
"""What each pattern asks for, for people: a pattern is for programs."""

TableName = Annotated[str, StringConstraints(pattern=TABLE_NAME)]
PlayerId = Annotated[str, StringConstraints(pattern=PLAYER_ID)]
RequestId = Annotated[str, StringConstraints(pattern=REQUEST_ID)]
Reason = Annotated[str, StringConstraints(max_length=200), AfterValidator(_one_line)]
Name = Annotated[str, StringConstraints(max_length=30), AfterValidator(_one_line)]
Colour = Annotated[str, StringConstraints(pattern=COLOUR)]

TablePath = Annotated[TableName, Path(description="the table's name", examples=["main"])]
AttackPath = Annotated[str, Path(min_length=1, max_length=64, description="the attack's id", examples=["a7"])]
EDiePath = Annotated[str, Path(pattern=EDIE_UID, description="the die's id", examples=["00c0ffee00c0ffee"])]
PlayerPath = Annotated[str, Path(min_length=1, max_length=64, description="the player's id", examples=["red"])]
ReadingPath = Annotated[str, Path(min_length=1, max_length=200, description="the reading's key")]
SlotPath = Annotated[SlotName, Path(description="the slot's name")]
DieSetPath = Annotated[str, Path(pattern=SET_NAME, description="the set's name", examples=["skulls"])]
FacePicturePath = Annotated[str, Path(pattern=FACE_PICTURE, description="the picture's name, from the set")]
EvidencePath = Annotated[str, Path(pattern=CROP_NAME, description="the crop's name, from the state")]


FacePicture = Annotated[str, StringConstraints(pattern=FACE_PICTURE)]
FaceValue = Annotated[int, Field(ge=0, le=100)]


def _label(text: str) -> str:
    """What a symbol is called: shown and spoken, or nothing."""
    return _one_line(text) if text else text


FaceLabel = Annotated[str, StringConstraints(pattern=LABEL), AfterValidator(_label)]


class Body(BaseModel):
    """A request's body: an unknown key is refused, for a misspelt one would be a choice that does nothing."""

    model_config = ConfigDict(extra="forbid")


def _example(**attack: Any) -> ConfigDict:
    """The body that `/docs` shows: one that the rules take."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [attack]})


class AttackBody(Body):
    """A weapon and the target it has hit: exactly one of `armour` (a vehicle's level) and `infantry`."""

    model_config = _example(system="HKP", size=3, range="medium", armour=4)

    system: Word = Field(examples=["HKP"])
    size: Level = Field(description="weapon size class; in a firefight or close assault, chits")
    range: Literal["close", "medium", "long"] | None = None
    armour: Level | None = None
    infantry: Word | None = Field(default=None, examples=["line"])
    armour_type: Literal["standard", "ablative", "reactive", "active"] | None = None
    cover: Literal["open", "soft", "dug-in", "urban"] | None = None

    def attack(self) -> Attack:
        """The same, as the rules take it."""
        return Attack(**{name: getattr(self, name) for name in AttackBody.model_fields})


class OddsBody(AttackBody):
    """An attack that nobody declares. `damage_table` is the table's setting, else the rule pack's."""

    model_config = _example(system="firefight", size=2, infantry="line", cover="soft")

    damage_table: StrictBool | None = None

    def attack(self) -> Attack:
        """The attack alone."""
        return AttackBody.attack(self)


class DeclareBody(AttackBody):
    """An attack, with who fires and who is hit."""

    model_config = _example(system="HKP", size=3, range="medium", armour=4, firer="red", target="blue")

    firer: PlayerId = Field(examples=["red"])
    target: PlayerId = Field(examples=["blue"])


class Confirmed(Body):
    """`confirm` false only says what would happen. `seq`, from that answer, refuses it if the table has moved since."""

    confirm: StrictBool = False
    seq: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None


class CorrectionBody(DeclareBody, Confirmed):
    """The declaration as it should have been."""


class TableBody(Body):
    """Which table to open."""

    table: TableName = Field(examples=["main"])


class PlayerBody(Body):
    """A new player. Colour and shape are the next free ones where they are left out."""

    name: Name = Field(examples=["Red"])
    colour: Colour | None = Field(default=None, examples=["#d1495b"])
    shape: Word | None = Field(default=None, examples=["circle"])


class PlayerChange(Body):
    """What to change of a player."""

    name: Name | None = None
    colour: Colour | None = None
    shape: Word | None = None


class EDieChange(Body):
    """What to change of an e-die: `player` null is nobody's, `name` empty is none; what is left out stays."""

    player: PlayerId | None = None
    name: Annotated[str, StringConstraints(max_length=30)] = ""

    def changes(self) -> dict[str, str]:
        """What was sent, as the table takes it."""
        return {key: value or "" for key, value in self.model_dump(exclude_unset=True).items()}


class PressBody(Body):
    """Whose die is to be pressed."""

    player: PlayerId = Field(examples=["red"])


class Zone(Body):
    """A tray zone, by the name the camera's profile gives it, and the player whose dice fall there."""

    name: Name
    player: PlayerId


class SettingsChange(Body):
    """The table's rules of the house; those left out stay as they are."""

    damage_table: StrictBool | None = None
    damage_by: Literal["firer", "target"] | None = None
    order: Literal["firer first", "together"] | None = None
    virtual: StrictBool | None = None
    assign_by_colour: StrictBool | None = None
    cocked: Literal["ask", "reroll"] | None = None
    zones: Annotated[list[Zone], Field(max_length=16)] | None = None
    fair_edice: StrictBool | None = None

    def changes(self) -> dict[str, Any]:
        """Those that were sent, whatever they were set to."""
        return self.model_dump(exclude_unset=True, mode="json")


class DieBody(Body):
    """One typed die. `die` may be left out where `slot` is named: it is then that slot's type."""

    die: Die | None = None
    value: Annotated[StrictInt, Field(ge=0, le=100, description="as read; a D10's 0 is 10")]
    slot: SlotName | None = None

    def typed(self) -> TypedDie:
        """The same, as the table takes it."""
        return TypedDie(value=self.value, die=self.die, slot=self.slot)


class ThrowBody(Body):
    """Typed dice, one throw. The same `request` twice is one throw, so a call that got no answer may be repeated."""

    request: RequestId = Field(examples=["7f3c9a"])
    player: PlayerId | None = None
    dice: Annotated[list[DieBody], Field(min_length=1, max_length=20)]


class VirtualBody(Body):
    """Whose dice the system throws; else whoever's turn it is."""

    request: RequestId
    player: PlayerId | None = None


class AnswerBody(Body):
    """What a doubtful die shows. `die` null leaves its type as it was read."""

    die: Die | None = None
    value: Annotated[StrictInt, Field(ge=0, le=100)]


class PlaceBody(Body):
    """The slot an unassigned die goes to."""

    slot: SlotName


class ReasonBody(Body):
    """Why; it stays in the journal."""

    reason: Reason


class ValueBody(ReasonBody):
    """What a misread die shows in truth."""

    value: Annotated[StrictInt, Field(ge=0, le=100)]


class RerollBody(ReasonBody):
    """Which dice are owed again."""

    slots: Annotated[list[SlotName], Field(min_length=1, max_length=5)]


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class WrongBody(Body):
    """A die that the camera read wrong, or a place of the picture. `value` null: there is no die.

    Either `number` or `at`. At a place where no die was read one was missed: `die` and `value` say which.
    """

    look: Annotated[StrictInt, Field(ge=0, le=2**53, description="the `look` of the state that was shown")]
    number: Annotated[StrictInt, Field(ge=0, le=1000, description="the die's `number` in it")] | None = None
    at: tuple[Share, Share] | None = Field(default=None, description="a place, as shares of the tray's picture")
    die: Die | None = None
    value: Annotated[StrictInt, Field(ge=0, le=100)] | None = None


class AwayBody(Body):
    """Whether the dice that came while the camera was away count as a throw."""

    at: Annotated[StrictInt, Field(ge=0, le=2**53, description="the `at` of those that were shown")]
    count: StrictBool


class OpenBody(Body):
    """A camera: its number, its device, or its address."""

    source: Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(_one_line)] = Field(
        examples=["0", "http://192.168.0.7:8080/video"]
    )


class SetUpBody(Body):
    """What to change of the set-up in force; what is left out stays. `width_mm` 0: not measured."""

    corners: Annotated[list[tuple[Share, Share]], Field(min_length=3, max_length=12)] | None = None
    turn: Annotated[StrictInt, Field(ge=0, le=3, description="quarter turns clockwise")] | None = None
    width_mm: Annotated[float, Field(ge=0, le=3000, allow_inf_nan=False)] | None = None
    zones: Literal["none", "left and right", "near and far"] | None = None


class ProfileBody(Body):
    """A set-up's name."""

    name: Annotated[str, StringConstraints(pattern=PROFILE_NAME)] = Field(examples=["kitchen"])


class TrialBody(Body):
    """Whether throws are only tried."""

    on: StrictBool


class HoldBody(Body):
    """Whether a page that is shown dice wants the camera. `holder`: the page's own mark, the same in each call."""

    holder: Annotated[str, StringConstraints(pattern=HOLDER)] = Field(examples=["9f3c81d204aa"])
    on: StrictBool


class TryBody(Body):
    """Which settled picture of the camera's to read."""

    look: Annotated[StrictInt, Field(ge=0, le=2**53, description="the `look` of the camera's state")]


class ShotBody(TryBody):
    """Which face the new die of a settled picture shows."""

    holder: Annotated[str, StringConstraints(pattern=HOLDER)] = Field(examples=["9f3c81d204aa"])
    die: Die
    value: Annotated[StrictInt, Field(ge=0, le=100)]
    label: FaceLabel = ""
    replaces: FacePicture | None = None
    insist: StrictBool = False


class UseBody(Body):
    """Whether the table reads with the set."""

    on: StrictBool


class OfferBody(Body):
    """Whether to take an offered face."""

    take: StrictBool
