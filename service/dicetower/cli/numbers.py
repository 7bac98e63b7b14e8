"""Numbers on the command line, checked while the arguments are read: what cannot be is refused before anything runs."""

from __future__ import annotations

import math
from typing import Any

import click

PORT = click.IntRange(0, 65535)
"""A TCP port; 0 is any free one."""

WEEK_S = 7 * 24 * 3600.0
"""The longest a command is told to wait; one that is to run on is ended by Ctrl-C."""


class Number(click.FloatRange):
    """A number in a range. `nan` lies in every range for click, since it compares with nothing; here it is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"expected a number that can be counted to, got {value!r:.40}.", param, ctx)
        return number


SECONDS = Number(0, WEEK_S)
