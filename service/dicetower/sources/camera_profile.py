"""A camera's set-up, kept under a name: `cameras/NAME.toml` beside the configuration.

What the empty tray looked like lies beside it as `NAME.png`. A file is written whole under another name, synced and
renamed, so that a crash leaves the old one.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dicetower.errors import BadInput, NotFound, Unavailable, why_unreadable
from dicetower.sources import whole
from dicetower.sources.in_tray import Part, Place

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
"""A profile's name is its file's: no name can lead out of the folder."""

WHOLE: tuple[Place, ...] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
FILE_MAX = 64 * 1024
EMPTY_MAX = 8 << 20


@dataclass(frozen=True, slots=True)
class Profile:
    """A camera and its tray. What each field means: `dicevision.tray.Tray`; `empty` is the empty tray as a PNG.

    tilt: how the camera looks down, as the dice have shown (`dicevision.params.Params.tilt`).
    """

    name: str = "tray"
    source: str = ""
    corners: tuple[Place, ...] = WHOLE
    turn: int = 0
    width_mm: float | None = None
    zones: tuple[Part, ...] = ()
    empty: bytes | None = None
    tilt: Place | None = None

    def sees_as(self, other: Profile) -> bool:
        """Whether it is the same camera and looks at the same tray, so that what was learnt of it holds for both."""
        return (self.source, self.corners, self.turn) == (other.source, other.corners, other.turn)


class Profiles:
    """The folder of profiles. It is made when the first is saved."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """Those there are, in order."""
        try:
            found = [path.stem for path in self.folder.glob("*.toml")]
        except OSError:
            return []
        return sorted(name for name in found if NAME.fullmatch(name))

    def load(self, name: str) -> Profile:
        """Return a profile; NotFound where there is none, BadInput where its file is wrong."""
        path = self._path(name)
        if not path.is_file():
            kept = ", ".join(self.names()) or "none yet"
            raise NotFound(f"There is no camera profile {name!r}; there are: {kept}. The page /setup makes one.")
        try:
            text = path.read_bytes()[:FILE_MAX].decode()
            return _made(name, tomllib.loads(text), self._empty(name))
        except (OSError, ValueError, RecursionError) as error:  # TOML's and Unicode's errors are ValueErrors
            raise BadInput(f"{path}: {why_unreadable(error)}. Mend it, or save the profile anew at /setup.") from error

    def save(self, profile: Profile) -> None:
        """Write a profile in place of any of that name; Unavailable where the disk says no."""
        path = self._path(profile.name)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if profile.empty is not None:
                whole.put(path.with_suffix(".png"), profile.empty)
            whole.put(path, _text(profile).encode())
            if profile.empty is None:
                path.with_suffix(".png").unlink(missing_ok=True)
        except OSError as error:
            raise Unavailable(
                f"The profile cannot be written to {self.folder}: {error.strerror or error}; the old one stands."
            ) from error

    def _path(self, name: str) -> Path:
        if NAME.fullmatch(name) is None:
            raise BadInput(f"A profile's name is 1 to 32 of a-z, 0-9 and hyphens; got {name!r:.60}.")
        return self.folder / f"{name}.toml"

    def _empty(self, name: str) -> bytes | None:
        path = self._path(name).with_suffix(".png")
        return path.read_bytes() if path.is_file() and path.stat().st_size <= EMPTY_MAX else None


def _text(profile: Profile) -> str:
    """The profile as TOML. JSON's strings and lists are TOML's too."""
    lines = [
        "# Written by the page /setup. Places are shares of the camera's picture: x, y from 0 to 1, from its top left.",
        f"source = {_string(profile.source)}",
        f"corners = {_places(profile.corners)}",
        f"turn = {profile.turn}  # quarter turns clockwise",
    ]
    if profile.width_mm is not None:
        lines.append(f"width_mm = {profile.width_mm}  # from the first corner to the second")
    if profile.tilt is not None:
        lines.append(f"tilt = {list(profile.tilt)}  # how the camera looks down, as the dice have shown")
    for part in profile.zones:
        lines += ["", "[[zones]]", f"name = {_string(part.name)}", f"corners = {_places(part.corners)}"]
    return "\n".join(lines) + "\n"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _places(places: tuple[Place, ...]) -> str:
    return json.dumps([[round(float(x), 5), round(float(y), 5)] for x, y in places])


def _made(name: str, data: Mapping[str, Any], empty: bytes | None) -> Profile:
    known = {"source", "corners", "turn", "width_mm", "zones", "tilt"}
    if unknown := sorted(data.keys() - known):
        raise ValueError(f"{unknown[0]} is no key of a profile; expected one of {', '.join(sorted(known))}")
    source, turn, width = data.get("source", ""), data.get("turn", 0), data.get("width_mm")
    if not isinstance(source, str):
        raise ValueError(f"source: expected a text, got {source!r:.60}")  # noqa: TRY004 - all faults of a file are one
    if type(turn) is not int or not 0 <= turn <= 3:
        raise ValueError(f"turn: expected 0 to 3, got {turn!r:.60}")
    if width is not None and (type(width) not in (int, float) or not math.isfinite(width)):
        raise ValueError(f"width_mm: expected millimetres, got {width!r:.60}")
    zones = data.get("zones", [])
    if not isinstance(zones, list) or len(zones) > 16:
        raise ValueError("zones: expected at most 16 tables")
    parts = tuple(_part(zone) for zone in zones)
    corners = placed(data.get("corners", [list(place) for place in WHOLE]), "corners")
    tilt = _tilt(data.get("tilt"))
    return Profile(name, source, corners, turn, None if width is None else float(width), parts, empty, tilt)


def _tilt(value: Any) -> Place | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(type(x) in (int, float) for x in value):
        raise ValueError(f"tilt: expected two numbers from -1 to 1, got {value!r:.60}")
    if not math.hypot(*value) <= 1:
        raise ValueError(f"tilt: expected the sine of an angle, 1 at most, got {value!r:.60}")
    return float(value[0]), float(value[1])


def _part(zone: Any) -> Part:
    if not isinstance(zone, dict) or zone.keys() != {"name", "corners"} or not isinstance(zone["name"], str):
        raise ValueError("zones: expected a name and corners in each")
    return Part(zone["name"], placed(zone["corners"], f"zones: {zone['name'][:30]}"))


def placed(value: Any, what: str) -> tuple[Place, ...]:
    """Corners from plain lists; ValueError where they are none."""
    if not isinstance(value, list) or not 3 <= len(value) <= 12:
        raise ValueError(f"{what}: expected 3 to 12 corners")
    if not all(isinstance(each, list | tuple) and len(each) == 2 and all(map(_share, each)) for each in value):
        raise ValueError(f"{what}: expected each corner as two numbers from 0 to 1")
    return tuple((float(x), float(y)) for x, y in value)


def _share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1
