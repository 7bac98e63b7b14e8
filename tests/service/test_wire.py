"""The codec against docs/wire.md: golden vectors, then hostile bytes."""

from __future__ import annotations

import importlib.util
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.errors import BadLine
from dicetower.sources.wire import LINE_MAX_BYTES, Framer, Line, Reason, Reject, crc16, decode, encode

WIRE = Path(__file__).parents[2] / "fixtures/wire"


def make_vectors() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_vectors", WIRE / "make_vectors.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unescape(text: str) -> bytes:
    return text.encode("ascii").decode("unicode_escape").encode("latin-1")


def rows(name: str) -> list[list[str]]:
    return [row.split("\t") for row in (WIRE / name).read_text(encoding="ascii").splitlines()]


def feed(data: bytes) -> list[Line | Reject]:
    return Framer().feed(data)


def said(item: Line | Reject) -> str:
    return f"ok:{item.seq}:{item.verb}" if isinstance(item, Line) else item.reason.lower().replace(" ", "-")


GOOD = [row for row in rows("lines.txt") if row[1] == "ok"]
BAD = [row for row in rows("lines.txt") if row[1] != "ok"]


@pytest.mark.parametrize("name", ["lines.txt", "streams.txt", "session.txt", "fair.txt"])
def test_the_vectors_are_what_their_maker_writes(name: str) -> None:
    assert (WIRE / name).read_text(encoding="ascii") == make_vectors().FILES[name]()


def test_crc_check_value_of_the_catalogue() -> None:
    assert crc16(b"123456789") == 0x29B1
    assert crc16(b"") == 0xFFFF


@pytest.mark.parametrize("row", GOOD, ids=lambda row: f"{row[2]} {row[3]}")
def test_golden_line_is_read_and_written_alike(row: list[str]) -> None:
    raw = unescape(row[0])
    fields = [tuple(pair.split("=", 1)) for pair in row[4].split(" ") if pair]
    (item,) = feed(raw)
    assert item == Line(int(row[2]), row[3], tuple((k, v) for k, v in fields))
    assert encode(int(row[2]), row[3], [(k, v) for k, v in fields]) == raw.replace(b"\r", b"")


@pytest.mark.parametrize("row", BAD, ids=lambda row: row[0][:40])
def test_golden_reject_has_its_reason(row: list[str]) -> None:
    item = feed(unescape(row[0]))[0]
    assert isinstance(item, Reject)
    assert said(item) == row[1]
    assert item.message


@pytest.mark.parametrize("row", rows("streams.txt"), ids=lambda row: row[0][:40])
def test_golden_stream(row: list[str]) -> None:
    assert [said(item) for item in feed(unescape(row[0]))] == row[1].split()


@pytest.mark.parametrize("row", rows("streams.txt"), ids=lambda row: row[0][:40])
def test_one_byte_at_a_time_is_the_same(row: list[str]) -> None:
    data = unescape(row[0])
    framer = Framer()
    assert [item for i in range(len(data)) for item in framer.feed(data[i : i + 1])] == feed(data)


def test_a_bad_crc_says_both_and_the_line() -> None:
    with pytest.raises(BadLine, match=r"CRC 1f2e, computed [0-9a-f]{4}, in '\$12 ACK roll=17\*1f2e'"):
        decode(b"$12 ACK roll=17*1f2e")


@pytest.mark.parametrize(
    ("seq", "verb", "fields"),
    [
        (-1, "ACK", []),
        (65536, "ACK", []),
        (1, "ack", []),
        (1, "A CK", []),
        (1, "ACK", [("Roll", "1")]),
        (1, "ACK", [("roll", "")]),
        (1, "ACK", [("roll", "a b")]),
        (1, "ACK", [("roll", "a\nb")]),
        (1, "ACK", [("roll", "ä")]),
        (1, "ACK", [("roll", "1"), ("roll", "1")]),
        (1, "ACK", [("roll", "1" * 120)]),
    ],
)
def test_encode_refuses_what_decode_would(seq: int, verb: str, fields: list[tuple[str, str]]) -> None:
    with pytest.raises(BadLine):
        encode(seq, verb, fields)


def flipped(raw: bytes, *bits: int) -> bytes:
    number = int.from_bytes(raw, "big")
    for bit in bits:
        number ^= 1 << bit
    return number.to_bytes(len(raw), "big")


def lines_of(data: bytes) -> list[Line]:
    return [item for item in feed(data) if isinstance(item, Line)]


@pytest.mark.parametrize("row", GOOD, ids=lambda row: f"{row[2]} {row[3]}")
def test_no_single_flipped_bit_yields_a_line(row: list[str]) -> None:
    raw = unescape(row[0])
    clean = lines_of(raw)
    for bit in range(len(raw) * 8):
        assert lines_of(flipped(raw, bit)) in ([], clean)


def test_no_two_flipped_bits_yield_a_line() -> None:
    raw = unescape(next(row[0] for row in GOOD if row[3] == "ROLL"))
    closing = encode(1, "ACK", [("roll", "1")])
    wrong = [pair for pair in combinations(range(len(raw) * 8), 2) if _wrong(flipped(raw, *pair))]
    assert wrong == []
    assert lines_of(raw + closing) != []


def _wrong(raw: bytes) -> bool:
    """Decide without the framer's slower path: any form of this line with a right CRC that is not the line."""
    body, star, tail = raw.rpartition(b"*")
    return star == b"*" and tail[:4] == f"{crc16(body):04x}".encode() and tail[4:] == b"\n" and bool(lines_of(raw))


KEYS = st.from_regex(r"[a-z][a-z0-9]{0,7}", fullmatch=True)
VALUES = st.text(st.sampled_from([chr(c) for c in range(0x21, 0x7F) if chr(c) not in "$*="]), min_size=1, max_size=20)
VERBS = st.from_regex(r"[A-Z][A-Z0-9]{0,6}\??", fullmatch=True)


@st.composite
def any_line(draw: st.DrawFn) -> Line:
    fields = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    return Line(draw(st.integers(0, 65535)), draw(VERBS), tuple(fields.items()))


def cut(data: bytes, at: list[int]) -> list[bytes]:
    edges = [0, *sorted(point % (len(data) + 1) for point in at), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@given(any_line())
def test_round_trip(line: Line) -> None:
    assert feed(encode(line.seq, line.verb, line.fields)) == [line]


@given(
    st.lists(st.one_of(st.binary(max_size=150), any_line()), max_size=8), st.lists(st.integers(0, 1 << 16), max_size=20)
)
def test_any_cutting_gives_the_same(parts: list[bytes | Line], at: list[int]) -> None:
    data = b"".join(p if isinstance(p, bytes) else encode(p.seq, p.verb, p.fields) for p in parts)
    framer = Framer()
    assert [item for piece in cut(data, at) for item in framer.feed(piece)] == feed(data)


@given(st.lists(st.tuples(any_line(), st.binary(max_size=40).filter(lambda b: b"$" not in b)), max_size=6))
def test_garbage_between_lines_loses_none(parts: list[tuple[Line, bytes]]) -> None:
    data = b"".join(encode(line.seq, line.verb, line.fields) + noise for line, noise in parts)
    assert lines_of(data) == [line for line, _ in parts]


@given(st.binary(max_size=300))
def test_any_bytes_never_raise_and_the_next_line_is_read(noise: bytes) -> None:
    after = Line(7, "HB", (("boot", "5be0cd19"),))
    items = feed(noise + encode(after.seq, after.verb, after.fields))
    assert items[-1] == after


@given(st.binary(max_size=2000))
def test_the_buffer_is_bounded(data: bytes) -> None:
    framer = Framer()
    items = framer.feed(data)
    assert all(len(item.raw) <= LINE_MAX_BYTES for item in items)
    assert len(framer._held) < LINE_MAX_BYTES


def test_a_line_cut_by_time_is_not_a_line() -> None:
    framer = Framer()
    raw = encode(9, "ROLL", [("val", "5")])
    assert framer.feed(raw[:12]) == []
    assert framer.feed(b"") == []
    assert [said(item) for item in framer.feed(raw[12:])] == ["ok:9:ROLL"]


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_golden_vector(reason: Reason) -> None:
    assert str(reason).lower().replace(" ", "-") in {row[1] for row in BAD}
