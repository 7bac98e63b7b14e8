"""How soon a throw under a live camera is on every page, and what the service with a camera takes of memory and time.

The real application, journal on disk, in one process; the camera in another, an HTTP MJPEG of rendered dice at 30
frames a second. A throw's time runs from the arrival of the first settled frame (no motion for 0.3 s) to its event at a
page. Dice, noise and light are our own renders, drawn at 960x540 and enlarged: no photograph is in it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

RATE = 30
SHOTS = 6
"""Frames of each scene, each with its own noise, sent round and round: no two in a row are the same."""

REST_S = 1.2
PATIENCE_S = 30.0
TARGET_MS, TARGET_MB = 250, 400


@dataclass(frozen=True, slots=True)
class Case:
    """A camera's size, how many dice are thrown at once, and how often."""

    width: int
    height: int
    dice: int
    throws: int = 8


@dataclass(frozen=True, slots=True)
class Result:
    """Milliseconds from the first settled frame to the page's event; dice of the last throws, how many of them sure.

    readings: how often the tray was read for a throw, in the mean.
    cpu_ms: what of that the watching thread itself computed; the rest is waiting, for frames or for the processor.
    cores: processor time of the whole service over the run. mb: its resident memory at its largest.
    """

    size: str
    dice: int
    throws: int
    missing: int
    p50_ms: float | None
    max_ms: float | None
    cpu_ms: float | None
    readings: float | None
    read: int
    sure: int
    cores: float
    mb: float
    load: float


def run(cases: Sequence[Case]) -> Iterator[Result]:
    """Measure each case in a process of its own, so that each has its own memory."""
    spawn = multiprocessing.get_context("spawn")
    for case in cases:
        with spawn.Pool(1) as pool:
            yield pool.apply(measure, (case, pictures(case)))


def pictures(case: Case) -> list[list[bytes]]:
    """The bare tray and two throws of as many dice elsewhere, as JPEGs."""
    rng = np.random.default_rng(case.dice)
    return [[jpeg(scene, rng) for _ in range(SHOTS)] for scene in scenes(case)]


def scenes(case: Case) -> list[NDArray[np.uint8]]:
    """Render them: dice of 16 mm on a grid, turned, in a tray that fills the picture."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
    from training.trays import Camera, DiePose, Sensor, Tray, render_tray

    camera = Camera(width_px=960, height_px=540, view_mm=300, distance_mm=500)
    places = [(x, y) for y in (-45, 0, 45) for x in (-110, -55, 0, 55, 110)]

    def thrown(seed: int) -> list[DiePose]:
        rng = np.random.default_rng(seed)
        chosen = rng.permutation(len(places))[: case.dice]
        return [lying(places[k], int(rng.integers(1, 7)), float(rng.uniform(0, 360))) for k in chosen]

    def lying(at: tuple[int, int], value: int, yaw: float) -> DiePose:
        return DiePose(at[0], at[1], value=value, yaw_deg=yaw)

    tray = Tray("felt", width_mm=700, depth_mm=600, wall_mm=0)
    clean = Sensor(noise=0, jpeg=0)
    drawn = (
        render_tray(dice, tray=tray, camera=camera, webcam=clean, seed=3)[0] for dice in ([], thrown(1), thrown(2))
    )
    size = (case.width, case.height)
    return [np.asarray(cv2.resize(scene, size, interpolation=cv2.INTER_CUBIC), np.uint8) for scene in drawn]


def jpeg(scene: NDArray[np.uint8], rng: np.random.Generator) -> bytes:
    """A frame as a telephone sends it."""
    noisy = np.clip(scene + rng.normal(0, 2.5, scene.shape[:2])[..., None], 0, 255).astype(np.uint8)
    return cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()


def telephone(frames: list[list[bytes]], shown: Any, port: Any) -> None:
    """The camera's process: an HTTP MJPEG of the scene that `shown` says."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            next_s, n = time.monotonic(), 0
            while True:
                data = frames[shown.value][n % SHOTS]
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                try:
                    self.wfile.write(head.encode() + data + b"\r\n")
                except OSError:
                    return
                n += 1
                next_s += 1 / RATE
                time.sleep(max(0.0, next_s - time.monotonic()))

        def log_message(self, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.value = server.server_address[1]
    server.serve_forever()


@contextmanager
def filmed(frames: list[list[bytes]]) -> Iterator[tuple[str, Any]]:
    """The camera's address, and the number of the scene that it shows."""
    spawn = multiprocessing.get_context("spawn")
    shown, port = spawn.Value("i", 0), spawn.Value("i", 0)
    process = spawn.Process(target=telephone, args=(frames, shown, port), daemon=True)
    process.start()
    wait(lambda: port.value > 0)
    try:
        yield f"http://127.0.0.1:{port.value}/video", shown
    finally:
        process.kill()
        process.join()


def measure(case: Case, frames: list[list[bytes]]) -> Result:
    """Throw, and note when each throw's event is at a page."""
    multiprocessing.current_process().daemon = False  # it has a camera's process of its own
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.support.api import serving
    from tests.support.live import Page

    from dicetower.cli.serve import opened
    from dicetower.settings import Settings

    settled: list[float] = []
    came: list[float] = []
    spent: list[float] = []
    dice: list[dict[str, Any]] = []
    readings: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        filmed(frames) as (address, shown),
        opened(Settings(journal=str(Path(folder) / "journal.db"), camera=address)) as app,
        serving(app) as service,
        Page(service.port) as page,
    ):
        camera = app.state.services.camera._camera
        give, see, read = camera._give, camera._see, camera.read
        spent_at: dict[float, float] = {}

        def seen(watch: Any, frame: Any, at_s: float, stretch: int | None = None) -> None:
            spent_at[at_s] = time.thread_time()
            see(watch, frame, at_s, stretch)

        def noted(given: Any) -> None:
            settled.append(given.thrown.settled_s)
            give(given)
            spent.append(1000 * (time.thread_time() - spent_at[given.thrown.settled_s]))

        def reading(picture: Any) -> Any:
            readings.append(time.monotonic())
            return read(picture)

        camera._give, camera._see, camera.read = noted, seen, reading

        def listen() -> None:
            while True:
                try:
                    event = page.next()
                except (OSError, EOFError, ValueError):
                    return
                if event.kind == "delta" and event.data["kind"] == "dice thrown":
                    came.append(time.monotonic())
                    dice.extend(event.data["changed"]["unassigned"])

        wait(lambda: camera.watch is not None and camera.watch.look is not None)
        threading.Thread(target=listen, daemon=True).start()
        cpu, began = time.process_time(), time.monotonic()
        readings.clear()
        for n in range(case.throws):
            shown.value = 1 + n % 2
            wait(lambda n=n: len(came) > n, give_up=True)
            time.sleep(REST_S)
        cores = (time.process_time() - cpu) / (time.monotonic() - began)
        megabytes = peak_mb()
    times = [1000 * (at - since) for at, since in zip(came, settled, strict=False)]
    newest = dice[-min(len(dice), 40) :]
    return Result(
        size=f"{case.width}x{case.height}",
        dice=case.dice,
        throws=case.throws,
        missing=case.throws - len(came),
        p50_ms=round(statistics.median(times), 1) if times else None,
        max_ms=round(max(times), 1) if times else None,
        cpu_ms=round(statistics.median(spent), 1) if spent else None,
        readings=round(len(readings) / len(came), 1) if came else None,
        read=len(newest),
        sure=sum(die["status"] == "sure" for die in newest),
        cores=round(cores, 2),
        mb=round(megabytes, 1),
        load=round(os.getloadavg()[0], 1),
    )


STAGES = {
    "spots": ("blobs", "find"),
    "faces and planes": ("dice", "find"),
    "judge": ("judge", "judge"),
    "glance": ("seek", "glance"),
    "closer looks": ("seek", "closer"),
    "numerals": ("numbered", "tell"),
}
"""Of `dicevision.read`, by the module and function that each stage is."""


def stages(case: Case, times: int = 9) -> dict[str, float]:
    """Milliseconds that one core computes for each step of a frame, the median of so many. A table a person reads."""
    frame = cv2.imdecode(np.frombuffer(pictures(case)[1][0], np.uint8), cv2.IMREAD_COLOR)
    assert frame is not None, "it was encoded here"
    cv2.setNumThreads(1)
    taken = [once(np.asarray(frame, np.uint8)) for _ in range(times + 1)][1:]  # the first loads the nets
    return {name: round(statistics.median(each[name] for each in taken), 1) for name in taken[0]}


def once(frame: NDArray[np.uint8]) -> dict[str, float]:
    """What each step takes of this thread's processor time."""
    from dicetower.sources.camera import crop
    from dicevision import read, settle

    spent = dict.fromkeys(STAGES, 0.0)
    kept = {name: getattr(getattr(read, module), function) for name, (module, function) in STAGES.items()}

    def timed(name: str) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            began = time.thread_time()
            made = kept[name](*given, **more)
            spent[name] += 1000 * (time.thread_time() - began)
            return made

        return call

    for name, (module, function) in STAGES.items():
        setattr(getattr(read, module), function, timed(name))
    try:
        began = time.thread_time()
        dice = read.read(frame).dice
        whole = 1000 * (time.thread_time() - began)
    finally:
        for name, (module, function) in STAGES.items():
            setattr(getattr(read, module), function, kept[name])
    rest = settle.Settle()
    rest.see(settle.small(frame), 0.0)
    compare = cost(lambda: rest.see(settle.small(frame), 0.1))
    find = spent["spots"] + spent["glance"] + spent["closer looks"]
    others = {"a die, beside finding": (whole - find) / max(len(dice), 1), "rest or motion": compare}
    crops = cost(lambda: [crop(frame, die.box) for die in dice])
    return {"reading": whole, **spent, "finding": find, **others, "crops of a throw": crops, "dice": float(len(dice))}


def cost(work: Any) -> float:
    """Milliseconds of this thread's processor time."""
    began = time.thread_time()
    work()
    return 1000 * (time.thread_time() - began)


def wait(what: Any, give_up: bool = False) -> None:
    """Until `what` is true."""
    end = time.monotonic() + PATIENCE_S
    while not what():
        if time.monotonic() > end:
            if give_up:
                return
            raise TimeoutError("the camera's service did not begin")
        time.sleep(0.005)


def peak_mb() -> float:
    """This process's resident memory at its largest."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


COLUMNS = (
    "size",
    "dice",
    "throws",
    "missing",
    "p50 ms",
    "max ms",
    "CPU ms",
    "readings",
    "read",
    "sure",
    "cores",
    "MB",
    "load",
)
CASES = [Case(1280, 720, 4), Case(1280, 720, 8), Case(1920, 1080, 4), Case(1920, 1080, 8)]


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON lines and nothing else")
    parser.add_argument("--quick", action="store_true", help="the first case alone, three throws")
    parser.add_argument(
        "--stages", action="store_true", help="what one core computes a frame, step by step; no service"
    )
    asked = parser.parse_args()
    if asked.stages:
        for case in CASES:
            print(f"{case.width}x{case.height}, {case.dice} dice, ms of one core")
            for name, value in stages(case).items():
                print(f"  {name:24}{value:8.1f}", flush=True)
        return
    if not asked.json:
        print("".join(name.rjust(10) for name in COLUMNS))
    for result in run([Case(1280, 720, 4, 3)] if asked.quick else CASES):
        if asked.json:
            print(json.dumps(asdict(result)), flush=True)
        else:
            print(
                "".join(("-" if value is None else str(value)).rjust(10) for value in asdict(result).values()),
                flush=True,
            )
    if not asked.json:
        print(f"\nTo reach: under {TARGET_MS} ms and {TARGET_MB} MB. CPU: computed by the watching thread itself.")
        print("load: the machine's load average meanwhile; over its cores, the times are of waiting for a processor.")


if __name__ == "__main__":
    main()
