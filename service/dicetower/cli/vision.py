"""`dicetower read`: dice read from photographs, one line a photograph."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicetower.cli.enrol import kept_sets
from dicetower.errors import BadInput

if TYPE_CHECKING:
    from dicevision.enrol import DieSet
    from dicevision.read import DieReading, TrayReading


@dataclass(frozen=True, slots=True)
class Answer:
    """What one photograph gave: a reading, or the sentence that says why there is none."""

    photo: str
    tray: TrayReading | None = None
    error: str | None = None


@click.command("read")
@click.argument("photos", nargs=-1, required=True, metavar="PHOTO...")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a photo and nothing else on stdout.")
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Read this enrolled die set by its own faces too.")
@click.option("--debug", type=click.Path(path_type=Path), metavar="DIR", help="Save a picture of each stage in DIR.")
def read_photos(photos: Sequence[str], as_json: bool, sets: Sequence[str], debug: Path | None) -> int:
    """Read the dice in photographs. A die that is not sure has no value: look at it."""
    failed = False
    for answer in answers(photos, debug, kept_sets(sets).own()):
        click.echo(json.dumps(in_json(answer)) if as_json else in_words(answer))
        sys.stdout.flush()
        if answer.error is not None:
            failed = True
            click.echo(f"dicetower: {called(answer.photo)}: {answer.error}", err=True)
    return 1 if failed else 0


def answers(photos: Sequence[str], debug: Path | None, known: DieSet | None = None) -> Iterator[Answer]:
    """Yield each photograph's answer, in the order given; `known` dice are read by their own faces."""
    from dicevision.capture import open_picture
    from dicevision.debug import Stages, drawn
    from dicevision.image import BadFrame
    from dicevision.picture import BadPicture
    from dicevision.read import read

    reading = partial(read, own=known) if known else read
    for number, photo in enumerate(photos, 1):
        if not photo:
            yield Answer(photo, error="Expected the name of a photograph, got an empty one.")
            continue
        try:
            frame = open_picture(Path(photo))
            stages = Stages(debug, f"{number:03d}-{Path(photo).stem}") if debug is not None else None
            if stages is not None:
                stages("frame", frame)
            tray = reading(frame, trace=stages)
            if stages is not None:
                stages("read", drawn(frame, tray))
            yield Answer(photo, tray)
        except BadPicture as error:
            yield Answer(photo, error=str(error))
        except BadFrame as error:
            yield Answer(photo, error=f"{str(error)[:1].upper()}{str(error)[1:]}.")
        except OSError as error:
            raise BadInput(f"--debug {debug}: expected a folder that can be written to; {error.strerror}.") from None


def called(photo: str) -> str:
    """A photograph's name as it is printed; an empty one is still seen."""
    return click.format_filename(photo) or repr(photo)


def in_json(answer: Answer) -> dict[str, Any]:
    """Return an answer's JSON line."""
    if answer.tray is None:
        return {"image": answer.photo, "error": answer.error}
    return {
        "image": answer.photo,
        "size": list(answer.tray.size),
        "dice": [die_in_json(die) for die in answer.tray.dice],
    }


def die_in_json(die: DieReading) -> dict[str, Any]:
    """Return one die's part of the line; its value is null where it is not sure."""
    return {
        "die": die.die,
        "value": die.value if die.status == "sure" else None,
        "status": die.status,
        "cocked": die.cocked,
        "confidence": round(die.confidence, 4),
        "box": list(die.box),
        "colour": die.colour,
        "candidates": [[value, round(likely, 4)] for value, likely in die.candidates],
    }


def in_words(answer: Answer) -> str:
    """Return an answer as a person reads it: the photograph, then a line a die."""
    name = called(answer.photo)
    if answer.tray is None:
        return f"{name}  not read"
    dice = answer.tray.dice
    width, height = answer.tray.size
    head = f"{name}  {width}x{height}  {summary(dice)}"
    return "\n".join([head, *(die_in_words(die) for die in dice)])


def summary(dice: Sequence[DieReading]) -> str:
    """Say how many dice there are and how many must be looked at."""
    if not dice:
        return "no dice"
    unsure = sum(die.status != "sure" for die in dice)
    count = "1 die" if len(dice) == 1 else f"{len(dice)} dice"
    return f"{count}, {unsure} unsure" if unsure else count


def die_in_words(die: DieReading) -> str:
    """Say one die: what it shows, where it lies, and why it is not sure."""
    x, y, width, height = die.box
    shows = str(die.value) if die.status == "sure" else "?"
    cocked = "  cocked" if die.cocked else ""
    line = f"  {die.die or 'die':<5}{shows:>2}  {die.colour}  at {x},{y}  {width}x{height}{cocked}"
    if die.status == "sure":
        return line
    likely = " or ".join(f"{value} ({share:.0%})" for value, share in die.candidates[:3])
    why = f": {'; '.join(die.reasons)}" if die.reasons else ""
    return f"{line}  unsure, {likely or 'no guess'}{why}"


def register(main: click.Group) -> None:
    """Add this file's commands."""
    main.add_command(read_photos)
