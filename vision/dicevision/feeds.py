"""What a camera is called, and how its frames are had: by index, device, address, video file or folder of pictures.

    "0"                          the first camera of this machine
    "/dev/video2"                a device, by its path
    "rtsp://…", "http://…"       a network camera, or a telephone's MJPEG
    "throw.mp4", "pictures/"     a video file at its own pace; a folder's pictures in order of name, and those that come

One feed is one opening: it gives frames until it ends, and is then opened anew by `live`.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import cv2
import numpy as np

from dicevision.capture import open_picture
from dicevision.image import LARGEST_PX, Frame
from dicevision.picture import BadPicture

ASKED_SIZE = (1920, 1080)
"""Pixels asked of a camera on this machine; its driver gives the nearest that it has. A 16 mm die in a 400 mm tray
is then some 70 pixels wide."""

ANSWERS_MS = 5000
"""How long a network camera may take to answer, or to send its next frame, before it is opened anew."""

FOLDER_PACE_S = 0.1
"""Seconds from one picture of a folder to the next: a folder has no pace of its own."""

SCHEMES = ("http", "https", "rtsp", "rtsps")
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")


class NoFeed(Exception):
    """A camera that cannot be opened; the message is a sentence that says what to do."""


class Feed(Protocol):
    """An opened camera."""

    def read(self) -> Frame | None:
        """The next frame, waiting for it as the camera does; None where there is none now (see `ended`)."""

    @property
    def ended(self) -> str:
        """Why no frame will come any more from this opening, in a sentence; empty while one may."""

    @property
    def over(self) -> bool:
        """Whether it is not to be opened anew: a file at its end."""

    @property
    def reopens(self) -> bool:
        """Whether opening it anew may help where nothing new comes."""

    def close(self) -> None:
        """Free the device."""


def is_address(source: str) -> bool:
    """Whether a source is a network camera's."""
    return urlsplit(source).scheme.lower() in SCHEMES


def is_device(source: str) -> bool:
    """Whether a source is a camera of this machine: an index, or a device's path."""
    return re.fullmatch(r"\d{1,3}", source) is not None or source.startswith("/dev/")


def spoken(source: str) -> str:
    """The source as screens and logs may show it: an address without name and password, a file by its name alone."""
    if is_address(source):
        parts = urlsplit(source)
        try:
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            port = ""
        return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"
    if is_device(source):
        return f"camera {source}" if source.isdigit() else source
    return Path(source).name or source


def opened(source: str) -> Feed:
    """Open a source; NoFeed says in a sentence why not."""
    if is_device(source):
        return _device(source)
    if is_address(source):
        return Captured(_network(source), f"{spoken(source)} stopped sending: is it switched on and in this network?")
    if "://" in source:
        raise NoFeed(f"{source.split('://')[0]}:// is no address of a camera; expected one of {', '.join(SCHEMES)}.")
    path = Path(source).expanduser()
    if path.is_dir():
        return Folder(path)
    if not path.exists():
        raise NoFeed(f"There is no {source}: name a camera's number, device, address, a video file or a folder.")
    return _video(path)


def found() -> list[str]:
    """The cameras of this machine that could be opened, as sources. Nothing is opened to tell."""
    return [str(path) for path in sorted(Path("/dev").glob("video*"), key=_number) if _may_capture(path)]


def _number(path: Path) -> int:
    digits = re.sub(r"\D", "", path.name)
    return int(digits) if digits else 0


def _may_capture(path: Path) -> bool:
    """Whether a device is one that pictures come from: a webcam's second node gives only its settings (index 1)."""
    index = Path("/sys/class/video4linux") / path.name / "index"
    try:
        return index.read_text().strip() == "0"
    except OSError:
        return True


def _quiet() -> None:
    """Keep what OpenCV and FFmpeg have to say of a camera off the terminal: our own sentences tell it."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def _device(source: str) -> Feed:
    _quiet()
    if source.isdigit():
        capture = cv2.VideoCapture(int(source))
        path = Path(f"/dev/video{source}")
    else:
        path = Path(source)
        if not path.exists():
            raise NoFeed(f"There is no {source}: is the camera plugged in?")
        if not stat.S_ISCHR(path.stat().st_mode):
            raise NoFeed(f"{source} is no camera.")
        capture = cv2.VideoCapture(source, cv2.CAP_V4L2)
    if not capture.isOpened():
        raise NoFeed(_why_not(source, path))
    fourcc = cv2.VideoWriter.fourcc(*"MJPG")  # uncompressed, 1920x1080 does not fit USB 2 at 30 frames a second
    for key, value in (
        (cv2.CAP_PROP_FOURCC, fourcc),
        (cv2.CAP_PROP_FRAME_WIDTH, ASKED_SIZE[0]),
        (cv2.CAP_PROP_FRAME_HEIGHT, ASKED_SIZE[1]),
        (cv2.CAP_PROP_BUFFERSIZE, 1),
    ):
        capture.set(key, value)
    return Captured(capture, f"{spoken(source)[:1].upper()}{spoken(source)[1:]} stopped: is it still plugged in?")


def _why_not(source: str, path: Path) -> str:
    """Why a camera of this machine does not open."""
    name = spoken(source)
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return (
            f"This user may not open {path}: add it to the group video (`sudo usermod -aG video $USER`), log in anew."
        )
    if path.exists():
        return f"{name[:1].upper()}{name[1:]} cannot be opened: close the program that uses it, or plug it in anew."
    return f"There is no {name}: is it plugged in? `ls /dev/video*` lists those there are."


def _network(source: str) -> cv2.VideoCapture:
    _quiet()
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, ANSWERS_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, ANSWERS_MS]
    capture = cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)
    if not capture.isOpened():
        raise NoFeed(f"{spoken(source)} does not answer with a picture: is it switched on, and the address right?")
    return capture


def _video(path: Path) -> Feed:
    if path.suffix.lower() in PICTURES:
        raise NoFeed(f"{path.name} is one picture, and no camera: read it with `dicetower read`, or name its folder.")
    _quiet()
    capture = cv2.VideoCapture(str(path.resolve()), cv2.CAP_FFMPEG)
    if not path.is_file() or not capture.isOpened():
        raise NoFeed(f"{path.name} is no video that can be read.")
    rate = capture.get(cv2.CAP_PROP_FPS)
    return Captured(capture, f"The video {path.name} has ended.", 1 / rate if 1 <= rate <= 240 else 1 / 30)


class Captured:
    """What OpenCV opened: `lost` says that it went. A video file has a pace, seconds from one frame to the next."""

    reopens = True

    def __init__(self, capture: cv2.VideoCapture, lost: str, pace_s: float = 0.0) -> None:
        self._capture, self._lost = capture, lost
        self._pace, self._once = Pace(pace_s), pace_s > 0
        self._ended = ""

    @property
    def over(self) -> bool:
        """See `Feed`."""
        return self._once and bool(self._ended)

    @property
    def ended(self) -> str:
        """See `Feed`."""
        return self._ended

    def read(self) -> Frame | None:
        """See `Feed`."""
        self._pace.wait()
        try:
            done, picture = self._capture.read()
        except cv2.error:
            done, picture = False, None
        if not done or picture is None:
            self._ended = self._lost
            return None
        return framed(np.asarray(picture, np.uint8))

    def close(self) -> None:
        """See `Feed`."""
        self._capture.release()


class Folder:
    """A folder's pictures in order of name; then those that come. A half-written one is tried again."""

    over = reopens = False

    def __init__(self, folder: Path, pace_s: float = FOLDER_PACE_S) -> None:
        self._folder, self._pace = folder, Pace(pace_s)
        self._last = ""
        self._ended = ""

    @property
    def ended(self) -> str:
        """See `Feed`."""
        return self._ended

    def read(self) -> Frame | None:
        """See `Feed`; None where no picture is new."""
        self._pace.wait()
        try:
            names = sorted(entry.name for entry in os.scandir(self._folder) if entry.name.lower().endswith(PICTURES))
        except OSError as error:
            self._ended = f"The folder {self._folder.name} cannot be read: {error.strerror}."
            return None
        for name in names:
            if name <= self._last:
                continue
            try:
                frame = framed(open_picture(self._folder / name))
            except BadPicture:
                continue
            self._last = name
            return frame
        return None

    def close(self) -> None:
        """Nothing is held."""


class Pace:
    """Waits so that calls come no faster than one in `every_s`."""

    def __init__(self, every_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s, self._clock = every_s, clock
        self._next = clock()

    def wait(self) -> None:
        """Return when it is time; at once where the caller is late."""
        now = self._clock()
        if self._next > now:
            time.sleep(self._next - now)
        self._next = max(self._next, now) + self._every_s


def framed(picture: Frame) -> Frame | None:
    """What a camera gave, as a frame: grey is made three channels; None for what the reader would not take."""
    if picture.ndim == 2:
        picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.shape[0] * picture.shape[1] > LARGEST_PX:
        return None
    return np.ascontiguousarray(picture)
