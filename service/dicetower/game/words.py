"""What a page and a log call things: "Red's size die", "a D8"."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

from dicetower.assign import short
from dicetower.game.state import SlotState
from dicetower.model import Die

BLANK = str.maketrans("", "", "\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs of Unicode that are printable by its tables and draw nothing (Hangul fillers, Braille blank)."""


def can_be_read(text: str) -> bool:
    """Whether `text` is one line, and shows something wherever it says that it does."""
    return bool(text.strip()) and text.isprintable() and text == text.translate(BLANK)


def look(text: str) -> str:
    """The same for all texts that a reader takes for one: case, full width and composed accents make no difference."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def slot_words(slot: SlotState, name: Callable[[str], str]) -> str:
    """`Red's size die`."""
    return f"{name(slot.player)}'s {short(slot.name)} die"


def die_words(die: Die | None) -> str:
    """`a D8`; a die of unknown type is just `a die`."""
    return "a die" if die is None else f"a {die}"


def both(words: Iterable[str]) -> str:
    """`one, two and three`; empty for none."""
    *most, last = list(words) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def either(words: Iterable[object]) -> str:
    """`a 3 or a 5`, with the article that is spoken (an 8, an 11, an 18)."""
    *most, last = [f"{'an' if str(word) in ('8', '11', '18') else 'a'} {word}" for word in words]
    return f"{', '.join(most)} or {last}" if most else last
