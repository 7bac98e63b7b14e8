"""Four dice into an outcome: worked results, properties, and every refusal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.errors import RulesRefusal
from dicetower.model import Attack, Outcome, Plan, SlotName
from dicetower.rules.pack import standard
from dicetower.rules.plan import plan
from dicetower.rules.resolve import damage_is_owed, four_faces, resolve

RULES = standard()
HKP = plan(RULES, Attack("HKP", 3, range="medium", armour=4))
FIREFIGHT = plan(RULES, Attack("firefight", 2, infantry="line", cover="soft"))
PLANS = [
    HKP,
    FIREFIGHT,
    plan(RULES, Attack("HEL", 1, armour=1)),
    plan(RULES, Attack("DFFG", 5, range="close", armour=1)),
    plan(RULES, Attack("HEF", 4, armour=4, cover="urban")),
    plan(RULES, Attack("MAK", 4, infantry="powered")),
]
BEST_FOR_TARGET = {"destroyed": 0, "damaged": 1, "undamaged": 2}


@pytest.mark.parametrize(
    ("made", "dice", "expected"),
    [
        (
            HKP,
            [5, 3, 7, 3],
            Outcome(
                "damaged",
                1,
                "armour 7 beats size 5; effectiveness 3 ties 3, the tie is the firer's: one of two, damaged",
                final="damaged",
            ),
        ),
        (
            FIREFIGHT,
            [6, 4, 8, 5],
            Outcome(
                "undamaged",
                2,
                "armour 8 beats size 6; the target's effectiveness 5 beats the firer's 4: two of two, undamaged",
                final="undamaged",
            ),
        ),
        (
            HKP,
            [8, 6, 8, 1],
            Outcome(
                "destroyed",
                0,
                "size 8 ties armour 8, the tie is the firer's; the firer's effectiveness 6 beats the target's 1: "
                "none of two, destroyed",
                final="destroyed",
            ),
        ),
        (
            FIREFIGHT,
            [6, 1, 5, 2],
            Outcome(
                "undamaged",
                1,
                "size 6 beats armour 5; the target's effectiveness 2 beats the firer's 1: "
                "one of two, which is enough for infantry, undamaged",
                final="undamaged",
            ),
        ),
        (
            FIREFIGHT,
            [6, 4, 5, 2],
            Outcome(
                "destroyed",
                0,
                "size 6 beats armour 5; the firer's effectiveness 4 beats the target's 2: none of two, destroyed",
                final="destroyed",
            ),
        ),
        (
            HKP,
            [5, 3, 0, 3],
            Outcome(
                "damaged",
                1,
                "armour 10 beats size 5; effectiveness 3 ties 3, the tie is the firer's: one of two, damaged",
                final="damaged",
            ),
        ),
    ],
)
def test_worked_results(made: Plan, dice: list[int], expected: Outcome) -> None:
    assert resolve(RULES, made, dice) == expected


@pytest.mark.parametrize(
    ("thrown", "result", "final", "said"),
    [
        (1, "escape", "undamaged", "1 on the D10: Escape! (the vehicle is undamaged)"),
        ("2", "systems_down", "systems_down", "2 on the D10: Systems Down (the vehicle cannot fire)"),
        (5, "systems_down", "systems_down", "5 on the D10: Systems Down (the vehicle cannot fire)"),
        (6, "mobility", "mobility", "6 on the D10: Mobility (the vehicle cannot move)"),
        (8, "mobility", "mobility", "8 on the D10: Mobility (the vehicle cannot move)"),
        (9, "destroyed", "destroyed", "9 on the D10: Boom! (the vehicle is destroyed)"),
        ("0", "destroyed", "destroyed", "10 on the D10: Boom! (the vehicle is destroyed)"),
    ],
)
def test_the_damage_die(thrown: int | str, result: str, final: str, said: str) -> None:
    outcome = resolve(RULES, HKP, [5, 3, 7, 3], damage=thrown)
    assert (outcome.outcome, outcome.damage, outcome.final) == ("damaged", result, final)
    assert outcome.explanation.endswith(f"one of two, damaged; {said}")


def test_a_damage_die_is_owed_by_a_damaged_vehicle_alone_and_once() -> None:
    damaged = resolve(RULES, HKP, [5, 3, 7, 3])
    assert damage_is_owed(RULES, damaged)
    assert not damage_is_owed(RULES, damaged, damage_table_on=False)
    assert not damage_is_owed(RULES, resolve(RULES, HKP, [5, 3, 7, 3], damage=6))
    assert not damage_is_owed(RULES, resolve(RULES, HKP, [5, 3, 5, 3]))
    assert not damage_is_owed(RULES, resolve(RULES, FIREFIGHT, [6, 1, 5, 2]))


def test_the_pack_turns_the_table_off_and_the_table_has_the_last_word() -> None:
    off = replace(RULES, damage=replace(RULES.damage, on=False))
    assert resolve(off, HKP, [5, 3, 7, 3], damage=6, damage_table_on=True).final == "mobility"
    with pytest.raises(RulesRefusal, match="The damage table is off"):
        resolve(off, HKP, [5, 3, 7, 3], damage=6)
    with pytest.raises(RulesRefusal, match="The damage table is off"):
        resolve(RULES, HKP, [5, 3, 7, 3], damage=6, damage_table_on=False)


@pytest.mark.parametrize(
    ("made", "dice", "damage", "sentence"),
    [
        (HKP, [9, 3, 7, 3], None, "Firer size: a D8 has the faces 1 to 8; got 9."),
        (HKP, [5, 7, 7, 3], None, "Firer effectiveness: a D6 has the faces 1 to 6; got 7."),
        (
            HKP,
            [5, 3, 7, 0],
            None,
            "Target effectiveness: a D8 has the faces 1 to 8; got 0 (0 counts as 10 on a D10 only).",
        ),
        (
            HKP,
            [5, 3, 7],
            None,
            "Expected four dice, firer size D8, firer effectiveness D6, target armour D10, "
            "target effectiveness D8; got 3.",
        ),
        (
            HKP,
            [5, 3, 7, 3],
            11,
            "Damage die: a D10 has the faces 1 to 9 and 0, which is 10; got 11.",
        ),
        (
            HKP,
            [5, 3, 5, 3],
            6,
            "The D10 is thrown only for a damaged vehicle, and this target is destroyed; leave the damage die out.",
        ),
        (
            FIREFIGHT,
            [6, 1, 5, 2],
            6,
            "The D10 is thrown only for a damaged vehicle, and this target is undamaged; leave the damage die out.",
        ),
        (
            HKP,
            [5, 3, 8, 4],
            0,
            "The D10 is thrown only for a damaged vehicle, and this target is undamaged; leave the damage die out.",
        ),
    ],
)
def test_refusals(made: Plan, dice: list[int], damage: int | None, sentence: str) -> None:
    with pytest.raises(RulesRefusal) as refused:
        resolve(RULES, made, dice, damage)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("dice", [[], [5, 3, 7, 3, 6], "5373", {}, {SlotName.FIRER_SIZE: 5}])
def test_a_count_other_than_four(dice: list[int]) -> None:
    with pytest.raises(RulesRefusal, match=r"^Expected four dice, "):
        resolve(RULES, HKP, dice)


def test_a_damage_die_among_the_four_is_refused() -> None:
    dice = {
        SlotName.FIRER_SIZE: 5,
        SlotName.FIRER_EFFECTIVENESS: 3,
        SlotName.TARGET_ARMOUR: 7,
        SlotName.DAMAGE: 3,
    }
    with pytest.raises(RulesRefusal, match="got firer size, firer effectiveness, target armour and damage"):
        resolve(RULES, HKP, dice)


@st.composite
def throws(draw: st.DrawFn) -> tuple[Plan, list[int]]:
    made = draw(st.sampled_from(PLANS))
    return made, [draw(st.integers(1, slot.die.sides)) for slot in made.slots]


@given(throws(), st.permutations(range(4)))
def test_dice_named_by_slot_come_in_any_order(throw: tuple[Plan, list[int]], order: list[int]) -> None:
    made, dice = throw
    by_name = {made.slots[n].name: dice[n] for n in order}
    assert resolve(RULES, made, by_name) == resolve(RULES, made, dice)
    assert four_faces(made, by_name) == dice


@given(throws(), st.integers(0, 3), st.integers(1, 20))
def test_a_higher_die_never_harms_the_one_who_threw_it(throw: tuple[Plan, list[int]], which: int, face: int) -> None:
    made, dice = throw
    other = [*dice]
    other[which] = min(face, made.slots[which].die.sides)
    was, now = (BEST_FOR_TARGET[resolve(RULES, made, faces).outcome] for faces in (dice, other))
    raised = other[which] > dice[which]
    if other[which] != dice[which]:
        assert (now >= was) if raised == (which >= 2) else (now <= was)


@given(st.sampled_from(PLANS), st.integers(1, 4), st.integers(1, 4))
def test_two_ties_are_two_pairs_for_the_firer(made: Plan, size: int, effectiveness: int) -> None:
    outcome = resolve(RULES, made, [size, effectiveness, size, effectiveness])
    assert (outcome.outcome, outcome.pairs_to_target) == ("destroyed", 0)
    assert outcome.explanation.count("the tie is the firer's") == 2


@given(throws())
def test_infantry_is_never_damaged_and_the_explanation_ends_with_the_outcome(throw: tuple[Plan, list[int]]) -> None:
    made, dice = throw
    outcome = resolve(RULES, made, dice)
    assert made.vehicle or outcome.outcome != "damaged"
    assert outcome.explanation.endswith(f", {outcome.outcome}")
    assert outcome.final == outcome.outcome
