"""What an answer holds, as `/docs` shows it. Answers are made by the table and the rules; these say their shape."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from dicetower.model import Die, PledgeState, Side, SlotName, SourceKind


class View(BaseModel):
    """An answer. What is not named here is not in it."""

    model_config = ConfigDict(extra="forbid")


class RulesName(View):
    """Which rule pack."""

    name: str
    version: str
    hash: str = Field(pattern="^sha256:[0-9a-f]{64}$")


class ZoneView(View):
    """A tray zone and the player whose dice fall there."""

    name: str
    player: str


class TableSettings(View):
    """The table's rules of the house."""

    damage_table: bool
    damage_by: Side
    order: Literal["firer first", "together"]
    virtual: bool
    assign_by_colour: bool
    cocked: Literal["ask", "reroll"]
    zones: list[ZoneView]
    fair_edice: bool


class PlayerView(View):
    """Who sits at the table. `shape` says the same as `colour` to those who do not see it."""

    id: str
    name: str
    colour: str
    shape: str


class Declared(View):
    """The attack in the rules' own words."""

    system: str
    size: int
    range: str | None
    armour: int | None
    infantry: str | None
    armour_type: str | None
    cover: str | None


class FourDiceOdds(View):
    """Exact odds of the four dice, fractions in lowest terms."""

    undamaged: str
    damaged: str
    destroyed: str


class AfterTableOdds(View):
    """Exact odds of what stands after the damage table."""

    undamaged: str
    systems_down: str
    mobility: str
    destroyed: str


class Question(View):
    """What a person is asked about a doubtful die. `evidence` is a name for `GET /api/v1/evidence/{name}`."""

    reading: str
    text: str
    die: Die | None
    candidates: list[tuple[int, float]]
    evidence: str | None


class SlotView(View):
    """One owed die, and what came for it. `by_person`: a person confirmed, typed over or placed it."""

    slot: SlotName
    by: Side
    player: str
    die: Die
    state: Literal["owed", "asking", "filled"]
    value: int | None
    source: SourceKind | None
    reading: str | None
    by_person: bool
    cocked: bool
    question: Question | None


class OutcomeView(View):
    """What the dice came to, and why."""

    outcome: Literal["undamaged", "damaged", "destroyed"]
    pairs_to_target: int = Field(ge=0, le=2)
    explanation: str
    damage: str | None
    final: str


class AttackView(View):
    """The open attack, or the last one until the next is declared."""

    id: str
    number: int
    state: Literal["throwing", "damage", "resolved", "void"]
    reopened: bool = Field(description="its outcome was taken back: it waits for confirm, or for dice that are owed")
    declared: Declared
    title: str
    firer: str
    target: str
    vehicle: bool
    printed: str = Field(description="the chit draw's effectiveness as printed, which is not the odds")
    notes: list[str]
    odds: FourDiceOdds
    after_table: AfterTableOdds | None
    turn: Side | None
    owes: list[str]
    slots: list[SlotView]
    outcome: OutcomeView | None


class UnassignedView(View):
    """A die nobody owed, and why it was not taken."""

    reading: str
    die: Die | None
    value: int | None
    status: Literal["sure", "unsure"]
    source: SourceKind
    why: str
    evidence: str | None
    question: Question | None
    fits: list[SlotName] = Field(description="the slots that owe its type: where a person may place it")


class EndedView(View):
    """One of the twelve latest ended attacks."""

    id: str
    number: int
    title: str
    firer: str
    target: str
    state: Literal["resolved", "void"]
    outcome: OutcomeView | None
    slots: list[SlotView]
    at_ms: int


class SourceView(View):
    """How a camera or an e-die is now; `reason` is a sentence, empty when `ok`."""

    name: str
    state: str
    ok: bool
    reason: str
    detail: dict[str, Any]


class EDieView(View):
    """An e-die that the table knows, by its id; `name` is empty where it has none."""

    uid: str
    name: str
    player: str | None


class PledgeView(View):
    """An e-die's commitment to its seed, and how it stands; `text` says how it ended."""

    uid: str
    commitment: str
    state: PledgeState
    text: str


class StateView(View):
    """A table's whole state."""

    table: str
    seq: int
    journal: str
    rules: RulesName
    settings: TableSettings
    players: list[PlayerView]
    edice: list[EDieView]
    pledges: list[PledgeView]
    attack: AttackView | None
    unassigned: list[UnassignedView]
    last: list[EndedView]
    undo: str | None
    sources: list[SourceView]


class PreviewView(View):
    """What would happen, before it is confirmed: the whole in a sentence, the faces kept, the dice owed again."""

    seq: int
    text: str
    keeps: list[str]
    owes: list[str]


class TablesView(View):
    """The tables there are."""

    tables: list[str]


class ConditionsView(View):
    """Choices that change something; a list is empty where there is no such choice."""

    ranges: list[str]
    armour_types: list[str]
    covers: list[str]
    needs_cover: bool


class InfantryView(View):
    """One sort of infantry team."""

    id: str
    name: str
    die: Die


class SystemView(View):
    """What may be declared with one weapon system."""

    system: str
    label: str
    size_label: str
    sizes: list[int]
    armour: list[int]
    infantry: list[InfantryView]
    vehicle_conditions: ConditionsView | None
    infantry_conditions: ConditionsView | None


class DamageTableView(View):
    """The damage table as the rule pack has it; `on` and `by` are what a new table starts with."""

    die: Die
    on: bool
    by: Side


class RulesView(RulesName):
    """The rule pack, and what may be declared under it. Dice are in order of level: level 1 first."""

    size_dice: list[Die]
    armour_dice: list[Die]
    systems: list[SystemView]
    damage: DamageTableView


class PlannedSlot(View):
    """One die of a plan."""

    slot: SlotName
    by: Side
    die: Die


class OddsView(View):
    """What an attack would ask for, and its exact odds."""

    title: str
    plan: list[PlannedSlot]
    printed: str
    vehicle: bool
    notes: list[str]
    odds: FourDiceOdds
    after_table: AfterTableOdds | None


class DiceFairness(View):
    """How evenly one player's dice of a type fell, by one source; `p` is null until there are enough rolls."""

    player: str | None
    source: SourceKind
    die: Die
    rolls: int
    counts: list[int]
    chi_square: float | None
    p: float | None
    says: str


class OutcomeTally(View):
    """How often attacks came to one outcome, beside what their exact odds add up to."""

    outcome: str
    seen: int
    expected: float
    give_or_take: float
    says: str


class FairnessView(View):
    """The table's fairness figures. Each comes with the sentence that says what it can carry."""

    dice: list[DiceFairness]
    outcomes: list[OutcomeTally]


class HealthView(View):
    """The service runs."""

    ok: bool
    version: str


class ReadyView(View):
    """Whether each part that is configured works."""

    ok: bool
    parts: list[SourceView]


class CameraDie(View):
    """One die that the camera sees. Places are shares of the tray's picture; colour is its body's."""

    number: int
    die: Die | None
    value: int | None
    status: Literal["sure", "unsure"]
    cocked: bool
    confidence: float
    outline: list[tuple[float, float]]
    at: tuple[float, float]
    width_px: int
    colour: str
    zone: str | None
    candidates: list[tuple[int, float]]
    reasons: list[str]


class TriedThrow(View):
    """A throw that was tried at the set-up."""

    throw: str
    dice: list[CameraDie]


class AwayView(View):
    """Dice that came into the tray while the camera was away: somebody must say whether they count."""

    at: int
    dice: list[CameraDie]


class FaultView(View):
    """What is wrong with the picture: a word for programs, a sentence for people."""

    what: str
    says: str


class SetUpView(View):
    """The set-up in force. `corners` are shares of the camera's whole picture.

    tilt_deg: how far from straight down the camera looks, as the dice have shown; null while too few have.
    """

    profile: str
    corners: list[tuple[float, float]]
    turn: int
    width_mm: float | None
    zones: list[str]
    empty: bool
    tilt_deg: int | None


class CameraView(View):
    """The camera over the tray, and the dice it sees."""

    chosen: bool
    state: Literal["none", "opening", "watching", "motion", "settled", "stalled", "lost"]
    reason: str
    source: str
    table: str
    size: tuple[int, int] | None
    rate: float
    age_ms: int | None
    delay_ms: int | None
    frame: int
    look: int | None
    dice: list[CameraDie]
    faults: list[FaultView]
    setup: SetUpView
    away: AwayView | None
    trial: list[TriedThrow] | None


class StagesView(View):
    """The stages of one reading, in order."""

    stages: list[str]


class KeptView(View):
    """The tape that was made, and the die set that the die's face is offered to."""

    tape: str
    offered: str | None


class ChoicesView(View):
    """The cameras of this machine, and the set-ups there are."""

    devices: list[str]
    profiles: list[str]


class FaceView(View):
    """One face of a set's die, shown or not. `label`: its symbol's name, else its value."""

    value: int
    label: str
    pictures: list[str]


class SetDie(View):
    """A die of a set, with all the faces that it has."""

    die: Die
    faces: list[FaceView]


class OfferView(View):
    """A face that a correction at the table offers. `says`: what to think of first; empty where it fits."""

    picture: str
    die: Die
    value: int
    label: str
    says: str


class DieSetView(View):
    """A die set. `used`: the table reads with it. `configured`: the settings name it. `fault`: why it is not read."""

    name: str
    used: bool
    configured: bool
    fault: str
    dice: list[SetDie]
    offers: list[OfferView]


class DieSetsView(View):
    """Every die set. `learn`: whether a corrected face is taken by itself where the set is sure to have it."""

    sets: list[DieSetView]
    learn: bool


class ShotView(View):
    """What came of a picture. `taken`: its name; null where it will not do, for the reason in `says`.

    `firm`: insisting does not help. `like`: the picture that it looks like, where that is the trouble.
    """

    set: DieSetView
    taken: str | None
    why: str
    says: str
    firm: bool
    like: str | None


class TriedDiceView(View):
    """Dice as they are read with a set."""

    dice: list[CameraDie]


class AlikeView(View):
    """Faces that comparison cannot tell apart: the die's type and their labels."""

    alike: list[tuple[Die, str, str]]


class HeldView(View):
    """Whether the page has the camera."""

    held: bool
