"""Dice that players have shown, on a tape: what is packed comes back, and what is no set is refused with a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from dicetower.errors import BadTape
from dicetower.sources import tape
from dicetower.sources.own_dice import packed, unpacked
from dicevision.enrol import KEPT_PX, DieSet, Face


def some(name: str = "runes", faces: int = 2) -> DieSet:
    """A set of faces that are noise."""
    rng = np.random.default_rng(3)
    crops = [rng.integers(0, 255, (KEPT_PX, KEPT_PX, 3)).astype(np.uint8) for _ in range(faces)]
    return DieSet(name, tuple(Face("D6", n, crop, "skull" * (n == 1)) for n, crop in enumerate(crops, 1)))


def test_what_is_packed_comes_back_to_the_pixel() -> None:
    known = some("runes and bones")
    index, files = packed(known)
    again = unpacked(index, files.__getitem__)
    assert (again.name, len(again.faces)) == (known.name, len(known.faces))
    for one, other in zip(again.faces, known.faces, strict=True):
        assert (one.die, one.value, one.label) == (other.die, other.value, other.label)
        assert np.array_equal(one.crop, other.crop)


def test_a_tape_may_have_its_files_and_names_follow_what_is_in_them() -> None:
    index, files = packed(some())
    assert all(tape.NAME.fullmatch(name) for name in files)
    assert packed(some())[0] == index
    assert packed(some(faces=1))[0] != index
    assert not tape.NAME.fullmatch("sets/../evil.json")
    assert not tape.NAME.fullmatch("sets/runes.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda held: held | {"format": 99}, "a newer program's"),
        (lambda held: held | {"faces": []}, "no die set"),
        (lambda held: held | {"faces": [{"die": "D6"}]}, "expected die, value, label and picture"),
        (lambda held: [held], "no die set"),
    ],
)
def test_what_is_no_set_is_refused(change: Callable[[dict[str, object]], object], said: str) -> None:
    index, files = packed(some())
    files[index] = json.dumps(change(json.loads(files[index]))).encode()
    with pytest.raises(BadTape, match=said):
        unpacked(index, files.__getitem__)


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b"GIF89a"])
def test_broken_files_are_refused(data: bytes) -> None:
    index, files = packed(some())
    for name in files:
        with pytest.raises(BadTape, match=index):
            unpacked(index, (files | {name: data}).__getitem__)
