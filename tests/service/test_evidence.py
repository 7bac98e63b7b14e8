"""A crop is whole and synced before anybody knows its name, or it is not there at all."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from dicetower.errors import NotFound, StoreError
from dicetower.sources.evidence import EvidenceFolder

PNG = b"\x89PNG\r\n\x1a\nnot much of a picture"


@pytest.fixture
def folder(tmp_path: Path) -> EvidenceFolder:
    return EvidenceFolder(tmp_path / "deep" / "evidence")


def test_a_crop_is_named_by_what_is_in_it_and_kept_once(folder: EvidenceFolder) -> None:
    name = folder.keep(PNG)
    assert name == hashlib.sha256(PNG).hexdigest() + ".png"
    assert folder.keep(PNG) == name
    assert folder.find(name).read_bytes() == PNG
    assert [path.name for path in folder.folder.iterdir()] == [name]


def test_the_file_and_its_folder_are_synced_before_the_name_is_told(
    folder: EvidenceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(handle: int) -> None:
        done.append(kind(handle))
        fsync(handle)

    def noted_replace(self: Path, to: Path) -> Path:
        done.append("rename")
        return replace(self, to)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    folder.keep(PNG)
    assert done == ["file", "rename", "folder"]


def kind(handle: int) -> str:
    return "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"


@pytest.mark.parametrize("name", ["", "x", "../evidence/x.png", "0" * 64, "0" * 64 + ".png", "0" * 64 + ".png\n", "\0"])
def test_nothing_else_is_found(folder: EvidenceFolder, name: str) -> None:
    folder.keep(PNG)
    with pytest.raises(NotFound):
        folder.find(name)


def test_a_disk_that_takes_no_more_leaves_nothing_half(folder: EvidenceFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.keep(b"first")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left on device"):
            folder.keep(PNG)
    assert len(list(folder.folder.iterdir())) == 1
    assert folder.find(folder.keep(PNG)).read_bytes() == PNG


def test_a_place_that_is_no_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be kept"):
        EvidenceFolder(tmp_path / "file" / "evidence").keep(PNG)
