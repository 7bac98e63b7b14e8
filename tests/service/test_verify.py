"""`dicetower edie verify`: a fair game recorded from the real firmware, and every way in which it was tampered with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.support.tapes import resealed

from dicetower.cli import run
from dicetower.sources import tape
from dicetower.sources.wire import crc16
from dicetower.tapes.verify import verified

SERIAL = Path(__file__).parents[2] / "fixtures/serial"
ROLL = re.compile(r"\$\d+ ROLL [^*]* roll=(\d+) die=D(\d+) val=(\d+) req=(\d+) [^*]*\*[0-9a-f]{4}")
Row = dict[str, Any]


def rows(folder: Path) -> list[Row]:
    return [json.loads(line) for line in (folder / "inputs.jsonl").read_text().splitlines()]


def tampered(folder: Path, change: Callable[[Row], Row | None], name: str = "fair-game") -> Path:
    """A copy with each input changed, or left out; sealed again, as whoever tampers would."""
    folder.mkdir()
    for path in (SERIAL / name).iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    changed = [made for row in rows(SERIAL / name) if (made := change(row)) is not None]
    (folder / "inputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed))
    return resealed(folder)


def with_lines(change: Callable[[re.Match[str]], str]) -> Callable[[Row], Row]:
    """Change each ROLL line's body; its CRC is made right again."""

    def changed(match: re.Match[str]) -> str:
        body = change(match).rpartition("*")[0]
        return f"{body}*{crc16(body.encode()):04x}"

    return lambda row: {**row, "data": ROLL.sub(changed, row["data"])} if row["in"] == "serial" else row


def other_value(*numbers: int) -> Callable[[Row], Row]:
    def change(match: re.Match[str]) -> str:
        number, sides, value = (int(match[n]) for n in (1, 2, 3))
        return match[0].replace(f"val={value}", f"val={value % sides + 1}") if number in numbers else match[0]

    return with_lines(change)


def verify(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    status = run(["edie", "verify", str(folder), *more])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_recorded_game_by_another_hand() -> None:
    """From the tape's text alone, with hashlib: commitment, nonces and all eight values."""
    given = rows(SERIAL / "fair-game")
    said = "".join(row["data"] for row in given if row["in"] == "serial")
    (secret,) = {row["secret"] for row in given if row["in"] == "commit"}
    (hash_,), (seed,) = set(re.findall(r"FAIR \S+ hash=(\w+)", said)), set(re.findall(r"FAIR \S+ seed=(\w+)", said))
    assert sha256(b"c" + bytes.fromhex(seed)).hexdigest() == hash_
    rolled = {match[1]: match for match in ROLL.finditer(said)}
    assert list(rolled) == [str(number) for number in range(1, 9)]
    for match in rolled.values():
        sides, req = int(match[2]), int(match[4]).to_bytes(4, "big")
        nonce = sha256(b"n" + bytes.fromhex(secret) + req).digest()[:4]
        block = sha256(b"r" + bytes.fromhex(seed) + req + nonce + bytes([sides, 0])).digest()
        kept = [byte for byte in block if byte < 256 // sides * sides]
        assert int(match[3]) == kept[0] % sides + 1
        assert " fair=1*" in match[0]


def test_it_is_verified(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = verify(SERIAL / "fair-game", capsys)
    assert (status, err) == (0, "")
    assert re.fullmatch(r"e-die [0-9a-f]{16}, [0-9a-f]{8}: verified\. Its seed gives every one of its 8 rolls\.\n", out)


@pytest.mark.parametrize("numbers", [(1,), (4,), (8,), (6, 2, 7)])
def test_a_changed_value_is_found_and_the_first_bad_roll_named(
    numbers: tuple[int, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = verify(tampered(tmp_path / "t", other_value(*numbers)), capsys, "--json")
    told = json.loads(out)
    assert (status, told["state"], told["bad"]) == (1, "broken", min(numbers))
    assert f"Roll {min(numbers)}, a D" in err


def test_a_roll_that_is_said_to_be_of_its_own_noise_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tampered(tmp_path / "t", with_lines(lambda m: m[0].replace(" fair=1", "") if m[1] == "3" else m[0]))
    status, out, _ = verify(folder, capsys, "--json")
    told = json.loads(out)
    assert (status, told["state"], told["rolls"], told["own"]) == (0, "verified", 7, [3])


def test_a_roll_left_out_is_listed_as_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tampered(tmp_path / "t", with_lines(lambda m: "$x*" if m[1] == "5" else m[0]))
    _, out, _ = verify(folder, capsys)
    assert "every one of its 7 rolls" in out
    assert "Begun and never rolled: request " in out


def test_another_secret_is_another_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tampered(tmp_path / "t", lambda row: {**row, "secret": "0" * 32} if row["in"] == "commit" else row)
    status, out, _ = verify(folder, capsys, "--json")
    assert (status, json.loads(out)["state"]) == (1, "broken")


def test_a_secret_drawn_before_the_die_committed_counts_for_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (commit,) = [row for row in rows(SERIAL / "fair-game") if row["in"] == "commit"]

    def earlier(row: Row) -> Row | None:
        return {**commit, "ms": row["ms"]} if row["in"] == "settings" and row.get("fair_edice") else row

    folder = tampered(tmp_path / "t", earlier)
    status, _, err = verify(folder, capsys)
    assert status == 1
    assert "No line of the die before it says this commitment, got none" in err


def test_a_seed_cut_out_is_not_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Though the tape still says that it was."""
    folder = tampered(tmp_path / "t", lambda row: None if " seed=" in row.get("data", "") else row)
    assert any(row["in"] == "uncommit" and row["state"] == "verified" for row in rows(folder))
    status, _, err = verify(folder, capsys)
    assert status == 1
    assert "unanswered: The tape ends without its seed." in err


def test_a_tape_that_is_not_as_it_was_sealed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tampered(tmp_path / "t", lambda row: row)
    (folder / "inputs.jsonl").write_text((folder / "inputs.jsonl").read_text().replace('"commit"', '"commit" '))
    status, out, err = verify(folder, capsys)
    assert (status, "verified" in out) == (1, True)
    assert "it is not as it was sealed" in err


def test_a_die_that_loses_its_memory_is_void_and_then_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = verify(SERIAL / "fair-but-unwilling", capsys, "--json")
    assert (status, [json.loads(line)["state"] for line in out.splitlines()]) == (1, ["void", "refused"])
    assert kept("fair-but-unwilling") == ["void", "refused"]


def test_a_die_that_is_put_away_has_not_answered(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = verify(SERIAL / "fair-and-silent", capsys, "--json")
    assert (status, json.loads(out)["state"]) == (1, "unanswered")
    assert kept("fair-and-silent") == ["unanswered"]


def kept(name: str) -> list[str]:
    """What the table kept of commitments that ended."""
    return [row["state"] for row in rows(SERIAL / name) if row["in"] == "uncommit"]


def test_a_tape_without_commitments_is_a_failed_check(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = verify(SERIAL / "all-is-well", capsys)
    assert (status, out) == (1, "")
    assert "no e-die has committed" in err


def test_a_roll_after_the_reveal_proves_nothing(tmp_path: Path) -> None:
    """The last roll's lines moved behind the seed."""
    given = rows(SERIAL / "fair-game")
    late = [row for row in given if row["in"] == "serial" and " roll=8 " in row["data"]]

    def moved(row: Row) -> Row | None:
        return None if row in late else row

    folder = tampered(tmp_path / "t", moved)
    text = (folder / "inputs.jsonl").read_text()
    end = json.loads(text.splitlines()[-1])["ms"]
    (folder / "inputs.jsonl").write_text(text + "".join(json.dumps({**row, "ms": end}) + "\n" for row in late))
    (finding,) = verified(tape.read(resealed(folder)))
    assert (finding.verdict.state, finding.verdict.bad) == ("broken", 8)
    assert "came after its seed was revealed" in finding.verdict.text
