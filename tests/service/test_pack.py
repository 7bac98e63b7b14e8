"""Rule packs: house rules load, every fault is named by file, key, expected and found, and nothing else escapes."""

from __future__ import annotations

import copy
import datetime
import json
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicetower.errors import BadRulePack
from dicetower.model import Attack, Die, Side
from dicetower.rules.odds import odds
from dicetower.rules.pack import build, load, parse, standard
from dicetower.rules.plan import plan
from dicetower.rules.ruleset import Conditions, RuleSet

TEXT = resources.files("dicetower.rules").joinpath("dirtside2.toml").read_text(encoding="utf-8")
DATA = tomllib.loads(TEXT)


def test_the_shipped_pack_says_what_it_is() -> None:
    rules = standard()
    assert (rules.name, rules.version) == ("Dirtside II dice system", "1")
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", rules.hash)
    assert (rules.damage.on, rules.damage.by, rules.damage.die) == (True, Side.FIRER, Die.D10)
    assert hash(rules) == hash(load_text(TEXT))


def load_text(text: str) -> RuleSet:
    return parse(text, "house.toml")


def test_the_hash_is_of_what_the_pack_says_not_of_how_it_is_written() -> None:
    respaced = "# ours\n" + "\n".join(line.split("#")[0].rstrip() for line in TEXT.splitlines())
    assert load_text(respaced) == standard()
    assert build(dict(reversed(DATA.items())), "house.toml") == standard()
    assert load_text(TEXT.replace('version = "1"', 'version = "2"')).hash != standard().hash
    assert load_text(TEXT.replace("on = true", "on = false")).hash != standard().hash


@pytest.mark.parametrize("raw", [TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), TEXT.replace("\n", "\r\n").encode()])
def test_a_copy_loads_as_editors_on_any_system_save_it(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "house.toml").write_bytes(raw)
    assert load(tmp_path / "house.toml") == standard()


def test_house_rules_change_dice_troops_table_and_systems() -> None:
    house = load_text(
        TEXT.replace('super = { name = "Super PA", die = "D12" }', 'cyborg = { name = "Cyborgs", die = "D20" }')
        .replace("on = true", "on = false")
        .replace('by = "firer"', 'by = "target"')
        .replace('["RFAC", "HVC"]', '["RFAC", "HVC", "rail-gun"]')
    )
    railgun = plan(house, Attack("Rail Gun", 2, armour=1, range="long"))
    assert [slot.die for slot in railgun.slots] == [Die.D6, Die.D4, Die.D4, Die.D12]
    assert odds(house, railgun).after_table is None
    assert plan(house, Attack("DPL", 1, infantry="cyborgs")).slots[2].die is Die.D20
    assert house.damage_slot().by is Side.TARGET


BAD = [
    # what is changed, into what, and then key, expected, found of the message
    ("format = 1", "format = 2", "format", "the number 1", "2"),
    ("format = 1", "format = true", "format", "the number 1", "true"),
    ("format = 1\n", "", "format", "the number 1", "nothing"),
    ('name = "Dirtside II dice system"', 'name = ""', "name", "a text of 1 to 80 characters on one line", "''"),
    ('version = "1"', "version = 1.5", "version", "a text of 1 to 80 characters on one line", "1.5"),
    ('version = "1"', "version = 2024-05-01", "version", "a text of 1 to 80 characters on one line", "2024-05-01"),
    (
        "format = 1",
        "format = 1\nnmae = 1",
        "top level",
        "no keys but format, name, version, size, armour, infantry, group and damage",
        "nmae",
    ),
    ('[size]\n1 = "D4"', "[size]", "size, 1", "D4, D6, D8, D10, D12 or D20", "nothing"),
    ('[size]\n1 = "D4"', '[size]\n1 = "D7"', "size, 1", "D4, D6, D8, D10, D12 or D20", "'D7'"),
    ('[size]\n1 = "D4"', '[size]\n1 = "d4"', "size, 1", "D4, D6, D8, D10, D12 or D20", "'d4'"),
    ('[size]\n1 = "D4"', '[size]\n1 = "D100"', "size, 1", "D4, D6, D8, D10, D12 or D20", "'D100'"),
    ('[size]\n1 = "D4"', '[size]\n1 = "D4"\n6 = "D20"', "size", "no keys but 1, 2, 3, 4 and 5", "6"),
    ('[armour]\n1 = "D4"', '[armour]\n1 = ["D4"]', "armour, 1", "D4, D6, D8, D10, D12 or D20", "a list of 1"),
    (
        'line = { name = "Line", die = "D8" }',
        'line = { name = "Line", die = "D8", speed = 3 }',
        "infantry, line",
        "no keys but name and die",
        "speed",
    ),
    (
        'line = { name = "Line", die = "D8" }',
        'line = { name = "militia", die = "D8" }',
        "infantry, line",
        "an id and a name that no other team goes by",
        "line (militia)",
    ),
    (
        'line = { name = "Line"',
        '"line\\n" = { name = "Line"',
        "infantry, the id",
        "letters and digits, with single hyphens between words",
        "'line\\n'",
    ),
    (
        '["HKP", "MDC"]',
        '["HKP", "hvc"]',
        "group 3, system 2",
        "a system that no other row group names",
        "'hvc'",
    ),
    ('["HKP", "MDC"]', "[]", "group 3, systems", "a list with at least one system", "an empty list"),
    ('["HKP", "MDC"]', '"HKP"', "group 3, systems", "a list with at least one system", "'HKP'"),
    (
        'systems = ["DFFG"]\nsize = "size class"',
        'systems = ["DFFG"]\nsize = "class"',
        "group 4, size",
        "size class or chits",
        "'class'",
    ),
    (
        'systems = ["DFFG"]',
        'systems = ["DFFG"]\nneeds_cover = "yes"',
        "group 4, needs_cover",
        "true or false",
        "'yes'",
    ),
    (
        'systems = ["DFFG"]',
        'systems = ["DFFG"]\nneeds_cover = true',
        "group 4, rows",
        "a row for every cover, since needs_cover is true, vehicle too",
        "none for soft, dug-in, urban",
    ),
    (
        '  { against = "vehicle", range = "long", firer = "D4", target = "D8", printed = "50%" },\n]\n\n[[group]]\n'
        'systems = ["DFFG"]',
        ']\n\n[[group]]\nsystems = ["DFFG"]',
        "group 3, rows",
        "one row for vehicle, long, standard, open",
        "none",
    ),
    (
        'range = "medium", firer = "D8", target = "D8"',
        'range = "close", firer = "D8", target = "D8"',
        "group 4, rows",
        "one row for vehicle, close, standard, open",
        "rows 1 and 2",
    ),
    (
        'range = "medium", firer = "D8", target = "D8"',
        'firer = "D8", target = "D8"',
        "group 4, row 2, range",
        "close, medium or long, as its fellow rows have one",
        "nothing",
    ),
    (
        'range = "medium", firer = "D8", target = "D8"',
        'range = "far", firer = "D8", target = "D8"',
        "group 4, row 2, range",
        "close, medium or long",
        "'far'",
    ),
    (
        'armour_type = "reactive"',
        'armour_type = ["reactive", "active"]',
        "group 5, rows",
        "one row for vehicle, active, open",
        "rows 3 and 4",
    ),
    (
        'armour_type = "reactive"',
        'armour_type = ["reactive", "reactive"]',
        "group 5, row 3, armour_type",
        "each word once",
        "reactive and reactive",
    ),
    (
        '{ against = "infantry", firer = "D6"',
        '{ against = "infantry", armour_type = "active", firer = "D6"',
        "group 6, row 1, armour_type",
        "nothing in a row against infantry, which takes no armour type",
        "'active'",
    ),
    (
        '{ against = "any", firer = "D4", target = "D8"',
        '{ against = "all", firer = "D4", target = "D8"',
        "group 8, row 1, against",
        "vehicle, infantry or any",
        "'all'",
    ),
    (
        'printed = "200%"',
        "printed = 200",
        "group 4, row 1, printed",
        "a percentage such as 75%, or ineffective",
        "200",
    ),
    ("on = true", "on = 1", "damage, on", "true or false", "1"),
    ('by = "firer"', 'by = "loser"', "damage, by", "firer or target", "'loser'"),
    ('die = "D10"\nrows', 'die = "D12"\nrows', "damage, die", "D10", "'D12'"),
    ("[6, 8]", "[6, 7]", "damage, rows", "one row for face 8 of the D10", "none"),
    ("[6, 8]", "[5, 8]", "damage, rows", "one row for face 5 of the D10", "rows 2 and 3"),
    ("[6, 8]", "[8, 6]", "damage, row 3, face 2", "a whole number, 8 to 10", "6"),
    ("[9, 10]", "[9, 11]", "damage, row 4, face 2", "a whole number, 9 to 10", "11"),
    ("[9, 10]", "[9]", "damage, row 4, faces", "the lowest and the highest face, such as [2, 5]", "a list of 1"),
    ("[9, 10]", "[9, 0xffffffffffffffffff]", "damage, row 4, face 2", "a whole number, 9 to 10", "an enor"),
    (
        'result = "mobility"',
        'result = "immobile"',
        "damage, row 3, result",
        "escape, systems_down, mobility or destroyed",
        "'immobile'",
    ),
    ("format = 1", "format = ", "the file", "TOML", "Invalid value (at line 7, column 10)"),
    ("format = 1", "format = 1\nformat = 1", "the file", "TOML", "Cannot overwrite a value (at line 8, column 11)"),
]


@pytest.mark.parametrize(("old", "new", "key", "expected", "found"), BAD)
def test_each_fault_is_named(tmp_path: Path, old: str, new: str, key: str, expected: str, found: str) -> None:
    assert TEXT.count(old) >= 1
    file = tmp_path / "house.toml"
    file.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BadRulePack) as refused:
        load(file)
    said = str(refused.value)
    assert said.startswith(f"{file}: {key}: expected {expected}, found {found}")
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("size", "a table with 1, 2, 3, 4 and 5"),
        ("armour", "a table with 1, 2, 3, 4 and 5"),
        ("infantry", "a table of infantry teams, each with name and die"),
        ("group", "a list with at least one group"),
        ("damage", "a table with on, by, die and rows"),
    ],
)
def test_each_part_must_be_there(key: str, expected: str) -> None:
    for value, found in ((None, "nothing"), (3, "3"), ("x", "'x'")):
        data = {k: v for k, v in DATA.items() if k != key} | ({} if value is None else {key: value})
        with pytest.raises(BadRulePack) as refused:
            build(data, "house.toml")
        assert str(refused.value) == f"house.toml: {key}: expected {expected}, found {found}."


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "format: expected the number 1, found nothing."),
        (b"\xff\xfe\x00", "byte 0: expected UTF-8 text, found 0xff."),
        (b"a = " + b"[" * 5000, "the file: expected TOML, found "),
        (b"a = 1" + b"0" * 5000, "the file: expected TOML, found "),
        (b"#" * (1 << 20) + b"\n", "the file: expected at most 1 MiB, found more."),
        (b"\x00", "the file: expected TOML, found "),
    ],
)
def test_files_that_are_no_pack(tmp_path: Path, raw: bytes, said: str) -> None:
    file = tmp_path / "house.toml"
    file.write_bytes(raw)
    with pytest.raises(BadRulePack) as refused:
        load(file)
    assert str(refused.value).startswith(f"{file}: {said}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "none.toml", tmp_path / ("n" * 300), Path("a\0b")):
        with pytest.raises(BadRulePack, match=r"the file: expected a rule pack that can be read, found .+\.$"):
            load(file)


def test_an_endless_file_is_not_read_to_its_end() -> None:
    with pytest.raises(BadRulePack, match="at most 1 MiB"):
        load("/dev/zero")


SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([*Die, "vehicle", "infantry", "any", "close", "open", "soft", "urban", "active", "chits", "HEL"]),
    st.integers(-1, 12),
    st.integers(10**17, 10**30),
    st.booleans(),
    st.floats(),
    st.text(max_size=5),
    st.dates(),
    st.times(),
    st.just(datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to every value inside `value`."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(*way, key) for key, _ in inner] + [p for key, held in inner for p in places(held, (*way, key))]


PLACES = places(DATA)


@st.composite
def mutants(draw: st.DrawFn) -> dict[str, Any]:
    """The shipped pack with one to three values replaced, taken out, doubled or put elsewhere."""
    data = copy.deepcopy(DATA)
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(PLACES))
        holder: Any = data
        try:
            for key in way:
                holder = holder[key]
            change(draw, holder, last)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took this place away
    return data


def change(draw: st.DrawFn, holder: Any, last: Any) -> None:
    match draw(st.sampled_from(["replace", "remove", "double", "borrow"])):
        case "replace":
            holder[last] = draw(VALUES)
        case "remove":
            del holder[last]
        case "double" if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case "double":
            holder[draw(st.text(max_size=5))] = copy.deepcopy(holder[last])
        case "borrow":
            donor: Any = DATA
            for key in draw(st.sampled_from(PLACES)):
                donor = donor[key]
            holder[last] = copy.deepcopy(donor)


@given(mutants())
@settings(max_examples=400)
def test_a_changed_pack_is_refused_by_name_or_holds_together(data: dict[str, Any]) -> None:
    try:
        rules = build(data, "house.toml")
    except BadRulePack as refused:
        said = refused
    else:
        every_choice_plans(rules)
        return
    assert str(said).startswith(f"house.toml: {said.key}: expected {said.expected}, found ")
    assert "\n" not in str(said)
    assert len(str(said)) < 400


def every_choice_plans(rules: RuleSet) -> None:
    """What a page would offer is what the rules take, with nothing to note but "ineffective"."""
    for system in rules.systems:
        choices = rules.choices(system.id)
        if choices.vehicle_conditions:
            check(rules, Attack(system.id, 1, armour=5), choices.vehicle_conditions)
        if choices.infantry_conditions:
            check(rules, Attack(system.id, 5, infantry=choices.infantry[0].id), choices.infantry_conditions)


def check(rules: RuleSet, attack: Attack, conditions: Conditions) -> None:
    for range_ in conditions.ranges or (None,):
        for armour_type in conditions.armour_types or (None,):
            for cover in conditions.covers or (None,):
                declared = Attack(
                    attack.system, attack.size, range_, attack.armour, attack.infantry, armour_type, cover
                )
                made = plan(rules, declared)
                assert all("does nothing" not in note for note in made.notes)
                found = odds(rules, made)
                assert found.undamaged + found.damaged + found.destroyed == 1


def test_every_choice_of_the_shipped_pack_plans() -> None:
    every_choice_plans(standard())


@given(st.data())
@settings(max_examples=200)
def test_a_pack_with_bytes_changed_is_refused_by_name_or_loads(data: st.DataObject) -> None:
    text = TEXT
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.integers(0, 20)))
        text = (
            text[:at] + data.draw(st.text(max_size=3) | st.sampled_from(['"', "]", "}", "\n", "=", "[["])) + text[end:]
        )
    try:
        load_text(text)
    except BadRulePack as refused:
        said = refused
    else:
        return
    assert json.dumps(said.key)
    assert "\n" not in str(said)
    assert len(str(said)) < 400
