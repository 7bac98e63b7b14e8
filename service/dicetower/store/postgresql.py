"""What only PostgreSQL needs: the tables made once, and a lock that the server frees when its holder is gone."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, Engine, func, insert, select

from dicetower.errors import StoreError
from dicetower.store.schema import META, METADATA, SCHEMA

LOCK = 0x44494345
"""`DICE`: the advisory lock that the one writing service of a database holds."""


def prepare(engine: Engine, journal: str) -> Callable[[], None]:
    """Take the lock, make the tables where there are none, and return what gives the lock back.

    StoreError where another service holds it, or the journal is of a newer schema.
    """
    holder = engine.connect()
    holder.detach()  # its close ends the connection, and with it the lock
    try:
        _lock(holder)
        with engine.begin() as connection:
            _make(connection, journal)
    except BaseException:
        holder.close()
        raise
    return holder.close


def _lock(holder: Connection) -> None:
    taken = holder.scalar(select(func.pg_try_advisory_lock(LOCK)))
    holder.commit()
    if not taken:
        raise StoreError("The journal is in use by another Dicetower; stop that one, or name another database.")


def _make(connection: Connection, journal: str) -> None:
    METADATA.create_all(connection)
    known = {row.key: row.value for row in connection.execute(select(META.c.key, META.c.value))}
    if not known:
        rows = [{"key": "id", "value": journal}, {"key": "schema", "value": str(SCHEMA)}]
        connection.execute(insert(META), rows)
    if int(known.get("schema", SCHEMA)) > SCHEMA:
        raise StoreError("The journal was written by a newer Dicetower; open it with the newer version.")
