"""Many tapes, played one after the other; and what came of them as JUnit XML, which CI servers read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

from dicetower.errors import BadTape
from dicetower.rules.ruleset import RuleSet
from dicetower.sources import tape as tapes
from dicetower.sources.tape import Line, Tape
from dicetower.tapes.replay import Replayed, no_pause, replay
from dicetower.tapes.results import Result
from dicetower.tapes.stage import Pause

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document can hold (https://www.w3.org/TR/xml/#charsets)."""

Heard = Callable[[Tape, Line, Result], None]


@dataclass(frozen=True, slots=True)
class Case:
    """One tape's end: played, or `wrong`, the sentence why it cannot be."""

    name: str
    replayed: Replayed | None = None
    wrong: str = ""

    @property
    def ok(self) -> bool:
        """Whether it was played and all came as expected."""
        return self.replayed is not None and self.replayed.ok

    @property
    def title(self) -> str:
        """What the tape calls itself, else its path."""
        return self.name if self.replayed is None else self.replayed.tape.head.title

    @property
    def said(self) -> str:
        """The first thing that is not as it should be, in a sentence; empty where all is."""
        if self.replayed is None:
            return self.wrong
        more = len(self.replayed.differences) - 1
        rest = f" ({more} more)" if more > 0 else ""
        return "" if self.ok else f"{self.replayed.tape.name}: {self.replayed.differences[0]}{rest}."


def nobody(tape: Tape, line: Line, result: Result) -> None:
    """Hears nothing."""


def play(
    folders: Iterable[Path], root: Path, rules: RuleSet | None = None, pause: Pause = no_pause, heard: Heard = nobody
) -> Iterator[Case]:
    """Play tapes one after the other; a tape that cannot be played ends none of the others."""
    for folder in folders:
        name = folder.relative_to(root).as_posix() if folder != root else tapes.name_of(folder)
        try:
            yield Case(name, one(tapes.read(folder), rules, pause, heard))
        except BadTape as error:
            yield Case(name, wrong=str(error))


def one(tape: Tape, rules: RuleSet | None, pause: Pause, heard: Heard) -> Replayed:
    """Play one tape."""
    return replay(tape, rules, pause, lambda line, result: heard(tape, line, result))


def junit(cases: Sequence[Case]) -> bytes:
    """What came of the tapes: a failure where results differ, an error where a tape cannot be trusted."""
    counts = {
        "tests": len(cases),
        "failures": sum(case.replayed is not None and not case.ok for case in cases),
        "errors": sum(case.replayed is None for case in cases),
    }
    numbers = {name: str(count) for name, count in counts.items()}
    root = Xml.Element("testsuites", numbers)
    suite = Xml.SubElement(root, "testsuite", {"name": "tapes", **numbers})
    for case in cases:
        _add(suite, case)
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _add(suite: Xml.Element, case: Case) -> None:
    element = Xml.SubElement(suite, "testcase", {"classname": "tapes", "name": _clean(case.name)})
    if case.replayed is None:
        Xml.SubElement(element, "error", {"message": _clean(case.said), "type": "BadTape"})
    elif not case.ok:
        failure = Xml.SubElement(element, "failure", {"message": _clean(case.said), "type": "Difference"})
        failure.text = _clean("\n".join(str(difference) for difference in case.replayed.differences))


def _clean(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
