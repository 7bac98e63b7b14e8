"""Which e-die rolls which owed die, and the numbers that owed dice have."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dicetower.model import Die
from dicetower.sources.arming import Ledger, Owed, handed_out, slot_of

RED_8, RED_6 = Owed(1, Die.D8, "red", True), Owed(2, Die.D6, "red", True)
BLUE_10, BLUE_8 = Owed(3, Die.D10, "blue", False), Owed(4, Die.D8, "blue", False)
ALL = [RED_8, RED_6, BLUE_10, BLUE_8]


def view(
    seq: int, *owed: str, attack: str = "a1", state: str = "throwing", turn: str | None = "firer"
) -> dict[str, Any]:
    names = {"firer size": "D8", "firer effectiveness": "D6", "target armour": "D10", "target effectiveness": "D8"}
    slots = [
        {
            "slot": name,
            "die": die,
            "by": name.split()[0],
            "player": name[0],
            "state": "owed" if name in owed else "filled",
        }
        for name, die in names.items()
    ]
    return {"seq": seq, "attack": {"id": attack, "state": state, "turn": turn, "slots": slots}}


def test_one_die_of_nobodys_takes_what_the_turn_owes() -> None:
    assert handed_out(ALL, {"x": None}) == {"x": RED_8}
    assert handed_out([BLUE_10, BLUE_8], {"x": None}) == {}


def test_a_players_own_die_takes_what_that_player_owes_whoever_has_the_turn() -> None:
    assert handed_out(ALL, {"x": "blue", "y": "red"}) == {"x": BLUE_10, "y": RED_8}


def test_two_of_one_players_dice_take_two_owed_dice_in_plan_order() -> None:
    assert handed_out(ALL, {"x": "red", "y": "red", "z": "red"}) == {"x": RED_8, "y": RED_6}


def test_a_players_own_dice_come_before_those_of_nobody() -> None:
    assert handed_out([RED_8], {"x": None, "y": "red"}) == {"y": RED_8}


def test_a_number_tells_its_slot() -> None:
    """As the display says which slot an e-die waits for."""
    for seq in (1, 858_993_458, 858_993_459, 858_993_460, 2**32):
        shown = view(seq, "firer size", "firer effectiveness", "target armour", "target effectiveness")
        owed = Ledger().owed(shown)
        assert [slot_of(die.req) for die in owed] == [slot["slot"] for slot in shown["attack"]["slots"]]


@given(st.dictionaries(st.text("xyz", max_size=2), st.sampled_from([None, "red", "blue", "green"]), max_size=6))
def test_no_owed_die_is_handed_out_twice(dice: dict[str, str | None]) -> None:
    out = handed_out(ALL, dice)
    assert len({owed.req for owed in out.values()}) == len(out)
    assert all(dice[uid] in (None, owed.player) for uid, owed in out.items())


def test_an_owed_die_keeps_its_number_while_it_is_owed() -> None:
    ledger = Ledger()
    first = ledger.owed(view(6, "firer size", "target armour"))
    assert [owed.die for owed in first] == [Die.D8, Die.D10]
    assert [owed.now for owed in first] == [True, False]
    assert ledger.owed(view(9, "target armour"))[0].req == first[1].req


def test_owed_again_it_has_another_number() -> None:
    ledger = Ledger()
    before = ledger.owed(view(6, "firer size"))[0].req
    ledger.owed(view(7))
    assert ledger.owed(view(8, "firer size"))[0].req != before
    assert ledger.owed(view(9, "firer size", attack="a2"))[0].req != before


def test_nothing_is_owed_where_no_attack_is_open() -> None:
    assert Ledger().owed({"seq": 5, "attack": None}) == []
    assert Ledger().owed(view(6, "firer size", state="resolved")) == []


@given(st.integers(0, 2**40))
def test_a_number_is_always_one_that_a_line_can_carry(seq: int) -> None:
    owed = Ledger().owed(view(seq, "firer size", "firer effectiveness", "target armour", "target effectiveness"))
    assert len({one.req for one in owed}) == 4
    assert all(0 < one.req < 2**32 for one in owed)
