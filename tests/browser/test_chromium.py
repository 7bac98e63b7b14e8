"""Which Chromium drives the pages: the first on the path that starts and opens a test's files, else Playwright's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error
from tests.support import chromium


class Tab:
    def __init__(self, sees: bool) -> None:
        self.sees = sees
        self.shown = ""

    def goto(self, url: str) -> None:
        if not self.sees:
            raise Error("net::ERR_FILE_NOT_FOUND")
        self.shown = Path(url.removeprefix("file://")).read_text()

    def title(self) -> str:
        return self.shown.removeprefix("<title>").removesuffix("</title>")

    def close(self) -> None:
        pass


class Started:
    def __init__(self, path: str | None, sees: bool) -> None:
        self.path = path
        self.sees = sees
        self.open = True

    def new_page(self) -> Tab:
        return Tab(self.sees)

    def close(self) -> None:
        self.open = False


class Machine:
    """Stands for Playwright and the path: what each Chromium does when it is started."""

    def __init__(self, does: dict[str | None, str]) -> None:
        self.does = does
        self.started: list[Started] = []
        self.chromium = self

    def which(self, name: str) -> str | None:
        return f"/usr/bin/{name}" if f"/usr/bin/{name}" in self.does else None

    def launch(self, executable_path: str | None, args: list[str]) -> Started:
        does = self.does.get(executable_path, "Executable doesn't exist")
        if does not in ("serves", "snap"):
            raise Error(does)
        self.started.append(Started(executable_path, sees=does == "serves"))
        return self.started[-1]


STUB = "requires the chromium snap to be installed"


@pytest.mark.parametrize(
    ("does", "taken"),
    [
        ({"/usr/bin/chromium": "serves", None: "serves"}, "/usr/bin/chromium"),
        ({"/usr/bin/chromium-browser": STUB, "/usr/bin/google-chrome": "serves"}, "/usr/bin/google-chrome"),
        ({"/usr/bin/chromium-browser": STUB, None: "serves"}, None),
        ({"/usr/bin/chromium": "snap", "/usr/bin/chromium-browser": "snap", None: "serves"}, None),
        ({None: "serves"}, None),
    ],
)
def test_the_first_that_serves_is_taken(
    does: dict[str | None, str], taken: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine: Any = Machine(does)
    monkeypatch.setattr(shutil, "which", machine.which)
    browser: Any = chromium.launch(machine)
    assert browser.path == taken
    assert [started for started in machine.started if started.open] == [browser]


def test_where_none_serves_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    machine: Any = Machine({"/usr/bin/chromium": "snap", "/usr/bin/chromium-browser": STUB})
    monkeypatch.setattr(shutil, "which", machine.which)
    with pytest.raises(chromium.NoChromium) as raised:
        chromium.launch(machine)
    assert "apt-get install chromium" in str(raised.value)
    assert "-m playwright install --only-shell chromium --with-deps" in str(raised.value)
    assert "\n" not in str(raised.value)
    noted = raised.value.__notes__
    assert [note.split(":")[0] for note in noted] == [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "Playwright's own",
    ]
    assert STUB in noted[1]
    assert not any(started.open for started in machine.started)
