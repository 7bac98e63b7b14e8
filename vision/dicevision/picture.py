"""What a picture file says of itself before it is decoded: kind, size, whether it is whole. Pure: bytes in, facts out.

Kinds read: JPEG (ITU T.81), PNG (ISO 15948), WebP (its RIFF container), BMP. Others are named where they can be told.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass


class BadPicture(ValueError):
    """A file that was to be a picture cannot be read as one; the message is a sentence without the file's name."""


@dataclass(frozen=True, slots=True)
class Header:
    """kind: "JPEG", "PNG", "WebP" or "BMP". width, height: pixels as stored, before any rotation.

    alpha: parts of it may be see-through.
    """

    kind: str
    width: int
    height: int
    alpha: bool = False


KINDS = "JPEG, PNG, WebP or BMP"

OTHERS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"GIF8", "a GIF"),
    (0, b"II*\0", "a TIFF"),
    (0, b"MM\0*", "a TIFF"),
    (4, b"ftyphei", "a HEIC picture"),
    (4, b"ftypmif1", "a HEIC picture"),
    (4, b"ftypavif", "an AVIF picture"),
    (4, b"ftyp", "a video"),
    (0, b"\x1aE\xdf\xa3", "a video"),
    (0, b"%PDF", "a PDF"),
    (0, b"\x76\x2f\x31\x01", "an OpenEXR picture"),
    (0, b"\0\0\0\x0cjP  ", "a JPEG 2000 picture"),
)
"""Where, which bytes, and what a person calls it; the first that fits."""


def header(data: bytes) -> Header:
    """Return what the file says of itself; BadPicture where it is empty, of another kind, cut short or animated."""
    if not data:
        raise BadPicture("The file is empty.")
    if data.startswith(b"\xff\xd8\xff"):
        return jpeg(data)
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return png(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return webp(data)
    if data.startswith(b"BM") and len(data) >= 26:
        return bmp(data)
    raise BadPicture(f"Expected a picture ({KINDS}); {other_kind(data)}.")


def other_kind(data: bytes) -> str:
    """Say what else the file is."""
    for at, magic, name in OTHERS:
        if data.startswith(magic, at):
            return f"this is {name}: save it as JPEG or PNG"
    return "this file is none"


CUT_SHORT = "The {kind} file is cut short: its end is missing. Copy it again."
DAMAGED = "The {kind} file is damaged: {what}. Copy it again."

FRAME_MARKERS = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""SOF0 to SOF15, without the three that are tables (T.81, table B.1)."""
LONE_MARKERS = {0x01, *range(0xD0, 0xD8)}
"""Markers without a length: TEM and the restarts."""
SCAN_END = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]", re.DOTALL)
"""The next marker after a scan's data: in the data a 0xff is followed by 0x00 or a restart."""


def jpeg(data: bytes) -> Header:
    """Walk the segments to the end-of-image marker, taking the size from the frame header."""
    size: tuple[int, int] | None = None
    for marker, body in jpeg_segments(data):
        if marker in FRAME_MARKERS and size is None and len(body) >= 6:
            size = int.from_bytes(body[3:5]), int.from_bytes(body[1:3])
    if size is None:
        raise BadPicture(DAMAGED.format(kind="JPEG", what="it says no size"))
    return Header("JPEG", *size)


def jpeg_segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each segment's marker and body up to end-of-image; BadPicture where the file ends before that."""
    at = 2
    while at + 2 <= len(data):
        if data[at] != 0xFF:
            raise BadPicture(DAMAGED.format(kind="JPEG", what=f"byte {at} is no marker"))
        marker = data[at + 1]
        if marker == 0xD9:
            return
        if marker == 0xFF or marker in LONE_MARKERS:
            at += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4])
        yield marker, data[at + 4 : at + 2 + length]
        at = scan_end(data, at + 2 + length) if marker == 0xDA else at + 2 + length
    raise BadPicture(CUT_SHORT.format(kind="JPEG"))


def scan_end(data: bytes, at: int) -> int:
    """Return where the scan's data that starts at `at` ends."""
    found = SCAN_END.search(data, at)
    return found.start() if found else len(data)


def png(data: bytes) -> Header:
    """Walk the chunks to IEND, checking each one's CRC."""
    size, alpha = None, False
    for kind, body in png_chunks(data):
        if kind == b"IHDR" and len(body) == 13:
            size = int.from_bytes(body[:4]), int.from_bytes(body[4:8])
            alpha = body[9] in (4, 6)
        if kind == b"acTL" and int.from_bytes(body[:4]) > 1:
            raise BadPicture(ANIMATED)
        alpha = alpha or kind == b"tRNS"
    if size is None:
        raise BadPicture(DAMAGED.format(kind="PNG", what="it says no size"))
    return Header("PNG", *size, alpha)


ANIMATED = "The file is an animation: save the one picture that you mean."


def png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each chunk's type and body up to IEND; BadPicture where one is damaged or the file ends before that."""
    at = 8
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if at + 12 + length > len(data):
            break
        if zlib.crc32(data[at + 4 : at + 8 + length]) != int.from_bytes(data[at + 8 + length : at + 12 + length]):
            raise BadPicture(DAMAGED.format(kind="PNG", what=f"the check sum of part {kind!r} is wrong"))
        if kind == b"IEND":
            return
        yield kind, body
        at += 12 + length
    raise BadPicture(CUT_SHORT.format(kind="PNG"))


def webp(data: bytes) -> Header:
    """Read the first chunk, which holds the size in one of three ways, and compare the file's length with its own."""
    if len(data) < 30 or int.from_bytes(data[4:8], "little") + 8 > len(data) + 1:
        raise BadPicture(CUT_SHORT.format(kind="WebP"))
    kind, body = data[12:16], data[20:30]
    if kind == b"VP8X":
        if body[0] & 0x02:
            raise BadPicture(ANIMATED)
        width, height = (int.from_bytes(body[k : k + 3], "little") + 1 for k in (4, 7))
        return Header("WebP", width, height, bool(body[0] & 0x10))
    if kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return Header("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, bool(bits >> 28 & 1))
    if kind == b"VP8 ":
        width, height = (int.from_bytes(body[k : k + 2], "little") & 0x3FFF for k in (6, 8))
        return Header("WebP", width, height)
    raise BadPicture(DAMAGED.format(kind="WebP", what="its first part is of no known type"))


def bmp(data: bytes) -> Header:
    """Read the size from either of BMP's headers: the old one has 16-bit numbers. A height below 0 is top to bottom."""
    if int.from_bytes(data[14:18], "little") == 12:
        width, height = (int.from_bytes(data[k : k + 2], "little") for k in (18, 20))
        return Header("BMP", width, height)
    width, height = (int.from_bytes(data[k : k + 4], "little", signed=True) for k in (18, 22))
    return Header("BMP", width, abs(height))
