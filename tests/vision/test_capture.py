"""Picture files: whole ones of every sort come out as they look, and every other gets its sentence."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dicevision import capture
from dicevision.capture import decode, open_picture
from dicevision.image import LARGEST_PX
from dicevision.picture import BadPicture, header

PICTURES = Path(__file__).parents[2] / "fixtures/pictures"
PLAIN = np.asarray(cv2.imread(str(PICTURES / "plain.png")), np.uint8)
LARGER = np.asarray(cv2.resize(PLAIN, (384, 256), interpolation=cv2.INTER_CUBIC), np.uint8)


def encoded(ext: str, *settings_: int, picture: NDArray[np.generic] = PLAIN) -> bytes:
    done, data = cv2.imencode(ext, np.asarray(picture), list(settings_))
    assert done
    return data.tobytes()


WHOLE = {
    "baseline": encoded(".jpg", picture=LARGER),
    "progressive": encoded(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1, picture=LARGER),
    "restarts": encoded(".jpg", cv2.IMWRITE_JPEG_RST_INTERVAL, 2, picture=LARGER),
    "png": encoded(".png", picture=LARGER),
    "webp": encoded(".webp", cv2.IMWRITE_WEBP_QUALITY, 80, picture=LARGER),
    "webp, lossless": encoded(".webp", cv2.IMWRITE_WEBP_QUALITY, 101, picture=LARGER),
    "bmp": encoded(".bmp", picture=LARGER),
}


def apart(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """How far apart two pictures are, grey levels on average."""
    assert one.shape == other.shape
    return float(np.abs(np.asarray(one, np.float64) - np.asarray(other, np.float64)).mean())


def refusal(path: Path) -> str:
    with pytest.raises(BadPicture) as caught:
        open_picture(path)
    return str(caught.value)


# -- whole pictures


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_picture_opens_as_its_format_left_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.write_bytes(WHOLE[name])
    told = header(WHOLE[name])
    assert (told.width, told.height) == (384, 256)
    assert apart(open_picture(path), LARGER) <= (0 if name in ("png", "webp, lossless", "bmp") else 6)


def test_a_name_in_any_script_opens(tmp_path: Path) -> None:
    path = tmp_path / "würfel 骰子 🎲.png"
    path.write_bytes(WHOLE["png"])
    assert apart(open_picture(path), LARGER) == 0


def test_grey_comes_out_in_three_equal_channels() -> None:
    grey = cv2.cvtColor(PLAIN, cv2.COLOR_BGR2GRAY)
    for ext in (".png", ".jpg", ".bmp"):
        frame = decode(encoded(ext, picture=grey))
        assert apart(frame, np.dstack([grey] * 3)) < 3
        assert (frame[..., 0] == frame[..., 2]).all()


@pytest.mark.parametrize("channels", [1, 3])
def test_sixteen_bits_are_brought_to_eight_by_their_upper_half(channels: int) -> None:
    deep = np.random.default_rng(3).integers(0, 65536, (40, 50, channels)).astype(np.uint16)
    frame = decode(encoded(".png", picture=deep))
    assert frame.dtype == np.uint8
    assert apart(frame, np.repeat(deep // 256, 3 // channels, axis=2)) < 0.6


@pytest.mark.parametrize(("depth", "top"), [(np.uint8, 255), (np.uint16, 65535)])
def test_what_is_see_through_lies_on_white(depth: type[np.generic], top: int) -> None:
    see = np.zeros((40, 40, 4), depth)
    see[:, 10:20, 3] = top  # black, solid
    see[:, 20:, 3] = top // 2  # black, half
    see[:, 30:, :3] = top  # white, half
    frame = decode(encoded(".png", picture=see))
    expected = [255, 0, 127, 255]
    assert [int(frame[5, x, 1]) for x in (5, 15, 25, 35)] == pytest.approx(expected, abs=1)


def test_a_solid_alpha_channel_changes_nothing() -> None:
    solid = np.dstack([PLAIN, np.full(PLAIN.shape[:2], 255, np.uint8)])
    assert apart(decode(encoded(".png", picture=solid)), PLAIN) == 0
    assert apart(decode(encoded(".webp", cv2.IMWRITE_WEBP_QUALITY, 101, picture=solid)), PLAIN) == 0


def test_a_picture_turned_by_its_exif_is_turned() -> None:
    assert apart(open_picture(PICTURES / "turned.jpg"), cv2.rotate(PLAIN, cv2.ROTATE_90_CLOCKWISE)) < 6


def test_a_printers_picture_in_cmyk_has_its_colours() -> None:
    assert apart(open_picture(PICTURES / "cmyk.jpg"), PLAIN) < 8


def test_a_palette_has_its_colours() -> None:
    assert apart(open_picture(PICTURES / "palette.png"), PLAIN) < 20


def test_bytes_after_the_end_are_let_be() -> None:
    assert apart(decode(WHOLE["png"] + b"\0" * 999), LARGER) == 0
    assert decode(WHOLE["baseline"] + b"motion video here").shape == LARGER.shape


# -- other files


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.jpg") == "There is no such file."


def test_a_folder_says_so(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "This is a folder: name a picture in it."


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").touch()
    assert refusal(tmp_path / "x.jpg") == "The file is empty."


def test_a_pipe_and_a_device_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == refusal(Path("/dev/zero")) == "This is not a file."


def test_no_permission_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def forbid(*args: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbid)
    assert refusal(tmp_path / "x.jpg") == "It may not be read: its permissions forbid it."


def test_any_other_trouble_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("x" * 300)) == "It cannot be opened: File name too long."


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"GIF89a" + b"\0" * 40, "a GIF"),
        (b"II*\0" + b"\0" * 40, "a TIFF"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 40, "a HEIC picture"),
        (b"\0\0\0\x20ftypavif" + b"\0" * 40, "an AVIF picture"),
        (b"\0\0\0\x18ftypmp42" + b"\0" * 40, "a video"),
        (b"%PDF-1.7" + b"\0" * 40, "a PDF"),
    ],
)
def test_other_kinds_are_named_with_the_way_out(data: bytes, name: str) -> None:
    with pytest.raises(BadPicture, match=rf"\(JPEG, PNG, WebP or BMP\); this is {name}: save it as JPEG or PNG\."):
        decode(data)


@pytest.mark.parametrize("data", [b"hello", b"\0" * 5000, b"RIFF\0\0\0\0WAVE" + b"\0" * 40, b"\x89PN", b"\xff\xd8"])
def test_what_is_no_picture_says_so(data: bytes) -> None:
    with pytest.raises(BadPicture, match="this file is none"):
        decode(data)


@pytest.mark.parametrize("name", ["animated.png", "animated.webp"])
def test_an_animation_is_refused(name: str) -> None:
    assert refusal(PICTURES / name) == "The file is an animation: save the one picture that you mean."


# -- damaged files


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_cut_short_anywhere_is_refused(name: str) -> None:
    data = WHOLE[name]
    for part in range(1, 40):
        with pytest.raises(BadPicture):
            decode(data[: len(data) * part // 40])
    with pytest.raises(BadPicture):
        decode(data[:-3])


@pytest.mark.parametrize("name", ["baseline", "progressive", "restarts"])
def test_a_jpeg_cut_short_and_ended_again_is_refused_and_not_filled_with_grey(name: str) -> None:
    data = WHOLE[name]
    for part in range(8, 38):
        with pytest.raises(BadPicture, match="is missing"):
            decode(data[: len(data) * part // 40] + b"\xff\xd9")


@pytest.mark.parametrize("name", ["baseline", "restarts", "png", "webp", "webp, lossless"])
def test_a_file_with_a_hole_in_it_is_refused(name: str) -> None:
    data = WHOLE[name]
    for part in range(10, 35, 5):
        with pytest.raises(BadPicture):
            decode(data[: len(data) * part // 40] + data[len(data) * (part + 2) // 40 :])


def test_a_png_with_one_wrong_bit_is_refused() -> None:
    for at in range(20, len(WHOLE["png"]) - 12, 997):
        wrong = bytearray(WHOLE["png"])
        wrong[at] ^= 1
        with pytest.raises(BadPicture, match=r"check sum|cut short"):
            decode(bytes(wrong))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_damage_of_any_kind_gives_a_picture_or_a_sentence(name: str, data: st.DataObject) -> None:
    broken = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(broken)))
    try:
        frame = decode(bytes(broken[:cut] if data.draw(st.booleans()) else broken))
    except BadPicture:
        return
    assert frame.dtype == np.uint8
    assert frame.ndim == 3


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WEBPVP8X", b"BM"]),
)
def test_any_bytes_give_a_sentence(data: bytes, start: bytes) -> None:
    with pytest.raises(BadPicture):
        decode(start + data)


# -- large files


def png_that_says(width: int, height: int, rows: bytes = b"") -> bytes:
    """A PNG whose header says a size, with whatever picture data."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    size = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg_that_says(width: int, height: int) -> bytes:
    """A JPEG whose frame header says a size."""
    data = bytearray(encoded(".jpg", picture=np.zeros((16, 16, 3), np.uint8)))
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(data)


def bmp_that_says(width: int, height: int) -> bytes:
    data = bytearray(encoded(".bmp", picture=np.zeros((16, 16, 3), np.uint8)))
    data[18:26] = struct.pack("<ii", width, height)
    return bytes(data)


@pytest.mark.parametrize("say", [png_that_says, jpeg_that_says, bmp_that_says])
def test_a_hundred_megapixels_are_refused_by_the_header_alone(say: object) -> None:
    assert callable(say)
    with pytest.raises(BadPicture, match=rf"has 12000x8400 pixels; the most that is read is {LARGEST_PX:,}"):
        decode(say(12000, 8400))


def test_a_webp_of_its_largest_size_is_refused() -> None:
    data = bytearray(WHOLE["webp"])
    data[26:30] = b"\xff\x3f\xff\x3f"
    with pytest.raises(BadPicture, match="has 16383x16383 pixels"):
        decode(bytes(data))


def test_a_bmp_that_says_a_height_below_nought_is_as_large() -> None:
    with pytest.raises(BadPicture, match="12000x8400"):
        decode(bmp_that_says(12000, -8400))


BOMBS = """
import sys
from pathlib import Path
from dicevision.capture import open_picture
from dicevision.picture import BadPicture
for path in map(Path, sys.argv[1:]):
    try:
        open_picture(path)
    except BadPicture as error:
        print(error)
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def test_large_and_swelling_files_stay_under_600_mb_and_quiet(tmp_path: Path) -> None:
    """In a process of its own, whose peak is the files' doing: 100 megapixels, a small file that unpacks to 300 MB,
    a file larger than any picture, and the largest picture that is read."""
    files = {
        "large.png": png_that_says(12000, 8400, b"\0" * 1000),
        "swells.png": png_that_says(100, 100, b"\0" * 300_000_000),
        "largest.png": png_that_says(7900, 5000, (b"\0" + b"\x50" * 7900 * 3) * 5000),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with (tmp_path / "huge.bmp").open("wb") as file:
        file.write(bmp_that_says(100, 100))
        file.truncate(3_000_000_000)
    names = [str(path) for path in sorted(tmp_path.iterdir())]
    done = subprocess.run([sys.executable, "-c", BOMBS, *names], capture_output=True, text=True, check=True)
    *sentences, peak = done.stdout.splitlines()
    assert len(sentences) in (2, 3)  # the one that swells may give its 100x100 pixels or a sentence
    assert sentences[0].startswith("The file has more than 130,000,000 bytes")
    assert sentences[1].startswith("The picture has 12000x8400 pixels")
    assert int(peak) * 1024 < 600_000_000
    assert done.stderr == ""


# -- quiet


def test_the_libraries_do_not_write_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    for data in (WHOLE["baseline"][:-900] + b"\xff\xd9", WHOLE["bmp"][:-900], b"BM" + b"\1" * 90):
        with pytest.raises(BadPicture):
            decode(data)
    assert capfd.readouterr() == ("", "")


def test_what_another_thread_writes_meanwhile_is_put_back(capfd: pytest.CaptureFixture[str]) -> None:
    def busy() -> int:
        other = threading.Thread(target=lambda: os.write(2, b"table 7 is open\n"))
        other.start()
        other.join()
        os.write(2, b"Corrupt JPEG data: bad Huffman code\n")
        return 5

    assert capture.quietly(busy) == (5, "Corrupt JPEG data: bad Huffman code")
    assert capfd.readouterr().err == "table 7 is open\n"


def test_a_service_without_an_error_output_reads_too() -> None:
    quiet = "import os, sys, pathlib; os.close(2); sys.stderr = None"
    read = "from dicevision.capture import open_picture; print(open_picture(pathlib.Path(sys.argv[1])).shape)"
    call = [sys.executable, "-c", f"{quiet}; {read}", str(PICTURES / "plain.png")]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout == "(64, 96, 3)\n"
