"""Everything about reading that may be set, with its unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Params:
    """How to read. The defaults are meant for every tray; a table changes them only with a reason.

    sure_at: the least probability of being right at which a value is given without asking, 0 to 1. Its curve, on
    drawn scenes and photographs, is in docs/judge-card.md.
    """

    sure_at: float = 0.6
