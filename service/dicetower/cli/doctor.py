"""`dicetower doctor`: what is in force, where it came from, and what is wrong. It changes nothing."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from dicetower.settings import Effective, Settings

PACKAGES = ("dicetower", "fastapi", "uvicorn", "pydantic", "sqlalchemy", "numpy", "opencv-python-headless", "pyserial")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what it is, how it is, and, where it is wrong, the sentence that says what to do."""

    what: str
    state: str
    wrong: str = ""
    note: str = ""


def register(main: click.Group) -> None:
    """Add this file's command to `main`."""
    main.add_command(doctor)


@click.command(short_help="Say what settings are in force, and what is wrong.")
@click.option("--config", type=click.Path(path_type=Path), help="The configuration file.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON and nothing else.")
def doctor(config: Path | None, as_json: bool) -> int:
    """Print the settings in force and where each came from, the versions, and what is wrong.

    Exit status 1 where something is wrong, 2 where the settings themselves cannot be used: a sentence says which.
    """
    from dicetower import settings

    effective = settings.load(config=config)
    findings = list(looked_at(effective.settings))
    if as_json:
        click.echo(json.dumps(_shape(effective, findings)))
    else:
        _print(effective, findings)
    return 1 if any(finding.wrong for finding in findings) else 0


def versions() -> dict[str, str]:
    """Of this program, of what it stands on, and of the machine."""
    import sqlite3

    found = {name: metadata.version(name) for name in PACKAGES}
    return found | {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def looked_at(settings: Settings) -> Iterator[Finding]:
    """Everything `serve` will need, looked at without changing it."""
    yield _address(settings)
    yield _rules(settings)
    yield _journal(settings)
    yield _evidence(settings)
    yield _camera(settings)


def _address(settings: Settings) -> Finding:
    """Whether the address can be had, or our own service has it already."""
    from dicetower.api import listen
    from dicetower.api.guard import LOOPBACK
    from dicetower.errors import Unavailable

    note = "" if settings.host in LOOPBACK else "Everybody in this network can open the pages and act at the tables."
    try:
        listen.bound(settings.host, settings.port).close()
    except Unavailable as error:
        running = _running(settings)
        if running is not None:
            return Finding("address", f"dicetower {running} serves there now", note=note)
        return Finding("address", "cannot be had", str(error))
    return Finding("address", f"{settings.host} port {settings.port} is free", note=note)


def _running(settings: Settings) -> str | None:
    """The version of the dicetower that answers at the configured address, if one does."""
    from dicetower.cli.client import Client, address_of
    from dicetower.errors import DicetowerError

    try:
        return str(Client(address_of(settings.host, settings.port)).get("healthz")["version"])
    except (DicetowerError, KeyError):
        return None


def _rules(settings: Settings) -> Finding:
    from dicetower.errors import BadRulePack
    from dicetower.rules import pack

    try:
        rules = pack.standard() if settings.rules is None else pack.load(settings.rules)
    except BadRulePack as error:
        return Finding("rules", "cannot be used", str(error))
    return Finding("rules", f"{rules.name} {rules.version}, {len(rules.systems)} systems, {rules.hash[:15]}")


def _journal(settings: Settings) -> Finding:
    """Whether the journal can be opened or, where there is none yet, made."""
    from dicetower.settings import MEMORY, is_url

    if settings.journal == MEMORY:
        return Finding("journal", "in memory", note="Nothing is kept when the service ends.")
    path = Path(settings.journal)
    if not is_url(settings.journal) and not path.exists():
        return _folder("journal", path, "made at the first start")
    return _held(settings.journal)


def _held(where: str) -> Finding:
    """What the journal holds, read through its own checks."""
    from dicetower.errors import DicetowerError
    from dicetower.store.journal import read_journal

    try:
        with read_journal(where) as journal:
            tables = journal.tables()
            mode, _ = journal.settings()
            shown = journal.where
    except DicetowerError as error:
        return Finding("journal", "cannot be used", str(error))
    held = f"{len(tables)} table{'s' if len(tables) != 1 else ''}"
    return Finding("journal", f"{shown}, {held}, journal mode {mode}, written with full sync")


def _evidence(settings: Settings) -> Finding:
    return _folder("crops of dice", settings.evidence, "made with the first photograph")


def _camera(settings: Settings) -> Finding:
    """Which camera and set-up `serve` will use; it is not opened, for another program may be using it."""
    from dicetower.cli.camera import chosen
    from dicetower.errors import DicetowerError
    from dicetower.settings import camera_folder
    from dicetower.sources.camera_desk import missing
    from dicetower.sources.camera_profile import Profiles

    try:
        profile = chosen(settings, Profiles(camera_folder()))
    except DicetowerError as error:
        return Finding("camera", "cannot be used", str(error))
    if not profile.source:
        return Finding("camera", "none chosen", note="Name one with --camera, or choose it at /setup.")
    marked = "a marked tray" if settings.camera_profile else "all of its picture as the tray"
    return Finding("camera", f"{settings.shown()['camera'] or profile.name}, {marked}", missing(profile.source))


def _folder(what: str, path: Path, when: str) -> Finding:
    """Whether a file or folder is there and may be written, or its place may be."""
    if os.path.exists(path):  # noqa: PTH110 - Path.exists raises where a folder above may not be entered
        wrong = (
            "" if os.access(path, os.W_OK) else f"{path} may not be written by this user; give it back or name another."
        )
        return Finding(what, f"{path}", wrong)
    place = next(parent for parent in path.parents if os.path.exists(parent))  # noqa: PTH110
    wrong = "" if os.access(place, os.W_OK) else f"{place} may not be written by this user; name another place."
    return Finding(what, f"{path}, {when}", wrong)


def _shape(effective: Effective, findings: list[Finding]) -> dict[str, Any]:
    shown = effective.settings.shown()
    return {
        "settings": {key: {"value": value, "from": effective.origin[key]} for key, value in shown.items()},
        "versions": versions(),
        "findings": [asdict(finding) for finding in findings],
    }


def _print(effective: Effective, findings: list[Finding]) -> None:
    click.echo("Settings in force")
    shown = effective.settings.shown()
    wide = max(map(len, shown)) + 2
    for key, value in shown.items():
        click.echo(f"  {key:<{wide}}{_text(value):<43} {effective.origin[key]}")
    click.echo("\nVersions")
    for name, version in versions().items():
        click.echo(f"  {name:<24}{version}")
    click.echo("\nLooked at")
    for finding in findings:
        click.echo(f"  {finding.what:<14}{finding.state}")
        for line in filter(None, (finding.note, finding.wrong and f"Wrong: {finding.wrong}")):
            click.echo(f"  {'':<14}{line}")
    click.echo("\n" + ("Something is wrong." if any(finding.wrong for finding in findings) else "Nothing is wrong."))


def _text(value: object) -> str:
    if value is None:
        return "-"
    return ", ".join(value) or "-" if isinstance(value, list) else str(value)
