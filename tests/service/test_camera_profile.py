"""Set-ups of cameras on the disk: what is saved comes back, and what is wrong is told with file and reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetower.errors import BadInput, NotFound, Unavailable
from dicetower.sources.camera_live import halves, tray_of
from dicetower.sources.camera_profile import Profile, Profiles
from dicetower.sources.in_tray import Part

shares = st.floats(0, 1).map(lambda x: round(x, 5))
corners = st.lists(st.tuples(shares, shares), min_size=3, max_size=12).map(tuple)
texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)
profiles = st.builds(
    Profile,
    name=st.from_regex(r"[a-z0-9][a-z0-9-]{0,31}", fullmatch=True),
    source=texts,
    corners=corners,
    turn=st.integers(0, 3),
    width_mm=st.none() | st.floats(20, 3000),
    zones=st.lists(st.builds(Part, texts, corners), max_size=4).map(tuple),
    empty=st.none() | st.just(b"\x89PNG picture"),
    tilt=st.none() | st.tuples(st.floats(-0.7, 0.7), st.floats(-0.7, 0.7)),
)


@given(profiles)
def test_what_is_saved_comes_back(tmp_path_factory: pytest.TempPathFactory, profile: Profile) -> None:
    folder = Profiles(tmp_path_factory.mktemp("cameras"))
    folder.save(profile)
    assert folder.load(profile.name) == profile
    assert folder.names() == [profile.name]


def test_saving_again_takes_the_place_of_all_of_it(tmp_path: Path) -> None:
    folder = Profiles(tmp_path)
    folder.save(Profile(empty=b"\x89PNG"))
    folder.save(Profile(source="1"))
    assert folder.load("tray") == Profile(source="1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tray.toml"]


@pytest.mark.parametrize("name", ["../evil", "UP", "", "a/b", "x" * 33, ".hidden"])
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="1 to 32 of a-z"):
        Profiles(tmp_path).load(name)
    with pytest.raises(BadInput, match="1 to 32 of a-z"):
        Profiles(tmp_path).save(Profile(name=name))


def test_one_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    folder = Profiles(tmp_path / "none yet")
    with pytest.raises(NotFound, match="there are: none yet"):
        folder.load("attic")
    folder.save(Profile(name="kitchen"))
    with pytest.raises(NotFound, match=r"'attic'; there are: kitchen\. The page /setup makes one"):
        folder.load("attic")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("source = ", "Mend it, or save the profile anew"),
        ("colour = 'red'", "colour is no key of a profile; expected one of corners"),
        ("corners = [[0, 0], [1, 1]]", "corners: expected 3 to 12 corners"),
        ("corners = [[0, 0], [1, 1], [2, 0]]", "two numbers from 0 to 1"),
        ("corners = [[0, 0], [1, 1], ['x', 0]]", "two numbers from 0 to 1"),
        ("source = 3", "source: expected a text, got 3"),
        ("turn = 1.5", "turn: expected 0 to 3"),
        ("width_mm = 'wide'", "width_mm: expected millimetres"),
        ("width_mm = nan", "width_mm: expected millimetres"),
        ("zones = [{name = 'left'}]", "zones: expected a name and corners"),
        ("\xff\xfe", "Mend it"),
    ],
)
def test_a_broken_file_is_told_with_its_path(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "tray.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput) as no:
        Profiles(tmp_path).load("tray")
    assert says in str(no.value)
    assert str(tmp_path / "tray.toml") in str(no.value)


def test_a_folder_that_cannot_be_written_keeps_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "cameras").write_text("a file where the folder should be")
    with pytest.raises(Unavailable, match="the old one stands"):
        Profiles(tmp_path / "cameras").save(Profile())


def test_zones_are_halves_of_the_trays_picture() -> None:
    assert [part.name for part in halves("left and right")] == ["left half", "right half"]
    assert tray_of(Profile(zones=halves("near and far"))).zone_of((0.5, 0.9)) == "near half"
    assert halves("none") == ()


def test_corners_that_cross_are_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="cross each other"):
        tray_of(Profile(corners=((0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0))))
