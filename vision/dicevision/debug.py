"""A picture per stage, for people: what the reader saw on its way from a frame to the dice."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from dicevision.image import Frame
from dicevision.read import DieReading, TrayReading

SURE, UNSURE = (80, 200, 60), (40, 160, 255)
"""Green and orange (BGR); a doubtful die is also drawn broken and marked "?", so that colour alone says nothing."""
DASH_PX = 6


class Stages:
    """Writes each stage of one photograph as `<stem>-<n>-<stage>.png` in a folder; pass it to `read` as `trace`."""

    def __init__(self, folder: Path, stem: str) -> None:
        """Make the folder if need be."""
        self._folder, self._stem, self._count = folder, stem, 0
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, stage: str, picture: Frame) -> None:
        """Write one stage; OSError where the folder does not take it."""
        self._count += 1
        path = self._folder / f"{self._stem}-{self._count}-{stage.replace(' ', '-')}.png"
        done, data = cv2.imencode(".png", picture)
        assert done, "PNG takes any 8-bit picture"
        path.write_bytes(data.tobytes())


def drawn(frame: Frame, reading: TrayReading) -> Frame:
    """Return the frame with each die's outline, type, value and doubt drawn over it."""
    picture = frame.copy()
    for die in reading.dice:
        draw_die(picture, die)
    return picture


def draw_die(picture: Frame, die: DieReading) -> None:
    """Draw one die: a whole line round a sure one, a broken one round a doubtful one."""
    colour = SURE if die.status == "sure" else UNSURE
    corners = np.round(die.outline).astype(int)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        line(picture, a, b, colour, broken=die.status != "sure")
    x, y, _, _ = die.box
    text = f"{die.die or '?'} {die.value if die.value is not None else '?'}{' cocked' if die.cocked else ''}"
    for ink, thick in (((0, 0, 0), 4), (colour, 1)):
        cv2.putText(picture, text, (x, max(y - 5, 12)), cv2.FONT_HERSHEY_SIMPLEX, 0.5, ink, thick, cv2.LINE_AA)


def line(picture: Frame, a: np.ndarray, b: np.ndarray, colour: tuple[int, int, int], broken: bool) -> None:
    """Draw a line, whole or in dashes."""
    count = max(1, int(np.linalg.norm(b - a) / DASH_PX)) if broken else 1
    stops = np.linspace(a, b, count + 1).round().astype(int)
    for k in range(0, count, 2):
        start, end = stops[k], stops[k + 1]
        cv2.line(picture, (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), colour, 2, cv2.LINE_AA)
