"""The command `dicetower`: it alone wires concrete parts.

Exit status: 0 done, 1 a check failed, 2 a bad call. Errors go to stderr as one plain sentence; with `--json`
stdout holds JSON lines and nothing else. One file here a group of commands; each has `register(main)`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import metadata

import click

from dicetower.cli import bench, demo, doctor, edie, export, rules, serve, tapes, throw, vision
from dicetower.errors import DicetowerError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(metadata.version("dicetower"), prog_name="dicetower")
def commands() -> None:
    """Read real dice, resolve the damage roll, show it live."""


for group in (rules, demo, serve, tapes, throw, vision, edie, export, bench, doctor):
    group.register(commands)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    sys.exit(run(argv))


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
    except BrokenPipeError:
        sys.stderr.close()  # the reader (head, less) has what it wanted
        return 0
    return result if isinstance(result, int) else 0
