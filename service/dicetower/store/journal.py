"""The journal in a database: append-only, chained, one transaction an append. The only file with SQL statements."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, create_engine, insert, select, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from dicetower.errors import BadInput, Conflict, StoreError
from dicetower.model import Recorded
from dicetower.store import postgresql, sqlite
from dicetower.store.chain import START, link
from dicetower.store.lock import JournalLock
from dicetower.store.schema import EVENTS, HEADS, META, SCHEMA

PAGE = 500
"""Rows read in one go: a long history is never held in memory, nor a read transaction open for long."""

ROOM_BYTES = 64 * 1024
"""More than one throw needs, with the pages that SQLite writes for it."""

BUSY_S = 5.0
"""How long another program's lock on the file is waited for."""

Clock = Callable[[], int]


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class _Head(NamedTuple):
    seq: int
    chain: str


def open_journal(where: str | Path, *, busy_s: float = BUSY_S, now_ms: Clock = _now_ms) -> Journal:
    """Open the journal to write, making it if there is none; nobody else can until it is closed.

    `where` is a file, or an SQLAlchemy URL (`sqlite:///...`, `postgresql+psycopg://...`). StoreError says what
    stands in the way; then nothing was changed.
    """
    file = _file(where)
    return _open_server(str(where), now_ms) if file is None else _open_file(file, busy_s, now_ms)


def read_journal(where: str | Path) -> Journal:
    """Open an existing journal to read only, also while a service writes to it."""
    file = _file(where)
    if file is None:
        return Journal(_server(str(where)), _shown(str(where)), lambda: None)
    if not sqlite.look(file):
        raise StoreError(f"There is no journal at {file}: nothing was rolled yet, or it lies elsewhere (--journal).")
    return Journal(sqlite.reader(file), str(file), lambda: None)


def _file(where: str | Path) -> Path | None:
    """The SQLite file that is meant; None for a database server."""
    if isinstance(where, Path) or "://" not in where:
        return Path(where).absolute()
    url = _url(where)
    if url.get_backend_name() != "sqlite":
        return None
    if not url.database or url.database == ":memory:":
        raise BadInput(f"The journal {where} names no file; a journal in memory would be lost.")
    return Path(url.database).absolute()


def _url(where: str) -> URL:
    try:
        url = make_url(where)
        backend = url.get_backend_name()
    except (ArgumentError, NoSuchModuleError) as error:
        raise BadInput(f"Expected the journal to be a file or an SQLAlchemy URL, got {where!r:.80}.") from error
    if backend not in ("sqlite", "postgresql"):
        raise BadInput(f"A journal is kept in SQLite or PostgreSQL, not in {backend}.")
    return url


def _open_file(file: Path, busy_s: float, now_ms: Clock) -> Journal:
    there = sqlite.look(file)
    if there and not os.access(file, os.W_OK):
        raise sqlite.read_only(str(file))
    sqlite.make_folder(file)
    lock = JournalLock(file)
    try:
        if not there:
            sqlite.create(file, secrets.token_hex(8))
        engine = sqlite.writer(file, busy_s)
    except BaseException:
        lock.release()
        raise
    journal = Journal(engine, str(file), lock.release, now_ms)
    try:
        journal.keep_mark(lock)
    except BaseException:
        journal.close()
        raise
    return journal


def _open_server(where: str, now_ms: Clock) -> Journal:
    engine = _server(where)
    try:
        with _telling(_shown(where)):
            release = postgresql.prepare(engine, secrets.token_hex(8))
    except BaseException:
        engine.dispose()
        raise
    return Journal(engine, _shown(where), release, now_ms)


def _server(where: str) -> Engine:
    try:
        return create_engine(_url(where), pool_pre_ping=True)
    except (ImportError, NoSuchModuleError) as error:
        raise BadInput(f"The driver for {_shown(where)} is not installed: {error}. Try pip install psycopg.") from error


def _shown(where: str) -> str:
    """A URL as messages show it: without the password."""
    return _url(where).render_as_string(hide_password=True)


@contextmanager
def _telling(where: str) -> Iterator[None]:
    """Make every fault of the database inside a StoreError that says what happened, where, and what to do."""
    try:
        yield
    except DBAPIError as error:
        raise sqlite.fault(error.orig or error, where) from error
    except SQLAlchemyError as error:
        raise StoreError(f"The journal {where} does not answer: {error}. Nothing of this was kept.") from error
    except UnicodeDecodeError as error:
        raise sqlite.damaged(where, str(error)) from error


class Journal:
    """A journal that is open. True to the Store protocol; any thread may call."""

    def __init__(self, engine: Engine, where: str, release: Callable[[], None], now_ms: Clock = _now_ms) -> None:
        self.where = where
        self._engine, self._release, self._now_ms = engine, release, now_ms
        self._writing = engine.execution_options(**{sqlite.WRITES: True})
        self._lock: JournalLock | None = None
        self._id = ""
        self._seqs: dict[str, int] = {}

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every connection, and let another process have the journal."""
        self._engine.dispose()
        self._release()

    def append(self, table: str, events: Sequence[tuple[str, dict[str, Any]]], expected_seq: int) -> list[Recorded]:
        """Add all of `events` or none, after `expected_seq`; returns when they would survive a power cut.

        Conflict if another writer was there first; StoreError if the journal cannot take them.
        """
        with _telling(self.where):
            try:
                with self._writing.begin() as connection:
                    rows = self._append(connection, table, events, expected_seq)
            except IntegrityError as error:
                raise Conflict(f"Another writer appended to table {table} at the same time.") from error
        self._mark(table, expected_seq + len(rows))
        return rows

    def _append(
        self, connection: Connection, table: str, events: Sequence[tuple[str, dict[str, Any]]], expected_seq: int
    ) -> list[Recorded]:
        head = _head(connection, table)
        if head.seq != expected_seq:
            raise Conflict(f"Expected table {table} at event {expected_seq}, found it at {head.seq}.")
        at_ms, chain, rows = self._now_ms(), head.chain, list[dict[str, Any]]()
        for seq, (kind, data) in enumerate(events, expected_seq + 1):
            text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            chain = link(chain, table, seq, kind, text, at_ms)
            rows.append({"table_name": table, "seq": seq, "kind": kind, "data": text, "at_ms": at_ms, "chain": chain})
        if rows:
            _move_head(connection, table, head, _Head(expected_seq + len(rows), chain))
            connection.execute(insert(EVENTS), rows)
        return [_recorded(row) for row in rows]

    def read(self, table: str, after: int = 0) -> Iterator[Recorded]:
        """The rows of `table` with `seq > after`, in order, each checked; StoreError at the first that is damaged."""
        with _telling(self.where), self._engine.begin() as connection:
            head = _head(connection, table)
            chain = self._chain_at(connection, table, after)
        while after < head.seq:
            with _telling(self.where), self._engine.begin() as connection:
                rows = _page(connection, table, after, head.seq)
            for row in rows or [{}]:
                self._check(row, table, after, chain)
                after, chain = row["seq"], row["chain"]
                yield _recorded(row)
        if chain != head.chain and after == head.seq:
            raise self._damaged(table, after)

    def _chain_at(self, connection: Connection, table: str, seq: int) -> str:
        if seq == 0:
            return START
        found = connection.scalar(select(EVENTS.c.chain).where(EVENTS.c.table_name == table, EVENTS.c.seq == seq))
        return START if found is None else str(found)

    def _check(self, row: dict[str, Any], table: str, after: int, chain: str) -> None:
        try:
            right = link(chain, table, after + 1, row["kind"], row["data"], row["at_ms"]) == row["chain"]
        except (KeyError, TypeError, ValueError):  # no such row, or not even text and numbers
            right = False
        if not right or row["seq"] != after + 1:
            raise self._damaged(table, after + 1)

    def _damaged(self, table: str, seq: int) -> StoreError:
        return StoreError(
            f"The journal {self.where} is damaged: event {seq} of table {table} is missing or was changed. "
            "Nothing was changed by this; put back a copy, or move it away to begin a new one."
        )

    def tables(self) -> list[str]:
        """Names of all tables that have rows."""
        with _telling(self.where), self._engine.begin() as connection:
            return list(connection.scalars(select(HEADS.c.table_name).order_by(HEADS.c.table_name)))

    def check(self) -> None:
        """Try what an append needs and leave nothing behind; StoreError where no throw could be kept now."""
        with _telling(self.where), self._writing.connect() as connection:  # never committed: it ends as it began
            connection.execute(insert(META).values(key="trial", value="x" * ROOM_BYTES))
        if self._lock is not None:
            self._check_room(self._lock.path.parent)

    def _check_room(self, folder: Path) -> None:
        try:
            with tempfile.TemporaryFile(dir=folder) as trial:
                trial.write(bytes(ROOM_BYTES))
                trial.flush()
        except OSError as error:
            why = (error.strerror or "no reason is given").lower()
            raise StoreError(
                f"The journal {self.where} has no room for a throw: {why}. "
                "What was kept stands; make room, or give this user the right to write there."
            ) from error

    def settings(self) -> tuple[str, int]:
        """SQLite's journal mode and sync setting, as a connection of this journal really has them."""
        with _telling(self.where), self._engine.begin() as connection:
            return sqlite.settings_of(connection)

    def keep_mark(self, lock: JournalLock) -> None:
        """Keep in the lock file how far each table was written; StoreError where the journal is behind it."""
        with _telling(self.where), self._engine.begin() as connection:
            self._id = str(connection.scalar(select(META.c.value).where(META.c.key == "id")))
            self._seqs = {row.table_name: row.seq for row in connection.execute(select(HEADS))}
        if lock.reached.get("journal") == self._id:
            self._check_reached(lock)
        self._try_to_write()
        self._lock = lock
        lock.write(self._id, self._seqs)

    def _try_to_write(self) -> None:
        """Write what stands there already: a read-only file or a full disk is refused now, not at the first throw."""
        with _telling(self.where), self._writing.begin() as connection:
            connection.execute(update(META).where(META.c.key == "schema").values(value=str(SCHEMA)))

    def _check_reached(self, lock: JournalLock) -> None:
        for table, seq in lock.reached["seqs"].items():
            found = self._seqs.get(table, 0)
            if found < seq:
                raise StoreError(
                    f"The journal {self.where} has lost events: table {table} was written up to event {seq}, and "
                    f"the file holds {found}. Its -wal file is gone, or an older copy is in its place. Put the right "
                    f"files back; or, if the older copy is meant, delete {lock.path} and start again."
                )

    def _mark(self, table: str, seq: int) -> None:
        if self._lock is not None:
            self._seqs[table] = seq
            self._lock.write(self._id, self._seqs)


def _head(connection: Connection, table: str) -> _Head:
    row = connection.execute(select(HEADS.c.seq, HEADS.c.chain).where(HEADS.c.table_name == table)).first()
    return _Head(0, START) if row is None else _Head(row.seq, row.chain)


def _move_head(connection: Connection, table: str, before: _Head, after: _Head) -> None:
    if before.seq == 0:
        connection.execute(insert(HEADS).values(table_name=table, seq=after.seq, chain=after.chain))
        return
    mine = (HEADS.c.table_name == table) & (HEADS.c.seq == before.seq)
    moved = connection.execute(update(HEADS).where(mine).values(seq=after.seq, chain=after.chain))
    if moved.rowcount != 1:
        raise Conflict(f"Another writer appended to table {table} at the same time.")


def _page(connection: Connection, table: str, after: int, last: int) -> list[dict[str, Any]]:
    wanted = (EVENTS.c.table_name == table) & (EVENTS.c.seq > after) & (EVENTS.c.seq <= last)
    found = connection.execute(select(EVENTS).where(wanted).order_by(EVENTS.c.seq).limit(PAGE))
    return [dict(row) for row in found.mappings()]


def _recorded(row: dict[str, Any]) -> Recorded:
    return Recorded(row["seq"], row["table_name"], row["kind"], json.loads(row["data"]), row["at_ms"])
