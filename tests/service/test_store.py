"""The journal: what it keeps, what it refuses, and that it never makes a bad thing worse."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, insert, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from dicetower.errors import BadInput, Conflict, StoreError
from dicetower.model import Recorded, Store
from dicetower.store.chain import link
from dicetower.store.journal import Journal, open_journal, read_journal
from dicetower.store.memory import MemoryStore
from dicetower.store.schema import EVENTS, HEADS, METADATA
from dicetower.store.sqlite import fault

ONE = ("dice thrown", {"value": 5, "why": "é ☃ \u2028"})
TWO = ("attack resolved", {"outcome": None, "odds": [1, 2.5, True]})


def rows(store: Store, table: str = "main", after: int = 0) -> list[tuple[int, str, dict[str, Any]]]:
    return [(row.seq, row.kind, row.data) for row in store.read(table, after)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with open_journal(path, busy_s=0.1) as made:
        yield made


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Store]:
    """Each store that claims the protocol."""
    if request.param == "memory":
        yield MemoryStore()
        return
    with open_journal(path) as made:
        yield made


def snapshot(folder: Path) -> dict[str, str]:
    """Every file under a folder but lock files, by its hash: what must not change."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock")
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)}


# --- the protocol


def test_what_was_appended_is_read(store: Store) -> None:
    first = store.append("main", [ONE, TWO], 0)
    assert [row.seq for row in first] == [1, 2]
    store.append("other", [TWO], 0)
    store.append("main", [TWO], 2)
    assert rows(store) == [(1, *ONE), (2, *TWO), (3, *TWO)]
    assert rows(store, after=2) == [(3, *TWO)]
    assert rows(store, after=3) == rows(store, "nobody's") == []
    assert rows(store, "other") == [(1, *TWO)]
    assert store.tables() == ["main", "other"]
    assert list(store.read("main"))[:2] == first


@pytest.mark.parametrize("expected", [0, 1, 3])
def test_a_writer_who_was_not_there_first_is_refused(store: Store, expected: int) -> None:
    store.append("main", [ONE, TWO], 0)
    with pytest.raises(Conflict, match=f"at event {expected}, found it at 2"):
        store.append("main", [ONE], expected)
    assert len(rows(store)) == 2
    with pytest.raises(Conflict):
        store.append("new", [ONE], 1)
    assert store.tables() == ["main"]


def test_one_of_two_writers_at_once_wins(store: Store) -> None:
    won: list[int] = []
    start = threading.Barrier(4)

    def write(n: int) -> None:
        start.wait()
        for seq in range(10):
            try:
                store.append("main", [("k", {"by": n})], seq)
                won.append(seq)
            except Conflict:
                pass

    writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(won) == list(range(len(rows(store)))), "each place in the journal was taken once"
    assert won


def test_nothing_of_a_bad_event_is_kept(store: Store) -> None:
    for bad in ({"x": object()}, {"x": float("nan")}):
        if isinstance(store, Journal) or "object" in repr(bad):
            with pytest.raises((TypeError, ValueError)):
                store.append("main", [ONE, ("bad", bad)], 0)
    assert rows(store) == []


def test_many_rows_come_in_order_and_leave_no_reader_behind(journal: Journal) -> None:
    """More than the pages that are read at a time; and a reader that stops half way does not stop the writer."""
    for seq in range(0, 1200, 300):
        journal.append("main", [("k", {"n": seq + n}) for n in range(300)], seq)
    assert [row.data["n"] for row in journal.read("main", 7)] == list(range(7, 1200))
    reader = journal.read("main")
    next(reader)
    journal.append("main", [ONE], 1200)
    assert sum(1 for _ in reader) == 1199, "a reader sees the journal as it was when it began"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def one_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    """A journal that many examples write to, each at a table of its own."""
    with open_journal(tmp_path_factory.mktemp("any") / "j.db") as made:
        yield made


@given(st.lists(st.tuples(st.text(min_size=1), st.dictionaries(st.text(), JSON, max_size=3)), min_size=1, max_size=4))
def test_any_json_comes_back_as_it_was(one_for_all: Journal, events: list[Any]) -> None:
    table = f"t{len(one_for_all.tables())}"
    one_for_all.append(table, events, 0)
    assert [(row.kind, row.data) for row in one_for_all.read(table)] == events


# --- that it is safe


def test_every_connection_keeps_wal_and_full_sync(journal: Journal) -> None:
    assert journal.settings() == ("wal", 2)
    seen: list[tuple[str, int]] = []
    threads = [threading.Thread(target=lambda: seen.append(journal.settings())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [("wal", 2)] * 8


def test_a_place_that_cannot_keep_wal_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a network folder does: SQLite says the journal mode it stayed in."""

    class Stubborn(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            return super().execute(sql.replace("journal_mode = WAL", "journal_mode = DELETE"), *rest)

    def engine(*args: Any, **named: Any) -> Any:
        named["connect_args"] = {**named.get("connect_args", {}), "factory": Stubborn}
        return create_engine(*args, **named)

    monkeypatch.setattr("dicetower.store.sqlite.create_engine", engine)
    with pytest.raises(StoreError, match=r"expected SQLite's journal mode wal with synchronous 2.*got delete with 2"):
        open_journal(path)


def test_it_is_append_only(journal: Journal, path: Path) -> None:
    journal.append("main", [ONE], 0)
    with closing(sqlite3.connect(path)) as raw:
        for edit in ("UPDATE dicetower_event SET kind = 'x'", "DELETE FROM dicetower_event"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                raw.execute(edit)
    assert rows(journal) == [(1, *ONE)]


def test_the_chain_is_a_hash_over_row_and_row_before() -> None:
    text = json.dumps(["", "main", 1, "k", '{"a":1}', 5], separators=(",", ":"))
    first = hashlib.sha256(text.encode()).hexdigest()
    assert link("", "main", 1, "k", '{"a":1}', 5) == first
    assert len({first, *(link(*case) for case in _other_rows(first))}) == 7


def _other_rows(first: str) -> list[tuple[str, str, int, str, str, int]]:
    return [
        (first, "main", 1, "k", '{"a":1}', 5),
        ("", "main2", 1, "k", '{"a":1}', 5),
        ("", "main", 2, "k", '{"a":1}', 5),
        ("", "main", 1, "kk", '{"a":1}', 5),
        ("", "main", 1, "k", '{"a":2}', 5),
        ("", "main", 1, "k", '{"a":1}', 6),
    ]


# --- damage


def edited(path: Path, *statements: str) -> None:
    """Do to the file what an editor of SQLite files would, past our triggers."""
    with closing(sqlite3.connect(path)) as raw:
        for word in ("update", "delete"):
            raw.execute(f"DROP TRIGGER dicetower_event_no_{word}")
        for statement in statements:
            raw.execute(statement)
        raw.commit()


@pytest.mark.parametrize(
    ("edit", "seq"),
    [
        ("UPDATE dicetower_event SET data = replace(data, '5', '6') WHERE seq = 2", 2),
        ("UPDATE dicetower_event SET kind = 'undone' WHERE seq = 3", 3),
        ("UPDATE dicetower_event SET at_ms = at_ms + 1 WHERE seq = 1", 1),
        ("UPDATE dicetower_event SET chain = 'x' WHERE seq = 2", 2),
        ("DELETE FROM dicetower_event WHERE seq = 2", 2),
        ("DELETE FROM dicetower_event WHERE seq = 4", 4),
        ("DELETE FROM dicetower_event", 1),
        ("UPDATE dicetower_head SET seq = 5", 5),
        ("UPDATE dicetower_head SET chain = 'x'", 4),
    ],
)
def test_an_edited_row_is_noticed(path: Path, edit: str, seq: int) -> None:
    with open_journal(path) as journal:
        journal.append("main", [ONE, ONE, ONE, ONE], 0)
    edited(path, edit)
    with read_journal(path) as journal, pytest.raises(StoreError, match=f"damaged: event {seq} of table main"):
        list(journal.read("main"))


@pytest.mark.parametrize("at", [0, 1, 10, 100, 1024, 4096, 4100, 6000, 8191, 8192, 12288, 15000, 20000, 24576, -1])
def test_a_flipped_bit_is_noticed_or_harmless(path: Path, at: int) -> None:
    """Wherever it falls: either a sentence and an untouched file, or every row as it was."""
    with open_journal(path) as journal:
        for seq in range(40):
            journal.append("main", [ONE], seq)
    whole = bytearray(path.read_bytes())
    whole[at % len(whole)] ^= 0x10
    path.write_bytes(whole)
    before = snapshot(path.parent)
    try:
        with open_journal(path) as journal:
            assert [row.data for row in journal.read("main")] == [ONE[1]] * 40
            return
    except StoreError as error:
        said = str(error)
    assert str(path) in said
    assert snapshot(path.parent) == before


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A journal of twenty rows."""
    where = tmp_path_factory.mktemp("twenty") / "j.db"
    with open_journal(where) as journal:
        for seq in range(20):
            journal.append("main", [("k", {"n": seq})], seq)
    return where.read_bytes()


@given(st.data())
def test_no_damage_is_taken_for_the_truth(
    twenty: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    where = tmp_path_factory.mktemp("damage") / "j.db"
    whole = bytearray(twenty)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(whole) - 1))
        length = data.draw(st.sampled_from([1, 1, 8, 512]))
        junk = data.draw(st.binary(min_size=length, max_size=length))
        whole[start : start + length] = junk
    where.write_bytes(bytes(whole[: data.draw(st.sampled_from([len(whole), len(whole), len(whole) // 2]))]))
    try:
        with open_journal(where) as journal:
            found = [row.data["n"] for row in journal.read("main")]
        assert found == list(range(20)), "rows are read as they were written, or not at all"
    except StoreError:
        pass
    finally:
        shutil.rmtree(where.parent)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(
            lambda path: path.write_text("not a database, sorry"), "does not start as an SQLite file", id="text"
        ),
        pytest.param(lambda path: path.write_bytes(b"SQLite format 3\x00"), "damaged", id="a header alone"),
        pytest.param(lambda path: path.mkdir(), "is a folder", id="a folder"),
        pytest.param(lambda path: other_database(path), "is an SQLite database of something else", id="another's"),
        pytest.param(lambda path: newer_journal(path), "written by a newer Dicetower: schema 2", id="newer"),
        pytest.param(lambda path: truncated_journal(path), "damaged", id="truncated"),
    ],
)
def test_a_file_that_is_no_journal_is_refused_and_left_alone(
    path: Path, make: Callable[[Path], None], says: str
) -> None:
    make(path)
    before = snapshot(path.parent)
    for opened in (open_journal, read_journal):
        with pytest.raises(StoreError) as refusal:
            opened(path)
        assert says in str(refusal.value)
        assert str(path) in str(refusal.value)
        assert snapshot(path.parent) == before


def other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE recipes (name TEXT)")


def newer_journal(path: Path) -> None:
    with open_journal(path) as journal:
        journal.append("main", [ONE], 0)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA user_version = 2")


def truncated_journal(path: Path) -> None:
    with open_journal(path) as journal:
        journal.append("main", [("k", {"n": n}) for n in range(200)], 0)
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size // 2)


def test_an_empty_file_is_a_new_journal(path: Path) -> None:
    path.touch()
    with open_journal(path) as journal:
        assert journal.tables() == []


def test_a_journal_without_its_wal_is_noticed(path: Path) -> None:
    """As after a crash, when somebody tidies the folder: the last events are in the -wal file."""
    crashed(path, 5)
    wal = path.with_name("journal.db-wal")
    assert wal.stat().st_size > 0
    for file in (wal, path.with_name("journal.db-shm")):
        file.unlink(missing_ok=True)
    before = snapshot(path.parent)
    with pytest.raises(StoreError, match="has lost events: table main was written up to event 5, and the file holds"):
        open_journal(path)
    assert snapshot(path.parent) == before
    path.with_name("journal.db.lock").unlink()  # what the sentence says to do if the older copy is meant
    open_journal(path).close()


def test_a_journal_after_a_crash_has_everything(path: Path) -> None:
    crashed(path, 5)
    with open_journal(path) as journal:
        assert len(rows(journal)) == 5


def crashed(path: Path, count: int) -> None:
    """Append in another process that then ends as by kill -9."""
    code = (
        "import os, sys\n"
        "from dicetower.store.journal import open_journal\n"
        "journal = open_journal(sys.argv[1])\n"
        "for n in range(int(sys.argv[2])): journal.append('main', [('k', {'n': n})], n)\n"
        "os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path), str(count)], check=False)
    assert done.returncode == 9


# --- one service a journal


def test_a_second_service_is_refused(journal: Journal, path: Path) -> None:
    journal.append("main", [ONE], 0)
    with pytest.raises(StoreError, match=f"in use by another Dicetower .process {os.getpid()}."):
        open_journal(path)
    journal.append("main", [ONE], 1)
    assert len(rows(journal)) == 2


def test_the_lock_ends_with_its_holder(path: Path) -> None:
    crashed(path, 1)
    open_journal(path).close()
    with open_journal(path) as journal:
        assert len(rows(journal)) == 1


def test_a_reader_does_not_disturb_the_writer(journal: Journal, path: Path) -> None:
    journal.append("main", [ONE], 0)
    with read_journal(path) as reader:
        assert rows(reader) == [(1, *ONE)]
        journal.append("main", [TWO], 1)
        assert len(rows(reader)) == 2
        with pytest.raises(StoreError, match="read-only"):
            reader.append("main", [ONE], 2)


def test_there_is_nothing_to_read_where_there_is_no_journal(path: Path) -> None:
    with pytest.raises(StoreError, match="There is no journal at"):
        read_journal(path)
    assert not path.exists()


# --- what the machine refuses


def test_another_programs_lock_is_named(journal: Journal, path: Path) -> None:
    journal.append("main", [ONE], 0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is locked by another program"):
            journal.append("main", [TWO], 1)
    journal.append("main", [TWO], 1)
    assert rows(journal) == [(1, *ONE), (2, *TWO)]


def test_a_full_disk(journal: Journal, path: Path) -> None:
    """The file may grow no further; what was there stays, and it goes on when there is room."""
    journal.append("main", [ONE], 0)
    with journal._engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")  # SQLite takes the present size as the least
    big = ("k", {"text": "x" * 100_000})
    with pytest.raises(StoreError, match=r"journal\.db cannot grow: the disk is full"):
        journal.append("main", [ONE, big], 1)
    assert rows(journal) == [(1, *ONE)], "nothing of it was kept"
    with pytest.raises(StoreError, match=r"journal\.db cannot grow: the disk is full"):
        journal.check()
    with journal._engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 100000")
    journal.check()
    journal.append("main", [big], 1)
    assert len(rows(journal)) == 2


def test_a_check_leaves_nothing_behind(journal: Journal, path: Path) -> None:
    journal.append("main", [ONE], 0)
    files = [file for file in path.parent.iterdir() if not file.name.endswith("-shm")]  # that one holds locks alone
    before = {file: file.read_bytes() for file in files}
    journal.check()
    assert {file: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")} == before


def test_a_folder_with_no_room_is_told_before_a_throw_is_refused(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(
        StoreError, match=r"journal\.db has no room for a throw: no space left on device\. What was kept"
    ):
        journal.check()


needs_root = pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="mounts a small disk: root on Linux"
)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 256 KiB; where the machine allows no mount, a limit on the size of files says the same."""
    where = tmp_path / "disk"
    where.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(where)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no mount allowed here; test_a_full_disk shows the same by a page limit")
    yield where
    subprocess.run(["umount", str(where)], check=True)


@needs_root
def test_a_disk_that_fills_up(small_disk: Path) -> None:
    with open_journal(small_disk / "journal.db") as journal:
        said = ""
        while not said:
            try:
                journal.append("main", [("k", {"text": "x" * 2000})], len(rows(journal)))
            except StoreError as error:
                said = str(error)
        kept = len(rows(journal))
        assert "disk is full" in said
        assert kept > 3
        with pytest.raises(StoreError, match=r"(cannot grow: the disk is full|has no room for a throw: no space left)"):
            journal.check()
    with open_journal(small_disk / "journal.db") as journal:
        assert len(rows(journal)) == kept


def as_nobody(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run Python that gives up root's rights first, so that permissions mean something to root's tests too."""
    return subprocess.run([sys.executable, "-c", code, *args], check=False, capture_output=True, text=True)


OPEN = """
import os, sys
from sqlalchemy.dialects import sqlite
from dicetower.errors import StoreError
from dicetower.store.journal import open_journal, read_journal
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
opened = {"write": open_journal, "read": read_journal}[sys.argv[2]]
try:
    with opened(sys.argv[1]) as journal:
        print([row.seq for row in journal.read("main")])
except StoreError as error:
    print(error)
"""


@pytest.fixture
def open_tmp() -> Iterator[Path]:
    """A folder that other users may pass; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.mark.skipif(sys.platform == "win32", reason="file modes are POSIX's")
@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "how", "says"),
    [
        (0o555, 0o666, "write", "folder cannot be written"),
        (0o777, 0o444, "write", "cannot be written: the file or its folder is read-only"),
        (0o777, 0o000, "write", "cannot be read: Permission denied"),
        (0o777, 0o000, "read", "cannot be read: Permission denied"),
        (0o555, 0o444, "read", "[1]"),
    ],
)
def test_rights_that_are_missing(open_tmp: Path, folder_mode: int, file_mode: int, how: str, says: str) -> None:
    folder = open_tmp / "kept"
    folder.mkdir()
    path = folder / "journal.db"
    with open_journal(path) as journal:
        journal.append("main", [ONE], 0)
    path.with_name("journal.db.lock").chmod(0o666)
    if "folder cannot" in says:
        path.with_name("journal.db.lock").unlink()
    path.chmod(file_mode)
    folder.chmod(folder_mode)
    before = snapshot(folder) if os.getuid() == 0 else {}
    done = as_nobody(OPEN, str(path), how)
    assert says in done.stdout, done.stderr
    assert done.returncode == 0
    if before:
        assert snapshot(folder) == before
    folder.chmod(0o755)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be"):
        open_journal(tmp_path / "file" / "journal.db")


# --- names of journals


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("mysql://host/db", "not in mysql|Expected the journal"),
        ("nonsense://", "not in nonsense"),
        ("no such://", "Expected the journal to be a file or an SQLAlchemy URL"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("postgresql+nosuchdriver://host/db", "Expected the journal|not installed"),
    ],
)
def test_a_journal_that_cannot_be_meant(where: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        open_journal(where)


def test_a_driver_that_speaks_in_lines_still_makes_one_sentence() -> None:
    said = str(fault(sqlite3.OperationalError("connection failed:\n\tis it running?."), "postgresql://u:***@h/d"))
    assert said == (
        "The journal postgresql://u:***@h/d does not answer: connection failed: is it running?. "
        "Nothing of this was kept."
    )


def test_a_url_names_a_file_too(path: Path) -> None:
    with open_journal(f"sqlite:///{path}") as journal:
        journal.append("main", [ONE], 0)
    with read_journal(path) as journal:
        assert rows(journal) == [(1, *ONE)]


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    with open_journal(tmp_path / "a" / "b c%20" / "journal.db") as journal:
        journal.append("main", [ONE], 0)
    with read_journal(tmp_path / "a" / "b c%20" / "journal.db") as journal:
        assert len(rows(journal)) == 1


def test_the_sql_is_postgresqls_too() -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped
    for table in METADATA.sorted_tables:
        assert "CREATE TABLE" in str(CreateTable(table).compile(dialect=dialect))
    for statement in (select(EVENTS).order_by(EVENTS.c.seq).limit(5), insert(HEADS), select(HEADS)):
        assert str(statement.compile(dialect=dialect))


def test_recorded_is_what_is_kept(store: Store) -> None:
    (row,) = store.append("main", [ONE], 0)
    assert row == Recorded(1, "main", *ONE, row.host_time_ms)
    assert abs(row.host_time_ms - 1_000_000_000_000) < 10**13, "Unix milliseconds"


def test_a_full_disk_is_called_so_whichever_file_could_not_grow() -> None:
    """SQLite calls it an input or output error where the write-ahead index cannot grow; the disk is not broken."""
    for code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        assert "the disk is full" in str(fault(error, "club.db")), code
    broken = sqlite3.OperationalError("disk I/O error")
    broken.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
    assert "the disk reports an error" in str(fault(broken, "club.db"))
