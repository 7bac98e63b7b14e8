"""What only SQLite needs: looking at a file before touching it, WAL with full sync, and plain sentences for faults."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from dicetower.errors import StoreError
from dicetower.store.schema import METADATA, SCHEMA

APPLICATION_ID = 0x44494345
"""`DICE`: marks the file as ours (sqlite.org/pragma.html#pragma_application_id)."""

MAGIC = b"SQLite format 3\x00"
"""The first 16 bytes of every SQLite file (sqlite.org/fileformat2.html, 1.3)."""

FULL = 2
"""`PRAGMA synchronous`: in WAL mode each commit is on the disk before it is answered (sqlite.org/pragma.html)."""

WRITES = "dicetower_writes"
"""An execution option: the transaction takes SQLite's write lock at its start, so that it cannot fail half way."""

APPEND_ONLY = """
CREATE TRIGGER dicetower_event_no_{word} BEFORE {word} ON dicetower_event
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
"""


def look(path: Path) -> bool:
    """Return whether `path` holds a journal of ours already; False where there is no file yet, or an empty one.

    Changes nothing. StoreError for a folder, a file of something else, a damaged one, or one of a newer schema.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"The journal {path} cannot be opened: {error.strerror}.") from error
    if path.is_dir():
        raise StoreError(f"The journal {path} is a folder; name a file in it, such as {path / 'journal.db'}.")
    if size == 0:
        return False
    _check_magic(path)
    return _check_content(path)


def _check_magic(path: Path) -> None:
    try:
        with path.open("rb") as file:
            found = file.read(len(MAGIC))
    except OSError as error:
        raise StoreError(f"The journal {path} cannot be read: {error.strerror}.") from error
    if found != MAGIC:
        raise StoreError(
            f"{path} is not a Dicetower journal, or its beginning is damaged: it does not start as an SQLite file. "
            "Nothing was changed; name another journal, or put back a copy."
        )


def _check_content(path: Path) -> bool:
    with telling(str(path)), closing(_read_only(path)) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        schema = connection.execute("PRAGMA user_version").fetchone()[0]
        if application == 0 and tables == 0:
            return False
        _check_ours(path, application, schema)
        fault = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise damaged(str(path), fault)
    return True


def _check_ours(path: Path, application: int, schema: int) -> None:
    if application != APPLICATION_ID:
        raise StoreError(
            f"{path} is an SQLite database of something else, not a Dicetower journal. "
            "Nothing was changed; name another journal."
        )
    if schema > SCHEMA:
        raise StoreError(
            f"The journal {path} was written by a newer Dicetower: schema {schema}, this one knows {SCHEMA}. "
            "Nothing was changed; open it with the newer version."
        )


def _read_only(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Where no `-wal` lies beside the file it makes none: it leaves no trace."""
    still = "" if path.with_name(path.name + "-wal").exists() else "&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro{still}", uri=True, timeout=5.0)


def reader(path: Path) -> Engine:
    """Return an engine that only reads."""
    return create_engine("sqlite://", creator=lambda: _read_only(path), poolclass=NullPool)


def writer(path: Path, busy_s: float) -> Engine:
    """Return an engine on `path` whose every connection keeps WAL and full sync, or is refused."""
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, connect_args={"timeout": busy_s, "isolation_level": None})
    event.listen(engine, "connect", _keep_safe)
    event.listen(engine, "begin", _begin)
    return engine


def _keep_safe(connection: sqlite3.Connection, _record: object) -> None:
    """Set WAL and full sync, and read both back: a commit must be on the disk before anybody hears of it."""
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    for pragma in ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    sync = connection.execute("PRAGMA synchronous").fetchone()[0]
    if mode != "wal" or sync != FULL:
        raise StoreError(
            f"The journal cannot be kept safely here: expected SQLite's journal mode wal with synchronous {FULL} "
            f"(full), got {mode} with {sync}. Put it on a local disk."
        )


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def make_folder(path: Path) -> None:
    """Make the folder that a journal is to lie in."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"The journal's folder {path.parent} cannot be made: {error.strerror}.") from error


def create(path: Path, journal: str) -> None:
    """Make a new journal file: all of it or nothing, whenever the power fails."""
    with telling(str(path)), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in _statements():
            connection.execute(statement)
        connection.execute("INSERT INTO dicetower_meta VALUES ('id', ?), ('schema', ?)", (journal, str(SCHEMA)))
        connection.execute("COMMIT")
    _sync_folder(path.parent)


def _statements() -> Iterator[str]:
    from sqlalchemy.dialects import sqlite
    from sqlalchemy.schema import CreateTable

    yield f"PRAGMA application_id = {APPLICATION_ID}"
    yield f"PRAGMA user_version = {SCHEMA}"
    for table in METADATA.sorted_tables:
        yield str(CreateTable(table).compile(dialect=sqlite.dialect()))
    for word in ("UPDATE", "DELETE"):
        yield APPEND_ONLY.format(word=word)


def _sync_folder(folder: Path) -> None:
    """Have the file's name on the disk too; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def telling(where: str) -> Iterator[None]:
    """Make every fault of SQLite inside a StoreError: what happened, in which file, and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise fault(error, where) from error
    except UnicodeDecodeError as error:
        raise damaged(where, str(error)) from error


def fault(error: BaseException, where: str) -> StoreError:
    """The StoreError for a fault of SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if code == sqlite3.SQLITE_IOERR_SHMSIZE:
        primary = sqlite3.SQLITE_FULL  # the index beside the journal could not grow: the disk is full, and not broken
    sentence = _SENTENCES.get(primary or 0)
    if sentence is None:
        return damaged(where, str(error)) if primary in _DAMAGE else _other(where, error)
    return StoreError(f"The journal {where} {sentence}")


_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SENTENCES: dict[int, str] = {
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full. Nothing of this was kept; make room, then do it again.",
    sqlite3.SQLITE_READONLY: (
        "cannot be written: the file or its folder is read-only. Nothing was changed; give this user the right to "
        "write both, or name another journal."
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened: the folder is missing, or this user may not read or write there. Nothing was changed."
    ),
    sqlite3.SQLITE_BUSY: (
        "is locked by another program. Nothing of this was kept; close that program, then do it again."
    ),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written: the disk reports an error. Nothing of this was kept; look at the disk, and copy "
        "the journal to another one."
    ),
}


def damaged(where: str, said: str) -> StoreError:
    """The StoreError for a file that SQLite cannot make sense of."""
    return StoreError(
        f"The journal {where} is damaged: SQLite says {said!r}. Nothing was changed; "
        "put back a copy, or move it away to begin a new one."
    )


def read_only(where: str) -> StoreError:
    """The StoreError for a file that this user may not write."""
    return StoreError(f"The journal {where} {_SENTENCES[sqlite3.SQLITE_READONLY]}")


def _other(where: str, error: BaseException) -> StoreError:
    said = " ".join(str(error).split()).rstrip(".")
    return StoreError(f"The journal {where} does not answer: {said}. Nothing of this was kept.")


def settings_of(connection: Any) -> tuple[str, int]:
    """The journal mode and the sync setting that a connection of the journal really has."""
    mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
    return str(mode), int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())
