"""Die sets over HTTP: faces shown to the camera and by photograph, what is refused and why, use, offers, a try-out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from starlette.testclient import TestClient
from tests.service.test_camera_desk import HERE, Still
from tests.support.clips import Frame
from tests.support.live import PATIENCE_S
from tests.support.runes import empty, face, png

from dicetower.api.app import create_app
from dicetower.api.services import Services
from dicetower.model import Die
from dicetower.rules.pack import standard
from dicetower.sources.camera import crop, decoded, die_within
from dicetower.sources.camera_desk import Desk
from dicetower.sources.camera_live import LiveCamera
from dicetower.sources.camera_profile import Profile, Profiles
from dicetower.sources.die_sets import DieSets
from dicetower.sources.enrol_desk import HOLD_S, PICTURES_MAX, EnrolDesk
from dicetower.store.memory import MemoryStore
from dicetower.table import Tables
from dicevision import shots
from dicevision.read import around, read

A = "/api/v1/die-sets"
PAGE, OTHER_PAGE = "00c0ffee00c0ffee", "0badcafe0badcafe"
NEVER = "D4-1-0123456789abcdef.png"


class Slow(Still):
    """The camera at ten frames a second: its capture thread has nothing to do here but to be live."""

    def read(self) -> Frame | None:
        time.sleep(0.1)
        return super().read()


class Bench:
    """A service with die sets and a camera that the test holds in its hand; nobody's clock runs but the test's."""

    def __init__(self, folder: Path, **more: Any) -> None:
        self.now_s = 0.0
        self.still = Slow(empty())
        self.given: list[object] = []
        self.sets = DieSets(folder / "die-sets")
        self.camera = LiveCamera(lambda crop: "kept", open_feed=lambda source: self.still, own=self.sets.own)
        self.desk = EnrolDesk(self.sets, self.camera, now_s=lambda: self.now_s, **more)
        store, rules = MemoryStore(), standard()
        tables = Tables(store, rules)
        tables.open("main")
        camera = Desk(self.camera, Profiles(folder / "cameras"), lambda misread: "wrong-1", self.desk.learn)
        services = Services(tables, store, rules, _no_photo, _no_crop, camera=camera, enrol=self.desk)
        self.client = TestClient(create_app(services), base_url="http://127.0.0.1", client=HERE)
        self._at_s = 0.0

    def live(self) -> None:
        """Choose the camera; it sees the empty tray. Its own thread watches nothing: the test shows the frames."""
        self.camera._see = lambda *args: None  # type: ignore[method-assign] # frames come from the test alone
        self.camera.start(self.given.append)
        self.camera.use(Profile(source="0"))
        assert self.camera.live is not None
        assert self.camera.live.wait(0, PATIENCE_S) is not None
        self.show(empty())

    def show(self, picture: Frame) -> int:
        """Show the camera a picture until it has settled, and what the watch makes of it to the source; its `look`."""
        watch = self.camera.watch
        assert watch is not None
        self.still.picture = picture
        for _ in range(14):
            self._at_s += 0.1
            frame = Still.read(self.still)
            assert frame is not None
            for thrown in watch.see(frame, self._at_s):
                self.camera._take(thrown)
        return round(watch.look.at_s * 1000) if watch.look is not None else 0

    def hold(self, on: bool = True, page: str = PAGE) -> int:
        return self.client.post(f"{A}/hold", json={"holder": page, "on": on}).status_code

    def shot(self, look: int, value: int, **more: Any) -> Any:
        body = {"holder": PAGE, "look": look, "die": "D4", "value": value, **more}
        return self.client.post(f"{A}/runes/shots", json=body).json()

    def photo(self, picture: Frame, value: int, name: str = "runes", **more: Any) -> Any:
        form = {"die": "D4", "value": str(value), **{key: str(item) for key, item in more.items()}}
        answer = self.client.post(f"{A}/{name}/photo", data=form, files={"photo": ("one.png", png(picture))})
        return answer.json()

    def pictures(self, value: int, name: str = "runes") -> list[str]:
        faces = self.client.get(f"{A}/{name}").json()["dice"][0]["faces"]
        return [picture for one in faces if one["value"] == value for picture in one["pictures"]]


def _no_photo(picture: bytes, throw: str, *, player: str | None, plan: Any) -> Any:
    raise AssertionError("no throw is photographed here")


def _no_crop(name: str) -> Path:
    raise AssertionError("no crop is looked for here")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.live()
    yield made
    made.camera.stop()


def shown(made: Bench, *values: int, turns: int = 2) -> Bench:
    """So many turns of each face, by photograph."""
    for value in values:
        for turn, at in ((20, (200, 150)), (110, (250, 190)))[:turns]:
            answer = made.photo(face(value, turn + 7 * value, at), value)
            assert answer["taken"], answer["says"]
    return made


def test_a_face_is_shown_to_the_camera_turn_by_turn_and_the_table_hears_of_nothing(live: Bench) -> None:
    assert live.hold() == 200
    for number, (turn, at) in enumerate(((20, (200, 150)), (110, (250, 190))), 1):
        live.show(empty())
        answer = live.shot(live.show(face(1, turn, at)), 1)
        assert (answer["why"], answer["says"]) == ("", "")
        assert len(live.pictures(1)) == number
    assert live.client.get("/api/v1/camera").json()["reason"].startswith("Dice are being shown at /enrol")
    assert live.given == []
    live.hold(on=False)
    live.show(empty())
    live.show(face(2, 30))
    assert len(live.given) == 1


def test_a_page_that_has_gone_gives_the_camera_back(live: Bench) -> None:
    assert live.hold() == 200
    assert live.hold(page=OTHER_PAGE) == 409
    assert live.hold(on=False, page=OTHER_PAGE) == 200
    assert live.camera.lent()
    live.now_s = HOLD_S
    assert not live.camera.lent()
    look = live.show(face(1, 20))
    assert len(live.given) == 1
    assert "given back to the table" in live.shot(look, 1)["detail"]
    assert live.hold(page=OTHER_PAGE) == 200


def two(one: Frame, other: Frame) -> Frame:
    """The left half of a picture beside the right half of another."""
    half = one.shape[1] // 2
    return np.asarray(np.hstack([one[:, :half], other[:, half:]]), np.uint8)


def test_of_several_dice_only_the_one_that_came_is_taken(live: Bench) -> None:
    lay = face(4, 15, (110, 120))
    live.show(lay)
    live.hold()
    nothing = live.shot(live.show(empty()), 1)
    assert (nothing["why"], nothing["firm"]) == ("none", True)
    live.show(lay)
    live.shot(live.show(lay), 4, insist=True)
    answer = live.shot(live.show(two(lay, face(1, 50, (350, 240)))), 1)
    assert answer["taken"], answer["says"]
    both = two(face(2, 70, (110, 230)), face(3, 25, (360, 110)))
    assert live.shot(live.show(both), 2)["says"] == "2 dice came at once: show one."
    assert len(live.pictures(1)) == 1


def test_the_tray_that_moved_on_is_not_the_one_that_was_shown(live: Bench) -> None:
    live.hold()
    look = live.show(face(1, 20))
    live.show(empty())
    assert "The tray has changed" in live.shot(look, 1)["detail"]


@pytest.mark.parametrize(
    ("picture", "why", "says", "firm"),
    [
        (empty, "none", "No die is seen", True),
        (lambda: two(face(1, 10, (110, 120)), face(2, 60, (360, 240))), "several", "2 dice are seen", True),
        (lambda: face(1, 20, (30, 180)), "cut", "cut off by the picture's edge", True),
        (lambda: cv2.GaussianBlur(face(1, 20), (0, 0), 4.0), "blurred", "blurred", False),
        (lambda: (face(1, 20) * 0.12).astype(np.uint8), "dark", "too dark", False),
        (lambda: cv2.resize(face(1, 20), (168, 126), interpolation=cv2.INTER_AREA), "far", "wants 35", False),
    ],
    ids=["nothing", "two", "cut", "blurred", "dark", "far"],
)
def test_a_picture_that_is_no_good_says_why_and_nothing_is_kept(
    bench: Bench, picture: Callable[[], Frame], why: str, says: str, firm: bool
) -> None:
    answer = bench.photo(np.asarray(picture(), np.uint8), 1)
    assert (answer["taken"], answer["why"], answer["firm"]) == (None, why, firm)
    assert says in answer["says"]
    assert answer["set"]["dice"] == []
    assert bench.sets.names() == ()


def test_a_face_that_looks_like_another_is_asked_about_and_taken_where_one_insists(bench: Bench) -> None:
    shown(bench, 1)
    answer = bench.photo(face(1, 200, (220, 160)), 3)
    assert answer["why"] == "like"
    assert answer["says"] == "It looks like the 1 that was shown before: is it really the 3?"
    assert answer["like"] in bench.pictures(1)
    assert bench.pictures(3) == []
    assert bench.photo(face(1, 200, (220, 160)), 3, insist="true")["taken"]
    assert bench.client.get(f"{A}/runes/alike").json()["alike"] == [["D4", "1", "3"]]


def test_the_same_picture_twice_is_no_second_view(bench: Bench) -> None:
    assert bench.photo(face(1, 20), 1)["taken"]
    answer = bench.photo(face(1, 20), 1)
    assert (answer["why"], "turn the die" in answer["says"]) == ("same", True)


def test_a_picture_takes_the_place_of_another_or_is_removed(bench: Bench) -> None:
    shown(bench, 1)
    first, second = bench.pictures(1)
    taken = bench.photo(face(1, 230, (230, 190)), 1, replaces=first)["taken"]
    assert bench.pictures(1) == [second, taken]
    refused = bench.photo(empty(), 1, replaces=second)
    assert refused["taken"] is None
    assert bench.pictures(1) == [second, taken]
    assert bench.client.delete(f"{A}/runes/pictures/{second}").status_code == 200
    assert bench.pictures(1) == [taken]
    assert bench.client.get(f"{A}/runes/pictures/{second}").status_code == 404
    bench.client.delete(f"{A}/runes/pictures/{taken}")
    assert bench.client.get(A).json()["sets"] == []


def test_a_symbol_has_a_name_that_all_its_pictures_share(bench: Bench) -> None:
    bench.photo(face(1, 20, (200, 150)), 1)
    bench.photo(face(1, 110, (250, 190)), 1, label="skull")
    assert [one.label for one in bench.sets.load("runes").faces] == ["skull", "skull"]
    (four,) = bench.client.get(f"{A}/runes").json()["dice"]
    assert [(one["value"], one["label"], len(one["pictures"])) for one in four["faces"]] == [
        (1, "skull", 2),
        (2, "2", 0),
        (3, "3", 0),
        (4, "4", 0),
    ]


def test_a_set_is_read_with_as_soon_as_it_is_in_use_and_as_it_grows(bench: Bench) -> None:
    shown(bench, 1, 2, turns=1)
    before = read(face(3, 33, (210, 200)), own=bench.sets.own())
    assert bench.sets.own() is None
    assert bench.client.post(f"{A}/runes/use", json={"on": True}).json()["used"]
    shown(bench, 3, 4, turns=1)
    (die,) = read(face(3, 33, (210, 200)), own=bench.sets.own()).dice
    assert (die.die, die.candidates[0][0]) == ("D4", 3)
    assert [(one.die, one.value) for one in before.dice] != [("D4", 3)]
    assert not bench.client.post(f"{A}/runes/use", json={"on": False}).json()["used"]
    assert bench.sets.own() is None


def test_a_set_that_another_program_adds_to_is_read_anew(bench: Bench) -> None:
    shown(bench, 1)
    bench.sets.use("runes", True)
    assert [one.value for one in (bench.sets.own() or bench.sets.get("")).faces] == [1, 1]
    elsewhere = DieSets(bench.sets.folder)
    elsewhere.put(elsewhere.load("runes").joined([elsewhere.load("runes").faces[0]]))
    assert [one.value for one in (bench.sets.own() or bench.sets.get("")).faces] == [1, 1, 1]
    (bench.sets.folder / "runes/set.json").write_text("broken")
    assert [one.value for one in (bench.sets.own() or bench.sets.get("")).faces] == [1, 1, 1]
    assert "cannot be read as JSON" in bench.client.get(A).json()["sets"][0]["fault"]


def test_it_is_tried_by_photograph_and_by_the_camera(live: Bench) -> None:
    shown(live, 1, 2, 3, 4, turns=1)
    files = {"photo": ("throw.png", png(face(2, 77, (190, 190))))}
    (by_photo,) = live.client.post(f"{A}/runes/try/photo", files=files).json()["dice"]
    live.hold()
    look = live.show(face(3, 33, (210, 200)))
    (by_camera,) = live.client.post(f"{A}/runes/try", json={"look": look}).json()["dice"]
    assert [(die["die"], die["candidates"][0][0]) for die in (by_photo, by_camera)] == [("D4", 2), ("D4", 3)]
    assert live.client.post(f"{A}/none/try", json={"look": look}).status_code == 404
    assert live.given == []


def test_a_set_that_the_settings_name_is_not_forgotten(tmp_path: Path) -> None:
    made = shown(Bench(tmp_path, configured=("runes",)), 1, turns=1)
    answer = made.client.delete(f"{A}/runes")
    assert (answer.status_code, "take it out there" in answer.json()["detail"]) == (409, True)
    made.photo(face(2, 20), 2, name="others")
    assert [one["name"] for one in made.client.delete(f"{A}/others").json()["sets"]] == ["runes"]
    assert made.client.delete(f"{A}/others").status_code == 404


def test_a_corrected_die_is_offered_to_the_set_that_has_such_a_die_and_waits_for_a_word(live: Bench) -> None:
    shown(live, 1, 2)
    live.sets.use("runes", True)
    live.show(empty())
    look = live.show(face(2, 160, (210, 160)))
    wrong = {"look": look, "number": 0, "die": "D4", "value": 2}
    assert live.client.post("/api/v1/camera/wrong", json=wrong).json() == {"tape": "wrong-1", "offered": "runes"}
    other = live.client.post("/api/v1/camera/wrong", json=wrong | {"die": "D8"}).json()
    assert other["offered"] is None
    (offer,) = live.client.get(f"{A}/runes").json()["offers"]
    assert (offer["die"], offer["value"], offer["says"]) == ("D4", 2, "")
    assert live.client.get(f"{A}/runes/pictures/{offer['picture']}").content.startswith(b"\x89PNG")
    assert len(live.pictures(2)) == 2
    after = live.client.post(f"{A}/runes/offers/{offer['picture']}", json={"take": True}).json()
    assert after["offers"] == []
    assert len(live.pictures(2)) == 3
    assert live.client.post(f"{A}/runes/offers/{offer['picture']}", json={"take": False}).status_code == 404


def outline_of(picture: Frame) -> Any:
    return shots.only(shots.found(picture))


def test_what_speaks_against_an_offer_is_said(bench: Bench) -> None:
    shown(bench, 1, 2)
    bench.sets.use("runes", True)
    mistaken, stranger = face(2, 160, (210, 160)), face(5, 40, (210, 160))
    assert bench.desk.learn(mistaken, outline_of(mistaken), Die.D4, 1) == "runes"
    assert bench.desk.learn(stranger, outline_of(stranger), Die.D4, 1) == "runes"
    says = [offer["says"] for offer in bench.client.get(f"{A}/runes").json()["offers"]]
    assert says[0] == "It looks like the 2 that was shown: is it really the 1?"
    assert "looks like no face of runes" in says[1]


def test_a_crop_that_the_table_kept_is_offered_by_where_the_die_lies_in_it(bench: Bench) -> None:
    shown(bench, 1, 2, turns=1)
    bench.sets.use("runes", True)
    picture = face(2, 160, (210, 160))
    kept = decoded(crop(picture, around(outline_of(picture))))
    assert bench.desk.learn_crop(kept, die_within((kept.shape[1], kept.shape[0])), Die.D4, 2) == "runes"
    assert bench.desk.learn_crop(kept, die_within((kept.shape[1], kept.shape[0])), Die.D20, 2) is None
    (offer,) = bench.client.get(f"{A}/runes").json()["offers"]
    assert (offer["die"], offer["value"]) == ("D4", 2)
    assert "is it really" not in offer["says"]


def test_a_correction_that_is_taken_back_leaves_no_offer_and_takes_none_of_another(bench: Bench) -> None:
    shown(bench, 1, 2, turns=1)
    bench.sets.use("runes", True)
    pictures = [face(value, 160, (210, 160)) for value in (2, 1)]
    crops = [decoded(crop(picture, around(outline_of(picture)))) for picture in pictures]
    boxes = [die_within((kept.shape[1], kept.shape[0])) for kept in crops]
    for kept, box, value in zip(crops, boxes, (2, 1), strict=True):
        assert bench.desk.learn_crop(kept, box, Die.D4, value) == "runes"
    bench.desk.unlearn_crop(crops[0], boxes[0], Die.D4, 1)
    assert len(bench.client.get(f"{A}/runes").json()["offers"]) == 2, "it was never said to be a 1"
    bench.desk.unlearn_crop(crops[0], boxes[0], Die.D4, 2)
    (offer,) = bench.client.get(f"{A}/runes").json()["offers"]
    assert offer["value"] == 1
    assert (len(bench.pictures(1)), len(bench.pictures(2))) == (1, 1)


def test_what_was_taken_without_asking_goes_when_the_correction_is_taken_back(tmp_path: Path) -> None:
    made = shown(Bench(tmp_path, learn=True), 1, 2)
    made.sets.use("runes", True)
    picture = face(2, 160, (210, 160))
    kept = decoded(crop(picture, around(outline_of(picture))))
    box = die_within((kept.shape[1], kept.shape[0]))
    made.desk.learn_crop(kept, box, Die.D4, 2)
    assert len(made.pictures(2)) == 3
    made.desk.unlearn_crop(kept, box, Die.D4, 2)
    assert len(made.pictures(2)) == 2


def test_where_the_settings_say_so_a_face_is_taken_if_the_set_is_sure_of_the_die(tmp_path: Path) -> None:
    made = shown(Bench(tmp_path, learn=True), 1, 2)
    made.sets.use("runes", True)
    sure, mistaken, stranger = face(2, 160, (210, 160)), face(2, 250, (230, 190)), face(5, 40, (210, 160))
    made.desk.learn(sure, outline_of(sure), Die.D4, 2)
    made.desk.learn(mistaken, outline_of(mistaken), Die.D4, 1)
    made.desk.learn(stranger, outline_of(stranger), Die.D4, 1)
    assert (len(made.pictures(1)), len(made.pictures(2))) == (2, 3)
    assert [offer["value"] for offer in made.client.get(f"{A}/runes").json()["offers"]] == [1, 1]


def test_a_face_has_so_many_pictures_and_no_more(bench: Bench) -> None:
    bench.photo(face(1, 20), 1)
    known = bench.sets.load("runes")
    bench.sets.put(known.joined([known.faces[0]] * (PICTURES_MAX - 1)))
    answer = bench.photo(face(1, 90), 1, insist="true")
    assert answer["detail"] == f"{PICTURES_MAX} pictures of this face are kept; remove one first."


@pytest.mark.parametrize(
    ("form", "status", "says"),
    [
        ({"die": "D4", "value": "5"}, 422, "A D4 has no 5"),
        ({"die": "D3", "value": "1"}, 422, "D4"),
        ({"die": "D4", "value": "1", "label": "a=b"}, 422, "what a symbol is called"),
        ({"die": "D4", "value": "1", "replaces": "../x"}, 422, "a picture's name, from the set"),
        ({"value": "1"}, 422, "body die"),
    ],
)
def test_what_is_no_face_is_refused(bench: Bench, form: dict[str, str], status: int, says: str) -> None:
    answer = bench.client.post(f"{A}/runes/photo", data=form, files={"photo": ("one.png", b"x")})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert says in answer.json()["detail"] or says in str(answer.json()["errors"])


def test_what_is_no_picture_or_no_set_is_refused_with_a_sentence(bench: Bench) -> None:
    files = {"photo": ("one.png", b"not a picture")}
    bad = bench.client.post(f"{A}/runes/photo", data={"die": "D4", "value": "1"}, files=files)
    assert (bad.status_code, bad.json()["type"]) == (422, "urn:dicetower:problem:bad-picture")
    assert bench.client.get(f"{A}/Runes!").status_code == 422
    assert bench.client.get(f"{A}/runes").json()["dice"] == []
    for method, path in (("GET", f"pictures/{NEVER}"), ("GET", "alike"), ("DELETE", f"pictures/{NEVER}")):
        assert bench.client.request(method, f"{A}/runes/{path}").status_code == 404
    assert bench.client.post(f"{A}/runes/use", json={"on": True}).status_code == 404
    assert bench.hold() == 409
    assert "photographs will do" in bench.client.post(f"{A}/runes/try", json={"look": 1}).json()["detail"]
