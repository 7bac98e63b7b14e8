"""`dicetower enrol`: a player shows each face of a die set once or more; it is then read by comparison with them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicetower.cli.corrected import corrected
from dicetower.errors import BadInput
from dicetower.model import Die

if TYPE_CHECKING:
    from dicetower.sources.die_sets import DieSets
    from dicevision.enrol import DieSet, Face
    from dicevision.image import Frame, Points

Box = tuple[float, float, float, float]

LABEL = re.compile(r"[^\s=:,][^=:,]{0,23}")
"""What a symbol may be called: 1 to 24 characters, none of `=`, `:` or `,`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One argument: `6=six.png`, or `6:skull=six.png`."""

    value: int
    label: str
    photo: Path


@click.command(short_help="Teach it a set of your own dice: a photograph or more of each face.")
@click.argument("name", required=False)
@click.argument("faces", nargs=-1, metavar="[VALUE[:LABEL]=PHOTO]...")
@click.option("--die", type=click.Choice(list(Die), case_sensitive=False), help="The type of the die shown.")
@click.option(
    "--box",
    metavar="X,Y,W,H",
    help="Where the die lies in each photograph, in pixels, where it is not found by itself.",
)
@click.option("--forget", is_flag=True, help="Take the set NAME away, with its pictures.")
@click.option("--corrected", "show_corrected", is_flag=True, help="List the camera's dice that a person set right.")
@click.option("--table", metavar="NAME", help="With --corrected: one table's; else all that the journal holds.")
@click.option("--journal", metavar="FILE", help="With --corrected: the journal; else the configured one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a set or die and nothing else on stdout.")
def enrol(
    name: str | None,
    faces: Sequence[str],
    die: str | None,
    box: str | None,
    forget: bool,
    show_corrected: bool,
    table: str | None,
    journal: str | None,
    as_json: bool,
) -> int:
    """Teach it a set of your own dice.

    Photograph each face on top, the die alone and whole in the picture, under the camera that will read it:
    `dicetower enrol skulls --die D6 1=one.jpg 2=two.jpg 6:skull=skull.jpg`. A face may be shown several times, and a
    set may hold several dice. Without photographs it says what NAME holds, and without NAME which sets there are.

    A die that was misread at the table is a good picture to add: --corrected lists those there are.
    """
    if show_corrected:
        if name is not None:
            raise BadInput("--corrected lists dice and takes no name; then enrol the one you want by its picture.")
        _list_corrected(journal, table, as_json)
        return 0
    sets = kept_sets()
    if forget:
        _forgotten(sets, name, faces, as_json)
        return 0
    if faces:
        if name is None or die is None:
            raise BadInput("Expected the die's type with the photographs: dicetower enrol NAME --die D6 1=one.jpg ...")
        kept = added(sets, name, Die(die), [shown(text, Die(die)) for text in faces], _box(box))
        click.echo(json.dumps(in_json(kept, sets.folder)) if as_json else in_words(kept, sets.folder))
        return 0
    if name is None:
        return _list_all(sets, as_json)
    known = sets.load(name)
    click.echo(json.dumps(in_json(known, sets.folder)) if as_json else in_words(known, sets.folder))
    return 0


def _list_all(sets: DieSets, as_json: bool) -> int:
    """Print every set that is kept. A broken one is named on stderr, and the exit status is then 1."""
    names, broken = sets.names(), False
    for name in names:
        try:
            known = sets.load(name)
        except BadInput as error:
            broken = True
            click.echo(f"dicetower: {error}", err=True)
            if as_json:
                click.echo(json.dumps({"set": name, "folder": str(sets.folder / name), "fault": str(error)}))
        else:
            click.echo(json.dumps(in_json(known, sets.folder)) if as_json else in_words(known, sets.folder))
    if not names and not as_json:
        click.echo(f"No die set is kept in {sets.folder}.")
    return 1 if broken else 0


def _list_corrected(journal: str | None, table: str | None, as_json: bool) -> None:
    dice = corrected(journal, table)
    for one in dice:
        read = "asked about" if one.read is None else f"read as {one.read}"
        shown_as = f"--die {one.die} --box {_listed(one.box)} {one.value}={one.picture}"
        words = f"{one.table}  {one.die}  {read}, is {one.value}  {shown_as}"
        click.echo(json.dumps(asdict(one)) if as_json else words)
    if not as_json:
        click.echo(
            "Look at a picture before you enrol it: dicetower enrol NAME and its line from --die on."
            if dice
            else "No die of the camera's was set right by a person."
        )


def shown(text: str, die: Die) -> Shown:
    """Read one argument; a D10's 0 is its 10."""
    face, mark, photo = text.partition("=")
    value, colon, label = face.partition(":")
    if not mark or not photo or not re.fullmatch(r"[0-9]{1,2}", value, re.ASCII):
        raise BadInput(f"Expected VALUE=PHOTO, such as 6=six.jpg, or 6:skull=six.jpg; got {text[:60]!r}.")
    if colon and not LABEL.fullmatch(label):
        raise BadInput(
            f"Expected a name of 1 to 24 characters after the value, as in 6:skull=six.jpg; got {text[:60]!r}."
        )
    number = 10 if die is Die.D10 and int(value) == 0 else int(value)
    if not die.holds(number):
        raise BadInput(f"A {die} has no {number}; got {text[:60]!r}.")
    return Shown(number, label, Path(photo))


def _box(text: str | None) -> Box | None:
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,5}(,[0-9]{1,5}){3}", text, re.ASCII):
        raise BadInput(f"--box: expected X,Y,W,H in pixels, such as 300,200,120,120; got {text[:40]!r}.")
    x, y, width, height = (float(part) for part in text.split(","))
    return x, y, width, height


def added(sets: DieSets, name: str, die: Die, faces: Sequence[Shown], box: Box | None) -> DieSet:
    """The set with these photographs enrolled, kept; nothing of it is kept unless every photograph will do."""
    known = sets.get(name).joined([enrolled(one, die, box) for one in faces])
    sets.put(known)
    return known


def enrolled(one: Shown, die: Die, box: Box | None) -> Face:
    """The face in a photograph. BadInput where there is no single, whole die in it."""
    from dicevision import enrol, numerals
    from dicevision.capture import open_picture
    from dicevision.picture import BadPicture

    try:
        frame = open_picture(one.photo)
    except BadPicture as error:
        raise BadInput(f"{one.photo}: {error}") from None
    outline = _boxed(frame, box, one.photo) if box else the_die(frame, one.photo)
    if enrol.is_cut_off(frame, outline):
        raise BadInput(f"{one.photo}: the die is cut off by the picture's edge; photograph all of it.")
    disc = numerals.place(frame, outline, numerals.mine()).disc
    return enrol.enrolled(frame, disc, die, one.value, one.label)


def the_die(frame: Frame, photo: Path) -> Points:
    """The outline, (N, 2) pixels, of the one die in a photograph."""
    from dicevision import shots

    dice = shots.found(frame)
    if len(dice) != 1:
        found = f"{len(dice)} dice are" if dice else "no die is"
        raise BadInput(f"{photo}: {found} found; show the die alone, on a plain ground, or say where it lies: --box.")
    return dice[0].outline


def _boxed(frame: Frame, box: Box, photo: Path) -> Points:
    """A box's corners; BadInput where they do not lie in the picture."""
    import numpy as np

    x, y, width, height = box
    tall, long = frame.shape[:2]
    if min(width, height) < 8 or x + width > long or y + height > tall:
        raise BadInput(f"{photo}: --box: expected a box of 8 pixels or more within {long}x{tall}, got {_listed(box)}.")
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float32)


def _listed(box: Sequence[float]) -> str:
    return ",".join(f"{side:.0f}" for side in box)


def kept_sets(names: Sequence[str] = ()) -> DieSets:
    """The sets that are kept, with these in use."""
    from dicetower import settings
    from dicetower.sources.die_sets import DieSets

    return DieSets(settings.load().settings.die_set_folder, names)


def _forgotten(sets: DieSets, name: str | None, faces: Sequence[str], as_json: bool) -> None:
    if name is None or faces:
        raise BadInput("Expected the set's name alone: dicetower enrol NAME --forget.")
    sets.forget(name)
    click.echo(json.dumps({"set": name, "forgotten": True}) if as_json else f"{name} is forgotten.")


def owing(known: DieSet, die: str) -> tuple[int, ...]:
    """The faces of a die that no picture shows yet."""
    from dicetower.sources.die_sets import values_of

    return tuple(value for value in values_of(Die(die)) if value not in known.values(die))


def in_json(known: DieSet, folder: Path) -> dict[str, Any]:
    """Return a set's JSON line."""
    from dicetower.sources.die_sets import pairs_alike

    return {
        "set": known.name,
        "folder": str(folder / known.name),
        "dice": [
            {
                "die": die,
                "faces": [
                    {"value": value, "label": known.label(die, value), "pictures": count}
                    for value, count in _pictures(known, die)
                ],
                "owing": list(owing(known, die)),
            }
            for die in known.dice
        ],
        "alike": [list(pair) for pair in pairs_alike(known)],
    }


def _pictures(known: DieSet, die: str) -> list[tuple[int, int]]:
    """(value, how many pictures of it), by value."""
    return sorted(Counter(face.value for face in known.faces if face.die == die).items())


def in_words(known: DieSet, folder: Path) -> str:
    """Return a set as a person reads it: a line a die, then what is to be done."""
    from dicetower.sources.die_sets import pairs_alike

    lines = [f"{known.name}  {folder / known.name}"]
    for die in known.dice:
        held = ", ".join(
            f"{known.label(die, value)}{f' ({count} pictures)' if count > 1 else ''}"
            for value, count in _pictures(known, die)
        )
        lines.append(f"  {die}: {held}")
        if missing := owing(known, die):
            lines.append(f"  {die}: still to be shown: {', '.join(map(str, missing))}")
    for die, one, other in pairs_alike(known):
        lines.append(f"  {die}: {one} and {other} look alike and will be asked about; were both photographed right?")
    return "\n".join(lines)


def register(main: click.Group) -> None:
    """Add this file's command."""
    main.add_command(enrol)
