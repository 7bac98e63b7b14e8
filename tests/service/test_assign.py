"""Which die fills which slot: every plan of the rules by an oracle written apart, then a table of hard cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.assign import (
    Cocked,
    Decision,
    Due,
    Held,
    House,
    Order,
    Waits,
    assign,
    lab,
    nearest_player,
    turn,
)
from dicetower.model import Die, Player, Reading, ReadingStatus, Side, Slot, SlotName, SourceKind

RED = Player("red", "Red", "#d1495b", "circle")
BLUE = Player("blue", "Blue", "#2f6fb7", "square")
GREEN = Player("green", "Green", "#3f8f5b", "triangle")
PLAYERS = (RED, BLUE, GREEN)
SIZE, EFFECT, ARMOUR, RESIST, DAMAGE = SlotName

# The 31 effectiveness rows of the rules text, in its order: (firer's die, target's die), vehicle or infantry target.
ROWS = [
    ("HEL", "D4", "D8", "v"),
    ("HEL ablative", "D4", "D12", "v"),
    ("RFAC close", "D6", "D8", "v"),
    ("RFAC medium", "D4", "D8", "v"),
    ("RFAC long", "D4", "D12", "v"),
    ("HKP close", "D8", "D8", "v"),
    ("HKP medium", "D6", "D8", "v"),
    ("HKP long", "D4", "D8", "v"),
    ("DFFG close", "D8", "D4", "v"),
    ("DFFG medium", "D8", "D8", "v"),
    ("DFFG long", "D4", "D8", "v"),
    ("GMS normal", "D6", "D8", "v"),
    ("GMS ablative", "D6", "D8", "v"),
    ("GMS reactive", "D4", "D8", "v"),
    ("GMS active", "D4", "D12", "v"),
    ("HEF infantry", "D6", "D8", "i"),
    ("HEF infantry dug-in", "D4", "D8", "i"),
    ("HEF armour", "D4", "D12", "v"),
    ("HEF armour dug-in", "D4", "D20", "v"),
    ("MAK armour", "D6", "D8", "v"),
    ("MAK armour dug-in", "D4", "D8", "v"),
    ("MAK infantry", "D4", "D12", "i"),
    ("MAK infantry dug-in", "D4", "D20", "i"),
    ("DPL", "D4", "D8", "v"),
    ("DPL dug-in", "D4", "D12", "i"),
    ("firefight open", "D6", "D8", "i"),
    ("firefight soft", "D4", "D8", "i"),
    ("firefight dug-in", "D4", "D12", "i"),
    ("close assault open", "D8", "D8", "i"),
    ("close assault soft", "D6", "D8", "i"),
    ("close assault dug-in", "D4", "D8", "i"),
]
SIZES = ("D4", "D6", "D8", "D10", "D12")
ARMOURS = {"v": SIZES, "i": ("D6", "D8", "D10", "D12")}
EVERY_ROW = pytest.mark.parametrize(("firer", "target", "kind"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])


def dues(
    size: str = "D8",
    firer: str = "D6",
    armour: str = "D10",
    target: str = "D8",
    by: tuple[str, str] = ("red", "blue"),
    **held: int | None,
) -> list[Due]:
    """Four slots; `held` gives one (s, e, a, or r: the target's effectiveness) a value, or has it ask (0)."""
    slots = [
        ("s", Slot(SIZE, Side.FIRER, Die(size)), by[0]),
        ("e", Slot(EFFECT, Side.FIRER, Die(firer)), by[0]),
        ("a", Slot(ARMOUR, Side.TARGET, Die(armour)), by[1]),
        ("r", Slot(RESIST, Side.TARGET, Die(target)), by[1]),
    ]
    return [_due(slot, player, held.get(name)) for name, slot, player in slots]


def _due(slot: Slot, player: str, value: int | None) -> Due:
    if value is None:
        return Due(slot, player)
    return Due(slot, player, Held.FILLED, value) if value else Due(slot, player, Held.ASKING)


def die(
    kind: str | None,
    value: int | None = 1,
    x: float | None = None,
    y: float = 0.5,
    key: str = "",
    source: SourceKind = SourceKind.CAMERA,
    **more: object,
) -> Reading:
    status = ReadingStatus.UNSURE if value is None or kind is None else ReadingStatus.SURE
    return Reading(
        key=key or f"{kind}:{value}:{x}:{y}",
        source=source,
        die=None if kind is None else Die(kind),
        value=value,
        status=more.pop("status", status),  # type: ignore[arg-type]
        at=None if x is None else (x, y),
        **more,  # type: ignore[arg-type]
    )


def places(readings: Sequence[Reading], owed: Sequence[Due], house: House | None = None) -> list[SlotName | None]:
    return [decision.slot for decision in assign(readings, owed, PLAYERS, house or House())]


def only(reading: Reading, owed: Sequence[Due], house: House | None = None) -> Decision:
    (decision,) = assign([reading], owed, PLAYERS, house or House())
    return decision


# --- every plan of the rules


@EVERY_ROW
def test_each_side_throws_its_two_dice_together(firer: str, target: str, kind: str) -> None:
    """Left is size or armour; where the types differ the type alone says it, wherever the dice lie."""
    for size, armour in product(SIZES, ARMOURS[kind]):
        for owed, mine, slots in (
            (dues(size, firer, armour, target), (size, firer), [SIZE, EFFECT]),
            (dues(size, firer, armour, target, s=1, e=1), (armour, target), [ARMOUR, RESIST]),
        ):
            left, right = die(mine[0], 2, 0.2), die(mine[1], 3, 0.8)
            assert places([left, right], owed) == slots
            assert places([right, left], owed) == slots[::-1]
            crossed = [die(mine[0], 2, 0.8), die(mine[1], 3, 0.2)]
            assert places(crossed, owed) == (slots[::-1] if mine[0] == mine[1] else slots)


@EVERY_ROW
def test_single_dice_go_in_turn(firer: str, target: str, kind: str) -> None:
    """One die at a time, of whatever type comes: each lands in the first slot of its type of whose turn it is."""
    for size, armour in product(SIZES, ARMOURS[kind]):
        for mine, theirs in product(permutations((size, firer)), permutations((armour, target))):
            held: dict[str, int | None] = {}
            for thrown in (*mine, *theirs):
                owed = dues(size, firer, armour, target, ("red", "blue"), **held)
                turn_of = "se" if len(held) < 2 else "ar"
                owing = [(at, due) for at, due in zip("sear", owed, strict=True) if at in turn_of and at not in held]
                at, due = next((at, due) for at, due in owing if due.slot.die == thrown)
                assert places([die(thrown, 1)], owed) == [due.slot.name]
                held[at] = 1


@EVERY_ROW
def test_more_dice_of_a_type_than_are_owed_fill_nothing(firer: str, target: str, kind: str) -> None:
    for size in SIZES:
        owes = 1 + (size == firer)
        readings = [die(size, n + 1, 0.1 * n, key=str(n)) for n in range(owes + 1)]
        decisions = assign(readings, dues(size, firer, ARMOURS[kind][0], target), PLAYERS, House())
        assert [decision.slot for decision in decisions] == [None] * (owes + 1)
        why = f"{owes + 1} {size} where Red owes {owes}: throw again with {owes}"
        assert {decision.why for decision in decisions} == {why}
        assert {decision.waits for decision in decisions} == {Waits.COUNT}


# --- a pair by its place


@pytest.mark.parametrize(
    ("one", "other", "first"),
    [
        ((0.2, 0.9), (0.8, 0.1), "one"),
        ((0.5, 0.1), (0.5, 0.9), "one"),
        ((0.5, 0.9), (0.5, 0.1), "other"),
        ((0.51, 0.1), (0.5, 0.9), "one"),  # in one column, so the upper comes first
        ((0.53, 0.1), (0.5, 0.9), "other"),  # beyond it, so the left does
        ((0.50, 0.9), (0.53, 0.1), "one"),
    ],
)
def test_a_pair_goes_by_its_place(one: tuple[float, float], other: tuple[float, float], first: str) -> None:
    pair = [die("D8", 7, *one, key="one"), die("D8", 2, *other, key="other")]
    for readings in (pair, pair[::-1]):
        decisions = {d.reading: d for d in assign(readings, dues("D8", "D8"), PLAYERS, House())}
        assert decisions[first].slot is SIZE
        assert {d.slot for d in decisions.values()} == {SIZE, EFFECT}


def test_a_pair_that_its_place_cannot_tell_apart_is_not_guessed() -> None:
    owed = dues("D8", "D8")
    for pair in (
        [die("D8", 7, key="a"), die("D8", 2, key="b")],  # the camera said no place
        [die("D8", 7, 0.5, 0.5, key="a"), die("D8", 2, 0.51, 0.51, key="b")],
    ):
        decisions = assign(pair, owed, PLAYERS, House())
        assert [d.slot for d in decisions] == [None, None]
        assert "nothing says which of Red's 2 D8 lies left" in decisions[0].why


def test_where_both_ways_come_to_the_same_nothing_is_asked() -> None:
    equal = [die("D8", 4, key="a"), die("D8", 4, key="b")]
    assert set(places(equal, dues("D8", "D8"))) == {SIZE, EFFECT}
    unsure = [die("D8", None, key="a"), die("D8", None, key="b")]
    assert places(unsure, dues("D8", "D8")) == [None, None]


def test_typed_pairs_go_in_the_order_they_were_typed() -> None:
    pair = [die("D8", 7, key="a", source=SourceKind.TYPED), die("D8", 2, key="b", source=SourceKind.TYPED)]
    assert places(pair, dues("D8", "D8")) == [SIZE, EFFECT]


# --- whose die: who, colour, zone, turn, type


@pytest.mark.parametrize(
    ("reading", "house", "slot"),
    [
        pytest.param(die("D8", who="blue"), House(), RESIST, id="a bound die is its player's out of turn"),
        pytest.param(die("D8"), House(), SIZE, id="a plain die is whose turn it is"),
        pytest.param(die("D8", colour="#2f6fb7"), House(), SIZE, id="colour says nothing unless the table has it so"),
        pytest.param(die("D8", colour="#3570b0"), House(by_colour=True), RESIST, id="a blue die"),
        pytest.param(die("D8", colour="#d04a50"), House(by_colour=True), SIZE, id="a red die"),
        pytest.param(die("D8", colour="#f2f2f2"), House(by_colour=True), SIZE, id="a white die is nobody's"),
        pytest.param(die("D8", zone="right"), House(zones={"right": "blue"}), RESIST, id="a zone"),
        pytest.param(die("D8", zone="middle"), House(zones={"right": "blue"}), SIZE, id="a zone of nobody's"),
        pytest.param(
            die("D8", zone="left", colour="#2f6fb7"),
            House(by_colour=True, zones={"left": "red"}),
            RESIST,
            id="colour before zone",
        ),
        pytest.param(
            die("D8", who="red", zone="right", colour="#2f6fb7"),
            House(by_colour=True, zones={"right": "blue"}),
            SIZE,
            id="who before all",
        ),
        pytest.param(die("D10"), House(Order.TOGETHER), ARMOUR, id="together: its type alone says it"),
        pytest.param(die("D8"), House(Order.TOGETHER), None, id="together: a type both owe"),
        pytest.param(die("D8", who="red"), House(Order.TOGETHER), SIZE, id="together: bound"),
    ],
)
def test_whose_die_it_is(reading: Reading, house: House, slot: SlotName | None) -> None:
    assert only(reading, dues(), house).slot is slot


def test_two_players_throwing_together_never_swap() -> None:
    """Bound dice of both at once, in any order: each player's dice land in that player's slots, whatever they show."""
    dice = [die("D8", 1, who="red", key="r8"), die("D6", 2, who="red", key="r6")]
    dice += [die("D10", 3, who="blue", key="b10"), die("D8", 4, who="blue", key="b8")]
    for order, house in product(permutations(dice), (House(), House(Order.TOGETHER))):
        got = {d.reading: d.slot for d in assign(order, dues(), PLAYERS, house)}
        assert got == {"r8": SIZE, "r6": EFFECT, "b10": ARMOUR, "b8": RESIST}


def test_plain_dice_of_both_at_once_in_turn_are_left_to_a_person() -> None:
    dice = [die("D8", 1, 0.1, key="a"), die("D6", 2, 0.2), die("D10", 3, 0.3), die("D8", 4, 0.4, key="b")]
    decisions = assign(dice, dues(), PLAYERS, House())
    assert [d.slot for d in decisions] == [None, EFFECT, None, None]
    assert decisions[0].why == "2 D8 where Red owes 1: throw again with 1"
    assert decisions[2].why == "a D10; Red owes a D8"


def test_together_equal_dice_of_both_need_no_asking() -> None:
    house = House(Order.TOGETHER)
    assert set(places([die("D8", 5, 0.1, key="a"), die("D8", 5, 0.9, key="b")], dues(), house)) == {SIZE, RESIST}
    decisions = assign([die("D8", 5, 0.1, key="a"), die("D8", 6, 0.9, key="b")], dues(), PLAYERS, house)
    assert [d.slot for d in decisions] == [None, None]
    assert decisions[0].why == "Red and Blue both owe a D8, and nothing says whose this is: place it"


def test_a_bystanders_die_is_left() -> None:
    decision = only(die("D8", who="green"), dues())
    assert decision.slot is None
    assert decision.why == "Green's die (the player was named); only Red and Blue throw in this attack"
    bound = only(die("D8", who="nobody", source=SourceKind.EDIE), dues(by=("red", "red")))
    assert bound.why == "nobody's die (the die is bound); only Red throws in this attack"


# --- one person on both sides


def test_one_person_on_both_sides_throws_firer_first() -> None:
    owed = dues("D8", "D6", "D10", "D8", by=("red", "red"))
    assert places([die("D8", who="red"), die("D6", who="red")], owed) == [SIZE, EFFECT]
    early = [die("D8", who="red"), die("D10", who="red")]
    assert places(early, owed) == [SIZE, None], "the target's D10 is not owed yet, though it is the same person's"
    held = dues("D8", "D6", "D10", "D8", by=("red", "red"), s=1, e=1)
    assert places([die("D8", who="red"), die("D10", who="red")], held) == [RESIST, ARMOUR]
    four = [die("D8", 1, 0.1, key="a"), die("D6", 1, 0.2), die("D10", 1, 0.3), die("D8", 1, 0.9, key="b")]
    assert places(four, owed) == [None, EFFECT, None, None]


def test_one_person_on_both_sides_throws_all_together_left_to_right() -> None:
    owed = dues("D8", "D8", "D10", "D8", by=("red", "red"))
    dice = [die("D8", 1, 0.9, key="c"), die("D8", 2, 0.1, key="a"), die("D10", 3, 0.2), die("D8", 4, 0.5, key="b")]
    assert places(dice, owed, House(Order.TOGETHER)) == [RESIST, SIZE, ARMOUR, EFFECT]


# --- dice that nobody owes


@pytest.mark.parametrize(
    ("reading", "owed", "why"),
    [
        pytest.param(die("D12"), dues("D10", "D10"), "a D12; Red owes a D10 and a D10", id="a D12 for a D10"),
        pytest.param(die("D12"), dues(s=5), "a D12; Red owes a D6", id="what is still owed"),
        pytest.param(die("D8"), dues(s=5), "Red's size die is already 5", id="a filled slot is locked"),
        pytest.param(die("D8"), dues(s=0), "Red's size die is being asked about", id="an asking slot is locked"),
        pytest.param(
            die("D8", who="red"),
            dues("D8", "D8", s=5, e=2),
            "Red's size die is already 5 and Red's effectiveness die is already 2",
            id="both locked",
        ),
        pytest.param(die("D20"), dues(s=1, e=1, a=1, r=1), "a D20; nothing more is owed by Red and Blue", id="full"),
        pytest.param(
            die("D100", 70), dues(), "a D100, the tens die: nobody owes one, and it is never a D10", id="D100"
        ),
        pytest.param(
            die("D8", late=True), dues(), "rolled when nobody had asked for it: place it or dismiss it", id="late"
        ),
        pytest.param(die(None, None), dues(), "its type could not be told: say which die it is", id="no type"),
        pytest.param(
            die("D4", 6), dues("D4"), "a D4 showed 6, which it does not have: is the die type set right?", id="D4 of 6"
        ),
        pytest.param(die("D8", slot=SIZE), dues(s=5), "Red's size die is already 5", id="a named slot that is filled"),
        pytest.param(die("D6", slot=SIZE), dues(), "a D6; Red owes a D8 for size", id="a named slot of another type"),
        pytest.param(die("D10", slot=DAMAGE), dues(), "this attack owes no damage die", id="a named slot that is not"),
        pytest.param(
            die("D8", 9, slot=SIZE),
            dues(),
            "a D8 showed 9, which it does not have: is the die type set right?",
            id="a named slot, no such face",
        ),
    ],
)
def test_a_die_that_nobody_owes_says_why(reading: Reading, owed: list[Due], why: str) -> None:
    assert only(reading, owed).slot is None
    assert only(reading, owed).why == why


def test_the_damage_die_goes_to_who_owes_it_and_to_no_armour() -> None:
    filled = dues("D10", "D6", "D10", "D8", s=1, e=1, a=1, r=1)
    owed = [*filled, Due(Slot(DAMAGE, Side.TARGET, Die.D10), "blue")]
    assert only(die("D10", 0), owed) == Decision("D10:0:None:0.5", DAMAGE, 10, "it is Blue's turn; the only D10 owed")
    assert only(die("D10", who="red"), owed).why == "Red's size die is already 1"
    assert only(die("D12"), owed).why == "a D12; Blue owes a D10"


def test_a_zero_is_ten_on_a_d10_and_no_face_elsewhere() -> None:
    owed = dues("D10", "D6", "D12", "D20")
    assert only(die("D10", 0), owed).value == 10
    assert only(die("D6", 0), owed).slot is None
    assert only(die("D10", 0, slot=SIZE), owed).value == 10
    assert only(die("D12", 0, slot=ARMOUR), owed).slot is None


# --- doubt


def test_an_unsure_die_asks_in_its_slot() -> None:
    for reading in (die("D8", None), die("D8", 5, status=ReadingStatus.UNSURE), die("D8", 5, cocked=True)):
        decision = only(reading, dues())
        assert (decision.slot, decision.value) == (SIZE, None)


def test_a_cocked_die_is_thrown_again_where_the_table_has_it_so() -> None:
    house = House(cocked=Cocked.REROLL)
    decision = only(die("D8", 5, cocked=True), dues(), house)
    assert decision.slot is None
    assert decision.why == "Red's D8 for size is cocked: this table throws a cocked die again"
    assert decision.waits is Waits.NO


def test_a_cocked_die_holds_its_place_in_a_pair() -> None:
    """The left one leans and is thrown again; the right one is still the right one."""
    pair = [die("D8", 5, 0.1, cocked=True, key="left"), die("D8", 3, 0.9, key="right")]
    assert places(pair, dues("D8", "D8"), House(cocked=Cocked.REROLL)) == [None, EFFECT]
    assert places(pair, dues("D8", "D8")) == [SIZE, EFFECT]


def test_a_die_of_unknown_type_holds_up_those_it_could_be_taken_for() -> None:
    dice = [die(None, None, 0.1, key="?"), die("D8", 3, 0.9, key="known"), die("D12", 1, 0.5, key="surplus")]
    decisions = {d.reading: d for d in assign(dice, dues("D8", "D8"), PLAYERS, House())}
    assert decisions["known"].slot is None
    assert decisions["known"].why == "say first what the die beside it is: it may be another D8"
    assert decisions["known"].waits is decisions["?"].waits is Waits.TYPE
    assert decisions["surplus"].waits is Waits.NO
    # A die whose face its type does not have is of unknown type too.
    odd = [die("D4", 6, 0.1, key="?"), die("D8", 3, 0.9, key="known")]
    assert places(odd, dues("D8", "D8")) == [None, None]


def test_a_die_of_unknown_type_does_not_hold_up_another_players() -> None:
    dice = [die(None, None, 0.1, zone="right"), die("D8", 3, 0.9, who="red")]
    assert places(dice, dues(), House(zones={"right": "blue"})) == [None, SIZE]


# --- the turn


@pytest.mark.parametrize(
    ("owed", "order", "side"),
    [
        (dues(), Order.FIRER_FIRST, Side.FIRER),
        (dues(s=1), Order.FIRER_FIRST, Side.FIRER),
        (dues(s=1, e=0), Order.FIRER_FIRST, Side.TARGET),
        (dues(a=1, r=1), Order.FIRER_FIRST, Side.FIRER),
        (dues(s=1, e=1, a=1, r=1), Order.FIRER_FIRST, None),
        (dues(), Order.TOGETHER, None),
    ],
)
def test_whose_turn_it_is(owed: list[Due], order: Order, side: Side | None) -> None:
    assert turn(owed, order) is side


# --- colours


@pytest.mark.parametrize(
    ("colour", "expected"),
    [  # CIELAB of sRGB under D65, as colour.org's and Lindbloom's calculators print it
        ("#ffffff", (100.0, 0.0, 0.0)),
        ("#000000", (0.0, 0.0, 0.0)),
        ("#ff0000", (53.24, 80.09, 67.20)),
        ("#00ff00", (87.73, -86.18, 83.18)),
        ("#0000ff", (32.30, 79.19, -107.86)),
        ("#808080", (53.59, 0.0, 0.0)),
    ],
)
def test_lab(colour: str, expected: tuple[float, float, float]) -> None:
    assert lab(colour) == pytest.approx(expected, abs=0.05)


def test_a_colour_between_two_players_says_nothing() -> None:
    near = Player("orange", "Orange", "#d9603b", "star")
    assert nearest_player("#d5554b", [RED, near, BLUE]) is None
    assert nearest_player("#2f6fb7", [RED, near, BLUE]) == "blue"
    assert nearest_player("#d1495b", []) is None


# --- what holds of every throw


READINGS = st.lists(
    st.builds(
        die,
        st.sampled_from([None, *Die]),
        st.none() | st.integers(0, 20),
        st.none() | st.sampled_from([0.1, 0.11, 0.5, 0.9]),
        st.sampled_from([0.1, 0.5]),
        source=st.sampled_from(list(SourceKind)),
        who=st.sampled_from([None, None, "red", "blue", "green", "x"]),
        colour=st.sampled_from([None, "#d1495b", "#2f6fb7", "#3f8f5b", "#ffffff"]),
        zone=st.sampled_from([None, "left", "right"]),
        slot=st.sampled_from([None, None, None, *SlotName]),
        late=st.booleans(),
        cocked=st.booleans(),
        key=st.uuids().map(str),
    ),
    max_size=7,
)
DUES = st.builds(
    dues,
    *[st.sampled_from([d.value for d in Die][:6])] * 4,
    by=st.sampled_from([("red", "blue"), ("red", "red")]),
    s=st.sampled_from([None, 0, 1]),
    e=st.sampled_from([None, 0, 1]),
    a=st.sampled_from([None, 0, 1]),
    r=st.sampled_from([None, 0, 1]),
)
HOUSES = st.builds(
    House,
    st.sampled_from(Order),
    st.sampled_from(Cocked),
    st.booleans(),
    st.sampled_from([{}, {"left": "red", "right": "blue"}]),
)


@given(READINGS, DUES, HOUSES)
def test_whatever_is_thrown(readings: list[Reading], owed: list[Due], house: House) -> None:
    decisions = assign(readings, owed, PLAYERS, house)
    by_name = {due.slot.name: due for due in owed}
    assert [d.reading for d in decisions] == [r.key for r in readings], "every reading is decided, once, in order"
    taken = [d.slot for d in decisions if d.slot]
    assert len(taken) == len(set(taken)), "never two dice in one slot"
    for decision, reading in zip(decisions, readings, strict=True):
        assert decision.why, "and says why"
        if decision.slot is None:
            assert decision.value is None
            continue
        due = by_name[decision.slot]
        assert due.held is Held.OWED, "a slot that has its die is locked"
        assert reading.die in (None, due.slot.die), "of the type that is owed"
        assert not (reading.late and reading.slot is None)
        if reading.who in ("red", "blue") and reading.slot is None:
            assert due.player == reading.who, "never another player's"
        if decision.value is not None:
            assert due.slot.die.holds(decision.value)
            assert reading.status is ReadingStatus.SURE
            assert not reading.cocked, "a doubtful die never fills a slot by itself"


@given(READINGS, DUES, HOUSES, st.randoms())
def test_the_order_in_which_a_camera_lists_dice_is_of_no_account(
    readings: list[Reading], owed: list[Due], house: House, random: object
) -> None:
    seen = [r for r in readings if r.source is SourceKind.CAMERA and r.slot is None and r.at is not None]
    mixed = list(seen)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    # Dice in one spot that show the same are one and the same for the rule: compare what each slot holds.
    held = [
        {d.slot: d.value for d in assign(case, owed, PLAYERS, house) if d.slot is not None} for case in (seen, mixed)
    ]
    assert held[0] == held[1]
