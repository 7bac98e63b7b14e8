"""`dicetower edie`: the e-dice at this machine's ports, one die's lines, and a die that is only a program."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from dicetower.cli.client import table_path
from dicetower.cli.numbers import SECONDS
from dicetower.cli.throw import at_a_table, reached
from dicetower.errors import BadInput, CheckFailed, DeviceError, NotFound

if TYPE_CHECKING:
    from dicetower.model import SourceHealth, Throw
    from dicetower.sources.edie import Edie
    from dicetower.sources.edie_port import Quiet
    from dicetower.tapes.verify import Finding

FIRMWARE = Path(__file__).parents[3] / "firmware"
SETTLES_S = 6.0
"""A board that restarts when its port opens is awake after 3 s; twice that for a slow one."""
ASK_SAMPLES = 4096
"""Samples in one request: 3 s of the ADC's, so that a lost request or restart costs little."""
UID_DIGITS = 16
LOOK_S = 0.2
"""How soon a person reads why a port does not open."""
RAW_SILENT_S = 2.0
"""Sixteen samples of the watchdog take 0.26 s: this long without a line, the request is at its end."""


def register(main: click.Group) -> None:
    """Add this file's commands to `main`."""
    main.add_command(edie)


@click.group()
def edie() -> None:
    """Find, watch and emulate e-dice."""


@edie.command("list")
@click.argument("ports", nargs=-1, metavar="[PORT]...")
@click.option(
    "--wait",
    "wait_s",
    type=SECONDS,
    default=SETTLES_S,
    show_default=True,
    metavar="S",
    help="How long to ask each port.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line a port.")
def list_(ports: tuple[str, ...], wait_s: float, as_json: bool) -> int:
    """Ask each port who is there. With no PORT: every USB serial adapter.

    PORT is a device, a pattern such as '/dev/serial/by-id/*', or a URL such as socket://raspberry:3333. Exit status 1
    where no e-die answered.
    """
    from dicetower.sources.serial_ports import AUTO

    healths = _asked(ports or (AUTO,), wait_s)
    for health in healths:
        click.echo(json.dumps(_shape(health)) if as_json else _sentence(health))
    if not any(health.state == "connected" for health in healths):
        click.echo(_none(healths, ports), err=True)
        return 1
    return 0


def _asked(ports: tuple[str, ...], wait_s: float) -> list[SourceHealth]:
    """How each port stands once all have answered, or the wait is over."""
    from dicetower.sources.edie import Edie

    source = Edie(ports)
    source.start(_refuse)
    try:
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline and not _all_known(source):
            time.sleep(0.05)
        return source.all_healths()
    finally:
        source.stop()


def _all_known(source: Edie) -> bool:
    healths = source.all_healths()
    return bool(healths) and all("uid" in health.detail or health.state == "refused" for health in healths)


def _refuse(throw: Throw) -> None:
    """Rolls that wait in a die stay in it: only a table's journal may take them."""
    raise DeviceError(f"{throw.id}: no table is open here; the roll stays in the die.")


def _shape(health: SourceHealth) -> dict[str, Any]:
    return {"port": health.detail["port"], "state": health.state, "reason": health.reason, **health.detail}


def _sentence(health: SourceHealth) -> str:
    uid = f"  e-die {health.detail['uid']}, firmware {health.detail['firmware']}" if "uid" in health.detail else ""
    return f"{health.detail['port']}: {health.state}{uid}{f'  {health.reason}' if health.reason else ''}"


def _none(healths: list[SourceHealth], ports: tuple[str, ...]) -> str:
    if healths:
        return "dicetower: no e-die answered."
    return (
        f"dicetower: there is no port {' '.join(ports)}." if ports else "dicetower: no USB serial port is plugged in."
    )


@edie.command()
@click.argument("port")
@click.option("--for", "for_s", type=SECONDS, metavar="S", help="End after so many seconds; else at Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line a line heard or sent.")
def monitor(port: str, for_s: float | None, as_json: bool) -> None:
    """Show every line at PORT as it comes. Rolls are not taken from the die: it keeps them for a table."""
    from dicetower.sources import serial_ports
    from dicetower.sources.edie import Edie

    if wrong := serial_ports.impossible(port):
        raise BadInput(wrong)
    printer = _printer(as_json)
    source = Edie([port], watcher=printer)
    source.start(_refuse)
    try:
        health = _watched(source, printer, for_s)
    finally:
        source.stop()
    if not any("uid" in known.detail for known in health):
        raise CheckFailed(next((known.reason for known in health if known.reason), f"{port}: no e-die answered."))


def _watched(source: Edie, printer: Quiet, for_s: float | None) -> list[SourceHealth]:
    """Wait, saying why the port is not open each time that the reason changes; how it stood at the end."""
    from dicetower.sources.edie_port import NOT_YET
    from dicetower.sources.edie_session import Notice

    said, end = "", None if for_s is None else time.monotonic() + for_s
    while end is None or time.monotonic() < end:
        time.sleep(LOOK_S if end is None else max(0.0, min(LOOK_S, end - time.monotonic())))
        for health in source.all_healths():
            why = health.reason if health.state == "not opened" else ""
            if why and why not in (said, NOT_YET):
                printer.noticed(str(health.detail["port"]), Notice("port", why))
            said = why
    return source.all_healths()


def _printer(as_json: bool) -> Quiet:
    """A watcher that prints: `<` from the die, `>` to it, `!` what a person may need to know."""
    from dicetower.sources.edie_port import Quiet
    from dicetower.sources.edie_session import Notice
    from dicetower.sources.wire import Framer, Line

    began = time.monotonic()
    framer = Framer()

    def put(sign: str, text: str, **more: Any) -> None:
        at_ms = round((time.monotonic() - began) * 1000)
        click.echo(
            json.dumps({"ms": at_ms, "sign": sign, "text": text, **more}) if as_json else f"{at_ms:8} {sign} {text}"
        )

    class Printer(Quiet):
        def plugged(self, port: str) -> None:
            put("!", f"{port} opened")

        def unplugged(self, port: str) -> None:
            put("!", f"{port} closed")

        def heard(self, port: str, data: bytes) -> None:  # noqa: ARG002
            for item in framer.feed(data):
                if isinstance(item, Line):
                    put("<", item.text)
                else:
                    put("<", item.message, rejected=item.reason)

        def sent(self, port: str, data: bytes) -> None:  # noqa: ARG002
            put(">", data.decode("ascii").rstrip("\n"))

        def noticed(self, port: str, notice: Notice) -> None:  # noqa: ARG002
            put("!", notice.text, kind=notice.kind)

    return Printer()


@edie.command()
@click.argument("die", metavar="DIE")
@click.argument("name", metavar="NAME")
@at_a_table
def name(die: str, name: str, table: str | None, server: str | None, as_json: bool) -> None:
    """Call an e-die NAME at a table of the running service; an empty NAME takes its name away.

    DIE is its id or the first digits of it, as `dicetower edie list` prints them. The table keeps the name, by the id.
    """
    client, where = reached(server, table)
    uid = _uid_of(die, client.get(f"api/v1/{table_path(where)}"))
    state = client.patch(table_path(where, "edice", uid), {"name": name})
    known = next(each for each in state["edice"] if each["uid"] == uid)
    click.echo(json.dumps(known) if as_json else f"E-die {uid} is called {known['name'] or 'nothing any more'}.")


def _uid_of(digits: str, state: Mapping[str, Any]) -> str:
    """The id that begins so, of the dice the table knows or has at its ports; a whole id may be of another."""
    uids = {die["uid"] for die in state["edice"]} | {source["detail"].get("uid") for source in state["sources"]}
    found = sorted(uid for uid in uids if uid is not None and digits and uid.startswith(digits.lower()))
    if len(found) > 1:
        raise BadInput(f"Expected the id of one e-die, got the first digits of {' and '.join(found)}; give more.")
    if not found and len(digits) < UID_DIGITS:
        raise NotFound(f"The table has no e-die whose id begins with {digits!r:.40}; `dicetower edie list` shows them.")
    return found[0] if found else digits.lower()


@edie.command()
@click.argument("port")
@click.option("--source", type=click.Choice(("adc", "wdt")), default="adc", show_default=True, help="Which noise.")
@click.option("--samples", default=20_000, show_default=True, type=click.IntRange(1000, 65_535), help="How many.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Keep them, a byte a sample.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def entropy(port: str, source: str, samples: int, out: Path | None, as_json: bool) -> None:
    """Collect raw noise samples of the die at PORT and estimate how much min-entropy they hold.

    The ADC gives some 1,500 samples a second, the watchdog 62. The die does not roll meanwhile. Two of the ten
    estimators of NIST SP 800-90B are used: enough to see that the firmware's assessment is far off, not enough to
    certify it. An emulated die's noise is injected: it says nothing of a board's.
    """
    from dicetower.sources import noise

    raw = _collected(port, source, samples)
    if out is not None:
        out.write_bytes(raw)
    tested = [sample & 1 for sample in raw] if source == "adc" else list(raw)
    found = {"most_common_value": noise.most_common_value(tested)}
    if source == "adc":
        found["markov"] = noise.markov(tested)
    assessed = {"adc": 0.3, "wdt": 1.0}[source]
    told = {
        "source": source,
        "samples": len(raw),
        "assessed": assessed,
        **{name: round(bits, 4) for name, bits in found.items()},
    }
    click.echo(json.dumps(told) if as_json else _in_words(told))
    if min(found.values()) < assessed:
        raise CheckFailed(f"The {source} noise holds less than the {assessed} bit a sample that the firmware assesses.")


def _in_words(told: dict[str, Any]) -> str:
    """The figures for a person."""
    markov = f", Markov {told['markov']} (6.3.3)" if "markov" in told else ""
    return (
        f"{told['samples']} samples of {told['source']}: most common value {told['most_common_value']} bit a sample "
        f"(6.3.1){markov}; the firmware assesses {told['assessed']}."
    )


def _collected(port: str, source: str, count: int) -> bytes:
    """`count` samples; asks on where lines were lost. DeviceError where they stop coming."""
    from dicetower.sources.edie import Edie

    ears = _samples_heard(source)
    edie_source = Edie([port], watcher=ears)
    edie_source.start(_refuse)
    try:
        while len(ears.samples) < count:
            _ask(edie_source, port, source, min(count - len(ears.samples), ASK_SAMPLES))
            ears.wait()
    finally:
        edie_source.stop()
    return bytes(ears.samples[:count])


def _ask(edie_source: Edie, port: str, source: str, count: int) -> None:
    """Ask for samples once the die is known; DeviceError where none answers."""
    deadline = time.monotonic() + SETTLES_S
    while not edie_source.dice():
        if time.monotonic() > deadline:
            raise DeviceError(edie_source.health().reason or f"{port}: no e-die answered.")
        time.sleep(0.05)
    known = edie_source.port_of(port)
    if known is not None:
        known.ask_raw(source, count)


def _samples_heard(source: str) -> Any:
    """A watcher that keeps raw samples, and waits until they stop coming."""
    from dicetower.sources.edie_port import Quiet
    from dicetower.sources.verbs import Message, Raw

    class Ears(Quiet):
        def __init__(self) -> None:
            self.samples = bytearray()
            self._came = threading.Event()

        def said(self, port: str, message: Message) -> None:  # noqa: ARG002
            if isinstance(message, Raw) and message.source == source:
                self.samples += message.samples
                self._came.set()

        def wait(self) -> None:
            began = len(self.samples)
            while self._came.wait(RAW_SILENT_S):
                self._came.clear()
            if len(self.samples) == began:
                raise DeviceError("The die sends no samples; is another program steering it?")

    return Ears()


@edie.command()
@click.argument("tape", type=click.Path(path_type=Path), metavar="TAPE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line a commitment.")
def verify(tape: Path, as_json: bool) -> None:
    """Check every fair roll on TAPE: each by the seed that its die had committed to and has revealed.

    The tape's bytes are checked, not what the tape says came of them. Exit status 1 where something is not as it must
    be, or cannot be checked: the first bad roll is named.
    """
    from dicetower.sources import tape as tapes
    from dicetower.tapes.verify import verified

    read = tapes.read(tape, as_it_lies=True)
    for edit in read.edits:
        click.echo(f"dicetower: {edit}", err=True)
    findings = verified(read)
    for finding in findings:
        click.echo(json.dumps(_finding(finding)) if as_json else _found(finding))
    bad = next((each for each in findings if each.verdict.state != "verified"), None)
    if bad is not None:
        raise CheckFailed(f"{read.name}: e-die {bad.uid}: {bad.verdict.state}: {bad.verdict.text}")
    if read.edits or not findings:
        raise CheckFailed(f"{read.name}: {'it is not as it was sealed.' if read.edits else 'no e-die has committed.'}")


def _finding(finding: Finding) -> dict[str, Any]:
    verdict = finding.verdict
    told = {"uid": finding.uid, "commitment": finding.commitment, "state": verdict.state.value, "text": verdict.text}
    return {**told, "rolls": verdict.rolls, "bad": verdict.bad, "own": finding.own, "begun": finding.begun}


def _found(finding: Finding) -> str:
    """A finding for a person."""
    own = f" {len(finding.own)} rolls meanwhile were of its own noise." if finding.own else ""
    begun = f" Begun and never rolled: request {', '.join(map(str, finding.begun))}." if finding.begun else ""
    return f"e-die {finding.uid}, {finding.commitment[:8]}: {finding.verdict.state}. {finding.verdict.text}{own}{begun}"


@edie.command()
@click.option("--link", type=click.Path(path_type=Path), metavar="PATH", help="Keep a link to the port here.")
@click.option(
    "--control", type=click.Path(path_type=Path), metavar="PATH", help="A socket for press, reset and faults."
)
@click.option("--memory", type=click.Path(path_type=Path), metavar="FILE", help="Keep the die's memory here.")
@click.option("--seed", type=int, metavar="N", help="Noise from a seed: every roll can be foretold. For tests only.")
def emulate(link: Path | None, control: Path | None, memory: Path | None, seed: int | None) -> int:
    """Run an e-die as a program: the firmware's own core on a pseudo-terminal. Prints the port; Enter presses it.

    With --control PATH it is steered there instead (for example with `nc -U PATH`); the commands are at the top of
    firmware/rig/rig.c.
    """
    options = [("--link", link), ("--nv", memory), ("--seed", seed), ("--control", control or "-")]
    command = [str(built()), *(str(part) for pair in options if pair[1] is not None for part in pair)]
    if control is not None:
        return subprocess.run(command, check=False).returncode  # noqa: S603
    return _by_keyboard(command)


def built() -> Path:
    """The program, built if need be; DeviceError where it cannot be."""
    if not (FIRMWARE / "Makefile").is_file():
        raise DeviceError(
            "The emulated die is built from the firmware's source, which only a checkout of dicetower has."
        )
    missing = [tool for tool in ("make", "cc") if shutil.which(tool) is None]
    if missing:
        raise DeviceError(
            f"The emulated die needs a C compiler: install gcc and make ({', '.join(missing)} not found)."
        )
    command = ["make", "-s", "-C", str(FIRMWARE), "host", "CC=cc"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if made.returncode != 0:
        raise DeviceError(f"The emulated die could not be built: {made.stderr.strip().splitlines()[-1]}")
    return FIRMWARE / "build/edie-host"


def _by_keyboard(command: list[str]) -> int:
    """Give the program commands from the keyboard: Enter is a press, anything else as typed."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as die:  # noqa: S603
        assert die.stdin
        assert die.stdout
        port = die.stdout.readline().removeprefix("ok ").strip()
        click.echo(f"The die is at {port}. Enter presses it; end of input (Ctrl-D) or Ctrl-C ends it.")
        threading.Thread(target=_say_answers, args=(die.stdout,), daemon=True).start()
        try:
            _type(die.stdin)
        finally:
            die.terminate()
    return 0 if die.returncode in (0, -15) else 1


def _say_answers(answers: IO[str]) -> None:
    for line in answers:
        if line.strip() != "ok":
            click.echo(line.rstrip("\n"))


def _type(to_die: IO[str]) -> None:
    for line in sys.stdin:
        if line.strip():
            to_die.write(line)
        else:
            to_die.write("press\n")
            to_die.flush()
            time.sleep(0.1)
            to_die.write("release\n")
        to_die.flush()
