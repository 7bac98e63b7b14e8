"""Where frames come from: a picture file, opened safely.

Nothing is decoded before its header has said how large it is, and a decoder that complains of missing data is
believed: OpenCV fills the rest of a JPEG with grey and says nothing to its caller.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from dicevision.image import LARGEST_PX, Frame
from dicevision.picture import DAMAGED, BadPicture, Header, header

LARGEST_FILE = 130_000_000
"""Bytes. The largest frame as an uncompressed BMP is 120 MB."""

GIVEN_UP = re.compile(r"premature end|bad Huffman code|instead of RST|extraneous bytes before marker 0x(?!d9)", re.I)
"""What libjpeg writes when it makes up part of a picture (jerror.h). Some webcams leave bytes over before the end of
the image (marker d9) with nothing amiss."""
LIBRARIES = ("Corrupt JPEG", "Premature end", "Invalid SOS", "Inconsistent progression", "libpng", "[ERROR:", "[ WARN:")
"""How the libraries' lines begin."""


def open_picture(path: Path) -> Frame:
    """Return the picture in a file, BGR uint8, turned as its EXIF says; BadPicture says in a sentence why not."""
    try:
        with os.fdopen(plain_file(path), "rb") as file:
            return decode(whole(file))
    except FileNotFoundError:
        raise BadPicture("There is no such file.") from None
    except PermissionError:
        raise BadPicture("It may not be read: its permissions forbid it.") from None
    except OSError as error:
        raise BadPicture(f"It cannot be opened: {error.strerror or error}.") from None


def plain_file(path: Path) -> int:
    """Open a file, but no folder, pipe or device: those may never end, or hold the caller up."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise BadPicture("This is a folder: name a picture in it." if stat.S_ISDIR(mode) else "This is not a file.")
    return handle


def whole(file: BinaryIO) -> bytes:
    """Return a file's bytes, unless it is larger than any picture that is read."""
    data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise BadPicture(
            f"The file has more than {LARGEST_FILE:,} bytes, the most that is read: make it smaller first."
        )
    return data


def decode(data: bytes) -> Frame:
    """Return the picture in a file's bytes; BadPicture where there is none, or not all of it, or too large a one."""
    told = header(data)
    if told.width * told.height > LARGEST_PX:
        size = f"{told.width}x{told.height} pixels"
        raise BadPicture(f"The picture has {size}; the most that is read is {LARGEST_PX:,}: make it smaller first.")
    frame, complaint = quietly(lambda: decoded(data, told))
    if frame is None or GIVEN_UP.search(complaint):
        raise BadPicture(DAMAGED.format(kind=told.kind, what="part of the picture is missing or makes no sense"))
    return frame


def decoded(data: bytes, told: Header) -> Frame | None:
    """Decode with OpenCV; None where it gives nothing."""
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED if told.alpha else cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    if picture is None:
        return None
    if picture.ndim == 3 and picture.shape[2] == 4:
        return on_white(eight_bits(picture))
    return np.asarray(picture if picture.ndim == 3 else cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)


def eight_bits(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """Return 16 bits a channel as 8, as IMREAD_COLOR does."""
    return np.asarray(picture // 256 if picture.dtype == np.uint16 else picture, np.uint8)


def on_white(picture: NDArray[np.uint8]) -> Frame:
    """Lay a picture that is partly see-through on white paper."""
    ink, cover = picture[..., :3], picture[..., 3:]
    if cover.min() == 255:
        return np.ascontiguousarray(ink)
    paper = cv2.bitwise_not(np.repeat(cover, 3, axis=2))
    return np.asarray(cv2.add(cv2.multiply(ink, np.repeat(cover, 3, axis=2), scale=1 / 255), paper), np.uint8)


Done = TypeVar("Done")
HEARING = threading.Lock()


def quietly(act: Callable[[], Done]) -> tuple[Done, str]:
    """Do something with OpenCV, and return its result with what the libraries wrote to the error output meanwhile.

    They write to the process's own stream, past Python. What they write is kept off the terminal; one thread at a
    time is heard, and lines that another thread writes in that moment are put back.
    """
    with HEARING, tempfile.TemporaryFile() as kept:
        with redirected(kept):
            result = act()
        kept.seek(0)
        written = kept.read()
    lines = written.decode(errors="replace").splitlines()
    put_back([line for line in lines if line.strip() and not line.startswith(LIBRARIES)])
    return result, "\n".join(line for line in lines if line.startswith(LIBRARIES))


def put_back(lines: list[str]) -> None:
    """Write to the error output what another thread meant for it."""
    if lines:
        os.write(2, ("\n".join(lines) + "\n").encode())


@contextmanager
def redirected(kept: BinaryIO) -> Iterator[None]:
    """Send the process's error output to a file for a while; where there is none, do nothing."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        terminal = os.dup(2)
    except OSError:  # a service without an error output
        yield
        return
    os.dup2(kept.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
