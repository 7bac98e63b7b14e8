"""A table under an opponent: random acts, failures and restarts at any time, against a simple model written apart.

The model knows which dice were delivered, which face stands in which slot and what each decision changed. It does
not know how dice are assigned: there it holds the table to what must be true of any assignment.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from dicetower.errors import BadInput, Conflict, DicetowerError, NotFound, StoreError
from dicetower.model import Attack, Die, Reading, ReadingStatus, Recorded, SlotName, SourceKind, Throw
from dicetower.rules.pack import standard
from dicetower.store.memory import MemoryStore
from dicetower.table import Published, Table, Tables, TypedDie

ATTACKS = [
    Attack("HEL", 1, armour=2),
    Attack("HKP", 3, range="close", armour=3),
    Attack("HKP", 3, range="medium", armour=4),
    Attack("DFFG", 3, range="medium", armour=4, cover="urban"),
    Attack("GMS", 4, armour=4, armour_type="active"),
    Attack("HEF", 5, armour=5, cover="dug-in"),
    Attack("firefight", 2, infantry="line", cover="soft"),
    Attack("close-assault", 3, infantry="line", cover="open"),
]
DICE = [*Die][:6]
ATTACK = st.sampled_from(ATTACKS)
PLAYER = st.sampled_from(["red", "blue"])
PLACE = st.none() | st.tuples(st.sampled_from([0.1, 0.105, 0.5, 0.9]), st.sampled_from([0.2, 0.8]))


class DiskFull(MemoryStore):
    """A journal that can be told to refuse."""

    refuses = False

    def append(self, table: str, events: Any, expected_seq: int) -> list[Recorded]:
        if self.refuses:
            raise StoreError("The disk is full.")
        return super().append(table, events, expected_seq)


def verdict(vehicle: bool, four: list[int]) -> str:
    """What four faces come to, straight from the rules text: size, firer's, armour, target's effectiveness."""
    higher = [four[2] > four[0], four[3] > four[1]]
    if all(higher):
        return "undamaged"
    if any(higher):
        return "damaged" if vehicle else "undamaged"
    return "destroyed"


class AnOpponent(RuleBasedStateMachine):
    throws: Bundle[Throw] = Bundle("throws")

    @initialize()
    def open(self) -> None:
        self.store = DiskFull()
        self.count = 0
        self.delivered: set[str] = set()
        self.client: dict[str, Any] = {}
        self.decisions: list[dict[str, Any]] = []
        self.clock = 1_000
        self.start()

    def start(self) -> None:
        self.tables = Tables(self.store, standard(), now_ms=self.tick, below=lambda n: n - 1)
        self.table: Table = self.tables.open("main")
        joined = self.table.join(self.hear)
        assert joined.snapshot is not None
        self.client = dict(joined.snapshot)

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def hear(self, event: Published) -> None:
        assert event.seq == self.client["seq"] + 1
        self.client |= {"seq": event.seq, **event.changed}

    def fresh(self) -> str:
        self.count += 1
        return str(self.count)

    # --- what the model sees

    def attack(self) -> dict[str, Any] | None:
        attack = self.table.view()["attack"]
        return attack if attack is not None and attack["state"] in ("throwing", "damage") else None

    def slots(self) -> dict[str, dict[str, Any]]:
        attack = self.table.view()["attack"]
        return {} if attack is None else {slot["slot"]: slot for slot in attack["slots"]}

    def on_table(self) -> set[str]:
        view = self.table.view()
        held = {slot["reading"] for slot in self.slots().values() if slot["reading"]}
        return held | {die["reading"] for die in view["unassigned"]}

    def act(self, do: Any, *args: Any, **named: Any) -> bool:
        """Do it; whether it was done. What is refused leaves everything as it was."""
        before = self.table.view()
        try:
            do(*args, **named)
        except (BadInput, Conflict, NotFound):
            assert self.table.view() == before
            return False
        return True

    def throw(self, throw: Throw) -> None:
        before = {name: slot for name, slot in self.slots().items() if slot["state"] != "owed"}
        open_before = self.attack()
        new = {reading.key for reading in throw.readings} - self.delivered
        self.table.throw(throw)
        self.delivered |= new
        if open_before is not None:
            for name, slot in before.items():
                if name == "damage" and name not in self.slots():  # kept from before a re-roll, and not owed after it
                    damaged = self.table.view()["attack"]["outcome"]["outcome"] == "damaged"
                    assert not damaged or not self.table.view()["settings"]["damage_table"]
                    assert slot["reading"] in {die["reading"] for die in self.table.view()["unassigned"]}
                else:
                    assert self.slots()[name] == slot, "a die that lies in a slot is locked"
        assert len(new & self.on_table()) == len(new), "each new die is in a slot or unassigned"

    # --- dice

    @rule(
        target=throws,
        dice=st.lists(
            st.tuples(
                st.none() | st.sampled_from([*DICE, Die.D100]),
                st.integers(0, 20) | st.none(),
                PLACE,
                st.sampled_from([None, None, None, "red", "blue", "green"]),
                st.sampled_from([(False, False)] * 6 + [(True, False), (False, True)]),
                st.booleans(),
            ),
            min_size=1,
            max_size=4,
        ),
        source=st.sampled_from([SourceKind.CAMERA, SourceKind.EDIE]),
    )
    def throw_anything(self, dice: list[Any], source: SourceKind) -> Throw:
        return self.thrown(source, dice)

    @precondition(lambda self: self.attack() is not None)
    @rule(target=throws, data=st.data(), sure=st.integers(0, 5))
    def throw_what_is_owed(self, data: st.DataObject, sure: int) -> Throw:
        return self.throw_owed(data, sure)

    @precondition(lambda self: self.attack() is not None)
    @rule(data=st.data())
    def play_to_the_end(self, data: st.DataObject) -> None:
        for _ in range(3):
            if self.attack() is not None:
                self.throw_owed(data, 5)

    @precondition(lambda self: self.attack() is None)
    @rule(attack=ATTACK, firer=PLAYER, at=PLAYER, data=st.data())
    def declare_and_play(self, attack: Attack, firer: str, at: str, data: st.DataObject) -> None:
        assert self.decided(self.table.declare, attack, firer, at)
        for _ in range(data.draw(st.integers(0, 3))):
            if self.attack() is not None:
                self.throw_owed(data, data.draw(st.sampled_from([5, 5, 5, 1, 0])))

    def throw_owed(self, data: st.DataObject, sure: int) -> Throw:
        attack = self.attack()
        assert attack is not None
        owed = [s for s in attack["slots"] if s["state"] == "owed" and attack["turn"] in (None, s["by"])]
        dice = []
        for n, slot in enumerate(owed):
            die = Die(slot["die"])
            value = data.draw(st.integers(1, die.sides)) if sure else None
            dice.append((die, value, (0.2 + 0.2 * n, 0.5), slot["player"], (False, sure == 1), False))
        return self.thrown(SourceKind.CAMERA, dice) if dice else Throw("none", SourceKind.CAMERA, (), 0)

    def thrown(self, source: SourceKind, dice: list[Any]) -> Throw:
        name = self.fresh()
        readings = tuple(
            Reading(
                key=f"{source}:{name}:{n}",
                source=source,
                die=die,
                value=value,
                status=ReadingStatus.UNSURE if die is None or value is None else ReadingStatus.SURE,
                at=place,
                who=who,
                late=late,
                cocked=cocked,
                candidates=((1, 0.6), (3, 0.3)) if value is None else (),
            )
            for n, (die, value, place, who, (late, cocked), _) in enumerate(dice)
        )
        throw = Throw(f"{source}:{name}", source, readings, self.clock)
        self.throw(throw)
        return throw

    @rule(throw=throws)
    def the_same_throw_again(self, throw: Throw) -> None:
        before = self.table.view()
        self.table.throw(throw)
        assert self.table.view() == before

    @rule(one=throws, other=throws)
    def dice_seen_before_under_another_name(self, one: Throw, other: Throw) -> None:
        before = self.table.view()
        readings = one.readings + other.readings
        self.table.throw(Throw(f"mixed:{self.fresh()}", one.source, readings, self.clock))
        assert self.table.view() == before

    @rule(
        player=st.none() | PLAYER,
        dice=st.lists(
            st.builds(
                TypedDie,
                st.integers(-1, 13),
                st.none() | st.sampled_from(DICE),
                st.none() | st.sampled_from(list(SlotName)),
            ),
            max_size=4,
        ),
    )
    def type_anything(self, player: str | None, dice: list[TypedDie]) -> None:
        request = self.fresh()
        if self.act(self.table.type_dice, request, dice, player):
            self.delivered |= {f"typed:{request}:{n}" for n in range(len(dice))}
            before = self.table.view()
            self.table.type_dice(request, dice, player)
            assert self.table.view() == before, "the same request twice is one throw"

    @precondition(lambda self: self.attack() is not None)
    @rule(data=st.data())
    def type_into_a_slot(self, data: st.DataObject) -> None:
        name, slot = data.draw(st.sampled_from(sorted(self.slots().items())))
        value = data.draw(st.integers(1, Die(slot["die"]).sides))
        request = self.fresh()
        done = self.act(self.table.type_dice, request, [TypedDie(value, slot=SlotName(name))])
        assert done == (slot["state"] == "owed")
        if done:
            self.delivered.add(f"typed:{request}:0")
            assert self.slots()[name]["value"] == value

    @rule(player=st.none() | PLAYER)
    def throw_virtual_dice(self, player: str | None) -> None:
        allowed, request = self.table.view()["settings"]["virtual"], self.fresh()
        owed = [name for name, slot in self.slots().items() if slot["state"] == "owed"]
        if self.act(self.table.throw_virtual, request, player):
            assert allowed
            filled = [name for name in owed if self.slots()[name]["state"] == "filled"]
            assert filled
            for n, name in enumerate(filled):
                slot = self.slots()[name]
                assert (slot["source"], slot["value"]) == ("virtual", Die(slot["die"]).sides)
                assert player in (None, slot["player"])
                self.delivered.add(f"virtual:{request}:{n}")

    # --- what a person says of a die

    @rule(data=st.data())
    def answer_as_asked(self, data: st.DataObject) -> None:
        asking = [slot for slot in self.slots().values() if slot["question"]]
        if asking and self.attack() is not None:
            slot = data.draw(st.sampled_from(asking))
            value = data.draw(st.integers(1, Die(slot["die"]).sides))
            assert self.decided(self.table.answer, slot["reading"], None, value)
            now = self.slots()[slot["slot"]]
            assert (now["value"], now["reading"], now["by_person"]) == (value, slot["reading"], True)

    @rule(data=st.data(), die=st.none() | st.sampled_from(DICE), value=st.integers(0, 12))
    def answer(self, data: st.DataObject, die: Die | None, value: int) -> None:
        if not self.on_table():
            return
        key = data.draw(st.sampled_from(sorted(self.on_table())))
        was = next((slot for slot in self.slots().values() if slot["reading"] == key), None)
        seq = self.table.seq
        if self.decided(self.table.answer, key, die, value) and was is not None and self.table.seq > seq:
            assert was["state"] == "asking"

    @rule(data=st.data(), slot=st.sampled_from(list(SlotName)))
    def place(self, data: st.DataObject, slot: SlotName) -> None:
        unassigned = self.table.view()["unassigned"]
        if not unassigned:
            return
        die = data.draw(st.sampled_from(unassigned))
        fits = slot.value in die["fits"]
        assert self.decided(self.table.place, die["reading"], slot) == fits
        if fits:
            assert self.slots()[slot]["reading"] == die["reading"]
            assert self.slots()[slot]["by_person"]

    @rule(data=st.data())
    def dismiss(self, data: st.DataObject) -> None:
        unassigned = self.table.view()["unassigned"]
        if unassigned:
            key = data.draw(st.sampled_from(unassigned))["reading"]
            assert self.decided(self.table.dismiss, key)
            assert key not in self.on_table()

    @precondition(lambda self: self.attack() is not None)
    @rule(data=st.data(), value=st.integers(0, 12))
    def correct_a_value(self, data: st.DataObject, value: int) -> None:
        attack = self.attack()
        assert attack is not None
        name, slot = data.draw(st.sampled_from(sorted(self.slots().items(), key=lambda item: item[1]["state"])))
        if self.decided(self.table.correct_value, attack["id"], SlotName(name), value, "misread"):
            assert slot["state"] == "filled"
            now = self.slots()[name]
            assert (now["value"], now["by_person"]) == (10 if value == 0 else value, True)

    # --- the attack

    @rule(attack=ATTACK, firer=PLAYER, at=PLAYER)
    def declare(self, attack: Attack, firer: str, at: str) -> None:
        was_open = self.attack() is not None
        assert self.decided(self.table.declare, attack, firer, at) != was_open
        if not was_open:
            assert {slot["state"] for slot in self.slots().values()} == {"owed"}

    @rule()
    def again(self) -> None:
        last = self.table.view()["attack"]
        if self.decided(self.table.again):
            now = self.table.view()["attack"]
            assert (now["declared"], now["firer"]) == (last["declared"], last["firer"])

    @precondition(lambda self: self.attack() is not None)
    @rule(data=st.data())
    def reroll_one(self, data: st.DataObject) -> None:
        attack, held = self.attack(), [name for name, slot in self.slots().items() if slot["state"] != "owed"]
        if attack is not None and held:
            name = data.draw(st.sampled_from(held))
            assert self.decided(self.table.reroll, attack["id"], [SlotName(name)], "fell off the table")
            assert name == "damage" or self.slots()[name]["state"] == "owed"

    @precondition(lambda self: self.attack() is not None)
    @rule(data=st.data())
    def reroll(self, data: st.DataObject) -> None:
        attack = self.attack()
        assert attack is not None
        names = data.draw(st.lists(st.sampled_from(list(SlotName)), unique=True, min_size=1, max_size=3))
        slots = self.slots()
        possible = all(name in slots and slots[name]["state"] != "owed" for name in names)
        assert self.decided(self.table.reroll, attack["id"], names, "fell off the table") == possible

    @precondition(lambda self: self.attack() is not None)
    @rule(declared=ATTACK, firer=PLAYER, at=PLAYER)
    def correct_the_declaration(self, declared: Attack, firer: str, at: str) -> None:
        attack = self.attack()
        assert attack is not None
        before, view = self.slots(), self.table.view()
        try:
            preview = self.table.preview_correction(attack["id"], declared, firer, at)
        except BadInput:
            assert attack["firer"] == firer
            return
        assert self.table.view() == view, "a preview changes nothing"
        assert self.decided(self.table.correct_declaration, attack["id"], declared, firer, at, preview.seq)
        for name, slot in self.slots().items():
            was = before.get(name)
            same = was is not None and (was["player"], was["die"]) == (slot["player"], slot["die"])
            if same and was is not None and was["state"] != "owed" and name != "damage":
                assert name in preview.keeps
                assert slot == was, "an unchanged slot keeps its face"
            elif name != "damage":
                assert name in preview.owes
                assert slot["state"] == "owed"

    @precondition(lambda self: self.attack() is not None)
    @rule(really=st.sampled_from([True, False, False, False, False, False]))
    def void(self, really: bool) -> None:
        attack = self.attack()
        if attack is None or not really:
            return
        assert self.decided(self.table.void, attack["id"], "wrong target")

    @precondition(lambda self: self.attack() is not None)
    @rule()
    def confirm(self) -> None:
        attack = self.attack()
        assert attack is not None
        ready = all(slot["state"] == "filled" for name, slot in self.slots().items() if name != "damage")
        assert self.act(self.table.confirm, attack["id"]) == (attack["reopened"] and ready)

    def decided(self, do: Any, *args: Any) -> bool:
        """A person's decision: the model keeps what stood before it, for undo."""
        before = {"attack": self.table.view()["attack"], "unassigned": self.table.view()["unassigned"]}
        seq = self.table.seq
        if not self.act(do, *args):
            return False
        if self.table.seq > seq:
            self.decisions.append(before)
        return True

    @rule()
    def undo(self) -> None:
        before, dice, view = self.slots(), self.on_table(), self.table.view()
        try:
            preview = self.table.preview_undo()
        except Conflict:
            assert view["undo"] is None
            return
        assert preview.text == view["undo"]
        assert self.table.view() == view, "a preview changes nothing"
        history = {row["reading"] for row in self.table.export() if row["record"] == "die"}
        self.table.undo(preview.seq)
        after = self.slots()
        assert {row["reading"] for row in self.table.export() if row["record"] == "die"} == history
        if "declaration of" not in preview.text or "corrected" in preview.text:
            assert dice <= self.on_table(), "undo takes no die off the table"
        else:
            assert {slot["state"] for slot in before.values()} == {"owed"}, "no dice were thrown into it"
        if "outcome" in preview.text or "voiding" in preview.text:
            kept = {name: slot["value"] for name, slot in before.items() if slot["state"] == "filled"}
            still = {name: slot["value"] for name, slot in after.items() if slot["state"] == "filled"}
            assert kept.items() <= still.items(), "an outcome taken back leaves its faces"
            assert self.attack() is not None

    @precondition(lambda self: self.count % 4 == 0)
    @rule(
        changes=st.fixed_dictionaries(
            {},
            optional={
                "order": st.sampled_from(["firer first", "together"]),
                "cocked": st.sampled_from(["ask", "reroll"]),
                "virtual": st.booleans(),
                "damage_table": st.booleans(),
                "damage_by": st.sampled_from(["firer", "target", "both"]),
            },
        )
    )
    def change_settings(self, changes: dict[str, Any]) -> None:
        if self.act(self.table.change_settings, changes):
            assert changes.items() <= self.table.view()["settings"].items()

    @precondition(lambda self: self.count % 4 == 1)
    @rule(
        uid=st.sampled_from(["00c0ffee00c0ffee", "1dea1dea1dea1dea", "c0ffee"]),
        player=st.sampled_from([None, "", "red", "blue", "green"]),
        name=st.sampled_from([None, "", "Lucky", "lucky", "Old"]),
        pressing=st.booleans(),
        data=st.data(),
    )
    def set_an_e_die(self, uid: str, player: str | None, name: str | None, pressing: bool, data: st.DataObject) -> None:
        before = {die["uid"]: die for die in self.table.view()["edice"]}
        loose = [die["reading"] for die in self.table.view()["unassigned"]]
        pressed = data.draw(st.sampled_from([None, *loose]))
        if pressing:
            roll = Reading(
                f"edie:{self.fresh()}", SourceKind.EDIE, Die.D8, 5, ReadingStatus.SURE, device=uid, late=True
            )
            self.throw(Throw(roll.key, SourceKind.EDIE, (roll,), 0))
            pressed = roll.key
        attack, undo = self.table.view()["attack"], self.table.view()["undo"]
        done = self.act(lambda: self.table.set_edie(uid, player=player, name=name, pressed=pressed))
        taken = name and any(die["name"].lower() == name.lower() for key, die in before.items() if key != uid)
        assert done == (len(uid) == 16 and player != "green" and not taken)
        stay = {*loose, pressed} - {None} if pressing and not done else set(loose)
        assert {die["reading"] for die in self.table.view()["unassigned"]} >= stay & self.on_table()
        assert not (pressing and done) or pressed not in self.on_table()
        if not done:
            return
        was = before.get(uid, {"uid": uid, "name": "", "player": None})
        wanted = {
            "uid": uid,
            "name": was["name"] if name is None else name,
            "player": was["player"] if player is None else player or None,
        }
        after = {die["uid"]: die for die in self.table.view()["edice"]}
        assert after.get(uid, was) == wanted
        assert {key: die for key, die in after.items() if key != uid} == {k: d for k, d in before.items() if k != uid}
        assert (self.table.view()["attack"], self.table.view()["undo"]) == (attack, undo), "it touches no attack"

    # --- what goes wrong

    @rule()
    def restart(self) -> None:
        before, rows = self.table.view(), self.table.export()
        self.start()
        assert self.table.view() == before
        assert self.table.export() == rows

    @rule(attack=ATTACK)
    def the_disk_is_full(self, attack: Attack) -> None:
        before = self.table.view()
        reading = Reading(f"lost:{self.fresh()}", SourceKind.EDIE, Die.D8, 5, ReadingStatus.SURE)
        self.store.refuses = True
        with pytest.raises(StoreError):
            self.table.throw(Throw(reading.key, SourceKind.EDIE, (reading,), 0))
        assert self.table.view() == before
        with pytest.raises(DicetowerError):
            self.table.declare(attack, "red", "blue")
        assert self.table.view() == before
        self.store.refuses = False
        self.throw(Throw(reading.key, SourceKind.EDIE, (reading,), 0))  # the source sends it again

    # --- what is always so

    @invariant()
    def a_client_that_takes_the_deltas_sees_what_is(self) -> None:
        assert self.client == self.table.view()

    @invariant()
    def no_die_is_in_two_places(self) -> None:
        view = self.table.view()
        keys = [slot["reading"] for slot in self.slots().values() if slot["reading"]]
        keys += [die["reading"] for die in view["unassigned"]]
        assert len(keys) == len(set(keys))

    @invariant()
    def every_die_delivered_is_in_the_history_once(self) -> None:
        if self.table.seq % 5 == 0:
            keys = [row["reading"] for row in self.table.export() if row["record"] == "die"]
            assert len(keys) == len(set(keys))
            assert set(keys) == self.delivered

    @invariant()
    def slots_are_what_they_say(self) -> None:
        for slot in self.slots().values():
            assert (slot["state"] == "filled") == (slot["value"] is not None)
            assert (slot["state"] == "asking") == (slot["question"] is not None)
            assert (slot["state"] == "owed") == (slot["reading"] is None)
            assert slot["value"] is None or 1 <= slot["value"] <= Die(slot["die"]).sides
        for die in self.table.view()["unassigned"]:
            assert die["why"]

    @invariant()
    def an_attack_ends_as_its_dice_have_it(self) -> None:
        attack = self.table.view()["attack"]
        if attack is None:
            return
        four = [slot["value"] for slot in attack["slots"] if slot["slot"] != "damage"]
        assert sum(Fraction(odds) for odds in attack["odds"].values()) == 1
        if attack["state"] == "throwing" and not attack["reopened"]:
            assert None in four, "a full plan is resolved"
        if attack["outcome"] is not None:
            assert attack["outcome"]["outcome"] == verdict(attack["vehicle"], four)
        if attack["state"] == "resolved":
            assert attack["outcome"] is not None
            damage = self.slots().get("damage")
            assert (damage is None) == (attack["outcome"]["damage"] is None)
        if attack["state"] == "damage":
            assert None not in four
            assert attack["outcome"] is not None
            assert attack["outcome"]["outcome"] == "damaged"


class APatientOpponent(AnOpponent):
    """The same, for longer."""


AnOpponent.TestCase.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
APatientOpponent.TestCase.settings = settings(max_examples=1500, stateful_step_count=60, deadline=None)
TestAnOpponent = AnOpponent.TestCase
TestAPatientOpponent = pytest.mark.soak(pytest.mark.timeout(7200)(APatientOpponent.TestCase))
