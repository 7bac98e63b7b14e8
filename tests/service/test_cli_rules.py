"""`dicetower odds` and `dicetower resolve` as a person or a script meets them: output, refusals, rule packs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from dicetower.cli import run

PACK = resources.files("dicetower.rules").joinpath("dirtside2.toml").read_text(encoding="utf-8")
HEL = ["--system", "HEL", "--size", "3", "--armour", "3"]
HKP = ["--system", "HKP", "--size", "3", "--range", "medium", "--armour", "4"]
FIREFIGHT = ["--system", "firefight", "--size", "2", "--infantry", "line", "--cover", "soft"]

ODDS_JSON = (
    '{"plan": [{"slot": "firer size", "by": "firer", "die": "D8"}, '
    '{"slot": "firer effectiveness", "by": "firer", "die": "D4"}, '
    '{"slot": "target armour", "by": "target", "die": "D8"}, '
    '{"slot": "target effectiveness", "by": "target", "die": "D8"}], '
    '"printed": "50%", '
    '"odds": {"undamaged": "77/256", "damaged": "67/128", "destroyed": "45/256"}, '
    '"after_table": {"undamaged": "113/320", "systems_down": "67/320", "mobility": "201/1280", '
    '"destroyed": "359/1280"}}\n'
)


@pytest.fixture(autouse=True)
def _no_settings_but_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("", encoding="utf-8")
    monkeypatch.setenv("DICETOWER_CONFIG", str(config))


def call(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = run(args)
    out, err = capsys.readouterr()
    return status, out, err


def test_odds_json_is_the_documented_line_key_for_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "odds", *HEL, "--json") == (0, ODDS_JSON, "")


def test_odds_json_against_infantry_has_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "odds", *FIREFIGHT, "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert list(found) == ["plan", "printed", "odds", "after_table"]
    assert [slot["die"] for slot in found["plan"]] == ["D6", "D4", "D8", "D8"]
    # 27/48 and 22/32 of the pairs are the target's: destroyed 21/48 * 10/32.
    assert found["odds"] == {"undamaged": "221/256", "damaged": "0", "destroyed": "35/256"}
    assert found["after_table"] is None


def test_odds_text_names_printed_effectiveness_and_odds_apart(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "odds", *HEL, "--cover", "soft")
    assert (status, err) == (0, "")
    assert out == (
        "HEL size 3, against armour 3, soft cover\n"
        "\n"
        "  die                   thrown by  type\n"
        "  firer size            firer      D8\n"
        "  firer effectiveness   firer      D4\n"
        "  target armour         target     D8\n"
        "  target effectiveness  target     D8\n"
        "\n"
        "Printed effectiveness: 50% (the chit draw's figure, not the odds)\n"
        "Note: cover does nothing for HEL.\n"
        "\n"
        "Odds of the four dice\n"
        "  undamaged             77/256    30.1%\n"
        "  damaged               67/128    52.3%\n"
        "  destroyed             45/256    17.6%\n"
        "\n"
        "Odds after the D10 damage table\n"
        "  undamaged            113/320    35.3%\n"
        "  systems down          67/320    20.9%\n"
        "  mobility            201/1280    15.7%\n"
        "  destroyed           359/1280    28.0%\n"
    )


def test_resolve_json_is_the_documented_line_key_for_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "resolve", *HKP, "--dice", "5,3,7,3", "--damage", "6", "--json") == (
        0,
        '{"outcome": "damaged", "pairs_to_target": 1, "explanation": "armour 7 beats size 5; effectiveness 3 ties 3, '
        "the tie is the firer's: one of two, damaged; 6 on the D10: Mobility (the vehicle cannot move)\", "
        '"damage": "mobility", "final": "mobility"}\n',
        "",
    )


@pytest.mark.parametrize(
    ("damage", "result", "final"),
    [
        ([], None, "damaged"),
        (["--damage", "1"], "escape", "undamaged"),
        (["--damage", "3"], "systems_down", "systems_down"),
        (["--damage", "0"], "destroyed", "destroyed"),
        (["--damage", "10"], "destroyed", "destroyed"),
    ],
)
def test_resolve_json_with_and_without_the_damage_die(
    capsys: pytest.CaptureFixture[str], damage: list[str], result: str | None, final: str
) -> None:
    status, out, _ = call(capsys, "resolve", *HKP, "--dice", "5,3,7,3", *damage, "--json")
    found = json.loads(out)
    assert (status, found["outcome"], found["damage"], found["final"]) == (0, "damaged", result, final)


def test_resolve_text_says_why_and_that_a_d10_may_follow(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "resolve", *HKP, "--dice", "5, 3, 7, 3")
    assert (status, err) == (0, "")
    assert out.endswith(
        "  target armour         target     D10      7\n"
        "  target effectiveness  target     D8       3\n"
        "\n"
        "Printed effectiveness: 75% (the chit draw's figure, not the odds)\n"
        "\n"
        "DAMAGED\n"
        "Armour 7 beats size 5; effectiveness 3 ties 3, the tie is the firer's: one of two, damaged.\n"
        "The firer may now throw a D10 for the damage table (--damage).\n"
    )


@pytest.mark.parametrize(
    ("args", "ending"),
    [
        ([*HKP, "--dice", "5,3,7,3", "--damage", "2"], "D10: Systems Down (the vehicle cannot fire).\n"),
        ([*HKP, "--dice", "8,6,8,1"], "none of two, destroyed.\n"),
        ([*FIREFIGHT, "--dice", "6,1,5,2"], "one of two, which is enough for infantry, undamaged.\n"),
    ],
)
def test_resolve_text_says_nothing_of_a_d10_that_nobody_owes(
    capsys: pytest.CaptureFixture[str], args: list[str], ending: str
) -> None:
    status, out, _ = call(capsys, "resolve", *args)
    assert status == 0
    assert out.endswith(ending)
    assert "may now throw" not in out


def test_with_json_a_note_goes_to_stderr_and_stdout_stays_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "odds", *HEL, "--cover", "soft", "--json") == (
        0,
        ODDS_JSON,
        "dicetower: note: cover does nothing for HEL.\n",
    )


REFUSALS = [
    (["odds"], "--system is missing; expected a weapon system (HEL, RFAC, "),
    (["odds", "--system", "HEL"], "--size is missing; expected the size class or number of chits, 1 to 5."),
    (["odds", "--system", "HEL", "--size", "3"], "Name one target, a vehicle's armour (1 to 5) or the infantry ("),
    (["odds", *HEL, "--infantry", "line"], "Name one target, a vehicle's armour (1 to 5) or the infantry ("),
    (["odds", "--system", "laser", "--size", "3", "--armour", "3"], "No weapon system 'laser'; there are HEL, RFAC, "),
    (["odds", *HEL, "--size", "six"], "--size: expected a whole number, 1 to 5, got 'six'."),
    (["odds", *HEL, "--size", ""], "--size: expected a whole number, 1 to 5, got ''."),
    (["odds", *HEL, "--size", "3.0"], "--size: expected a whole number, 1 to 5, got '3.0'."),
    (["odds", *HEL, "--size", "9" * 5000], "--size: expected a whole number, 1 to 5, got '999"),
    (["odds", *HEL, "--size", "6"], "Expected a size class of 1 to 5, got 6."),
    (["odds", *HEL, "--size", "-1"], "Expected a size class of 1 to 5, got -1."),
    (["odds", *HEL, "--armour", "0"], "Expected an armour level of 1 to 5, got 0."),
    (["odds", *HEL, "--armour", "x"], "--armour: expected a whole number, 1 to 5, got 'x'."),
    (["odds", *HEL, "--range", "close"], "HEL takes no range, "),
    (["odds", *HEL, "--armour-type", "slat"], "No armour type 'slat'; expected standard, "),
    (["odds", *HEL, "--cover", "wood"], "No cover 'wood'; expected open, soft, dug-in or urban."),
    (["odds", "--system", "HKP", "--size", "3", "--armour", "3"], "HKP needs a range, close, medium or long: "),
    (["odds", "--system", "HEL", "--size", "3", "--infantry", "line"], "HEL has no row against infantry; use a firefi"),
    (["odds", "--system", "MAK", "--size", "3", "--infantry", "orks"], "No infantry 'orks'; expected militia, "),
    (["odds", *FIREFIGHT, "--armour-type", "standard"], "Infantry takes no armour type; "),
    (["odds", "--system", "firefight", "--size", "3", "--infantry", "line"], "Firefight needs a cover: open, soft, "),
    (["odds", "--system", "firefight", "--size", "3", "--armour", "3"], "Firefight is against infantry only; "),
    (["resolve", *HKP], "--dice is missing; expected four faces with commas between them: firer size D8, "),
    (["resolve", *HKP, "--dice", "5,3,7"], "Expected four dice, firer size D8, firer effectiveness D6, "),
    (["resolve", *HKP, "--dice", "5 3 7 3"], "Expected four dice, "),
    (["resolve", *HKP, "--dice", "5,3,7,3,6"], "Expected four dice, "),
    (["resolve", *HKP, "--dice", "9,3,7,3"], "Firer size: a D8 has the faces 1 to 8; got 9."),
    (
        ["resolve", *HKP, "--dice", " "],
        "Expected four dice, firer size D8, firer effectiveness D6, target armour D10, target effectiveness D8; "
        "got none.",
    ),
    (["resolve", *HKP, "--dice", "0,3,7,3"], "Firer size: a D8 has the faces 1 to 8; got 0 (0 counts as 10 on a D10"),
    (["resolve", *HKP, "--dice", "5,3,70,3"], "Target armour: a D10 has the faces 1 to 9 and 0, which is 10; got 70 ("),
    (["resolve", *HKP, "--dice", "5,,7,3"], "Firer effectiveness: a D6 has the faces 1 to 6; got ''."),
    (["resolve", *HKP, "--dice", "5,3,7,3", "--damage", "11"], "Damage die: a D10 has the faces 1 to 9 and 0, "),
    (["resolve", *HKP, "--dice", "5,3,8,4", "--damage", "6"], "The D10 is thrown only for a damaged vehicle, "),
    (["resolve", *FIREFIGHT, "--dice", "6,1,5,2", "--damage", "6"], "The D10 is thrown only for a damaged vehicle, "),
    (["odds", *HEL, "--rules", "none.toml"], "none.toml: the file: expected a rule pack that can be read, found No "),
    (["odds", *HEL, "--rules", ""], ": the file: expected a rule pack that can be read, found "),
]


@pytest.mark.parametrize(("args", "sentence"), REFUSALS, ids=[" ".join(args)[:60] for args, _ in REFUSALS])
@pytest.mark.parametrize("json_flag", [[], ["--json"]], ids=["text", "json"])
def test_a_bad_call_is_one_sentence_on_stderr_and_exit_2(
    capsys: pytest.CaptureFixture[str], args: list[str], sentence: str, json_flag: list[str]
) -> None:
    status, out, err = call(capsys, *args, *json_flag)
    assert (status, out) == (2, "")
    assert err.startswith(f"dicetower: {sentence}")
    assert err.endswith(".\n")
    assert err.count("\n") == 1
    assert len(err) < 300


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--colour", "red"], "dicetower: No such option '--colour'."),
        (["extra"], "dicetower: Got unexpected extra argument (extra)"),
        (["--size"], "dicetower: Option '--size' requires an argument."),
    ],
)
def test_options_that_there_are_not(capsys: pytest.CaptureFixture[str], args: list[str], sentence: str) -> None:
    status, out, err = call(capsys, "odds", *HEL, *args)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(sentence)


def test_another_pack_by_option_and_by_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = tmp_path / "house.toml"
    house.write_text(PACK.replace('["HEL"]', '["laser"]').replace("on = true", "on = false"), encoding="utf-8")
    laser = ["odds", "--system", "Laser", "--size", "3", "--armour", "3", "--json"]
    without_table = ODDS_JSON[: ODDS_JSON.index('"after_table"')] + '"after_table": null}\n'

    assert call(capsys, *laser, "--rules", str(house)) == (0, without_table, "")
    assert call(capsys, *laser)[0] == 2
    assert "a weapon system (laser, RFAC" in call(capsys, "odds", "--rules", str(house))[2]

    monkeypatch.setenv("DICETOWER_RULES", str(house))
    assert call(capsys, *laser) == (0, without_table, "")
    monkeypatch.delenv("DICETOWER_RULES")
    (tmp_path / "config.toml").write_text('rules = "house.toml"', encoding="utf-8")
    assert call(capsys, *laser) == (0, without_table, "")


def test_with_the_table_off_the_text_has_no_second_table_and_no_d10(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    house = tmp_path / "house.toml"
    house.write_text(PACK.replace("on = true", "on = false"), encoding="utf-8")
    assert "D10 damage table" not in call(capsys, "odds", *HEL, "--rules", str(house))[1]
    assert "D10 for" not in call(capsys, "resolve", *HKP, "--dice", "5,3,7,3", "--rules", str(house))[1]
    status, _, err = call(capsys, "resolve", *HKP, "--dice", "5,3,7,3", "--damage", "6", "--rules", str(house))
    assert (status, err.startswith("dicetower: The damage table is off, ")) == (2, True)


def test_a_wrong_pack_is_one_sentence_naming_file_key_expected_and_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    house = tmp_path / "house.toml"
    house.write_text(PACK.replace('target = "D20"', 'target = "D30"', 1), encoding="utf-8")
    status, out, err = call(capsys, "odds", *HEL, "--rules", str(house), "--json")
    assert (status, out) == (2, "")
    assert err == (f"dicetower: {house}: group 6, row 4, target: expected D4, D6, D8, D10, D12 or D20, found 'D30'.\n")


@pytest.mark.parametrize("command", ["odds", "resolve"])
def test_help_names_every_choice(capsys: pytest.CaptureFixture[str], command: str) -> None:
    status, out, _ = call(capsys, command, "--help")
    said = " ".join(out.split()).replace("close- assault", "close-assault")  # where a line ends within it
    assert status == 0
    for words in ("HEL RFAC HVC HKP MDC DFFG IAVR GMS SLAM HEF MAK DPL firefight close-assault", "close|medium|long"):
        assert words in said
    for words in ("militia|line|powered|super", "standard|ablative|reactive|active", "open|soft|dug-in|urban"):
        assert words in said


def test_the_command_itself_in_a_shell_that_knows_only_ascii(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dicetower", "odds", *HEL, "--json"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "HOME": str(tmp_path), "PATH": ""},
    )
    assert done.stdout.decode() == ODDS_JSON
    assert done.stderr == b""
