"""How the rules spell: one spelling for what people type, and lists as a sentence has them."""

from __future__ import annotations

import re
from collections.abc import Sequence

QUOTED_MAX = 40
"""Longest piece of somebody's text that a message repeats, in characters; a sentence stays a sentence."""

ENORMOUS = 10**18
"""Whole numbers from here on are not spelt out (Python refuses to write those of more than 4300 digits)."""


def plain(text: str) -> str:
    """One spelling: lower case, hyphens between words ("Close Assault" -> "close-assault")."""
    return re.sub(r"[\s_-]+", "-", text.strip().casefold())


def either(words: Sequence[object]) -> str:
    """`close, medium or long`."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} or {last}" if most else last


def both(words: Sequence[object]) -> str:
    """`close, medium and long`."""
    *most, last = [str(word) for word in words]
    return f"{', '.join(most)} and {last}" if most else last


def uncapital(text: str) -> str:
    """The first letter made small, for a sentence that follows a colon: "A D8 has" is then "a D8 has"."""
    return f"{text[:1].lower()}{text[1:]}"


def capital(text: str) -> str:
    """The first letter made a capital, the rest left alone (`str.capitalize` would spoil "close HEL")."""
    return text[:1].upper() + text[1:]


def quoted(text: object) -> str:
    """What somebody sent, in quotes if it is text, cut where it is long."""
    if isinstance(text, int) and abs(text) >= ENORMOUS:
        return "an enormous number"
    shown = repr(text)
    return shown if len(shown) <= QUOTED_MAX else f"{shown[: QUOTED_MAX - 4]}...{shown[-1]}"
