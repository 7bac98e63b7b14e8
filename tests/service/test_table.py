"""The table as one owner with one commit point: what listeners hear and when, threads, failures, virtual dice."""

from __future__ import annotations

import inspect
import json
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dicetower.errors import BadInput, Conflict, NotFound, StoreError
from dicetower.model import Attack, Die, Reading, ReadingStatus, Recorded, SlotName, SourceKind, Throw
from dicetower.rules.pack import standard
from dicetower.store.journal import open_journal
from dicetower.store.memory import MemoryStore
from dicetower.table import REMEMBERED, Published, Table, Tables, TypedDie

HKP = Attack("HKP", 3, range="medium", armour=4)


def edie(n: int, die: str = "D8", value: int = 5, who: str | None = None) -> Throw:
    reading = Reading(f"edie:{n}", SourceKind.EDIE, Die(die), value, ReadingStatus.SURE, who=who)
    return Throw(f"edie:{n}", SourceKind.EDIE, (reading,), n)


class Watched(MemoryStore):
    """A journal that notes each transaction, and fails when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.transactions: list[list[str]] = []
        self.fails = False

    def append(self, table: str, events: Any, expected_seq: int) -> list[Recorded]:
        if self.fails:
            raise StoreError("The journal cannot grow: the disk is full.")
        self.transactions.append([kind for kind, _ in events])
        return super().append(table, events, expected_seq)


@pytest.fixture
def store() -> Watched:
    return Watched()


@pytest.fixture
def table(store: Watched) -> Table:
    return Tables(store, standard()).open("main")


def pictured(throw: str, *crops: str) -> Throw:
    """A picture of D6, one a crop."""
    readings = tuple(
        Reading(
            f"camera:{throw}:{n}", SourceKind.CAMERA, Die.D6, 3, ReadingStatus.SURE, at=(n / 10, 0.5), evidence=crop
        )
        for n, crop in enumerate(crops)
    )
    return Throw(f"camera:{throw}", SourceKind.CAMERA, readings, 1)


# --- one commit point


def test_a_throw_and_all_that_follows_from_it_are_one_transaction(store: Watched, table: Table) -> None:
    table.declare(HKP, "red", "blue")
    table.type_dice("1", [TypedDie(5, Die.D8), TypedDie(3, Die.D6), TypedDie(7, slot=SlotName.TARGET_ARMOUR)])
    table.type_dice("2", [TypedDie(3, Die.D8)])
    table.type_dice("3", [TypedDie(1, Die.D10)])
    assert store.transactions[1:] == [
        ["attack declared"],
        ["dice thrown"],
        ["dice thrown", "damage die owed"],
        ["dice thrown", "attack resolved"],
    ]


def test_listeners_hear_after_the_commit_and_in_order(store: Watched, table: Table) -> None:
    heard: list[tuple[int, str, int]] = []
    table.join(lambda event: heard.append((event.seq, event.kind, len(list(store.read("main"))))))
    table.declare(HKP, "red", "blue")
    seq = table.seq
    table.type_dice("1", [TypedDie(v, slot=n) for v, n in zip((8, 6, 1, 1), SlotName, strict=False)])
    assert heard == [
        (seq, "attack declared", seq),
        (seq + 1, "dice thrown", seq + 2),
        (seq + 2, "attack resolved", seq + 2),
    ], "every event was in the journal before anybody heard of it"


def test_what_fails_to_be_kept_did_not_happen(store: Watched, table: Table) -> None:
    heard: list[Published] = []
    table.join(heard.append)
    table.declare(HKP, "red", "blue")
    before, heard[:] = table.view(), []
    store.fails = True
    acts: list[Callable[[], object]] = [
        lambda: table.throw(edie(1)),
        lambda: table.type_dice("1", [TypedDie(5, Die.D8)]),
        lambda: table.void("a1", "x"),
        lambda: table.change_settings({"virtual": True}),
        lambda: table.seat("Green"),
        table.undo,
    ]
    for act in acts:
        with pytest.raises(StoreError, match="disk is full"):
            act()
        assert table.view() == before
    assert heard == []
    store.fails = False
    table.throw(edie(1))
    table.type_dice("1", [TypedDie(3, Die.D6)])
    assert [slot["value"] for slot in table.view()["attack"]["slots"]][:2] == [5, 3], "and may be sent again"


def test_a_delta_holds_what_changed_and_nothing_else(table: Table) -> None:
    heard: list[Published] = []
    table.join(heard.append)
    table.change_settings({"virtual": True})
    table.declare(HKP, "red", "blue")
    table.throw(edie(1, "D20"))
    changed = [(event.kind, set(event.changed)) for event in heard]
    assert changed == [
        ("settings changed", {"settings"}),
        ("attack declared", {"attack", "undo"}),
        ("dice thrown", {"unassigned"}),
    ]


def test_a_listener_that_fails_spoils_nothing(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []

    def broken(event: Published) -> None:
        raise RuntimeError("a page went away")

    table.join(broken)
    table.join(lambda event: heard.append(event.seq))
    table.throw(edie(1))
    table.throw(edie(2))
    assert heard == [table.seq - 1, table.seq]
    assert [record.message for record in caplog.records] == ["a listener of table main failed and is dropped"]


def test_what_changes_nothing_is_not_written(store: Watched, table: Table) -> None:
    seq = table.seq
    table.change_settings({"virtual": False})
    table.change_settings({})
    table.change_player("red", name="Red")
    table.throw(Throw("empty", SourceKind.CAMERA, (), 0))
    assert table.seq == seq


# --- joining the stream


def test_a_stream_begins_with_the_state_and_goes_on_without_a_gap(table: Table) -> None:
    heard: list[Published] = []
    joined = table.join(heard.append)
    assert joined.snapshot == table.view()
    assert (joined.seq, joined.missed) == (table.seq, ())
    table.throw(edie(1))
    assert [event.seq for event in heard] == [joined.seq + 1]
    joined.leave()
    joined.leave()
    table.throw(edie(2))
    assert len(heard) == 1


def test_a_stream_that_was_cut_off_gets_what_it_missed(table: Table) -> None:
    for n in range(5):
        table.throw(edie(n))
    seq = table.seq
    for last, missed in ((seq, []), (seq - 1, [seq]), (seq - 3, [seq - 2, seq - 1, seq])):
        joined = table.join(lambda event: None, last)
        assert joined.snapshot is None
        assert [event.seq for event in joined.missed] == missed


@pytest.mark.parametrize("last", [None, 0, 1, 5, 999_999, -1])
def test_a_number_that_this_run_did_not_give_out_gets_the_state(table: Table, last: int | None) -> None:
    """Too old, too new, or from another journal whose numbers happen to be alike."""
    assert table.seq == 5
    assert table.join(lambda event: None, last).snapshot == table.view()
    table.throw(edie(1))
    assert table.join(lambda event: None, last).snapshot == table.view()


def test_what_was_missed_long_ago_is_the_state_instead(table: Table) -> None:
    table.throw(edie(0))
    seq = table.seq
    for n in range(1, REMEMBERED):
        table.throw(edie(n))
    assert len(table.join(lambda event: None, seq).missed) == REMEMBERED - 1
    table.throw(edie(REMEMBERED))
    assert table.join(lambda event: None, seq).snapshot is not None


def test_joining_while_dice_fall_has_no_gap_and_nothing_twice(table: Table) -> None:
    """Clients join at any moment of a stream of throws: each, taking its deltas, ends with what is."""
    clients: list[dict[str, Any]] = []

    def thrower() -> None:
        for n in range(150):
            table.throw(edie(n, "D20"))

    def client() -> None:
        mine: dict[str, Any] = {}
        early: list[Published] = []

        def hear(event: Published) -> None:
            if not mine:
                early.append(event)
                return
            assert event.seq == mine["seq"] + 1
            mine.update({"seq": event.seq, **event.changed})

        joined = table.join(hear)
        assert joined.snapshot is not None
        snapshot = dict(joined.snapshot)
        with table._lock:  # the page applies what came before its snapshot was drawn, then goes on
            mine.update(snapshot)
            for event in early:
                hear(event)
        clients.append(mine)

    threads = [threading.Thread(target=thrower), *(threading.Thread(target=client) for _ in range(12))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(clients) == 12
    for mine in clients:
        assert mine == table.view()


# --- taken once


def test_a_throw_is_taken_once_whoever_sends_it_again(store: Watched, table: Table) -> None:
    table.declare(HKP, "red", "blue")
    first = table.throw(edie(1))
    for again in (
        edie(1),
        Throw("another name", SourceKind.EDIE, edie(1).readings, 9),
        Throw("edie:1", SourceKind.EDIE, edie(1, "D6", 3).readings, 9),
    ):
        assert table.throw(again) == first
    mixed = Throw("mixed", SourceKind.EDIE, (*edie(1).readings, *edie(2, "D6", 2).readings), 9)
    table.throw(mixed)
    assert [slot["value"] for slot in table.view()["attack"]["slots"]][:2] == [5, 2]
    twice = Throw("twice", SourceKind.EDIE, (*edie(3).readings, *edie(3).readings), 9)
    table.throw(twice)
    keys = [row["reading"] for row in table.export() if row["record"] == "die"]
    assert keys == ["edie:1", "edie:2", "edie:3"]
    reopened = Tables(store, standard()).open("main")
    assert reopened.throw(edie(1)) == table.view(), "a restart remembers"
    assert reopened.throw(mixed) == table.view()


def test_the_same_request_twice_is_one_throw_even_when_it_could_not_be_again(table: Table) -> None:
    table.declare(HKP, "red", "blue")
    dice = [TypedDie(5, slot=SlotName.FIRER_SIZE)]
    first = table.type_dice("r", dice)
    assert table.type_dice("r", dice) == first, "though that slot is filled now"
    with pytest.raises(Conflict, match="A throw named 'r' was taken before, of other dice: a D8 showing 5"):
        table.type_dice("r", [TypedDie(9, Die.D12)])
    assert table.view() == first
    with pytest.raises(Conflict, match="already 5"):
        table.type_dice("other", dice)


@pytest.mark.parametrize("request_", ["", "x" * 101, "a\nb", "a\x00"])
def test_a_request_that_is_no_name(table: Table, request_: str) -> None:
    with pytest.raises(BadInput, match="Expected a request"):
        table.type_dice(request_, [TypedDie(5, Die.D8)])
    table.change_settings({"virtual": True})
    with pytest.raises(BadInput, match="Expected a request"):
        table.throw_virtual(request_)


# --- many threads


def test_dice_from_many_threads_are_each_taken_once(tmp_path: Path) -> None:
    """Sixteen sources and four typists at one table, each sending everything twice."""
    with open_journal(tmp_path / "j.db") as store:
        table = Tables(store, standard()).open("main")
        table.declare(HKP, "red", "blue")

        def source(n: int) -> None:
            for roll in range(8):
                throw = edie(100 * n + roll, "D20", 1 + roll)
                table.throw(throw)
                table.throw(throw)

        def typist(n: int) -> None:
            for roll in range(5):
                for _ in range(2):
                    table.type_dice(f"{n}-{roll}", [TypedDie(4, Die.D12)])

        threads = [threading.Thread(target=source, args=(n,)) for n in range(16)]
        threads += [threading.Thread(target=typist, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        keys = Counter(row["reading"] for row in table.export() if row["record"] == "die")
        assert len(keys) == 16 * 8 + 4 * 5
        assert set(keys.values()) == {1}
        assert [row.seq for row in store.read("main")] == list(range(1, table.seq + 1))
        view = table.view()
    with open_journal(tmp_path / "j.db") as store:
        assert Tables(store, standard()).open("main").view() == view


def test_one_slot_fought_over_is_filled_once(table: Table) -> None:
    table.declare(HKP, "red", "blue")
    start, outcomes = threading.Barrier(8), Counter[str]()

    def typist(n: int) -> None:
        start.wait()
        try:
            table.type_dice(str(n), [TypedDie(n + 1, slot=SlotName.FIRER_SIZE)])
            outcomes["taken"] += 1
        except Conflict:
            outcomes["refused"] += 1

    threads = [threading.Thread(target=typist, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {"taken": 1, "refused": 7}


# --- another writer


def test_another_writer_on_the_journal_is_named_and_nothing_is_overwritten(store: Watched, table: Table) -> None:
    other = Tables(store, standard()).open("main")
    other.throw(edie(1))
    with pytest.raises(StoreError, match="Something else writes to table main of this journal"):
        table.throw(edie(2))
    keys = [row["reading"] for row in other.export() if row["record"] == "die"]
    assert keys == ["edie:1"]


# --- tables


def test_tables_of_one_journal_are_apart(store: Watched) -> None:
    tables = Tables(store, standard())
    one, two = tables.open("one"), tables.open("two")
    one.declare(HKP, "red", "blue")
    assert two.view()["attack"] is None
    assert tables.names() == ["one", "two"]
    assert tables.get("one") is tables.open("one") is one
    assert one.view()["journal"] != two.view()["journal"]
    again = Tables(store, standard())
    assert again.names() == ["one", "two"]
    assert again.get("one").view() == one.view()


@pytest.mark.parametrize("name", ["", "Main", "a b", "-a", "é", "x" * 33, "../x", "a\n"])
def test_a_name_that_is_none(store: Watched, name: str) -> None:
    with pytest.raises(BadInput, match="Expected a table's name"):
        Tables(store, standard()).open(name)
    with pytest.raises(NotFound, match="There is no table"):
        Tables(store, standard()).get(name)


def test_two_threads_that_open_a_table_have_the_same(store: Watched) -> None:
    tables, found = Tables(store, standard()), []
    threads = [threading.Thread(target=lambda: found.append(tables.open("main"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(table) for table in found}) == 1
    assert len(store.transactions) == 1


# --- the virtual source


def test_the_system_throws_only_where_the_table_says_so(table: Table) -> None:
    table.declare(HKP, "red", "blue")
    with pytest.raises(Conflict, match="This table throws real dice: the virtual source is off"):
        table.throw_virtual("1")
    table.change_settings({"virtual": True})
    view = table.throw_virtual("1")
    slots = view["attack"]["slots"]
    assert [slot["source"] for slot in slots] == ["virtual", "virtual", None, None]
    assert table.throw_virtual("1") == view, "the same request twice is one throw"
    assert table.throw_virtual("2", "blue")["attack"]["state"] in ("resolved", "damage")


@pytest.mark.parametrize(
    ("player", "says"),
    [("blue", "Blue owes no die now"), (None, "Nobody owes a die now"), ("green", "No player 'green'")],
)
def test_the_system_throws_nothing_that_nobody_owes(table: Table, player: str | None, says: str) -> None:
    table.change_settings({"virtual": True})
    with pytest.raises(Conflict, match="No attack is open"):
        table.throw_virtual("0")
    table.declare(HKP, "red", "blue")
    table.throw(edie(1, "D10", 1, "blue"))
    table.throw(edie(2, "D8", 1, "blue"))
    for n, die in enumerate(("D8", "D6")):
        reading = Reading(f"u{n}", SourceKind.CAMERA, Die(die), None, ReadingStatus.UNSURE)
        table.throw(Throw(f"u{n}", SourceKind.CAMERA, (reading,), 0))
    with pytest.raises((Conflict, NotFound), match=says):
        table.throw_virtual("1", player)


def test_virtual_dice_are_the_draws_and_each_draw_is_asked_of_the_system(store: Watched) -> None:
    """The value is `below(sides) + 1` and nothing else: with `secrets.randbelow` every face is equally likely."""
    asked: list[int] = []

    def below(sides: int) -> int:
        asked.append(sides)
        return (len(asked) * 3) % sides

    table = Tables(store, standard(), below=below).open("main")
    table.change_settings({"virtual": True})
    table.declare(HKP, "red", "blue")
    table.throw_virtual("1")
    table.throw_virtual("2")
    assert asked == [8, 6, 10, 8]
    assert [slot["value"] for slot in table.view()["attack"]["slots"]] == [4, 1, 10, 5]
    default = inspect.signature(Tables).parameters["below"].default
    assert (default.__module__, default.__name__) == ("secrets", "randbelow")


def test_the_view_is_plain_json(table: Table) -> None:
    table.declare(HKP, "red", "blue")
    table.throw(edie(1))
    assert json.loads(json.dumps(table.view())) == table.view()
    assert json.loads(json.dumps(table.export())) == table.export()


# --- one picture, sent again


def test_a_picture_sent_again_under_another_name_does_not_count_twice(table: Table, store: Watched) -> None:
    """Red owes two D6 and one lies in the tray: sent twice, it must not fill both slots."""
    table.declare(Attack("HKP", 2, range="medium", armour=4), "red", "blue")
    first = table.throw(pictured("one", "a.png"))
    for keeper in (table, Tables(store, standard()).open("main")):  # a restart forgets nothing
        with pytest.raises(Conflict, match="This very picture was read for attack 1 already"):
            keeper.throw(pictured("two", "a.png"))
        assert keeper.view() == first
    assert [slot["state"] for slot in first["attack"]["slots"]] == ["filled", "owed", "owed", "owed"]


@pytest.mark.parametrize("crops", [("b.png",), ("a.png", "b.png")], ids=["another", "one more die"])
def test_another_picture_of_the_same_tray_is_another_throw(table: Table, crops: tuple[str, ...]) -> None:
    table.declare(Attack("HKP", 2, range="medium", armour=4), "red", "blue")
    before = table.throw(pictured("one", "a.png"))["seq"]
    assert table.throw(pictured("two", *crops))["seq"] == before + 1


def test_a_picture_may_be_sent_again_for_the_attack_that_is_declared_after_it(table: Table) -> None:
    table.throw(pictured("early", "a.png"))
    table.declare(Attack("HKP", 2, range="medium", armour=4), "red", "blue")
    assert table.throw(pictured("now", "a.png"))["attack"]["slots"][0]["value"] == 3


def test_e_dice_that_say_the_same_line_are_each_their_own_throw(table: Table) -> None:
    """Evidence of an e-die is its line, which may well come again: only pictures are known by it."""
    table.declare(Attack("HKP", 2, range="medium", armour=4), "red", "blue")
    for n in (1, 2):
        reading = Reading(f"edie:{n}", SourceKind.EDIE, Die.D6, 3, ReadingStatus.SURE, evidence="$1 ROLL value=3")
        table.throw(Throw(f"edie:{n}", SourceKind.EDIE, (reading,), n))
    assert [slot["state"] for slot in table.view()["attack"]["slots"]] == ["filled", "filled", "owed", "owed"]
