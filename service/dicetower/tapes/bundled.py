"""The tapes that come with the program: in a checkout `fixtures/tapes`, in an installed package a copy of it."""

from __future__ import annotations

from pathlib import Path

from dicetower.errors import Unavailable

CHECKOUT = Path(__file__).parents[3] / "fixtures" / "tapes"
PACKAGED = Path(__file__).parent / "bundled"


def folder() -> Path:
    """Return the folder of tapes; Unavailable where neither place has it."""
    for place in (CHECKOUT, PACKAGED):
        if place.is_dir():
            return place
    raise Unavailable("The bundled tapes are missing from this installation; install dicetower again.")
