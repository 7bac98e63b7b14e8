"""`dicetower bench`: what the product is measured by. It runs from a checkout, where `benchmarks/` is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from dicetower.cli.numbers import Number
from dicetower.errors import BadInput, Unavailable

CHECKOUT = Path(__file__).parents[3]


@click.group()
def bench() -> None:
    """Measure accuracy and speed (from a checkout)."""


@bench.command()
@click.option("--set", "names", multiple=True, metavar="NAME", help="Only this set; may be given more than once.")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Folder of labels.csv and photos/.")
@click.option("--ours-only", is_flag=True, help="Leave the peer's recipe out: quicker.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a set and reader, misread dice listed.")
def vision(names: tuple[str, ...], data: Path | None, ours_only: bool, as_json: bool) -> None:
    """Count right, unsure, wrong, missed and invented dice, and the time, per set of labelled pictures."""
    find_benchmarks()
    from benchmarks import report
    from benchmarks import vision as benchmark
    from benchmarks.photographs import NoData, NoSuchSet

    try:
        results = benchmark.run(names, data or benchmark.DATA, peers=not ours_only)
        if not as_json:
            click.echo(report.heading())
        for result in results:
            click.echo(json.dumps(report.as_json(result)) if as_json else "\n".join(report.rows(result)))
            sys.stdout.flush()
        if not as_json:
            click.echo(report.NOTES, nl=False)
    except NoSuchSet as error:
        raise BadInput(str(error)) from None
    except NoData as error:
        raise Unavailable(str(error)) from None


@bench.command()
@click.option("--pages", type=click.IntRange(1, 500), multiple=True, metavar="N", help="Open pages; again for more.")
@click.option("--per-second", type=Number(0.1, 50), default=5, show_default=True, help="Throws a second.")
@click.option("--seconds", type=Number(1, 120), default=20, show_default=True, help="For how long.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a load.")
def stream(pages: tuple[int, ...], per_second: float, seconds: float, as_json: bool) -> None:
    """Measure how soon every open page shows a throw, and what that costs the service."""
    find_benchmarks()
    from benchmarks import stream as benchmark

    if not as_json:
        click.echo(benchmark.heading())
    for count in pages or (10, 100):
        result = benchmark.run(benchmark.Load(count, per_second, seconds))
        click.echo(json.dumps(benchmark.as_json(result)) if as_json else benchmark.row(result))
    if not as_json:
        click.echo(benchmark.NOTES, nl=False)


def find_benchmarks() -> None:
    """Put the checkout's own folder on the path, or say that there is none."""
    if not (CHECKOUT / "benchmarks/vision.py").is_file():
        raise Unavailable("Benchmarks are not in the installed package: run this from a checkout of the project.")
    if str(CHECKOUT) not in sys.path:
        sys.path.insert(0, str(CHECKOUT))


def register(main: click.Group) -> None:
    """Add this file's commands."""
    main.add_command(bench)
