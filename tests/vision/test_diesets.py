"""Die sets as files: what is kept comes back, and nothing half written, broken or newer is taken for a set."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from dicevision import diesets
from dicevision.enrol import KEPT_PX, DieSet, Face

FACE = {"die": "D6", "value": 1, "label": "", "picture": "D6-1-0123456789abcdef.png"}


def crop(seed: int) -> Face:
    noise = np.random.default_rng(seed).integers(0, 255, (KEPT_PX, KEPT_PX, 3)).astype(np.uint8)
    return Face("D6", seed, noise, "skull" if seed == 6 else "")


def a_set(*values: int, name: str = "bones") -> DieSet:
    return DieSet(name, tuple(crop(value) for value in values))


def same(one: DieSet, other: DieSet) -> bool:
    rows = [(f.die, f.value, f.label, f.crop.tobytes()) for f in one.faces]
    return rows == [(f.die, f.value, f.label, f.crop.tobytes()) for f in other.faces]


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "die-sets"
    assert diesets.names(folder) == ()
    diesets.save(folder, a_set(1, 2, 6))
    diesets.save(folder, a_set(4, name="another-2"))
    assert diesets.names(folder) == ("another-2", "bones")
    assert same(diesets.load(folder, "bones"), a_set(1, 2, 6))


def test_saving_again_takes_the_place_of_what_was(tmp_path: Path) -> None:
    diesets.save(tmp_path, a_set(1, 2, 6))
    (tmp_path / "bones/half-abc").write_bytes(b"left by a power cut")
    (tmp_path / "bones/mine.txt").write_text("a player's own note")
    diesets.save(tmp_path, a_set(2, 3))
    assert same(diesets.load(tmp_path, "bones"), a_set(2, 3))
    left = sorted(path.name for path in (tmp_path / "bones").iterdir())
    assert [name for name in left if not name.endswith(".png")] == ["mine.txt", "set.json"]
    assert len(left) == 4


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_a_write_that_fails_leaves_the_set_as_it_was(
    fails_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diesets.save(tmp_path, a_set(1, 2))
    calls = iter(range(100))
    sync = os.fsync

    def full(handle: int) -> None:
        if next(calls) == fails_at:
            raise OSError(28, "No space left on device")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        diesets.save(tmp_path, a_set(3, 4))
    assert same(diesets.load(tmp_path, "bones"), a_set(1, 2))
    assert not list(tmp_path.glob("bones/half-*"))


def test_a_set_that_is_forgotten_is_gone(tmp_path: Path) -> None:
    diesets.save(tmp_path, a_set(1))
    diesets.save(tmp_path, a_set(1, name="kept"))
    diesets.forget(tmp_path, "bones")
    assert diesets.names(tmp_path) == ("kept",)
    assert not (tmp_path / "bones").exists()


@pytest.mark.parametrize("deed", [diesets.load, diesets.forget])
def test_no_such_set_names_those_there_are(deed: object, tmp_path: Path) -> None:
    assert callable(deed)
    with pytest.raises(diesets.NoSet, match=r"There is no die set 'bones'; kept in .*: none"):
        deed(tmp_path, "bones")
    diesets.save(tmp_path, a_set(1, name="other"))
    with pytest.raises(diesets.NoSet, match=": other"):
        deed(tmp_path, "bones")


@pytest.mark.parametrize("name", ["", "..", "a/b", "../up", "Big", "x" * 33, "-a", "a b", "ä"])
@pytest.mark.parametrize(
    "deed", [diesets.load, diesets.forget, diesets.stamp, lambda f, n: diesets.save(f, a_set(1, name=n))]
)
def test_a_name_that_is_none_touches_nothing(name: str, deed: object, tmp_path: Path) -> None:
    assert callable(deed)
    with pytest.raises(diesets.BadSet, match="1 to 32 of a-z, 0-9 and hyphens"):
        deed(tmp_path / "in", name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be read as JSON"),
        ("{", "cannot be read as JSON"),
        ("9" * 5000, "a number in it has thousands of digits"),
        ("[" * 100_000, "nested without end"),
        ("[]", "is no die set"),
        ('{"format": 1}', "is no die set"),
        ('{"format": 1, "faces": []}', "is no die set"),
        ('{"format": "1", "faces": []}', "is no die set"),
        ('{"format": 2, "faces": []}', "format 2, a newer program's"),
        ('{"format": 1, "faces": [7]}', "expected die, value, label and picture"),
        ('{"format": 1, "faces": [{"die": "D6", "value": 1, "label": ""}]}', "expected die, value, label and picture"),
        ('{"format": 1, "faces": [{"die": "D6", "value": "1", "label": "", "picture": "x.png"}]}', "a whole value"),
        ('{"format": 1, "faces": [{"die": "D6", "value": 1, "label": "", "picture": "../../x.png"}]}', "a whole value"),
        (
            f'{{"format": 1, "faces": [{FACE | {"die": "D7"}}]}}'.replace("'", '"'),
            "D4 to D100 and a face of it, got 'D7'",
        ),
        (f'{{"format": 1, "faces": [{FACE | {"value": 7}}]}}'.replace("'", '"'), "a face of it, got 'D6', 7"),
    ],
)
def test_a_broken_or_newer_index_says_so(text: str, says: str, tmp_path: Path) -> None:
    diesets.save(tmp_path, a_set(1))
    (tmp_path / "bones/set.json").write_text(text)
    with pytest.raises(diesets.BadSet, match=says):
        diesets.load(tmp_path, "bones")
    diesets.forget(tmp_path, "bones")
    assert diesets.names(tmp_path) == ()


def test_an_index_that_is_a_folder_is_broken_and_can_be_forgotten(tmp_path: Path) -> None:
    (tmp_path / "bones/set.json/deep").mkdir(parents=True)
    with pytest.raises(diesets.BadSet, match=r"^bones/set\.json cannot be read: is a directory; forget the set"):
        diesets.load(tmp_path, "bones")
    diesets.forget(tmp_path, "bones")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_is_gone_cut_short_or_of_another_size_says_which_face(tmp_path: Path) -> None:
    diesets.save(tmp_path, a_set(6))
    (row,) = json.loads((tmp_path / "bones/set.json").read_text())["faces"]
    picture = tmp_path / "bones" / row["picture"]
    whole = picture.read_bytes()
    small = cv2.imencode(".png", np.zeros((64, 64, 3), np.uint8))[1].tobytes()
    for data, says in ((whole[:900], "Show skull of bones again"), (small, "got 64x64")):
        picture.write_bytes(data)
        with pytest.raises(diesets.BadSet, match=says):
            diesets.load(tmp_path, "bones")
    picture.unlink()
    with pytest.raises(diesets.BadSet, match=r"There is no such file\. Show skull of bones again"):
        diesets.load(tmp_path, "bones")
