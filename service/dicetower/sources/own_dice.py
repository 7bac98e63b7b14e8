"""Dice that players have shown, as files of a tape, so that a picture read by them is read again as it was.

    sets/INDEX.json    the set's name, and of each face its die, value, label and picture
    sets/PICTURE.png   a face

Every file is named by the digest of what is in it: a set that changes while a tape is recorded is another file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import PurePosixPath

from dicetower.errors import BadTape
from dicevision import diesets
from dicevision.capture import decode
from dicevision.enrol import DieSet

OwnDice = DieSet
FOLDER = PurePosixPath("sets")


def packed(known: OwnDice) -> tuple[str, dict[str, bytes]]:
    """The name of a set's index in a tape, and all its files by their names there."""
    pictures = [diesets.picture(face) for face in known.faces]
    rows = [
        {"die": face.die, "value": face.value, "label": face.label, "picture": name}
        for face, (name, _) in zip(known.faces, pictures, strict=True)
    ]
    text = json.dumps({"format": diesets.FORMAT, "name": known.name, "faces": rows}, indent=1).encode()
    index = str(FOLDER / f"{hashlib.sha256(text).hexdigest()[:16]}.json")
    return index, {index: text} | {str(FOLDER / name): png for name, png in pictures}


def unpacked(index: str, bytes_of: Callable[[str], bytes]) -> OwnDice:
    """The set with that index; `bytes_of` gives a tape's file by its name. BadTape where it is none."""
    try:
        held = diesets.index(FOLDER, bytes_of(index))
        rows = diesets.rows(FOLDER, held)
        faces = tuple(diesets.face(FOLDER, row, lambda name: decode(bytes_of(str(FOLDER / name)))) for row in rows)
        return DieSet(str(held.get("name", "")), faces)
    except (ValueError, diesets.BadSet) as error:
        raise BadTape(f"{index}: expected a die set as the recorder writes it: {error}") from None
