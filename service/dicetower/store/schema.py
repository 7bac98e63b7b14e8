"""The journal's tables, in SQL that SQLite and PostgreSQL both speak. Nothing here is ever updated but `head`."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, MetaData, String, Table, Text

SCHEMA = 1
"""The version of what is below; a journal of a higher one is refused."""

METADATA = MetaData()

META = Table(
    "dicetower_meta",
    METADATA,
    Column("key", String(32), primary_key=True),
    Column("value", Text, nullable=False),
)
"""`schema`, and `id`: a random name of this journal."""

HEADS = Table(
    "dicetower_head",
    METADATA,
    Column("table_name", String(64), primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("chain", String(64), nullable=False),
)
"""Each table's last event, moved on in the transaction that appends: rows missing at the end are noticed by it."""

EVENTS = Table(
    "dicetower_event",
    METADATA,
    Column("table_name", String(64), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("chain", String(64), nullable=False),
)
"""The events. `data` is JSON text, `at_ms` Unix time in milliseconds, `chain` see chain.py."""
