"""`dicetower serve`: the parts put together, and served until Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicetower.cli.numbers import PORT
from dicetower.cli.recording import Record, parts

if TYPE_CHECKING:
    from fastapi import FastAPI

    from dicetower.model import Store
    from dicetower.settings import Settings

SETTINGS = (
    click.option("--host", metavar="ADDRESS", help="Where to listen; 0.0.0.0 is every network this machine is in."),
    click.option("--port", type=PORT, metavar="N", help="Which port; 0 is any free one."),
    click.option("--allowed-host", "allowed_hosts", multiple=True, metavar="NAME", help="Another name of this server."),
    click.option("--journal", metavar="FILE", help="The journal: a file, or a database URL."),
    click.option("--rules", metavar="FILE", help="Another rule pack: house rules are a copy with changes."),
    click.option("--table", metavar="NAME", help="The table at `/`."),
    click.option("--edie", "edice", multiple=True, metavar="PORT", help="An e-die's port, a pattern, a URL, or auto."),
    click.option("--camera", metavar="SOURCE", help="The camera: a number, device, address, video file or folder."),
    click.option("--log", metavar="LEVEL", help="debug, info, warning or error."),
    click.option("--config", type=click.Path(path_type=Path), help="The configuration file."),
)


def register(main: click.Group) -> None:
    """Add this file's command to `main`."""
    main.add_command(serve)


def with_settings(command: Any) -> Any:
    """Add one option a setting."""
    for option in reversed(SETTINGS):
        command = option(command)
    return command


@click.command(short_help="Serve the table, the pages and the live stream.")
@with_settings
@click.option(
    "--record", "out", type=click.Path(path_type=Path), metavar="OUT", help="Keep what it is given as a tape."
)
@click.option("--json", "as_json", is_flag=True, help="Print the address as one line of JSON.")
def serve(config: Path | None, as_json: bool, out: Path | None, **flags: Any) -> None:
    """Serve the table: the pages, the interface and the live stream, until Ctrl-C."""
    run(chosen(config, flags), as_json, None if out is None else Record(out))


def chosen(config: Path | None, flags: Mapping[str, Any]) -> Settings:
    """The settings in force, with the log set up as they say."""
    from dicetower import settings

    lists = {name: flags[name] or None for name in ("allowed_hosts", "edice")}
    made = settings.load({**flags, **lists}, config).settings
    logging.basicConfig(level=made.log.upper(), format="%(levelname)s %(name)s: %(message)s")
    for name in ("asyncio", "uvicorn.error"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    return made


def run(settings: Settings, as_json: bool = False, record: Record | None = None) -> None:
    """Listen, open the journal, say where, and serve. Listening comes first: a taken port costs nothing."""
    from dicetower.api import listen
    from dicetower.cli.client import address_of

    with contextlib.closing(listen.bound(settings.host, settings.port)) as listener, opened(settings, record) as app:
        _say(settings, f"{address_of(settings.host, listener.getsockname()[1])}/", as_json)
        for sentence in absent(settings):
            click.echo(f"{sentence} It is waited for.", err=True)
        for sentence in impossible(settings):
            click.echo(f"{sentence} Nothing is read there.", err=True)
        listen.serve(app, listener)


@contextlib.contextmanager
def opened(settings: Settings, record: Record | None = None) -> Iterator[FastAPI]:
    """The application over the journal and the rules that `settings` name, its first table open."""
    from dicetower.api.app import create_app
    from dicetower.api.services import Services
    from dicetower.cli.camera import over_tray
    from dicetower.cli.die_sets import corrections_to
    from dicetower.cli.edice import at_table
    from dicetower.rules import pack
    from dicetower.sources.camera import Camera
    from dicetower.sources.die_sets import DieSets
    from dicetower.sources.evidence import EvidenceFolder

    rules = pack.standard() if settings.rules is None else pack.load(settings.rules)
    evidence = EvidenceFolder(settings.evidence)
    sets = DieSets(settings.die_set_folder, settings.die_sets)
    read_photo = Camera(evidence.keep, own=sets.own).read_photo
    with (
        journal(settings) as store,
        parts(settings, store, rules, read_photo, record, sets.own) as made,
        at_table(settings.edice, made.tables.open(settings.table), made.recorder) as edice,
        over_tray(settings, made.tables, rules, evidence, sets, made.recorder) as (camera, enrol),
        corrections_to(enrol, made.tables, store, settings),
    ):
        services = Services(
            made.tables,
            store,
            rules,
            made.read_photo,
            evidence.find,
            lambda: [*made.sources(), *camera.sources(), *edice()],
            first_table=settings.table,
            press=edice,
            camera=camera,
            enrol=enrol,
            check_evidence=evidence.check,
        )
        yield create_app(services, names(settings))


@contextlib.contextmanager
def journal(settings: Settings) -> Iterator[Store]:
    """The journal that `settings` name, closed afterwards."""
    from dicetower.settings import MEMORY
    from dicetower.store.journal import open_journal
    from dicetower.store.memory import MemoryStore

    if settings.journal == MEMORY:
        yield MemoryStore()
        return
    with open_journal(settings.journal) as store:
        yield store


def names(settings: Settings) -> Any:
    """What Host may say: with more than loopback, the machine's own name too, bare and with `.local`."""
    import socket

    from dicetower.api.guard import names_for

    own = socket.gethostname()
    return names_for(settings.host, settings.allowed_hosts, (own, f"{own.partition('.')[0]}.local"))


def absent(settings: Settings) -> Iterator[str]:
    """A sentence for the camera and each e-die's port that is named and not there: it may be plugged in later."""
    from dicetower.cli.camera import chosen
    from dicetower.settings import camera_folder
    from dicetower.sources.camera_desk import missing
    from dicetower.sources.camera_profile import Profiles
    from dicetower.sources.serial_ports import absent as not_there

    if source := chosen(settings, Profiles(camera_folder())).source:
        yield from filter(None, [missing(source)])
    for name in not_there(settings.edice):
        yield f"There is no {name}: is the e-die plugged in?"


def impossible(settings: Settings) -> Iterator[str]:
    """A sentence for each e-die's port that is named and can never be one."""
    from dicetower.sources import serial_ports

    return filter(None, map(serial_ports.impossible, settings.edice))


def _say(settings: Settings, address: str, as_json: bool) -> None:
    """Say where it is, what that opens, and what is not kept."""
    from dicetower.api.guard import LOOPBACK
    from dicetower.settings import MEMORY

    if as_json:
        click.echo(json.dumps({"listening": address, "journal": settings.shown()["journal"]}))
        return
    click.echo(f"The table is at {address} and the display at {address}display/{settings.table}. Ctrl-C ends it.")
    if settings.host not in LOOPBACK:
        click.echo(
            "Everybody in this network can open the pages, declare attacks and type dice: there is no password.",
            err=True,
        )
    if settings.journal == MEMORY:
        click.echo("The journal is in memory: nothing is kept when this ends.", err=True)
