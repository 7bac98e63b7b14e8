"""The command line as a whole: help that fits, output that nobody takes, and the addresses it may be given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dicetower.cli import commands
from dicetower.cli.client import Client
from dicetower.errors import BadInput

ODDS = ("odds", "--system", "HKP", "--size", "3", "--range", "medium", "--armour", "4")


def call(*arguments: str, out: int) -> subprocess.CompletedProcess[str]:
    """Run the command with its output going to the file descriptor `out`."""
    return subprocess.run(
        [sys.executable, "-m", "dicetower", *arguments], stdout=out, stderr=subprocess.PIPE, text=True, timeout=300
    )


def test_every_command_is_told_whole_on_a_terminal_of_80_columns() -> None:
    rows = {name: command.get_short_help_str(limit=66) for name, command in commands.commands.items()}
    assert {name: text for name, text in rows.items() if text.endswith("...") or not text} == {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [ODDS, (*ODDS, "--json"), ("--version",)], ids=["text", "json", "version"])
def test_a_full_disk_under_the_output_is_one_sentence(arguments: tuple[str, ...]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = call(*arguments, out=full)
    finally:
        os.close(full)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "the output cannot be written: No space left on device" in done.stderr


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = call(*ODDS, out=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:3423",
        "ftp://127.0.0.1",
        "http://",
        "http:///path",
        "http://[::1",
        "http://[::g]",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://dicé.local",
        "http://dice local",
        "http://dice.local\r\nX: y",
    ],
)
def test_what_is_no_address_is_said_so(address: str) -> None:
    with pytest.raises(BadInput, match=r"^--server: expected an address such as http://127\.0\.0\.1:3423, got "):
        Client(address)


@pytest.mark.parametrize("address", ["http://[::1]:3423/", "https://dice.local", "http://xn--dic-dma.local:80"])
def test_an_address_of_any_kind_is_taken(address: str) -> None:
    Client(address)
