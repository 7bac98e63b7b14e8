"""Die sets as files: a folder a set, with `set.json` and a PNG a picture, named by its face and what is in it.

`set.json` names its pictures, is written last and put in place in one step: a set is whole, as it was or as it is to
be, whatever interrupts. Pictures that it no longer names are taken away afterwards.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

import cv2

from dicevision.capture import open_picture
from dicevision.enrol import KEPT_PX, DieSet, Face
from dicevision.image import Frame
from dicevision.picture import BadPicture

FORMAT = 1
"""Of set.json. A reader of a later one reads this one too; this one refuses later ones."""

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
PICTURE = re.compile(r"D[0-9]{1,3}-[0-9]{1,2}-[0-9a-f]{16}\.png")
FACES = {f"D{sides}": range(1, sides + 1) for sides in (4, 6, 8, 10, 12, 20)} | {"D100": range(0, 100, 10)}
"""The dice that there are, and the values on them."""

_INDEX = "set.json"


class BadSet(ValueError):
    """A die set cannot be read, written or named so; the message says what was expected."""


class NoSet(BadSet):
    """There is no set of that name; the message names those there are."""


def names(folder: Path) -> tuple[str, ...]:
    """The sets kept in a folder, in alphabetical order; none where there is no such folder."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(path.parent.name for path in folder.glob(f"*/{_INDEX}") if NAME.fullmatch(path.parent.name)))


def load(folder: Path, name: str) -> DieSet:
    """The set of that name. Raises NoSet where there is none, BadSet where it is broken or a newer program's."""
    place, known_as = _place(folder, name), PurePath(name)
    try:
        text = (place / _INDEX).read_bytes()
    except FileNotFoundError:
        raise _none(folder, name) from None
    except OSError as error:
        raise BadSet(
            f"{known_as / _INDEX} cannot be read: {_reason(error)}; forget the set and enrol it anew."
        ) from None
    found = rows(known_as, index(known_as, text))
    return DieSet(name, tuple(face(known_as, row, lambda picture: open_picture(place / picture)) for row in found))


def _reason(error: OSError) -> str:
    """What the system says of a file, without its number."""
    return (error.strerror or "the system says no").lower()


def index(place: PurePath, text: bytes) -> Any:
    """The data of an index, as JSON has it. BadSet where it is none; `place` is what its folder is called."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        why = f"{error.msg.lower()} at line {error.lineno}"
    except UnicodeDecodeError:
        why = "it is not UTF-8 text"
    except RecursionError:
        why = "it is nested without end"
    except ValueError:
        why = "a number in it has thousands of digits"
    raise BadSet(f"{place / _INDEX} cannot be read as JSON ({why}): forget the set and enrol it anew.")


def _none(folder: Path, name: str) -> NoSet:
    return NoSet(f"There is no die set {name!r}; kept in {folder}: {', '.join(names(folder)) or 'none'}.")


def rows(place: PurePath, held: Any) -> list[Any]:
    """A row a face, of an index that was read from `place`. BadSet where it is none, or a newer program's."""
    form = held.get("format") if isinstance(held, Mapping) else None
    if isinstance(form, int) and form > FORMAT:
        raise BadSet(f"{place} is of format {form}, a newer program's; this one reads up to {FORMAT}: update it.")
    if not isinstance(held, Mapping) or form != FORMAT or not (isinstance(held.get("faces"), list) and held["faces"]):
        raise BadSet(f"{place / _INDEX} is no die set: expected format {FORMAT} and a list of faces; enrol it anew.")
    return list(held["faces"])


def face(place: PurePath, row: Any, opened: Callable[[str], Frame]) -> Face:
    """One face by its row; `opened` gives a picture by its name. BadSet where either is not what `save` writes."""
    try:
        die, value, label, picture = str(row["die"]), row["value"], str(row["label"]), str(row["picture"])
    except (KeyError, TypeError):
        raise BadSet(f"{place / _INDEX}: expected die, value, label and picture of a face, got {row!r:.80}.") from None
    if not isinstance(value, int) or not PICTURE.fullmatch(picture):
        got = f"{value!r:.40}, {picture[:80]!r}"
        raise BadSet(f"{place / _INDEX}: expected a whole value and a picture's name, got {got}.")
    if value not in FACES.get(die, ()):
        raise BadSet(f"{place / _INDEX}: expected a die from D4 to D100 and a face of it, got {die[:20]!r}, {value}.")
    try:
        crop = opened(picture)
    except BadPicture as error:
        raise BadSet(f"{place / picture}: {error} Show {label or value} of {place.name} again.") from None
    if crop.shape != (KEPT_PX, KEPT_PX, 3):
        raise BadSet(f"{place / picture}: expected {KEPT_PX}x{KEPT_PX} pixels, got {crop.shape[1]}x{crop.shape[0]}.")
    return Face(die, value, crop, label, picture)


def save(folder: Path, known: DieSet) -> None:
    """Keep a set, in place of one of that name. Raises BadSet for a bad name, OSError where it cannot be written."""
    place = _place(folder, known.name)
    place.mkdir(parents=True, exist_ok=True)
    rows = [
        {"die": face.die, "value": face.value, "label": face.label, "picture": _keep(place, face)}
        for face in known.faces
    ]
    _write(place, _INDEX, json.dumps({"format": FORMAT, "faces": rows}, indent=1).encode())
    named = {row["picture"] for row in rows}
    for path in place.iterdir():
        if path.name.startswith("half-") or (PICTURE.fullmatch(path.name) and path.name not in named):
            path.unlink(missing_ok=True)


def picture(face: Face) -> tuple[str, bytes]:
    """The name that a face's picture is kept under, the same for the same picture, and its PNG."""
    done, data = cv2.imencode(".png", face.crop)
    assert done, "PNG takes any 8-bit picture"
    return f"{face.die}-{face.value}-{hashlib.sha256(data.tobytes()).hexdigest()[:16]}.png", data.tobytes()


def picture_name(face: Face) -> str:
    """The name alone; of a face that is kept it costs nothing."""
    return face.picture or picture(face)[0]


def png(folder: Path, name: str, picture: str) -> bytes:
    """A kept picture's file; BadSet where it cannot be read."""
    try:
        return (_place(folder, name) / picture).read_bytes()
    except OSError as error:
        raise BadSet(f"The picture {picture} of {name} cannot be read: {_reason(error)}.") from None


def _keep(place: Path, face: Face) -> str:
    if face.picture and (place / face.picture).exists():
        return face.picture
    name, data = picture(face)
    if not (place / name).exists():
        _write(place, name, data)
    return name


def _write(place: Path, name: str, data: bytes) -> None:
    """Write under another name, sync, then rename: a file under its own name is always whole."""
    handle, half = tempfile.mkstemp(prefix="half-", dir=place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(half).replace(place / name)
    except OSError:
        Path(half).unlink(missing_ok=True)
        raise


def forget(folder: Path, name: str) -> None:
    """Take a set away with its pictures, broken ones too. NoSet where there is none, OSError where it must stay."""
    place = _place(folder, name)
    if not os.path.lexists(place / _INDEX):
        raise _none(folder, name)
    if (place / _INDEX).is_dir():
        shutil.rmtree(place / _INDEX)
    else:
        (place / _INDEX).unlink()
    shutil.rmtree(place, ignore_errors=True)


def stamp(folder: Path, name: str) -> int | None:
    """What changes whenever a set does: its index's time of writing, nanoseconds; None where there is no set.

    Raises BadSet for a bad name.
    """
    try:
        return (_place(folder, name) / _INDEX).stat().st_mtime_ns
    except OSError:
        return None


def _place(folder: Path, name: str) -> Path:
    if not NAME.fullmatch(name):
        raise BadSet(f"Expected a die set's name of 1 to 32 of a-z, 0-9 and hyphens, got {name[:80]!r}.")
    return folder / name
