"""The page of one's own dice in a browser, over a real service and a telephone's camera that shows renders."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import FilePayload, Page, expect
from tests.support.axe import check
from tests.support.clips import Frame
from tests.support.mjpeg import Phone, phone
from tests.support.runes import empty, face, png
from tests.support.screen import TALL, Opens, Server

from dicetower.sources.die_sets import DieSets
from dicevision import shots
from dicevision.shots import Shown

PATIENCE_MS = 40_000


def kept(sets: DieSets, name: str, *shown: tuple[int, float, tuple[float, float]]) -> None:
    """A set with these faces of a D4: value, turn and place."""
    for value, turn, at in shown:
        picture = face(value, turn, at)
        known = sets.get(name)
        one = shots.taken(picture, shots.only(shots.found(picture)), Shown("D4", value), known, insist=True)
        sets.put(known.joined([one]))


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> DieSets:
    made = DieSets(tmp_path_factory.mktemp("data") / "dicetower/die-sets")
    kept(made, "runes", *((value, 30.0 * value, (210, 160)) for value in (1, 2, 3, 4)))
    return made


@pytest.fixture(scope="module")
def telephone() -> Iterator[Phone]:
    with phone(empty(), rate=10) as made:
        yield made


@pytest.fixture(scope="module")
def served(sets: DieSets, telephone: Phone) -> Iterator[Server]:
    home = sets.folder.parents[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("XDG_DATA_HOME", str(home))
        server = Server(home / "service", "--camera", telephone.url).start()
    yield server
    server.stop()


@pytest.fixture
def watched(telephone: Phone, served: Server) -> Phone:
    """The telephone, over the empty tray again."""
    telephone.show(empty())
    return telephone


def photograph(picture: Frame) -> FilePayload:
    return {"name": "one.png", "mimeType": "image/png", "buffer": png(picture)}


def thumbs(page: Page, value: int, count: int) -> None:
    """Wait until a face has so many pictures."""
    row = page.locator(".faces-shown > li").nth(value - 1)
    expect(row.locator(".thumbs img")).to_have_count(count, timeout=PATIENCE_MS)


def said(page: Page, text: str) -> None:
    expect(page.locator(".said")).to_contain_text(text, timeout=PATIENCE_MS)


def test_a_set_is_named_and_its_faces_are_shown_to_the_camera(opens: Opens, served: Server, watched: Phone) -> None:
    page = opens(f"{served.url}/enrol")
    page.get_by_label("Name of a new set").fill("Skulls!")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("small letters")
    page.get_by_label("Name of a new set").fill("signs")
    page.keyboard.press("Enter")
    page.get_by_label("D4", exact=True).check(force=True)
    expect(page.get_by_role("heading", name="Show the 1")).to_be_visible()
    expect(page.locator(".state-name")).to_have_text("Watching", timeout=PATIENCE_MS)
    page.get_by_role("button", name="Show it to the camera").focus()
    page.keyboard.press("Enter")
    said(page, "Show the 1: lay the die in the tray")
    expect(page.locator(".state-reason")).to_contain_text("nothing is given to the table", timeout=PATIENCE_MS)
    watched.show(face(1, 20, (200, 150)))
    thumbs(page, 1, 1)
    expect(page.get_by_text("Twice more")).to_be_visible()
    check(page, "a face was taken")
    page.get_by_role("button", name="2: 0 pictures").click()
    watched.show(face(1, 110, (250, 190)))
    said(page, "It looks like the 1 that was shown before: is it really the 2?")
    check(page, "a doubtful picture")
    thumbs(page, 2, 0)
    page.get_by_role("button", name="Take it all the same").focus()
    page.keyboard.press("Enter")
    thumbs(page, 2, 1)
    page.get_by_role("button", name="Stop showing").click()
    expect(page.locator(".state-reason")).to_have_text("", timeout=PATIENCE_MS)
    spoken = page.locator("#spoken p").all_inner_texts()
    assert "Taken. Show the 1." in spoken
    assert "It looks like the 1 that was shown before: is it really the 2?" in spoken


def test_photographs_are_taken_looked_through_and_tried(
    opens: Opens, served: Server, watched: Phone, sets: DieSets
) -> None:
    page = opens(f"{served.url}/enrol#runes/D4")
    photos = page.locator("input[type=file]").first
    thumbs(page, 1, 1)
    photos.set_input_files(photograph(empty()))
    said(page, "No die is seen")
    page.get_by_label("A symbol? What it is called").fill("kay")
    photos.set_input_files(photograph(face(1, 150, (230, 190))))
    thumbs(page, 1, 2)
    expect(page.get_by_role("button", name="kay, counts 1: 2 pictures")).to_be_visible()
    page.get_by_role("button", name="Again in place of picture 1").click()
    expect(page.get_by_role("heading", name="Show the kay, which counts 1 again")).to_be_visible()
    page.get_by_role("button", name="Remove picture 1 of the kay").focus()
    page.keyboard.press("Enter")
    thumbs(page, 1, 1)
    page.locator("input[type=file]").last.set_input_files(photograph(face(3, 222, (190, 170))))
    expect(page.locator(".said .tried li")).to_have_count(1, timeout=PATIENCE_MS)
    expect(page.locator(".said .read-name")).to_contain_text("D4: 3")
    page.get_by_role("button", name="Read at the table: off").click()
    expect(page.get_by_role("button", name="Read at the table: on")).to_have_attribute("aria-pressed", "true")
    check(page, "a set in use")
    page.reload()
    expect(page.get_by_role("heading", name="Show the kay, which counts 1")).to_be_visible()
    page.get_by_role("button", name="Forget this set").click()
    page.get_by_role("button", name="Keep it").click()
    assert "runes" in sets.names()


def test_sets_fit_a_telephone_and_one_is_forgotten(opens: Opens, served: Server, sets: DieSets) -> None:
    kept(sets, "old", (1, 20.0, (210, 160)))
    page = opens(f"{served.url}/enrol", size=TALL, theme="light")
    expect(page.get_by_role("link", name="old")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= TALL["width"]
    check(page, "the sets")
    page.get_by_role("link", name="old").click()
    expect(page.locator(".ask h2")).to_have_text("Show the 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= TALL["width"]
    check(page, "a set on a telephone")
    page.get_by_role("button", name="Forget this set").click()
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator(".kept")).to_be_visible()
    expect(page.get_by_role("link", name="old")).to_have_count(0)
    assert "old" not in sets.names()
