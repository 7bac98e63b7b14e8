"""The command `dicetower`: it alone wires concrete parts.

Exit status: 0 done, 1 a check failed, 2 a bad call. Errors go to stderr as one plain sentence; with `--json`
stdout holds JSON lines and nothing else. One file here a group of commands; each has `register(main)`.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import metadata

import click

from dicetower.cli import bench, demo, doctor, edie, enrol, export, rules, serve, tapes, throw, vision
from dicetower.errors import DicetowerError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(metadata.version("dicetower"), prog_name="dicetower")
def commands() -> None:
    """Read real dice, resolve the damage roll, show it live."""


for group in (rules, demo, serve, tapes, throw, vision, enrol, edie, export, bench, doctor):
    group.register(commands)


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What writing to a full disk, a spent quota, a file at its limit or a broken device says."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    status = run(argv)
    try:
        sys.stdout.flush()
    except OSError as error:
        _let_go()
        status = status or (_no_room(error) if error.errno in NO_ROOM else 0)
    sys.exit(status)


def _let_go() -> None:
    """Send nowhere what a full or closed output has not taken: Python, flushing it at exit, would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _no_room(error: OSError) -> int:
    click.echo(f"dicetower: the output cannot be written: {error.strerror}; make room and run it again.", err=True)
    return 1


def run(argv: Sequence[str] | None = None) -> int:
    """Run one call and return its exit status; every foreseen error becomes one sentence on stderr."""
    try:
        result = commands.main(args=None if argv is None else list(argv), prog_name="dicetower", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        click.echo(f"dicetower: {error.format_message()}", err=True)
        return error.exit_code
    except DicetowerError as error:
        click.echo(f"dicetower: {error}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("dicetower: stopped.", err=True)
        return 130
    except SystemExit:
        return 0  # click ends so where the reader of a pipe (head, less) is gone: it has what it wanted
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        return _no_room(error)
    return result if isinstance(result, int) else 0
