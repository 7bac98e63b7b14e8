"""A tape's folder: what may lie in it, whether it is what was sealed, and its lines. The format is docs/tapes.md.

    tape = read(folder)                    # every check of form and of the manifest; BadTape names file and line
    for line in tape.inputs: ...
    tape.bytes_of("frames/0001.png")       # checked again as it is read

What a line means is no matter of this file: it gives kinds and plain JSON values. `tape_writer` makes what it reads.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from dicetower.errors import BadTape, why_unreadable

FORMAT = "dicetower tape"
VERSION = 1
HEAD, INPUTS, EXPECTED, RULES, HISTORY = "tape.json", "inputs.jsonl", "expected.json", "rules.toml", "history.jsonl"
HALF = ".half"
"""Ends the name of a file that is being written."""
STATES = ("recording", "cut", "whole")

NAME = re.compile(
    r"(inputs\.jsonl|expected\.json|rules\.toml|history\.jsonl|frames/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.(png|jpg|webp|bmp)"
    r"|sets/([0-9a-f]{16}\.json|D[0-9]{1,3}-[0-9]{1,2}-[0-9a-f]{16}\.png))"
)
"""The files a tape may have. No name in it can lead out of the folder."""

MAGIC = {"png": (b"\x89PNG\r\n\x1a\n",), "jpg": (b"\xff\xd8\xff",), "webp": (b"RIFF",), "bmp": (b"BM",)}

LATEST_MS = 7 * 24 * 3600 * 1000
"""The largest offset: a campaign weekend and to spare."""
LATEST_START_MS = 4_102_444_800_000
"""The year 2100, as Unix milliseconds."""
LINE_MAX = 1 << 20
LINES_MAX = 200_000
FRAMES_MAX = 20_000
HEAD_MAX = 4 << 20
"""Bytes: the manifest of FRAMES_MAX frames."""
FILE_MAX = 64 << 20
"""Bytes. A 40-megapixel PNG, the largest picture the reader takes, is some 60 MB."""
TEXT_MAX = 2000
NUMBER_MAX = 1 << 53
"""Whole numbers beyond this are not the same in every program that reads JSON (RFC 8259, section 6)."""

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One input. `number` counts from 1; `ms` since the tape's start; `data` are its other keys."""

    number: int
    ms: int
    kind: str
    data: Json


@dataclass(frozen=True, slots=True)
class Entry:
    """One file as the manifest has it."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Head:
    """What tape.json says besides the manifest. `rules` are name, version and hash; `table` its start."""

    title: str
    shows: tuple[str, ...]
    origin: str
    licence: str
    start_ms: int
    rules: Mapping[str, str]
    table: Json
    state: str = "whole"


@dataclass(frozen=True, slots=True)
class Tape:
    """A tape that was read. `expected` is None where it has none; `edits` say what differs from the manifest."""

    folder: Path
    head: Head
    files: Mapping[str, Entry]
    inputs: tuple[Line, ...]
    expected: Json | None
    history: tuple[Json, ...] = ()
    edits: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What messages call it: its folder's name."""
        return name_of(self.folder)

    def bytes_of(self, file: str) -> bytes:
        """The content of one of its files; BadTape where it has none, or no longer the one that was read."""
        if file not in self.files:
            raise BadTape(f"{self.name}: there is no {file[:80]!r} in this tape.")
        data = _bytes(self.folder, file)
        if entry_of(data) != self.files[file]:
            raise BadTape(f"{self.name}/{file}: the file was changed while the tape was being read.")
        return data


def name_of(folder: Path) -> str:
    """The folder's own name, also for `.`."""
    return folder.name or folder.resolve().name


def is_tape(folder: Path) -> bool:
    """Whether a folder claims to be one."""
    return (folder / HEAD).is_file()


def under(folder: Path) -> list[Path]:
    """The tapes in a folder and below it, in order of path."""
    return sorted(head.parent for head in folder.rglob(HEAD) if head.is_file())


def read(folder: Path, *, as_it_lies: bool = False) -> Tape:
    """Read and check a tape; BadTape at the first thing that is wrong.

    `as_it_lies` is for putting a new seal on: what differs from the manifest is named in `edits`, and a recording
    that was cut off is read as far as it goes. What is not a tape's form is refused all the same.
    """
    head_text = _bytes(folder, HEAD)
    at = f"{name_of(folder)}/{HEAD}"
    whole = _object(head_text, at)
    head, edits = _head(whole, at), _broken_seal(whole, at)
    if head.state == "recording" and not as_it_lies:
        raise BadTape(
            f"{at}: the recording did not end: the service was killed, or still runs. Once it has stopped, "
            "`dicetower replay --update` closes the tape and marks it as cut."
        )
    found = found_in(folder, unfinished=head.state == "recording")
    entries = {} if head.state == "recording" else _manifest(whole, at)
    edits += _differences(entries, found, name_of(folder)) if head.state != "recording" else []
    if edits and not as_it_lies:
        raise BadTape(edits[0])
    return _read_content(Tape(folder, head, found, (), None, edits=tuple(edits)))


def _read_content(tape: Tape) -> Tape:
    at = f"{tape.name}/{INPUTS}"
    if INPUTS not in tape.files:
        raise BadTape(f"{at}: the file is missing; a tape is its inputs.")
    inputs, edits = _inputs(tape, at)
    expected = _object(tape.bytes_of(EXPECTED), f"{tape.name}/{EXPECTED}") if EXPECTED in tape.files else None
    if expected is None and tape.head.state != "recording" and not tape.edits:
        raise BadTape(f"{tape.name}/{EXPECTED}: the file is missing, so there is nothing to compare with.")
    history = (
        [row for _, row in _lines(tape.bytes_of(HISTORY), f"{tape.name}/{HISTORY}")] if HISTORY in tape.files else []
    )
    return replace(tape, inputs=inputs, expected=expected, history=tuple(history), edits=(*tape.edits, *edits))


def _inputs(tape: Tape, at: str) -> tuple[tuple[Line, ...], list[str]]:
    text, edits = tape.bytes_of(INPUTS), []
    if tape.head.state == "recording" and not text.endswith(b"\n"):
        edits.append(f"{at}: the last line was cut off and is dropped.")
        text = text[: text.rfind(b"\n") + 1]
    lines: list[Line] = []
    for number, row in _lines(text, at):
        lines.append(_line(number, row, lines[-1].ms if lines else 0, f"{at}: line {number}"))
        _check_file(lines[-1], tape, f"{at}: line {number}")
    return tuple(lines), edits


def _line(number: int, row: Json, least_ms: int, at: str) -> Line:
    ms, kind = row.get("ms"), row.get("in")
    if not isinstance(kind, str):
        raise BadTape(f"{at}: expected a kind of input in 'in', got {kind!r:.60}.")
    if not _whole(ms) or not least_ms <= ms <= LATEST_MS:
        raise BadTape(f"{at}: expected ms from {least_ms} (the line before) to {LATEST_MS}, got {ms!r:.60}.")
    return Line(number, ms, kind, {key: value for key, value in row.items() if key not in ("ms", "in")})


def _check_file(line: Line, tape: Tape, at: str) -> None:
    """A picture that a line names must be one of the tape's, and so must the die set that it was read with."""
    file = line.data.get("file")
    if file is not None and (not isinstance(file, str) or file not in tape.files or not file.startswith("frames/")):
        raise BadTape(f"{at}: expected one of the tape's frames, got {file!r:.80}.")
    own = line.data.get("own")
    if own is not None and not (isinstance(own, str) and own in tape.files and re.fullmatch(r"sets/.*\.json", own)):
        raise BadTape(
            f"{at}: the die set that it was read with is not in the tape: expected one of its sets, got {own!r:.80}."
        )


# tape.json.


def _head(whole: Json, at: str) -> Head:
    if whole.get("format") != FORMAT:
        raise BadTape(f"{at}: expected format {FORMAT!r}, got {whole.get('format')!r:.60}: this is no tape of ours.")
    if whole.get("version") != VERSION or isinstance(whole.get("version"), bool):
        raise BadTape(f"{at}: this Dicetower reads version {VERSION} of tapes, got {whole.get('version')!r:.60}.")
    keys = {"format", "version", "state", "title", "shows", "origin", "licence", "start_ms", "rules", "table"}
    more = {"files", "seal"} if whole.get("state") != "recording" else set()
    _check_keys(whole, keys | more, at)
    shows, rules, table = whole["shows"], whole["rules"], whole["table"]
    _expect(whole["state"] in STATES, at, "state", f"one of {', '.join(STATES)}", whole["state"])
    for key in ("title", "origin", "licence"):
        _expect(isinstance(whole[key], str) and 0 < len(whole[key]) <= TEXT_MAX, at, key, "a text", whole[key])
    listed = isinstance(shows, list) and all(isinstance(text, str) and len(text) <= TEXT_MAX for text in shows)
    _expect(listed, at, "shows", "a list of texts", shows)
    started = whole["start_ms"]
    _expect(_whole(started) and 0 <= started <= LATEST_START_MS, at, "start_ms", "Unix milliseconds", started)
    _expect(isinstance(rules, dict), at, "rules", "name, version and hash", rules)
    _check_keys(rules, {"name", "version", "hash"}, f"{at}: rules")
    _expect(all(isinstance(value, str) for value in rules.values()), at, "rules", "three texts", rules)
    _expect(isinstance(table, dict), at, "table", "an object", table)
    return Head(whole["title"], tuple(shows), whole["origin"], whole["licence"], started, rules, table, whole["state"])


def _broken_seal(whole: Json, at: str) -> list[str]:
    if whole["state"] == "recording" or whole["seal"] == sealed(whole):
        return []
    return [f"{at}: it was edited after it was sealed: expected the seal {sealed(whole)}, got {whole['seal']!r:.90}."]


def sealed(whole: Json) -> str:
    """The seal of a tape.json: over all of it but the seal."""
    rest = {key: value for key, value in whole.items() if key != "seal"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _manifest(whole: Json, at: str) -> dict[str, Entry]:
    files = whole["files"]
    _expect(isinstance(files, dict), at, "files", "an object", files)
    return {name: _manifest_entry(name, entry, at) for name, entry in files.items()}


def _manifest_entry(name: str, entry: Any, at: str) -> Entry:
    if NAME.fullmatch(name) is None:
        raise BadTape(f"{at}: files: a tape can have no file {name[:80]!r}.")
    _expect(isinstance(entry, dict), at, f"files: {name}", "bytes and sha256", entry)
    _check_keys(entry, {"bytes", "sha256"}, f"{at}: files: {name}")
    size, digest = entry["bytes"], entry["sha256"]
    _expect(_whole(size) and 0 <= size <= FILE_MAX, at, f"files: {name}", f"at most {FILE_MAX} bytes", size)
    right = isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest) is not None
    _expect(right, at, f"files: {name}", "64 hexadecimal digits", digest)
    return Entry(size, digest)


def _differences(manifest: Mapping[str, Entry], found: Mapping[str, Entry], tape: str) -> list[str]:
    said = []
    for name in sorted({*manifest, *found}):
        wanted, got = manifest.get(name), found.get(name)
        if got is None:
            said.append(f"{tape}/{name}: the file is missing; the tape was sealed with it.")
        elif wanted is None:
            said.append(f"{tape}/{name}: the tape was sealed without this file.")
        elif wanted.bytes != got.bytes:
            said.append(f"{tape}/{name}: expected {wanted.bytes} bytes, got {got.bytes}: it was cut or edited.")
        elif wanted != got:
            said.append(f"{tape}/{name}: expected SHA-256 {wanted.sha256}, got {got.sha256}: it was edited.")
    return said


# Files.


def found_in(folder: Path, *, unfinished: bool = False) -> dict[str, Entry]:
    """Every file that lies in the folder besides tape.json; BadTape where one cannot be a tape's.

    `unfinished`: half-written files, which a crash leaves, are passed over.
    """
    found: dict[str, Entry] = {}
    for name in names_in(folder):
        if unfinished and name.endswith(HALF):
            continue
        if NAME.fullmatch(name) is None:
            raise BadTape(f"{name_of(folder)}/{name[:80]}: a tape can have no such file; take it out of the folder.")
        if len(found) > FRAMES_MAX:
            raise BadTape(f"{name_of(folder)}: expected at most {FRAMES_MAX} files.")
        data = _bytes(folder, name)
        _check_picture(name, data, f"{name_of(folder)}/{name}")
        found[name] = entry_of(data)
    return found


def names_in(folder: Path) -> Iterator[str]:
    """The path of every file and link in the folder but tape.json, with slashes."""
    try:
        for place, folders, files in os.walk(folder, onerror=_raise):
            folders.sort()
            inside = Path(place).relative_to(folder)
            links = [name for name in folders if (Path(place) / name).is_symlink()]
            yield from ((inside / name).as_posix() for name in sorted(files + links) if (inside / name) != Path(HEAD))
    except OSError as error:
        raise BadTape(f"{name_of(folder)}: the folder cannot be read: {error.strerror}.") from error


def _raise(error: OSError) -> None:
    raise error


def _check_picture(name: str, data: bytes, at: str) -> None:
    form = name.rpartition(".")[2]
    if form in MAGIC and not data.startswith(MAGIC[form]):
        raise BadTape(f"{at}: expected a picture of the form its name says, got one that starts {data[:8]!r}.")


def _bytes(folder: Path, name: str) -> bytes:
    path, at = folder / name, f"{name_of(folder)}/{name}"
    most = HEAD_MAX if name == HEAD else FILE_MAX
    try:
        if path.is_symlink() or not path.is_file():
            raise BadTape(f"{at}: expected a file, got {'a link' if path.is_symlink() else 'none'}.")
        if path.stat().st_size > most:
            raise BadTape(f"{at}: expected at most {most} bytes, got {path.stat().st_size}.")
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise BadTape(f"{at}: the file cannot be read: {error.strerror}.") from error


def entry_of(data: bytes) -> Entry:
    """The manifest's line for a file's content."""
    return Entry(len(data), hashlib.sha256(data).hexdigest())


# JSON.


def _lines(text: bytes, at: str) -> Iterator[tuple[int, Json]]:
    """Each line's number and object. A file that does not end with a line end was cut."""
    if text and not text.endswith(b"\n"):
        last = text.count(b"\n") + 1
        raise BadTape(f"{at}: line {last}: it has no end: the file was cut.")
    for number, line in enumerate(text.split(b"\n")[:-1], 1):
        if number > LINES_MAX:
            raise BadTape(f"{at}: expected at most {LINES_MAX} lines.")
        if len(line) > LINE_MAX:
            raise BadTape(f"{at}: line {number}: expected at most {LINE_MAX} bytes, got {len(line)}.")
        yield number, _object(line, f"{at}: line {number}")


def _object(text: bytes, at: str) -> Json:
    try:
        value = json.loads(text.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()
        _check_numbers(value)
    except (ValueError, RecursionError) as error:
        raise BadTape(f"{at}: expected JSON: {why_unreadable(error)}.") from None
    if not isinstance(value, dict):
        raise BadTape(f"{at}: expected an object, got {value!r:.60}.")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key comes twice")
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _check_numbers(value: Any) -> None:
    if isinstance(value, int | float) and not -NUMBER_MAX <= value <= NUMBER_MAX:
        raise ValueError("a number is out of all bounds")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_numbers(part)


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_keys(whole: Json, keys: set[str], at: str) -> None:
    unknown, missing = sorted(whole.keys() - keys), sorted(keys - whole.keys())
    if unknown or missing:
        raise BadTape(f"{at}: {'unknown' if unknown else 'missing'} key {(unknown or missing)[0][:60]!r}.")


def _expect(right: bool, at: str, key: str, expected: str, got: Any) -> None:
    if not right:
        raise BadTape(f"{at}: {key}: expected {expected}, got {got!r:.80}.")
