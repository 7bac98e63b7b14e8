"""Sources by every name they have: what opens gives frames, what does not has its sentence."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from dicevision import feeds
from dicevision.feeds import Feed, Folder, NoFeed, opened, spoken


def picture(shade: int, size: tuple[int, int] = (64, 48)) -> NDArray[np.uint8]:
    return np.full((size[1], size[0], 3), shade, np.uint8)


def put(folder: Path, name: str, shade: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(cv2.imencode(Path(name).suffix, picture(shade))[1].tobytes())


def video(path: Path, shades: list[int], rate: float = 100) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), rate, (64, 48))
    for shade in shades:
        writer.write(picture(shade))
    writer.release()
    return path


def shades(feed: Feed, most: int = 20) -> list[int]:
    came = [feed.read() for _ in range(most)]
    return [round(float(frame.mean())) for frame in came if frame is not None]


def test_a_folder_is_read_in_order_and_then_waited_at(tmp_path: Path) -> None:
    for name, shade in (("b.png", 20), ("a.png", 10), ("note.txt.png", 30)):
        put(tmp_path / "tray", name, shade)
    feed = Folder(tmp_path / "tray", pace_s=0)
    assert shades(feed) == [10, 20, 30]
    assert feed.read() is None
    assert feed.ended == ""
    put(tmp_path / "tray", "z.png", 40)
    assert shades(feed) == [40]


def test_a_half_written_picture_is_read_when_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "tray"
    put(folder, "a.png", 10)
    whole = (folder / "a.png").read_bytes()
    (folder / "a.png").write_bytes(whole[:40])
    feed = Folder(folder, pace_s=0)
    assert feed.read() is None
    (folder / "a.png").write_bytes(whole)
    assert shades(feed) == [10]


def test_a_folder_that_goes_ends_with_a_sentence(tmp_path: Path) -> None:
    put(tmp_path / "tray", "a.png", 10)
    feed = opened(str(tmp_path / "tray"))
    (tmp_path / "tray" / "a.png").unlink()
    (tmp_path / "tray").rmdir()
    assert feed.read() is None
    assert "folder tray cannot be read" in feed.ended


def test_a_video_gives_each_frame_once_and_is_over(tmp_path: Path) -> None:
    feed = opened(str(video(tmp_path / "throw.avi", [40, 80, 120])))
    came = shades(feed)
    assert np.allclose(came, [40, 80, 120], atol=3)
    assert feed.ended == "The video throw.avi has ended."
    assert feed.over
    feed.close()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("gone", "There is no gone: name a camera's number"),
        ("/dev/video987", "There is no /dev/video987"),
        ("987", "There is no camera 987"),
        ("/dev/null", "/dev/null cannot be opened"),
        ("ftp://camera/", "ftp:// is no address of a camera"),
        ("http://127.0.0.1:9/video", "http://127.0.0.1:9/video does not answer with a picture"),
    ],
)
def test_what_does_not_open_says_why(source: str, says: str) -> None:
    with pytest.raises(NoFeed) as no:
        opened(source)
    assert says in str(no.value)


def test_a_picture_and_a_text_are_no_cameras(tmp_path: Path) -> None:
    put(tmp_path, "tray.png", 10)
    (tmp_path / "notes.txt").write_text("no video")
    with pytest.raises(NoFeed, match="one picture, and no camera"):
        opened(str(tmp_path / "tray.png"))
    with pytest.raises(NoFeed, match="no video that can be read"):
        opened(str(tmp_path / "notes.txt"))


def test_names_that_are_shown_hold_no_password_and_no_folder() -> None:
    assert spoken("rtsp://red:secret@10.0.0.7:554/live?token=abc") == "rtsp://10.0.0.7:554/live"
    assert spoken("http://user:pw@phone.local/video") == "http://phone.local/video"
    assert spoken("http://phone:99999/video") == "http://phone/video"
    assert spoken("/home/red/private/throw.mp4") == "throw.mp4"
    assert spoken("2") == "camera 2"


def test_grey_pictures_become_frames_and_absurd_ones_do_not() -> None:
    grey = feeds.framed(np.zeros((40, 40), np.uint8))
    assert grey is not None
    assert grey.shape == (40, 40, 3)
    assert feeds.framed(np.zeros((40, 40, 4), np.uint8)) is None


def test_a_pace_waits_and_does_not_catch_up() -> None:
    now = [0.0]
    pace = feeds.Pace(0.5, clock=lambda: now[0])
    pace.wait()
    now[0] = 10.0
    pace.wait()  # late: at once
    assert pace._next == 10.5
