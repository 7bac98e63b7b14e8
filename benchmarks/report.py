"""A result as a JSON line and as lines of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.scoring import Judged, Tally
from benchmarks.vision import Result


def in_words(image: str, one: Judged) -> dict[str, Any]:
    """Say what was expected and what came."""
    expected = (
        None if one.label is None else f"{one.label.die} {one.label.value}{' cocked' if one.label.cocked else ''}"
    )
    found, box = one.detection, one.label.box if one.label is not None else None
    got = found and f"{found.die or 'a die'} {found.value}{' cocked' if found.cocked else ''}"
    place = found.box if found is not None else box
    return {
        "image": image,
        "verdict": one.verdict.value,
        "expected": expected,
        "got": got,
        "confidence": found and round(found.confidence, 3),
        "box": place and [round(side) for side in place],
    }


def as_json(result: Result) -> dict[str, Any]:
    """Return a result's JSON line; shares are None where nothing was counted."""
    return {
        "set": result.set,
        "reader": result.reader,
        "setting": result.setting,
        "pictures": result.pictures,
        **counts(result.tally),
        "by_die": {die: counts(tally) for die, tally in result.by_die.items()},
        "ms_per_picture": round(result.ms, 2),
        "pictures_per_core_second_at_640x480": round(result.per_core_second, 1),
        "peak_mb": round(result.peak_mb, 1),
        "misread": [in_words(image, one) for image, one in result.misread],
    }


def counts(tally: Tally) -> dict[str, Any]:
    """Return the counts, each share beside what it is a share of."""
    return {
        "dice": tally.dice,
        "right": tally.right,
        "unsure": tally.unsure,
        "wrong": tally.wrong,
        "missed": tally.missed,
        "invented_sure": tally.invented_sure,
        "invented_unsure": tally.invented_unsure,
        "right_share": None if tally.right_share is None else round(tally.right_share, 4),
        "wrong_among_sure": None if tally.wrong_share is None else round(tally.wrong_share, 4),
    }


COLUMNS = (-25, -13, -5, 5, 13, 8, 20, 8, 12, 8, 7, 6)
"""Widths in characters; less than 0: words, set to the left."""
HEADINGS = (
    "set",
    "reader",
    "die",
    "dice",
    "right",
    "unsure",
    "wrong of sure",
    "missed",
    "invented",
    "ms",
    "per s",
    "MB",
)


def heading() -> str:
    """Return the table's first line."""
    return line(HEADINGS)


def rows(result: Result) -> list[str]:
    """Return a result's lines: the whole set, then each die type where there are several."""
    speeds = (f"{result.ms:.1f}", f"{result.per_core_second:.0f}", f"{result.peak_mb:.0f}")
    whole = line((result.set, result.reader, "all", *cells(result.tally), *speeds))
    if len(result.by_die) < 2:
        return [whole]
    return [whole, *(line(("", "", die, *cells(tally), "", "", "")) for die, tally in result.by_die.items())]


def cells(tally: Tally) -> tuple[str, ...]:
    """Return a tally's cells: counts, with shares where a share says more."""
    return (
        str(tally.dice),
        f"{tally.right}{percent(tally.right_share)}",
        str(tally.unsure),
        f"{tally.wrong} of {tally.sure}{percent(tally.wrong_share)}",
        str(tally.missed),
        f"{tally.invented_sure} + {tally.invented_unsure}",
    )


def percent(share: float | None) -> str:
    """Return " 93.1%", or nothing where there is no share."""
    return "" if share is None else f" {share:.1%}"


def line(cells: Sequence[str]) -> str:
    """Set cells in columns."""
    pairs = zip(cells, COLUMNS, strict=True)
    return "".join(cell.ljust(-wide) if wide < 0 else cell.rjust(wide) for cell, wide in pairs).rstrip()


NOTES = """
right: sure, type and value as labelled. wrong of sure: misread without a word.
invented: sure + unsure, on no labelled die. ms: median wall time of a picture as it is.
per s: pictures of 640x480 that a core reads in a second. MB: the whole process.
"""
