"""What lines mean: every verb both ways, then keys that are missing, wrong, unknown or too large."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicetower.errors import BadLine
from dicetower.model import Die
from dicetower.sources.verbs import (
    HOST_VERBS,
    Ack,
    Arm,
    Armed,
    Ask,
    AskRaw,
    Bye,
    Commit,
    Disarm,
    Fair,
    Fault,
    Foreign,
    Full,
    Heartbeat,
    Hello,
    Message,
    Move,
    No,
    Raw,
    Reveal,
    Roll,
    Start,
    Unknown,
    encode_message,
    meaning,
)
from dicetower.sources.wire import Line, decode, encode

WIRE = Path(__file__).parents[2] / "fixtures/wire"
BOOT = "5be0cd19"
U32 = 2**32 - 1
MEANINGS: list[tuple[str, Message]] = [
    ("HELLO? v=1.0", Ask("1.0")),
    (
        f"HELLO v=1.7 uid=1f83d9abfb41bd6b boot={BOOT} fw=0.1.0 hash=6a09e667 rst=ext cap=btn,shk torn=2",
        Hello("1.7", "1f83d9abfb41bd6b", BOOT, "0.1.0", "6a09e667", "ext", ("btn", "shk"), 2),
    ),
    (
        f"HB boot={BOOT} t={U32} st=idle die=D6 last=16 unacked=3 req=9",
        Heartbeat(BOOT, U32, "idle", Die.D6, 16, 3, 9),
    ),
    (
        f"HB boot={BOOT} t=0 st=fault die=D20 last=0 unacked=0 req=0 fault=adc-rct",
        Heartbeat(BOOT, 0, "fault", Die.D20, 0, 0, 0, "adc-rct"),
    ),
    (f"ARMED boot={BOOT} req=41 die=D12", Armed(BOOT, 41, Die.D12)),
    (f"NO boot={BOOT} req=41 why=busy", No(BOOT, 41, "busy")),
    (f"START boot={BOOT} req=0 die=D4 t=5", Start(BOOT, 0, Die.D4, 5)),
    (
        f"ROLL boot={BOOT} roll=17 die=D8 val=5 req=41 ms=820 h=ok late=0 t=91030",
        Roll(BOOT, 17, Die.D8, 5, 41, 820, "ok", late=False, t_ms=91030),
    ),
    (
        f"ROLL boot={BOOT} roll={U32} die=D8 val=5 req={U32} ms=65535 h=ok late=1",
        Roll(BOOT, U32, Die.D8, 5, U32, 65535, "ok", late=True),
    ),
    (f"FULL boot={BOOT} unacked=16", Full(BOOT, 16)),
    (f"MOVE boot={BOOT} t=1 n=7", Move(BOOT, 1, 7)),
    (f"FAULT boot={BOOT} code=adc-apt", Fault(BOOT, "adc-apt")),
    (f"RAW boot={BOOT} src=wdt i=32 x=00ff7f", Raw(BOOT, "wdt", 32, b"\x00\xff\x7f")),
    (f"ARM boot={BOOT} req=41 die=D8", Arm(BOOT, 41, Die.D8)),
    (f"ARM boot={BOOT} req=41 die=D8 nonce=00c0ffee", Arm(BOOT, 41, Die.D8, "00c0ffee")),
    (
        f"ROLL boot={BOOT} roll=17 die=D8 val=5 req=41 ms=820 h=ok late=0 t=91030 fair=1",
        Roll(BOOT, 17, Die.D8, 5, 41, 820, "ok", late=False, t_ms=91030, fair=True),
    ),
    (f"COMMIT boot={BOOT}", Commit(BOOT)),
    (f"REVEAL boot={BOOT}", Reveal(BOOT)),
    (f"FAIR boot={BOOT} hash={'5b' * 32}", Fair(BOOT, "5b" * 32)),
    (f"FAIR boot={BOOT} seed={'5b' * 16}", Fair(BOOT, seed="5b" * 16)),
    (f"FAIR boot={BOOT}", Fair(BOOT)),
    (f"DISARM boot={BOOT} req=41", Disarm(BOOT, 41)),
    (f"ACK boot={BOOT} roll=17", Ack(BOOT, 17)),
    (f"BYE boot={BOOT}", Bye(BOOT)),
    (f"RAW? boot={BOOT} src=adc n=1024", AskRaw(BOOT, "adc", 1024)),
]


def line_of(body: str) -> Line:
    verb, *fields = body.split(" ")
    return Line(1, verb, tuple((k, v) for k, _, v in (part.partition("=") for part in fields)))


@pytest.mark.parametrize(("body", "message"), MEANINGS, ids=lambda x: str(x)[:30])
def test_meaning_and_back(body: str, message: Message) -> None:
    assert meaning(line_of(body)) == message
    assert encode_message(1, message) == encode(1, body.split(" ")[0], line_of(body).fields)


def test_every_verb_of_the_page_is_here() -> None:
    page = (WIRE.parents[1] / "docs/wire.md").read_text()
    rows = {row.split("`")[1] for row in page.splitlines() if row.startswith("| `") and row.split("`")[1][0].isupper()}
    assert rows == {message.VERB for _, message in MEANINGS}
    assert {"ACK", "ARM", "BYE", "COMMIT", "DISARM", "HELLO?", "RAW?", "REVEAL"} == HOST_VERBS


def test_keys_in_any_order_and_unknown_keys_are_ignored() -> None:
    assert meaning(line_of(f"ACK colour=red roll=3 boot={BOOT} x=1")) == Ack(BOOT, 3)


def test_an_unknown_verb_is_no_error() -> None:
    assert meaning(line_of("LATER a=b")) == Unknown("LATER")


@pytest.mark.parametrize("version", ["0.9", "2.0", "10.1"])
def test_another_major_is_foreign_whatever_its_keys(version: str) -> None:
    assert meaning(line_of(f"HELLO v={version} name=x")) == Foreign(version)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("ACK roll=1", "ACK without 'boot'"),
        (f"ACK boot={BOOT}", "ACK without 'roll': expected a number from 0 to 4294967295"),
        (f"ACK boot={BOOT} roll=4294967296", "ACK roll=4294967296: expected a number from 0 to 4294967295"),
        (f"ACK boot={BOOT} roll=99999999999", "expected a number"),
        (f"ACK boot={BOOT} roll=01", "expected a number"),
        (f"ACK boot={BOOT} roll=-1", "expected a number"),
        (f"ACK boot={BOOT} roll=1.0", "expected a number"),
        ("ACK boot=5BE0CD19 roll=1", "expected 8 small hexadecimal digits"),
        ("ACK boot=5be0cd1 roll=1", "expected 8 small hexadecimal digits"),
        (f"ARM boot={BOOT} req=1 die=D100", "ARM die=D100: expected one of D4 D6 D8 D10 D12 D20"),
        (f"ARM boot={BOOT} req=1 die=D7", "ARM die=D7"),
        (f"RAW boot={BOOT} src=adc i=0 x=abc", "RAW x=abc"),
        (f"MOVE boot={BOOT} t=1 n=65536", "MOVE n=65536: expected a number from 0 to 65535"),
        (f"NO boot={BOOT} req=1 why=Busy", "NO why=Busy: expected a word"),
        ("HELLO v=1", "HELLO v=1: expected major.minor"),
        ("HELLO uid=0", "HELLO without 'v'"),
        (f"ROLL boot={BOOT} roll=1 die=D8 val=5 req=0 ms=1 h=ok late=2", "ROLL late=2: expected 0 or 1"),
        (f"ROLL boot={BOOT} roll=1 die=D8 val=5 req=0 ms=1 h=ok late=0 t=x", "ROLL t=x"),
    ],
)
def test_a_wrong_key_is_named(body: str, complaint: str) -> None:
    with pytest.raises(BadLine, match=complaint.replace("?", r"\?")):
        meaning(line_of(body))


@pytest.mark.parametrize(
    ("die", "reported", "value", "refusal"),
    [
        ("D4", 4, 4, ""),
        ("D4", 6, None, "D4 reported 6: is the die type set right?"),
        ("D6", 0, None, "D6 reported 0: is the die type set right?"),
        ("D8", 9, None, "D8 reported 9: is the die type set right?"),
        ("D10", 10, 10, ""),
        ("D10", 0, 10, ""),
        ("D10", 11, None, "D10 reported 11: is the die type set right?"),
        ("D12", 0, None, "D12 reported 0: is the die type set right?"),
        ("D20", 20, 20, ""),
        ("D20", 65535, None, "D20 reported 65535: is the die type set right?"),
    ],
)
def test_the_value_must_be_a_face_and_a_d10s_zero_is_ten(
    die: str, reported: int, value: int | None, refusal: str
) -> None:
    roll = meaning(line_of(f"ROLL boot={BOOT} roll=1 die={die} val={reported} req=0 ms=1 h=ok late=0"))
    assert isinstance(roll, Roll)
    assert (roll.reported, roll.value, roll.refusal) == (reported, value, refusal)


def test_failed_health_is_a_refusal() -> None:
    roll = meaning(line_of(f"ROLL boot={BOOT} roll=1 die=D8 val=3 req=0 ms=1 h=adc-rct late=0"))
    assert isinstance(roll, Roll)
    assert roll.refusal == "D8 rolled 3, but its noise failed a health test (adc-rct)."


def test_the_roll_of_the_page_reads_as_told() -> None:
    lines = [decode(raw) for raw in (WIRE / "session.txt").read_bytes().splitlines()]
    assert [type(meaning(line)) for line in lines] == [Arm, Armed, Start, Roll, Ack]


@pytest.mark.parametrize("message", [m for _, m in MEANINGS], ids=lambda m: m.VERB)
def test_a_message_fits_a_line_with_the_largest_sequence_number(message: Message) -> None:
    assert len(encode_message(65535, message)) <= 127
