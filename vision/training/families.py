"""The font files that dice are marked with, and which families are kept back from training."""

from __future__ import annotations

import subprocess
import zlib
from pathlib import Path

from training import glyphs

LISTED = Path(__file__).with_name("fonts.txt")

HELD_ONE_IN = 7
"""One font family in seven is never trained on: the renders "never seen" are marked with those."""


def font_paths(listed: Path) -> list[Path]:
    """The font files of the packages named in `listed`, as dpkg knows them."""
    packages = [line.split()[0] for line in listed.read_text().splitlines() if line and not line.startswith("#")]
    told = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True, check=False)  # noqa: S603, S607
    if told.returncode:
        raise SystemExit(f"expected the font packages of {listed} to be installed; dpkg says: {told.stderr.strip()}")
    return sorted({Path(line) for line in told.stdout.splitlines() if line.lower().endswith((".ttf", ".otf"))})


def is_held(font: glyphs.Font) -> bool:
    """Whether the font's family is kept back, by its name alone."""
    family = font.name.split("-")[0].split("_")[0].lower()
    return zlib.crc32(family.encode()) % HELD_ONE_IN == 0


def fonts() -> list[glyphs.Font]:
    """Every usable font of the packages in fonts.txt."""
    return glyphs.from_files(font_paths(LISTED))


def fonts_of(which: str) -> list[glyphs.Font]:
    """The fonts to mark with: those kept back from training, those trained on, or none (pen strokes)."""
    if which == "strokes":
        return []
    every = fonts()
    return [font for font in every if is_held(font) == (which == "held")]


def prepare_fonts(folder: Path) -> tuple[Path, Path]:
    """The fonts to train with and those kept back, as files of outlines in `folder`."""
    train, held = folder / "fonts-train.npz", folder / "fonts-held.npz"
    if not (train.exists() and held.exists()):
        found = fonts()
        glyphs.save([font for font in found if is_held(font)], held)
        glyphs.save([font for font in found if not is_held(font)], train)
    return train, held
