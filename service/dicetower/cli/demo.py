"""`dicetower demo`: the bundled tapes, played and compared, then shown in the browser. It needs no hardware."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dicetower.cli.numbers import PORT
from dicetower.cli.tapes import Out, Speed, case_json, case_lines
from dicetower.errors import CheckFailed, Unavailable

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

    from dicetower.settings import Settings
    from dicetower.sources.tape import Tape
    from dicetower.tapes.report import Case

TABLE = "demo"


def register(main: click.Group) -> None:
    """Add this file's command to `main`."""
    main.add_command(demo)


@click.command(short_help="Play the bundled tapes, then show them in the browser.")
@click.option("--once", is_flag=True, help="Play them and end: exit status 0 only when all came as expected.")
@click.option(
    "--speed", type=Speed(), default="1", metavar="N", help="In the browser: N times the tapes' own pace. [1]"
)
@click.option("--host", metavar="ADDRESS", help="Where to listen.")
@click.option("--port", type=PORT, metavar="N", help="Which port; else the configured one, or any free one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines and nothing else.")
def demo(once: bool, speed: float, host: str | None, port: int | None, as_json: bool) -> None:
    """Play the bundled tapes, print what came of each, then show them in the browser until Ctrl-C.

    With no terminal on standard output it ends after the outcomes, as with --once.
    """
    chosen = _chosen(host, port) if not once and sys.stdout.isatty() else None
    cases = played(Out(), as_json)
    wrong = [case for case in cases if not case.ok]
    if wrong:
        raise CheckFailed(f"{len(wrong)} of {len(cases)} tapes did not come as expected. The first: {wrong[0].said}")
    if chosen is not None:
        show([case.replayed.tape for case in cases if case.replayed], speed, chosen, port is not None, as_json)


def _chosen(host: str | None, port: int | None) -> Settings:
    """The settings in force: what is wrong with them is said before a tape is played."""
    from dicetower import settings

    return settings.load({"host": host, "port": port}).settings


def played(out: Out, as_json: bool) -> list[Case]:
    """Play every bundled tape; print each as it ends."""
    from dicetower.sources import tape
    from dicetower.tapes import bundled, report

    root = bundled.folder()
    folders = tape.under(root)
    if not folders:
        raise Unavailable(f"There is no tape in {root}; install dicetower again.")
    cases = []
    for case in report.play(folders, root):
        cases.append(case)
        for line in [json.dumps(case_json(case))] if as_json else case_lines(case):
            out.line(line)
    return cases


def show(tapes: list[Tape], speed: float, chosen: Settings, named: bool, as_json: bool) -> None:
    """Serve a table at which the tapes are played, one after the other, until a signal comes.

    `named`: somebody insists on this very port.
    """
    from dicetower.api import listen
    from dicetower.cli.client import address_of

    logging.basicConfig(level="WARNING", format="%(levelname)s %(name)s: %(message)s")
    with contextlib.closing(_listener(chosen, named)) as listener, shown(tapes, speed, chosen) as app:
        _say(address_of(chosen.host, listener.getsockname()[1]), as_json)
        listen.serve(app, listener)


def _listener(chosen: Settings, named: bool) -> socket.socket:
    """The configured port or, where a service has it already and nobody insisted, any free one."""
    from dicetower.api import listen

    try:
        return listen.bound(chosen.host, chosen.port)
    except Unavailable:
        if named:
            raise
    return listen.bound(chosen.host, 0)


@contextlib.contextmanager
def shown(tapes: list[Tape], speed: float, chosen: Settings) -> Iterator[FastAPI]:
    """The application, with the tapes playing at its table, over a journal that is gone afterwards."""
    import time

    from dicetower.api.app import create_app
    from dicetower.api.services import Services
    from dicetower.cli.serve import names
    from dicetower.rules import pack
    from dicetower.sources.camera import Camera
    from dicetower.sources.evidence import EvidenceFolder
    from dicetower.store.journal import open_journal
    from dicetower.table import Tables
    from dicetower.tapes.show import Show
    from dicetower.tapes.stage import Draws

    with tempfile.TemporaryDirectory(prefix="dicetower-demo-") as folder:
        evidence, rules, draws = EvidenceFolder(Path(folder) / "evidence"), pack.standard(), Draws(system=True)
        with open_journal(Path(folder) / "journal.db") as store:
            tables = Tables(store, rules, below=draws.below)
            camera = Camera(evidence.keep)
            services = Services(
                tables, store, rules, camera.read_photo, evidence.find, first_table=TABLE, check_evidence=evidence.check
            )
            table = tables.open(TABLE)
            now_ms = lambda: time.time_ns() // 1_000_000  # noqa: E731
            with Show(tapes, table, store, camera, draws, now_ms, speed=speed):
                yield create_app(services, names(chosen))


def _say(address: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"listening": f"{address}/", "display": f"{address}/display/{TABLE}"}))
        return
    click.echo(
        f"\nThe tapes play at {address}/display/{TABLE}, over and over, and the table's controls are at {address}/. "
        "Ctrl-C ends it."
    )
