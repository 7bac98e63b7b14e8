"""The game as a fold: events and their rows, what undo does in every state, corrections, consequences, the view."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.assign import Decision, Waits
from dicetower.errors import BadInput, Conflict, DicetowerError, NotFound, RulesRefusal, StoreError
from dicetower.game import events
from dicetower.game.codec import Malformed, from_json, to_json
from dicetower.game.events import KINDS, DiceThrown, from_row, to_row
from dicetower.game.fold import fold
from dicetower.game.seats import COLOURS, SHAPES
from dicetower.game.view import view
from dicetower.model import (
    Attack,
    Die,
    Pledge,
    PledgeState,
    Reading,
    ReadingStatus,
    Recorded,
    SlotName,
    SourceKind,
    Throw,
)
from dicetower.rules import pack
from dicetower.store.memory import MemoryStore
from dicetower.table import Table, Tables, TypedDie

ROOT = Path(__file__).parents[2]
HKP = Attack("HKP", 3, range="medium", armour=4)  # D8 D6 against D10 D8
CLOSE = Attack("HKP", 3, range="close", armour=4)  # D8 D8 against D10 D8
PAIR = Attack("DFFG", 3, range="medium", armour=4)  # D8 D8 against D10 D8
FIREFIGHT = Attack("firefight", 2, infantry="line", cover="soft")  # D6 D4 against D8 D8
SIZE, EFFECT, ARMOUR, RESIST, DAMAGE = SlotName


class At:
    """A table for one test, with short words for what is done at it."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.n = 0
        self.table: Table = Tables(self.store, pack.standard(), now_ms=lambda: 7).open("main")

    def declare(self, attack: Attack = HKP, firer: str = "red", target: str = "blue") -> At:
        self.table.declare(attack, firer, target)
        return self

    def typed(self, **values: int) -> At:
        """Type faces into slots: `typed(s=5, e=3)`; d is the damage die."""
        names = dict(zip("seard", SlotName, strict=True))
        dice = [TypedDie(value, slot=names[name]) for name, value in values.items()]
        self.n += 1
        self.table.type_dice(f"r{self.n}", dice)
        return self

    def seen(self, *dice: tuple[str | None, int | None], late: bool = False, cocked: bool = False) -> list[str]:
        """A throw as a camera sees it, left to right; the keys of its readings."""
        self.n += 1
        readings = tuple(
            Reading(
                key=f"camera:{self.n}:{n}",
                source=SourceKind.CAMERA,
                die=None if die is None else Die(die),
                value=value,
                status=ReadingStatus.UNSURE if die is None or value is None else ReadingStatus.SURE,
                candidates=((3, 0.6), (5, 0.4)),
                at=(0.1 * n, 0.5),
                late=late,
                cocked=cocked,
            )
            for n, (die, value) in enumerate(dice)
        )
        self.table.throw(Throw(f"camera:{self.n}", SourceKind.CAMERA, readings, 0))
        return [reading.key for reading in readings]

    @property
    def attack(self) -> dict[str, Any]:
        attack: dict[str, Any] = self.table.view()["attack"]
        return attack

    @property
    def id(self) -> str:
        return str(self.attack["id"])

    def faces(self) -> list[int | str]:
        return [slot["value"] or slot["state"] for slot in self.attack["slots"]]

    def whys(self) -> list[str]:
        return [die["why"] for die in self.table.view()["unassigned"]]

    @property
    def state(self) -> str:
        return str(self.attack["state"])

    @property
    def undo(self) -> str | None:
        text: str | None = self.table.view()["undo"]
        return text


@pytest.fixture
def at() -> At:
    return At()


# --- the worked results of the rules, through the table


def test_the_worked_vehicle(at: At) -> None:
    at.declare().typed(s=5, e=3)
    assert (at.state, at.attack["turn"], at.attack["owes"]) == (
        "throwing",
        "target",
        ["Blue owes D10 armour, D8 effectiveness"],
    )
    at.typed(a=7, r=3)
    assert (at.state, at.attack["turn"], at.attack["owes"]) == ("damage", "firer", ["Red owes D10 damage"])
    assert at.attack["outcome"]["final"] == "damaged"
    at.typed(d=0)
    assert (at.state, at.faces()) == ("resolved", [5, 3, 7, 3, 10])
    assert (at.attack["outcome"]["damage"], at.attack["outcome"]["final"]) == ("destroyed", "destroyed")
    assert at.table.view()["last"][0]["id"] == at.id


def test_the_worked_firefight(at: At) -> None:
    at.declare(FIREFIGHT).typed(s=6, e=4, a=8, r=5)
    assert at.state == "resolved"
    assert at.attack["outcome"]["outcome"] == "undamaged"
    assert len(at.attack["slots"]) == 4
    assert at.attack["after_table"] is None


@pytest.mark.parametrize(
    ("changes", "state", "owes"),
    [
        ({"damage_table": False}, "resolved", []),
        ({"damage_by": "target"}, "damage", ["Blue owes D10 damage"]),
    ],
)
def test_the_damage_die_as_the_table_has_it(at: At, changes: dict[str, Any], state: str, owes: list[str]) -> None:
    at.table.change_settings(changes)
    at.declare().typed(s=5, e=3, a=7, r=3)
    assert (at.state, at.attack["owes"], at.attack["outcome"]["final"]) == (state, owes, "damaged")


def test_the_damage_table_turned_off_with_its_die_owed(at: At) -> None:
    at.declare().typed(s=5, e=3, a=7, r=3)
    at.table.change_settings({"damage_table": False})
    assert (at.state, at.attack["outcome"]["final"], len(at.attack["slots"])) == ("resolved", "damaged", 4)


def test_one_attack_at_a_time(at: At) -> None:
    at.declare()
    with pytest.raises(Conflict, match="Attack 1 is still open: finish it, correct it or void it first"):
        at.declare()
    with pytest.raises(Conflict, match="still open"):
        at.table.again()


def test_again_is_the_same_attack_anew(at: At) -> None:
    with pytest.raises(Conflict, match="no attack to declare again"):
        at.table.again()
    at.declare(target="red").typed(s=1, e=1, a=10, r=8)
    at.table.again()
    assert (at.id, at.attack["title"], at.attack["target"]) == (
        "a2",
        "HKP size 3, medium range, against armour 4",
        "red",
    )
    assert at.faces() == ["owed"] * 4


@pytest.mark.parametrize(
    ("attack", "firer", "target", "error", "says"),
    [
        (HKP, "green", "blue", NotFound, "No player 'green' sits at this table; there are red, blue"),
        (HKP, "red", "", NotFound, "No player ''"),
        (Attack("HKP", 3, armour=4), "red", "blue", RulesRefusal, "needs a range"),
        (Attack("HKP", 9, range="long", armour=4), "red", "blue", RulesRefusal, "size class of 1 to 5"),
    ],
)
def test_what_cannot_be_declared(
    at: At, attack: Attack, firer: str, target: str, error: type[DicetowerError], says: str
) -> None:
    with pytest.raises(error, match=says):
        at.declare(attack, firer, target)
    assert at.table.view()["attack"] is None


# --- doubt


def test_a_doubtful_die_is_asked_about_and_answered(at: At) -> None:
    key, _ = at.declare().seen(("D6", None), ("D8", 5))
    slot = at.attack["slots"][1]
    assert slot["question"] == {
        "reading": key,
        "text": "Is Red's D6 a 3 or a 5?",
        "die": "D6",
        "candidates": [[3, 0.6], [5, 0.4]],
        "evidence": None,
    }
    at.table.answer(key, None, 5)
    slot = at.attack["slots"][1]
    assert (slot["value"], slot["by_person"], slot["question"]) == (5, True, None)
    seq = at.table.seq
    at.table.answer(key, Die.D6, 5)
    assert at.table.seq == seq, "a second tap changes nothing"
    with pytest.raises(Conflict, match="Red's effectiveness die is not in doubt: it is 5; correct it or re-roll it"):
        at.table.answer(key, None, 3)


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [(7, RulesRefusal, "A D6 has the faces 1 to 6; got 7"), (0, RulesRefusal, "0 counts as 10 on a D10 only")],
)
def test_an_answer_that_cannot_be(at: At, value: int, error: type[DicetowerError], says: str) -> None:
    (key,) = at.declare().seen(("D6", None))
    with pytest.raises(error, match=says):
        at.table.answer(key, None, value)
    with pytest.raises(NotFound, match="No die 'x' is in doubt"):
        at.table.answer("x", None, 1)


@pytest.mark.parametrize(
    ("cocked", "candidates", "text"),
    [
        (True, ((3, 0.9),), "Red's D8 is cocked: what does it show?"),
        (False, (), "What does Red's D8 show?"),
        (False, ((3, 0.5), (8, 0.3), (11, 0.2)), "Is Red's D8 a 3 or an 8?"),
        (False, ((1, 0.4), (2, 0.3), (8, 0.3)), "Is Red's D8 a 1, a 2 or an 8?"),
    ],
)
def test_what_a_doubtful_die_is_asked(at: At, cocked: bool, candidates: Any, text: str) -> None:
    at.declare()
    unsure = ReadingStatus.UNSURE
    reading = Reading("k", SourceKind.CAMERA, Die.D8, None, unsure, cocked=cocked, candidates=candidates)
    at.table.throw(Throw("t", SourceKind.CAMERA, (reading,), 0))
    assert at.attack["slots"][0]["question"]["text"] == text


def test_an_answer_of_another_type_frees_the_slot(at: At) -> None:
    (key,) = at.declare().seen(("D8", None))
    at.table.answer(key, Die.D6, 4)
    assert at.faces() == ["owed", 4, "owed", "owed"], "it is the D6 that Red owes too"
    (key,) = at.seen(("D8", None))
    at.table.answer(key, Die.D12, 4)
    assert at.faces()[0] == "owed"
    assert at.whys() == ["a D12; Red owes a D8"]
    assert at.table.view()["unassigned"][0]["value"] == 4


def test_an_unknown_die_answered_frees_those_that_waited(at: At) -> None:
    unknown, known = at.declare(PAIR).seen((None, None), ("D8", 3))
    assert at.whys() == [
        "its type could not be told: say which die it is",
        "say first what the die beside it is: it may be another D8",
    ]
    with pytest.raises(BadInput, match="say which die it is, with its value"):
        at.table.answer(unknown, None, 7)
    at.table.answer(unknown, Die.D8, 7)
    assert at.faces()[:2] == [7, 3], "by place, as if it had been known at once"
    assert [slot["by_person"] for slot in at.attack["slots"]][:2] == [True, False]
    assert known == at.attack["slots"][1]["reading"]


def test_an_unknown_thing_dismissed_frees_those_that_waited(at: At) -> None:
    token, _ = at.declare(PAIR).seen((None, None), ("D8", 3))
    at.table.dismiss(token)
    assert at.faces()[:2] == [3, "owed"]


def test_dismissing_a_surplus_die_chooses_nothing(at: At) -> None:
    """Else a player could throw three dice and send away the one that he likes least."""
    keys = at.declare(PAIR).seen(("D8", 1), ("D8", 7), ("D8", 8))
    at.table.dismiss(keys[0])
    assert at.faces()[:2] == ["owed", "owed"]
    assert at.whys() == ["a die of its throw was dismissed: throw again, or place it"] * 2
    with pytest.raises(Conflict, match="That die is not in doubt: a D8 showing 7; place or dismiss it"):
        at.table.answer(keys[1], None, 7)
    at.table.answer(keys[1], Die.D12, 7)
    assert at.faces()[:2] == ["owed", "owed"], "nor by calling one of them another"


def test_dismissing_a_known_die_beside_an_unknown_one_chooses_nothing(at: At) -> None:
    low, _, token = at.declare().seen(("D8", 1), ("D8", 8), (None, None))
    at.table.dismiss(low)
    at.table.dismiss(token)
    assert at.faces()[0] == "owed"
    assert at.whys() == ["a die of its throw was dismissed: throw again, or place it"]


def test_a_surplus_die_of_another_type_after_all(at: At) -> None:
    keys = at.declare(PAIR).seen(("D8", 1), ("D8", 7), ("D8", 8))
    at.table.answer(keys[1], Die.D12, 11)
    assert at.faces()[:2] == [1, 8]
    assert at.whys() == ["a D12; nothing more is owed by Red"]


def test_a_cocked_die_where_the_table_throws_it_again(at: At) -> None:
    at.table.change_settings({"cocked": "reroll"})
    at.declare().seen(("D8", 5), cocked=True)
    assert at.whys() == ["Red's D8 for size is cocked: this table throws a cocked die again"]
    at.seen(("D8", 2))
    assert at.faces()[0] == 2


def test_a_late_roll_waits_for_a_person(at: At) -> None:
    (key,) = at.declare().seen(("D8", 5), late=True)
    assert at.whys() == ["rolled when nobody had asked for it: place it or dismiss it"]
    assert at.table.view()["unassigned"][0]["fits"] == ["firer size", "target effectiveness"]
    at.table.place(key, RESIST)
    assert at.faces()[3] == 5
    assert at.attack["slots"][3]["by_person"]


@pytest.mark.parametrize(
    ("die", "value", "shows", "asked"),
    [
        (None, None, None, (None, "Which die is this, and what does it show?")),
        ("D4", 6, 6, (None, "Which die is this, and what does it show?")),
        ("D12", None, None, ("D12", "What does this D12 show?")),
        ("D12", 9, 9, None),
        ("D20", 20, 20, None),
    ],
)
def test_what_is_shown_of_an_unassigned_die(
    at: At, die: str | None, value: int | None, shows: int | None, asked: tuple[str | None, str] | None
) -> None:
    at.declare(FIREFIGHT).seen((die, value))
    (shown,) = at.table.view()["unassigned"]
    assert (shown["die"], shown["value"]) == (die, shows)
    question = shown["question"]
    assert (None if question is None else (question["die"], question["text"])) == asked


def test_a_zero_of_a_d10_is_ten_wherever_it_lies(at: At) -> None:
    at.seen(("D10", 0))
    assert at.table.view()["unassigned"][0]["value"] == 10


def test_the_page_on_the_table_quotes_what_the_table_says(at: At) -> None:
    said: list[str] = []
    at.seen(("D8", 8))
    said += at.whys()
    at.table.seat("Green", "#3f8f5b")
    at.declare(Attack("HKP", 4, range="medium", armour=4))  # D10 D6 against D10 D8
    at.typed(e=1).seen(("D12", 9), ("D100", 50), ("D4", 6))
    at.seen((None, None))
    at.seen(("D8", 3), late=True)
    said += at.whys()
    at.table.void(at.id, "x")
    at.declare().typed(s=5).seen(("D8", 1))
    said += at.whys()
    at.table.void(at.id, "x")
    at.declare(PAIR).seen(("D8", 1), ("D8", 2), ("D8", 3))
    at.seen(("D8", 1), (None, None))
    at.table.change_settings({"order": "together", "assign_by_colour": True})
    at.seen(("D8", 1))
    green = Reading("g", SourceKind.CAMERA, Die.D8, 1, ReadingStatus.SURE, colour="#3f8f5b")
    at.table.throw(Throw("g", SourceKind.CAMERA, (green,), 0))
    said += at.whys()
    at.table.change_settings({"order": "firer first", "cocked": "reroll"})
    at.seen(("D8", 5), cocked=True)
    said += at.whys()
    at.table.void("a3", "x")
    at.seen(("D8", 2), ("D20", 20))
    said += at.whys()
    at.declare()
    said += at.whys()
    at.typed(s=5).seen(("D8", 3))
    at.table.reroll(at.id, [SIZE], "left the tray")
    said += at.whys()
    at.seen(("D20", 3))
    at.table.void(at.id, "x")
    said += at.whys()
    page = (ROOT / "docs/table.md").read_text()
    table = page[page.index("| it | says |") : page.index("A person may *answer*")]
    quoted = set(re.findall(r"\| `([^`]+)` \|", table))
    assert len(quoted) == 17, sorted(quoted)
    assert quoted - set(said) == set()


# --- what an unassigned die says as the table plays on

STRAY = Attack("HKP", 5, range="medium", armour=1)  # D12 D6 against D4 D8


def test_a_die_that_nobody_owed_says_what_is_owed_now(at: At) -> None:
    at.declare(STRAY).seen(("D20", 5))
    assert at.whys() == ["a D20; Red owes a D12 and a D6"]
    at.typed(s=7)
    assert at.whys() == ["a D20; Red owes a D6"]
    at.typed(e=2)
    assert at.whys() == ["a D20; Blue owes a D4 and a D8"]


def test_a_die_of_an_attack_that_is_over_says_so(at: At) -> None:
    at.declare(STRAY).seen(("D20", 5))
    at.typed(s=1, e=1, a=1, r=1)
    assert (at.state, at.whys()) == ("resolved", ["a D20 thrown in attack 1, which is over"])
    at.table.undo()
    assert at.whys() == ["a D20; nothing more is owed by Red and Blue"]


def test_a_doubt_answered_after_the_attack_leaves_no_old_sentence(at: At) -> None:
    (key,) = at.declare().seen((None, None))
    at.table.void(at.id, "x")
    assert at.whys() == ["a die thrown in attack 1, which is over"]
    at.table.answer(key, Die.D20, 5)
    assert at.whys() == ["a D20 thrown in attack 1, which is over"]


def test_a_die_thrown_before_the_declaration_says_what_it_may_be_for(at: At) -> None:
    at.seen(("D12", 5), ("D20", 5))
    assert at.whys() == ["no attack is declared"] * 2
    at.declare(STRAY)
    assert at.whys() == [
        "thrown before this attack was declared; Red owes a D12 now: place it if it is Red's, or throw again",
        "thrown before this attack was declared; a D20; Red owes a D12 and a D6",
    ]
    at.table.void(at.id, "x")
    assert at.whys() == ["the attack is over, and no other is declared"] * 2
    at.table.undo()
    assert at.whys()[0].startswith("thrown before this attack was declared; Red owes")


def test_a_slot_that_had_its_die_and_owes_it_again(at: At) -> None:
    at.declare(STRAY).typed(s=7).seen(("D12", 9))
    assert at.whys() == ["Red's size die is already 7"]
    at.table.correct_value(at.id, SIZE, 8, "misread")
    assert at.whys() == ["Red's size die is already 8"]
    at.table.reroll(at.id, [SIZE], "left the tray")
    assert at.whys() == ["Red owes a D12 now: place it if it is Red's, or throw again"]
    at.table.undo()
    assert at.whys() == ["Red's size die is already 8"]


def test_too_many_dice_stay_too_many_whatever_else_falls(at: At) -> None:
    at.declare(Attack("HKP", 4, range="medium", armour=4)).seen(("D10", 5), ("D10", 6))
    assert at.whys() == ["2 D10 where Red owes 1: throw again with 1"] * 2
    at.typed(e=1)
    assert at.whys() == ["2 D10 where Red owes 1: throw again with 1"] * 2
    at.typed(s=4)
    assert at.whys() == ["Blue owes a D10 now: place it if it is Blue's, or throw again"] * 2


def test_a_player_who_is_called_something_else_now(at: At) -> None:
    at.declare(STRAY).seen(("D20", 5))
    at.table.change_player("red", name="Rot")
    assert at.whys() == ["a D20; Rot owes a D12 and a D6"]


def test_the_export_keeps_what_was_said_when_it_fell(at: At) -> None:
    at.declare(STRAY).seen(("D20", 5))
    at.typed(s=7)
    assert next(row["why"] for row in at.table.export() if row["record"] == "die") == "a D20; Red owes a D12 and a D6"


# --- dice outside an attack


def test_nothing_rolled_is_lost(at: At) -> None:
    early = at.seen(("D8", 8))
    assert at.whys() == ["no attack is declared"]
    at.declare()
    assert at.faces() == ["owed"] * 4
    at.table.place(early[0], SIZE)
    at.typed(e=1, a=1, r=1)
    assert at.state == "resolved"
    at.seen(("D20", 20))
    assert at.whys() == ["the attack is over, and no other is declared"]
    at.declare()
    assert len(at.whys()) == 1, "thrown between the attacks: it may be meant for this one"
    at.table.void("a2", "a mistake")
    at.declare()
    assert at.whys() == [], "thrown before the attack before: off the screen"
    fates = {row["reading"]: row["fate"] for row in at.table.export() if row["record"] == "die"}
    assert fates["camera:1:0"] == "in a slot"
    assert fates["camera:3:0"] == "put away"


def test_a_late_roll_stays_until_a_person_decides(at: At) -> None:
    (key,) = at.declare().seen(("D8", 5), late=True)
    for _ in range(3):
        at.table.void(at.id, "x")
        at.declare()
    assert at.table.view()["unassigned"][0]["reading"] == key
    at.table.place(key, SIZE)
    assert at.faces()[0] == 5


@pytest.mark.parametrize(
    ("die", "slot", "error", "says"),
    [
        (("D12", 9), SIZE, Conflict, "Red's size die is a D8; this is a D12"),
        (("D8", 5), ARMOUR, Conflict, "Blue's armour die is a D10; this is a D8"),
        (("D8", 5), DAMAGE, Conflict, "Attack 1 owes no damage die now"),
    ],
)
def test_where_a_die_cannot_be_placed(
    at: At, die: tuple[str, int], slot: SlotName, error: type[DicetowerError], says: str
) -> None:
    (key,) = at.declare().seen(die, late=True)
    with pytest.raises(error, match=says):
        at.table.place(key, slot)
    at.typed(s=1)
    with pytest.raises(Conflict, match="Red's size die is 1 already"):
        at.table.place(key, SIZE)


def test_a_doubtful_die_placed_still_asks(at: At) -> None:
    (key,) = at.declare().seen((None, None))
    at.table.place(key, RESIST)
    assert at.faces()[3] == "asking"
    at.table.answer(key, None, 4)
    assert at.faces()[3] == 4


# --- typed dice that cannot be


@pytest.mark.parametrize(
    ("dice", "player", "error", "says"),
    [
        ([], None, BadInput, "Expected 1 to 40 dice, got 0"),
        ([TypedDie(5)], None, BadInput, "say its type or its slot"),
        ([TypedDie(9, Die.D8)], None, RulesRefusal, "A D8 has the faces 1 to 8; got 9"),
        ([TypedDie(0, Die.D8)], None, RulesRefusal, "0 counts as 10 on a D10 only"),
        ([TypedDie(5, Die.D6, SIZE)], None, BadInput, "Red's size die is a D8; got a D6"),
        ([TypedDie(5, slot=SIZE), TypedDie(6, slot=SIZE)], None, BadInput, "one die a slot, got two"),
        ([TypedDie(5, slot=SIZE)], "blue", BadInput, "The firer size die is Red's to throw; got Blue"),
        ([TypedDie(5, slot=DAMAGE)], None, Conflict, "Attack 1 owes no damage die now"),
        ([TypedDie(5, slot=EFFECT)], None, Conflict, "Red's effectiveness die is already 2: correct it or re-roll it"),
        ([TypedDie(5, Die.D8)], "green", NotFound, "No player 'green'"),
        ([TypedDie(50, Die.D100)], None, RulesRefusal, "A D100"),
    ],
)
def test_typed_dice_that_cannot_be(
    at: At, dice: list[TypedDie], player: str | None, error: type[DicetowerError], says: str
) -> None:
    at.declare().typed(e=2)
    seq = at.table.seq
    with pytest.raises(error, match=re.escape(says)):
        at.table.type_dice("bad", dice, player)
    assert at.table.seq == seq, "nothing of it is in the journal"
    at.table.type_dice("bad", [TypedDie(5, Die.D8)])
    assert at.faces()[0] == 5, "and its name is free"


def test_a_die_into_a_slot_with_no_attack(at: At) -> None:
    with pytest.raises(Conflict, match="No attack is open, so no slot owes a die"):
        at.typed(s=5)


# --- what undo does, in every state


def resolved(at: At) -> None:
    at.declare().typed(s=5, e=3, a=7, r=8)


def with_damage(at: At) -> None:
    at.declare().typed(s=5, e=3, a=7, r=3).typed(d=6)


def owing_damage(at: At) -> None:
    at.declare().typed(s=5, e=3, a=7, r=3)


def voided(at: At) -> None:
    at.declare().typed(s=5)
    at.table.void(at.id, "wrong target")


def answered(at: At) -> None:
    (key,) = at.declare().seen(("D8", None))
    at.table.answer(key, None, 5)


def answered_then_thrown(at: At) -> None:
    answered(at)
    at.typed(e=3)


def placed(at: At) -> None:
    (key,) = at.declare().seen(("D8", 5), late=True)
    at.table.place(key, SIZE)


def dismissed(at: At) -> None:
    (key,) = at.declare().seen(("D12", 5))
    at.table.dismiss(key)


def corrected(at: At) -> None:
    at.declare().typed(s=5)
    at.table.correct_value(at.id, SIZE, 6, "a 6, upside down")


def rerolled(at: At) -> None:
    at.declare().typed(s=5, e=3)
    at.table.reroll(at.id, [SIZE], "fell on the floor")


def rerolled_and_thrown(at: At) -> None:
    rerolled(at)
    at.typed(s=8)


def redeclared(at: At) -> None:
    at.declare().typed(s=5, e=3)
    at.table.correct_declaration(at.id, CLOSE, "red", "blue")


def redeclared_and_thrown(at: At) -> None:
    redeclared(at)
    at.typed(e=8)


def redeclared_and_thrown_elsewhere(at: At) -> None:
    redeclared(at)
    at.typed(a=9)


def next_declared(at: At) -> None:
    resolved(at)
    at.declare()


@pytest.mark.parametrize(
    ("story", "text", "state", "faces"),
    [
        (lambda at: at.declare(), "the declaration of attack 1", None, []),
        (resolved, "the outcome of attack 1", "throwing", [5, 3, 7, 8]),
        (with_damage, "the outcome of attack 1", "throwing", [5, 3, 7, 3, 6]),
        (voided, "the voiding of attack 1", "throwing", [5, "owed", "owed", "owed"]),
        (answered, "the answer 5 for a D8", "throwing", ["asking", "owed", "owed", "owed"]),
        (answered_then_thrown, "the answer 5 for a D8", "throwing", ["asking", 3, "owed", "owed"]),
        (placed, "the die placed as Red's size die", "throwing", ["owed"] * 4),
        (dismissed, "the dismissal of a D12", "throwing", ["owed"] * 4),
        (corrected, "the correction of Red's size die from 5 to 6", "throwing", [5, "owed", "owed", "owed"]),
        (rerolled, "the re-roll of Red's size die", "throwing", [5, 3, "owed", "owed"]),
        (redeclared, "the corrected declaration of attack 1", "throwing", [5, 3, "owed", "owed"]),
        (redeclared_and_thrown_elsewhere, "the corrected declaration of attack 1", "throwing", [5, 3, 9, "owed"]),
        (next_declared, "the declaration of attack 2", "resolved", [5, 3, 7, 8]),
    ],
)
def test_undo(at: At, story: Callable[[At], object], text: str, state: str | None, faces: list[Any]) -> None:
    story(at)
    assert at.undo == text
    assert at.table.preview_undo().text == text
    dice = {row["reading"] for row in at.table.export() if row["record"] == "die"}
    at.table.undo()
    assert {row["reading"] for row in at.table.export() if row["record"] == "die"} == dice
    if state is None:
        assert at.attack is None
        return
    assert (at.state, at.faces()) == (state, faces)


@pytest.mark.parametrize(
    ("story", "says"),
    [
        (lambda at: None, "There is nothing to take back"),
        (lambda at: at.declare().typed(s=5), "Dice have been thrown since the last decision"),
        (owing_damage, "Dice have been thrown since"),
        (rerolled_and_thrown, "Dice have been thrown since"),
        (redeclared_and_thrown, "Dice have been thrown since"),
    ],
)
def test_undo_never_takes_back_a_throw(at: At, story: Callable[[At], object], says: str) -> None:
    story(at)
    before = at.table.view()
    assert at.undo is None
    for undo in (at.table.undo, at.table.preview_undo):
        with pytest.raises(Conflict, match=says):
            undo()
    assert at.table.view() == before


def test_undo_walks_back_one_decision_at_a_time(at: At) -> None:
    answered(at)
    at.table.correct_value(at.id, SIZE, 6, "misread")
    at.table.reroll(at.id, [SIZE], "cocked after all")
    walk = []
    while at.undo:
        walk.append((at.undo, at.faces()[0]))
        at.table.undo()
    assert walk == [
        ("the re-roll of Red's size die", "owed"),
        ("the correction of Red's size die from 5 to 6", 6),
        ("the answer 5 for a D8", 5),
    ]
    assert at.faces()[0] == "asking", "the die itself is never taken back"


def test_undo_walks_back_to_where_it_ends_and_each_step_does_what_it_says(at: At) -> None:
    """Sixty attacks declared and voided: undo ends while there is still an attack that it could speak of."""
    for _ in range(60):
        at.declare()
        at.table.void(at.id, "x")
    while at.undo:
        number, text = at.attack["number"], at.undo
        at.table.undo()
        voided = text.startswith("the voiding")
        assert text == f"the {'voiding' if voided else 'declaration'} of attack {number}"
        assert (at.attack["number"], at.state) == ((number, "throwing") if voided else (number - 1, "void"))
    assert at.attack["number"] == 10, "a hundred steps, two an attack"


def test_a_damage_die_is_not_thrown_again_where_none_counts(at: At) -> None:
    """Taken back, and corrected so that the vehicle is destroyed: the screen must not ask for a D10."""
    reopened(at)
    at.table.correct_value(at.id, SIZE, 8, "misread")
    before = at.table.view()
    with pytest.raises(Conflict, match="owe no damage die"):
        at.table.reroll(at.id, [DAMAGE], "cocked")
    assert at.table.view() == before
    at.table.confirm(at.id)
    assert at.attack["outcome"]["final"] == "destroyed"


def test_undo_restores_what_a_declaration_put_away(at: At) -> None:
    resolved(at)
    at.declare().seen(("D20", 3))
    at.table.void(at.id, "x")
    at.declare()
    assert at.whys() == []
    at.table.undo()
    assert len(at.whys()) == 1


def test_a_preview_that_is_out_of_date_is_refused(at: At) -> None:
    resolved(at)
    seq = at.table.preview_undo().seq
    at.seen(("D20", 3))
    with pytest.raises(Conflict, match="moved on since that was shown"):
        at.table.undo(seq)
    at.table.undo(at.table.preview_undo().seq)
    assert at.state == "throwing"


# --- a reopened attack


def reopened(at: At) -> At:
    with_damage(at)
    at.table.undo()
    return at


def test_a_reopened_attack_waits_for_a_person(at: At) -> None:
    reopened(at)
    assert (at.attack["reopened"], at.attack["owes"], at.attack["outcome"]) == (True, [], None)
    at.seen(("D10", 1))
    assert at.whys() == ["Blue's armour die is already 7 and Red's damage die is already 6"]
    at.table.confirm(at.id)
    assert (at.state, at.attack["outcome"]["final"], at.attack["reopened"]) == ("resolved", "mobility", False)


def test_a_misread_die_of_a_reopened_attack(at: At) -> None:
    reopened(at)
    at.table.correct_value(at.id, SIZE, 8, "an 8")
    assert (at.state, at.attack["reopened"]) == ("throwing", True), "no longer damaged, and nobody has confirmed it"
    at.table.confirm(at.id)
    assert at.attack["outcome"]["outcome"] == "destroyed"
    assert at.faces() == [8, 3, 7, 3]
    assert at.whys() == ["no damage die is owed: the vehicle is not damaged"], "and the D10 is not lost"
    at.table.undo()
    assert (at.faces(), at.whys()) == ([8, 3, 7, 3, 6], []), "it lies where it lay"
    at.table.undo()
    at.table.confirm(at.id)
    assert at.attack["outcome"]["final"] == "mobility"


@pytest.mark.parametrize("value", [6, None], ids=["damage thrown", "damage in doubt"])
def test_nothing_is_damaged_while_one_of_the_four_is_owed_again(at: At, value: int | None) -> None:
    at.declare().typed(s=5, e=3, a=7, r=3)
    at.seen(("D10", value))
    if value is not None:
        at.table.undo()
    at.table.reroll(at.id, [EFFECT], "cocked")
    assert (at.state, at.attack["outcome"], at.attack["owes"]) == ("throwing", None, ["Red owes D6 effectiveness"])
    at.typed(e=1)
    assert (at.state, at.attack["outcome"]["final"]) == ("resolved", "undamaged")
    assert at.whys() == ["no damage die is owed: the vehicle is not damaged"]


def test_four_dice_that_stand_damaged_again_ask_for_the_damage_die_in_doubt(at: At) -> None:
    at.declare().typed(s=5, e=3, a=7, r=3)
    at.seen(("D10", None))
    at.table.reroll(at.id, [EFFECT], "cocked")
    at.typed(e=4)
    assert (at.state, at.attack["outcome"]["outcome"], at.faces()) == ("damage", "damaged", [5, 4, 7, 3, "asking"])


def test_a_corrected_declaration_of_a_reopened_attack(at: At) -> None:
    reopened(at)
    preview = at.table.preview_correction(at.id, CLOSE, "red", "blue")
    assert preview.keeps == ("firer size", "target armour", "target effectiveness", "damage")
    assert preview.owes == ("firer effectiveness",)
    assert preview.text == (
        "Attack 1 becomes HKP size 3, close range, against armour 4; Red's D8 size (5), Blue's D10 armour (7), "
        "Blue's D8 effectiveness (3) and Red's D10 damage (6) stand; Red owes a D8 effectiveness again."
    )
    at.table.correct_declaration(at.id, CLOSE, "red", "blue", preview.seq)
    assert at.faces() == [5, "owed", 7, 3, 6]
    with pytest.raises(Conflict, match="not ready: Red owes a D8"):
        at.table.confirm(at.id)
    at.typed(e=2)
    assert at.state == "resolved", "what was owed again came: it needs no confirming"
    assert at.attack["outcome"]["outcome"] == "undamaged"


def test_a_declaration_corrected_against_infantry_drops_the_damage_die(at: At) -> None:
    reopened(at)
    soft = Attack("firefight", 3, infantry="powered", cover="open")
    text = at.table.preview_correction(at.id, soft, "red", "blue").text
    assert text.endswith("Red's D10 damage (6) no longer counts.")
    at.table.correct_declaration(at.id, soft, "red", "blue")
    assert at.faces() == [5, 3, 7, 3], "D8, D6, D10 and D8 are owed by the same hands"
    assert at.attack["reopened"]
    at.table.confirm(at.id)
    assert at.attack["outcome"]["outcome"] == "undamaged"


@pytest.mark.parametrize(
    ("declared", "firer", "target", "keeps", "owes"),
    [
        (CLOSE, "red", "blue", "sar", "e"),
        (Attack("HKP", 4, range="medium", armour=4), "red", "blue", "ear", "s"),
        (Attack("HKP", 3, range="medium", armour=5), "red", "blue", "ser", "a"),
        (Attack("HKP", 3, range="long", armour=1), "red", "blue", "sr", "ea"),
        (HKP, "blue", "red", "", "sear"),
        (HKP, "red", "red", "se", "ar"),
        (Attack("MDC", 3, range="medium", armour=4), "red", "blue", "sear", ""),
    ],
)
def test_a_corrected_declaration_keeps_what_is_unchanged(
    at: At, declared: Attack, firer: str, target: str, keeps: str, owes: str
) -> None:
    at.declare().typed(s=5, e=3, a=7, r=3)
    names = dict(zip("sear", SlotName, strict=False))
    preview = at.table.preview_correction(at.id, declared, firer, target)
    assert preview.keeps == tuple(names[name] for name in keeps)
    assert preview.owes == tuple(names[name] for name in owes)
    at.table.correct_declaration(at.id, declared, firer, target)
    old = dict(zip("sear", (5, 3, 7, 3), strict=True))
    assert at.faces()[:4] == [old[name] if name in keeps else "owed" for name in "sear"]
    assert (at.state == "damage") == (not owes)


def test_a_correction_that_corrects_nothing(at: At) -> None:
    at.declare()
    with pytest.raises(BadInput, match="declared so already"):
        at.table.preview_correction(at.id, dataclasses.replace(HKP, system="hkp"), "red", "blue")


@pytest.mark.parametrize(
    ("act", "error", "says"),
    [
        (lambda at: at.table.void("a1", "x"), Conflict, "Attack a1 is over; undo its outcome first"),
        (lambda at: at.table.correct_value("a1", SIZE, 3, "x"), Conflict, "is over; undo its outcome first"),
        (lambda at: at.table.reroll("a1", [SIZE], "x"), Conflict, "is over; undo its outcome first"),
        (lambda at: at.table.confirm("a1"), Conflict, "is over; undo its outcome first"),
        (lambda at: at.table.void("a9", "x"), NotFound, "no attack 'a9'"),
    ],
)
def test_an_attack_that_is_over(at: At, act: Callable[[At], object], error: type[DicetowerError], says: str) -> None:
    resolved(at)
    with pytest.raises(error, match=says):
        act(at)


@pytest.mark.parametrize(
    ("act", "error", "says"),
    [
        (lambda at: at.table.correct_value("a1", SIZE, 5, "x"), BadInput, "Red's size die is 5 already"),
        (lambda at: at.table.correct_value("a1", SIZE, 9, "x"), RulesRefusal, "A D8 has the faces 1 to 8"),
        (lambda at: at.table.correct_value("a1", SIZE, 6, "  "), BadInput, "Expected a reason of 1 to 200"),
        (lambda at: at.table.correct_value("a1", ARMOUR, 6, "x"), Conflict, "Blue's armour die is not thrown yet"),
        (lambda at: at.table.correct_value("a1", EFFECT, 6, "x"), Conflict, "is being asked about: answer it"),
        (lambda at: at.table.correct_value("a1", DAMAGE, 6, "x"), NotFound, "has no damage slot now"),
        (lambda at: at.table.reroll("a1", [], "x"), BadInput, "Expected the slots to throw again"),
        (lambda at: at.table.reroll("a1", [SIZE, RESIST], "x"), Conflict, "effectiveness die is not thrown yet"),
        (lambda at: at.table.reroll("a1", [SIZE], "x" * 201), BadInput, "got 201"),
        (lambda at: at.table.void("a1", ""), BadInput, "Expected a reason"),
        (lambda at: at.table.confirm("a1"), Conflict, "not ready: Red's effectiveness die is in doubt; Blue owes"),
    ],
)
def test_what_cannot_be_done_to_an_open_attack(
    at: At, act: Callable[[At], object], error: type[DicetowerError], says: str
) -> None:
    at.declare().typed(s=5).seen(("D6", None))
    before = at.table.view()
    with pytest.raises(error, match=says):
        act(at)
    assert at.table.view() == before


def test_a_value_corrected_while_the_damage_die_is_owed(at: At) -> None:
    owing_damage(at)
    at.table.correct_value(at.id, ARMOUR, 4, "a 4")
    assert (at.state, at.attack["outcome"]["final"]) == ("resolved", "destroyed")
    owing_damage(at)
    at.table.correct_value(at.id, ARMOUR, 8, "an 8")
    assert (at.state, at.attack["owes"]) == ("damage", ["Red owes D10 damage"])
    assert "armour 8 beats size 5" in at.attack["outcome"]["explanation"]


def test_a_reroll_while_the_damage_die_is_owed(at: At) -> None:
    owing_damage(at)
    at.table.reroll(at.id, [ARMOUR], "it hit the wall")
    assert (at.state, at.faces()) == ("throwing", [5, 3, "owed", 3])
    at.typed(a=2)
    assert at.attack["outcome"]["final"] == "destroyed"


# --- one person on both sides


def test_solo_play(at: At) -> None:
    at.declare(HKP, "red", "red")
    assert at.attack["owes"] == ["Red owes D8 size, D6 effectiveness"]
    at.seen(("D8", 5), ("D6", 3))
    assert at.attack["owes"] == ["Red owes D10 armour, D8 effectiveness"]
    at.seen(("D10", 7), ("D8", 3))
    at.seen(("D10", 2))
    assert at.attack["outcome"]["final"] == "systems_down"


# --- the journal's rows


def everything() -> At:
    """A story with every kind of event in it."""
    at = At()
    at.table.seat("Green")
    at.table.change_player("green", name="Grün")
    at.table.set_edie("00c0ffee00c0ffee", player="green", name="Lucky")
    pledge = Pledge("00c0ffee00c0ffee", "5b" * 32, "0f" * 16)
    at.table.commit_edie(pledge)
    kept = dataclasses.replace(pledge, state=PledgeState.VERIFIED, seed="0e" * 16, text="All is as it must be.")
    at.table.end_commitment(kept)
    at.table.change_settings({"order": "together", "zones": [{"name": "left", "player": "green"}]})
    at.table.change_settings({"order": "firer first"})
    late = at.declare().seen(("D8", 4), late=True)
    at.table.place(late[0], SIZE)
    key, surplus = at.seen(("D6", None), ("D20", 7))
    at.table.answer(key, None, 3)
    at.table.dismiss(surplus)
    at.table.correct_value(at.id, SIZE, 5, "misread")
    at.table.reroll(at.id, [SIZE], "on the floor")
    at.typed(s=5, a=7, r=3).typed(d=6)
    at.table.undo()
    at.table.confirm(at.id)
    at.table.again()
    at.table.correct_declaration(at.id, CLOSE, "blue", "red")
    at.table.void(at.id, "enough")
    return at


def test_every_kind_of_event_comes_back_from_its_row_as_it_was() -> None:
    rows = list(everything().store.read("main"))
    assert {row.kind for row in rows} == set(KINDS), "the story has every kind in it"
    for row in rows:
        event = from_row(row)
        assert to_row(event) == (row.kind, row.data)
        assert json.loads(json.dumps(row.data)) == row.data


def test_the_state_is_the_fold_of_the_rows() -> None:
    at = everything()
    assert view(fold("main", map(from_row, at.store.read("main")))) == at.table.view()
    assert Tables(at.store, pack.standard()).open("main").view() == at.table.view()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (Recorded(4, "main", "dice eaten", {"v": 1}, 0), "written by a newer Dicetower: event 4 .'dice eaten'."),
        (Recorded(4, "main", "undone", {"v": 2, "at_ms": 1, "text": "x"}, 0), "written by a newer Dicetower"),
        (Recorded(4, "main", "undone", {"v": 1, "at_ms": 1}, 0), "damaged: event 4.*missing field text"),
        (Recorded(4, "main", "undone", {"v": 1, "at_ms": "1", "text": "x"}, 0), "at_ms: expected int, found '1'"),
        (Recorded(4, "main", "undone", {"v": 1, "at_ms": 1, "text": "x", "y": 2}, 0), "unknown field y"),
    ],
)
def test_a_row_that_this_program_does_not_know_is_never_dropped(row: Recorded, says: str) -> None:
    with pytest.raises(StoreError, match=says):
        from_row(row)


def test_an_older_row_is_read_with_the_defaults_of_its_time() -> None:
    reading = to_json(Reading("k", SourceKind.EDIE, Die.D8, 5, ReadingStatus.SURE))
    for name in ("late", "evidence"):
        del reading[name]
    assert from_json(Reading, reading) == Reading("k", SourceKind.EDIE, Die.D8, 5, ReadingStatus.SURE)


READINGS = st.builds(
    Reading,
    key=st.text(),
    source=st.sampled_from(SourceKind),
    die=st.none() | st.sampled_from(Die),
    value=st.none() | st.integers(),
    status=st.sampled_from(ReadingStatus),
    candidates=st.lists(st.tuples(st.integers(), st.floats(allow_nan=False, allow_infinity=False)), max_size=2).map(
        tuple
    ),
    at=st.none() | st.tuples(st.floats(0, 1), st.floats(0, 1)),
    slot=st.none() | st.sampled_from(SlotName),
    who=st.none() | st.text(),
)
DECISIONS = st.builds(
    Decision,
    st.text(),
    st.none() | st.sampled_from(SlotName),
    st.none() | st.integers(),
    st.text(),
    st.sampled_from(Waits),
)


@given(st.lists(READINGS, max_size=3), st.lists(DECISIONS, max_size=3))
def test_any_throw_comes_back_from_its_row(readings: list[Reading], decisions: list[Decision]) -> None:
    throw = Throw("t", SourceKind.CAMERA, tuple(readings), 5)
    event = DiceThrown(9, throw, None, tuple(decisions))
    kind, data = to_row(event)
    assert from_row(Recorded(1, "main", kind, json.loads(json.dumps(data)), 0)) == event


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda j: st.lists(j) | st.dictionaries(st.text(), j)
)


def stands_in(whole: Any, part: Any) -> bool:
    """Whether all of `part` is in `whole` as it is; what an older row did not know yet has its default."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return part.keys() <= whole.keys() and all(stands_in(whole[key], part[key]) for key in part)
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) == len(part) and all(map(stands_in, whole, part))
    return type(whole) is type(part) and bool(whole == part)


@given(st.sampled_from(sorted(KINDS)), JUNK, st.data())
def test_junk_in_a_row_is_one_sentence(kind: str, junk: Any, data: st.DataObject) -> None:
    rows = {row.kind: row for row in ROWS}
    broken = json.loads(json.dumps(rows[kind].data))
    broken[data.draw(st.sampled_from(sorted(broken)))] = junk
    try:
        event = from_row(Recorded(1, "main", kind, broken, 0))
    except StoreError:
        return
    assert stands_in(to_row(event)[1], {**broken, "v": 1}), "what is read is what stands there"


ROWS = list(everything().store.read("main"))


def test_an_attack_is_resolved_under_the_rules_it_was_declared_under() -> None:
    """The house changes its pack in mid-throw: the open attack keeps the old one, the next takes the new."""
    at = At()
    at.declare().typed(s=5, e=3, a=7)
    text = (ROOT / "service/dicetower/rules/dirtside2.toml").read_text()
    house = pack.parse(text.replace('name = "Escape!"', 'name = "Lucky!"'), "house.toml")
    assert house.hash != pack.standard().hash
    table = Tables(at.store, house).open("main")
    assert table.view()["rules"]["hash"] == house.hash
    table.type_dice("x", [TypedDie(3, slot=RESIST)])
    table.type_dice("y", [TypedDie(1, slot=DAMAGE)])
    assert "Escape!" in table.view()["attack"]["outcome"]["explanation"]
    table.again()
    table.type_dice("z", [TypedDie(v, slot=n) for v, n in zip((5, 3, 7, 3), SlotName, strict=False)])
    table.type_dice("w", [TypedDie(1, slot=DAMAGE)])
    assert "Lucky!" in table.view()["attack"]["outcome"]["explanation"]
    seq = table.seq
    assert Tables(at.store, house).open("main").seq == seq, "the pack in force is not written again"


def test_what_a_later_version_decides_does_not_rewrite_history(at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    at.declare().seen(("D8", 5), ("D6", 3))
    before = at.table.view()

    def otherwise(*_: object) -> Any:
        raise AssertionError("an old throw is not decided anew")

    monkeypatch.setattr("dicetower.game.dice.assign", otherwise)
    monkeypatch.setattr("dicetower.game.declaration.plan", otherwise)
    monkeypatch.setattr("dicetower.game.consequence.resolve", otherwise)
    assert Tables(at.store, pack.standard()).open("main").view() == before


# --- the view


def test_the_view_is_what_the_interface_page_says(at: At) -> None:
    """Key by key, from the example in docs/api.md."""
    said = (ROOT / "docs/api.md").read_text()
    example = json.loads(re.search(r"## The state\n```json\n(.*?)\n```", said, re.DOTALL).group(1))  # type: ignore[union-attr]
    del example["sources"]
    at.declare().seen(("D8", 5), ("D6", None), ("D20", 4))
    shown = at.table.view()
    assert shown.keys() == example.keys()
    for key in ("rules", "settings", "attack"):
        assert shown[key].keys() == example[key].keys(), key
    for slot in shown["attack"]["slots"]:
        assert slot.keys() == example["attack"]["slots"][0].keys()
    assert shown["attack"]["slots"][1]["question"].keys() == example["attack"]["slots"][1]["question"].keys()
    assert shown["attack"]["odds"].keys() == example["attack"]["odds"].keys()
    assert shown["players"][0].keys() == example["players"][0].keys()
    assert shown["unassigned"][0].keys() == example["unassigned"][0].keys()
    at.typed(a=1, r=1)
    at.table.answer(shown["attack"]["slots"][1]["reading"], None, 3)
    assert at.table.view()["last"][0].keys() == example["last"][0].keys()
    assert json.loads(json.dumps(at.table.view())) == at.table.view()


def test_the_last_twelve_newest_first(at: At) -> None:
    for _ in range(15):
        at.declare()
        at.table.void(at.id, "x")
    assert [ended["number"] for ended in at.table.view()["last"]] == list(range(15, 3, -1))


def test_the_screen_is_not_flooded_and_the_journal_has_all(at: At) -> None:
    for _ in range(70):
        at.seen(("D8", 1), ("D8", 2), ("D8", 3))
    assert len(at.table.view()["unassigned"]) == 40
    fates = Counter(row["fate"] for row in at.table.export() if row["record"] == "die")
    assert fates == {"unassigned": 200, "put away": 10}
    with pytest.raises(NotFound):
        at.table.dismiss("camera:1:0")


# --- the ledger


def test_the_ledger_says_what_became_of_every_die() -> None:
    rows = everything().table.export()
    dice = [(row["fate"], row["slot"], row["value"], row["why"]) for row in rows if row["record"] == "die"]
    assert dice == [
        ("re-rolled", "firer size", 5, "on the floor"),
        ("in a slot", "firer effectiveness", 3, "a person said what it shows"),
        ("dismissed", None, 7, "a person took it off the screen"),
        ("in a slot", "firer size", 5, "named by the person who gave it"),
        ("in a slot", "target armour", 7, "named by the person who gave it"),
        ("in a slot", "target effectiveness", 3, "named by the person who gave it"),
        ("in a slot", "damage", 6, "named by the person who gave it"),
    ]
    assert [(row["attack"], row["state"], row["title"]) for row in rows if row["record"] == "attack"] == [
        ("a1", "resolved", "HKP size 3, medium range, against armour 4"),
        ("a2", "void", "HKP size 3, close range, against armour 4"),
    ]


def test_the_ledger_marks_a_declaration_that_was_taken_back(at: At) -> None:
    at.declare()
    at.table.undo()
    at.declare().typed(s=5)
    states = [(row["attack"], row["state"]) for row in at.table.export() if row["record"] == "attack"]
    assert states == [("a1", "taken back"), ("a2", "throwing")], "and its number is not used again"


# --- the seats


@pytest.mark.parametrize(
    ("act", "error", "says"),
    [
        (lambda t: t.seat(""), BadInput, "player's name of 1 to 40"),
        (lambda t: t.seat("x" * 41), BadInput, "player's name"),
        (lambda t: t.seat("   "), BadInput, "player's name"),
        (lambda t: t.seat("\u3164"), BadInput, "player's name"),
        (lambda t: t.seat("Red\u2800"), BadInput, "player's name"),
        (lambda t: t.seat("a\u200bb"), BadInput, "player's name"),
        (lambda t: t.seat("\u202eder"), BadInput, "player's name"),
        (lambda t: t.seat("\uff32\uff25\uff24"), BadInput, "Expected a name that nobody else has"),
        (lambda t: t.seat("red"), BadInput, "Expected a name that nobody else has"),
        (lambda t: t.seat("Green", COLOURS[0].upper()), BadInput, "Expected a colour that nobody else has; Red has #"),
        (lambda t: t.seat("Green", "green"), BadInput, "Expected a colour such as #d1495b, got 'green'"),
        (lambda t: t.seat("Green", None, "circle"), BadInput, "Expected a shape that nobody else has"),
        (lambda t: t.seat("Green", None, "blob"), BadInput, "Expected a shape of circle, "),
        (lambda t: t.change_player("green", name="x"), NotFound, "No player 'green'"),
        (
            lambda t: t.change_player("red", shape=SHAPES[1]),
            BadInput,
            "Expected a shape that nobody else has; Blue has",
        ),
        (lambda t: t.change_settings({"colour": 1}), BadInput, "there is no 'colour'; expected some of damage_table"),
        (lambda t: t.change_settings({"virtual": 1}), BadInput, "expected virtual to be true or false, got 1"),
        (lambda t: t.change_settings({"order": "x"}), BadInput, "expected order to be firer first or together"),
        (lambda t: t.change_settings({"zones": [{"name": "l", "player": "x"}]}), BadInput, "names no player"),
        (lambda t: t.change_settings({"zones": [{"name": " ", "player": "red"}]}), BadInput, "a name of its own"),
        (lambda t: t.change_settings({"zones": [{"name": "l"}]}), BadInput, "expected zones to be a list of"),
    ],
)
def test_what_a_table_refuses(at: At, act: Callable[[Table], object], error: type[DicetowerError], says: str) -> None:
    before = at.table.view()
    with pytest.raises(error, match=says):
        act(at.table)
    assert at.table.view() == before


def test_two_spellings_of_one_accent_are_one_name(at: At) -> None:
    at.table.seat("Ren\u00e9")
    with pytest.raises(BadInput, match="Expected a name that nobody else has"):
        at.table.seat("Rene\u0301")


@pytest.mark.parametrize("reason", ["", "  ", "\u3164", "a\u200bb", "x" * 201])
def test_a_reason_can_be_read(at: At, reason: str) -> None:
    at.declare()
    with pytest.raises(BadInput, match="Expected a reason of 1 to 200 characters"):
        at.table.void(at.id, reason)


def test_eight_players_each_told_apart_and_no_ninth(at: At) -> None:
    for n in range(6):
        at.table.seat(f"Player {n}")
    players = at.table.view()["players"]
    for what in ("id", "name", "colour", "shape"):
        assert len({player[what] for player in players}) == 8, what
    with pytest.raises(Conflict, match="The table is full"):
        at.table.seat("Ninth")


def test_a_name_in_any_script_has_an_id(at: At) -> None:
    for name in ("Ωμέγα", "Psi", "psi!", "日本"):
        at.table.seat(name)
    ids = [player["id"] for player in at.table.view()["players"]]
    assert ids == ["red", "blue", "player", "psi", "psi-2", "player-2"]
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", made) for made in ids)


def test_codec_refuses_what_is_not_the_value() -> None:
    with pytest.raises(Malformed, match="expected 2 items"):
        from_json(Reading, to_json(Reading("k", SourceKind.EDIE, None, None, ReadingStatus.SURE)) | {"at": [1.0]})
    assert events.VERSION == 1
