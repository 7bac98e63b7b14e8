"""The e-die's lines: bytes in, checked lines out, and back. Pure; the grammar is docs/wire.md.

framer = Framer()
for item in framer.feed(port_bytes):    # Line or Reject, the same however the bytes were cut
    ...
port.write(encode(1, "ACK", [("boot", "5be0cd19"), ("roll", "17")]))
"""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from dicetower.errors import BadLine

LINE_MAX_BYTES = 127  # docs/wire.md: from "$" to the line feed, both counted
SEQ_MODULUS = 65536  # docs/wire.md: a 16-bit count
CRC_INIT = 0xFFFF  # CRC-16/IBM-3740; binascii.crc_hqx has its polynomial, 0x1021

_TAIL = re.compile(rb"\*([0-9a-f]{4})\Z")
_HEAD = re.compile(r"\$(0|[1-9][0-9]{0,4}) ([A-Z][A-Z0-9]{0,7}|[A-Z][A-Z0-9]{0,6}\?)((?: [^ ]+)*)\Z")
_FIELD = re.compile(r"([a-z][a-z0-9]{0,7})=([!-#%-)+-<>-~]+)\Z")
_DOLLAR, _LF, _CR = ord("$"), ord("\n"), ord("\r")


class Reason(StrEnum):
    """Why bytes are not a line."""

    NOISE = "noise"
    TRUNCATED = "truncated"
    BAD_BYTE = "bad byte"
    TOO_LONG = "too long"
    MALFORMED = "malformed"
    BAD_CRC = "bad CRC"


@dataclass(frozen=True, slots=True)
class Line:
    """One checked line. `raw` is what came, without its line end; it does not count in comparisons."""

    seq: int
    verb: str
    fields: tuple[tuple[str, str], ...] = ()
    raw: bytes = field(default=b"", compare=False)

    def get(self, key: str) -> str | None:
        """The value of `key`, or None."""
        return dict(self.fields).get(key)

    @property
    def text(self) -> str:
        """The line as a person reads it."""
        return self.raw.decode("ascii")


@dataclass(frozen=True, slots=True)
class Reject:
    """Bytes that are no line, and why; `message` is a sentence."""

    reason: Reason
    raw: bytes
    message: str


def crc16(data: bytes) -> int:
    """CRC-16/IBM-3740 of `data`.

    >>> hex(crc16(b"123456789"))
    '0x29b1'
    """
    return crc_hqx(data, CRC_INIT)


def encode(seq: int, verb: str, fields: Iterable[tuple[str, str]] = ()) -> bytes:
    """The line as bytes, with CRC and line feed; BadLine where the grammar or the length forbids it."""
    body = "".join([f"${seq} {verb}", *(f" {key}={value}" for key, value in fields)])
    _parse_body(body, body.encode("ascii", "replace"))
    line = f"{body}*{crc16(body.encode()):04x}\n".encode()
    if len(line) > LINE_MAX_BYTES:
        raise BadLine(f"a line may have {LINE_MAX_BYTES} bytes, this has {len(line)}: {body!r}.")
    return line


def decode(raw: bytes) -> Line:
    """The line in `raw`, which is without its line end; BadLine with the reason's sentence otherwise."""
    result = _check(raw)
    if isinstance(result, Reject):
        raise BadLine(result.message)
    return result


class Framer:
    """Finds lines in a stream of bytes. Holds at most one line's length; never raises, never waits.

    The answers depend on the bytes alone, not on how `feed` calls cut them.
    """

    def __init__(self) -> None:
        """Start outside any line."""
        self._held = bytearray()
        self._in_line = False

    def feed(self, data: bytes) -> list[Line | Reject]:
        """Take the next bytes; give what they completed, in order."""
        found: list[Line | Reject] = []
        for byte in data:
            self._take(byte, found)
        return found

    def _take(self, byte: int, found: list[Line | Reject]) -> None:
        if byte == _DOLLAR:
            self._begin(found)
        elif not self._in_line:
            self._noise(byte, found)
        elif byte == _LF:
            found.append(_check(bytes(self._held).removesuffix(b"\r")))
            self._reset()
        else:
            self._keep(byte, found)

    def _begin(self, found: list[Line | Reject]) -> None:
        if self._held:
            reason = Reason.TRUNCATED if self._in_line else Reason.NOISE
            self._drop(reason, found)
        self._held.append(_DOLLAR)
        self._in_line = True

    def _noise(self, byte: int, found: list[Line | Reject]) -> None:
        self._held.append(byte)
        if byte == _LF or len(self._held) == LINE_MAX_BYTES:
            self._drop(Reason.NOISE, found)

    def _keep(self, byte: int, found: list[Line | Reject]) -> None:
        self._held.append(byte)
        if not 0x20 <= byte <= 0x7E and byte != _CR:
            self._drop(Reason.BAD_BYTE, found)
        elif len(self._held) == LINE_MAX_BYTES:
            self._drop(Reason.TOO_LONG, found)

    def _drop(self, reason: Reason, found: list[Line | Reject]) -> None:
        raw = bytes(self._held)
        found.append(Reject(reason, raw, _SENTENCE[reason].format(raw=raw.decode("latin-1"))))
        self._reset()

    def _reset(self) -> None:
        self._held.clear()
        self._in_line = False


_SENTENCE = {
    Reason.NOISE: "no line: {raw!r}",
    Reason.TRUNCATED: "a line broke off: {raw!r}",
    Reason.BAD_BYTE: "a byte that no line has, at the end of {raw!r}",
    Reason.TOO_LONG: f"a line may have {LINE_MAX_BYTES} bytes; this has more: {{raw!r}}",
}


def _check(raw: bytes) -> Line | Reject:
    tail = _TAIL.search(raw)
    if tail is None:
        return Reject(Reason.MALFORMED, raw, f"expected '*' and four hexadecimal digits at the end of {_quoted(raw)}")
    body = raw[: tail.start()]
    said, computed = tail[1].decode(), f"{crc16(body):04x}"
    if said != computed:
        return Reject(Reason.BAD_CRC, raw, f"CRC {said}, computed {computed}, in {_quoted(raw)}")
    try:
        return _parse_body(body.decode("ascii"), raw)
    except (BadLine, UnicodeDecodeError) as error:
        return Reject(Reason.MALFORMED, raw, str(error))


def _parse_body(body: str, raw: bytes) -> Line:
    head = _HEAD.match(body)
    if head is None or int(head[1]) >= SEQ_MODULUS:
        raise BadLine(f"expected '$<0-65535> <VERB> key=value ...', got {body!r}")
    fields = tuple(_parse_field(part, body) for part in head[3].split(" ")[1:])
    if len({key for key, _ in fields}) < len(fields):
        raise BadLine(f"a key comes twice in {body!r}")
    return Line(int(head[1]), head[2], fields, raw)


def _parse_field(part: str, body: str) -> tuple[str, str]:
    match = _FIELD.match(part)
    if match is None:
        raise BadLine(f"expected key=value, got {part!r} in {body!r}")
    return match[1], match[2]


def _quoted(raw: bytes) -> str:
    return repr(raw.decode("latin-1"))
