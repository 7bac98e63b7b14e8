"""Each row's checksum takes in the checksum before it: a row that was changed, dropped or put in is noticed.

It guards against damage and against edits by mistake; whoever rewrites every row can rewrite every checksum.
"""

from __future__ import annotations

import hashlib
import json

START = ""
"""The checksum before a table's first row."""


def link(before: str, table: str, seq: int, kind: str, data: str, at_ms: int) -> str:
    """Return the SHA-256, in hex digits, of a row and the checksum `before` it. `data` is the stored text."""
    row = json.dumps([before, table, seq, kind, data, at_ms], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(row.encode("ascii")).hexdigest()
