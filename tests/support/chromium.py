"""The Chromium that drives the pages: this machine's own, else the one that Playwright brings.

`python -m tests.support.chromium` brings Playwright's where no other serves; `make` calls it as it sets up the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
BRING = ["-m", "playwright", "install", "--only-shell", "chromium"]
WITH_LIBRARIES = "--with-deps"
"""Playwright then has apt-get install the libraries that its Chromium lacks, through sudo where it is not root."""


class NoChromium(Exception):
    """None that starts and opens a file in the system's temporary folder; the notes say why, one a browser."""

    def __init__(self) -> None:
        super().__init__(
            "There is no Chromium here that the page tests can drive: sudo apt-get install chromium, "
            f"or where that is a snap, as on Ubuntu: {sys.executable} {' '.join(BRING)} {WITH_LIBRARIES}"
        )


def launch(playwright: Playwright) -> Browser:
    """Start the first that serves; raises NoChromium."""
    none = NoChromium()
    for path in [*filter(None, map(shutil.which, NAMES)), None]:
        name = path or "Playwright's own"
        try:
            browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        except Error as error:
            none.add_note(f"{name}: {error.message}")
            continue
        if _opens_files(browser):
            return browser
        browser.close()
        none.add_note(f"{name}: it opens no file in {tempfile.gettempdir()}")
    raise none


def _opens_files(browser: Browser) -> bool:
    """Whether it sees the files that a test gives a page: a snap has a temporary folder of its own instead."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "seen.html"
        file.write_text("<title>seen</title>")
        page = browser.new_page()
        try:
            page.goto(file.as_uri())
            return page.title() == "seen"
        except Error:
            return False
        finally:
            page.close()


def _is_there() -> bool:
    try:
        with sync_playwright() as playwright:
            launch(playwright).close()
    except NoChromium:
        return False
    return True


def _may_install() -> bool:
    """Whether Debian packages may be installed with nobody there to type a password."""
    if os.geteuid() == 0:
        return True
    sudo = shutil.which("sudo")
    return sudo is not None and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Bring Playwright's where none serves; without it the tests of all but the pages still run, so no failure."""
    if _is_there():
        return
    sys.stderr.write("Bringing Playwright's Chromium: there is no other here that the page tests can drive\n")
    brought = subprocess.run(
        [sys.executable, *BRING, *([WITH_LIBRARIES] if _may_install() else [])],
        capture_output=True,
        check=False,
        text=True,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    )
    if not _is_there():
        said = dict.fromkeys(line for line in brought.stderr.splitlines() if line.startswith(("E: ", "Error: ")))
        sys.stderr.write("".join(f"{line}\n" for line in [*said, str(NoChromium())]))


if __name__ == "__main__":
    main()
