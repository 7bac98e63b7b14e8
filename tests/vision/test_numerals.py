"""Reading numerals: the combination rules on made-up probabilities, then the shipped nets on renders they never saw."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from dicevision import numerals
from dicevision.numerals import Calibration, NumeralNets, NumeralReading, Placed
from training import solids
from training.singles import Single, render

ROOT = Path(__file__).parents[2]
CLASSES = (
    *(("D8", value) for value in range(1, 9)),
    *(("D10", value) for value in range(1, 11)),
    *(("D12", value) for value in range(1, 13)),
    *(("D20", value) for value in range(1, 21)),
    *(("D100", value) for value in range(0, 100, 10)),
)
CALIBRATION = Calibration(CLASSES, (("D8",), ("D10", "D100"), ("D12",), ("D20",)), 1.0, 1.0)
EVEN = Placed(np.full(4, 0.25), np.eye(2, 3), (0.0, 0.0))


def looks(**given: float) -> numerals.Probabilities:
    """One look: D20_6=0.7 gives that class 0.7; the rest is spread over all others; nothing_0: no numeral."""
    row = np.zeros(len(CLASSES) + 1)
    for name, probability in given.items():
        die, value = name.split("_")
        row[-1 if die == "nothing" else CLASSES.index((die, int(value)))] = probability
    rest = row == 0
    row[rest] = (1 - row.sum()) / rest.sum()
    return row[None]


def reading(
    row: numerals.Probabilities,
    mark: float = 0.9,
    placed: Placed = EVEN,
    die: str | None = None,
    plan: dict[str, float] | None = None,
) -> NumeralReading:
    return numerals.combine(row, np.array([[mark, 0.0]]), placed, CALIBRATION, die, plan)


def test_the_best_pair_is_named_with_its_probability() -> None:
    got = reading(looks(D20_17=0.96))
    assert got.best[:2] == ("D20", 17)
    assert got.best[2] == pytest.approx(0.96)
    assert not got.torn


@pytest.mark.parametrize("die", ["D10", "D12", "D20"])
@pytest.mark.parametrize("value", [6, 9])
def test_six_and_nine_without_a_mark_are_torn_and_equally_likely(die: str, value: int) -> None:
    got = reading(looks(**{f"{die}_{value}": 0.98}), mark=0.1)
    assert got.torn
    assert dict(got.values)[6] == pytest.approx(dict(got.values)[9])
    assert got.best[2] < 0.5
    told = reading(looks(**{f"{die}_{value}": 0.98}), mark=0.9)
    assert not told.torn
    assert told.best[:2] == (die, value)


def test_where_there_is_no_nine_a_six_needs_no_mark() -> None:
    assert not reading(looks(D8_6=0.98), mark=0.0).torn
    assert not reading(looks(D100_60=0.98), mark=0.0).torn
    assert not reading(looks(D20_16=0.98), mark=0.0).torn


@pytest.mark.parametrize("thrown", ["D12", "D20", "D8"])
def test_a_plan_helps_but_never_masks(thrown: str) -> None:
    clear = reading(looks(**{f"{thrown}_7": 0.99}), plan={"D10": 1.0})
    assert clear.best[:2] == (thrown, 7)
    doubtful = looks(**{f"{thrown}_7": 0.5, "D10_7": 0.4})
    assert reading(doubtful).best[0] == thrown
    assert reading(doubtful, plan={"D10": 1.0}).best[0] == "D10"


def test_a_known_die_leaves_only_its_own_values() -> None:
    got = reading(looks(D20_17=0.9, D12_7=0.05), die="D12")
    assert got.dice[0][0] == "D12"
    assert got.dice[0][1] + got.nothing == pytest.approx(1.0)
    assert got.values[0][0] == 7
    assert {value for value, _ in got.values} == set(range(1, 13))


def test_the_whole_dies_shape_counts() -> None:
    row = looks(D12_5=0.48, D20_5=0.48)
    for k, die in ((2, "D12"), (3, "D20")):
        shapes = np.full(4, 0.02)
        shapes[k] = 0.94
        assert reading(row, placed=replace(EVEN, shapes=shapes)).best[0] == die


def test_a_d10_and_a_d100_share_a_shape_and_are_told_by_the_numeral() -> None:
    d10 = replace(EVEN, shapes=np.array([0.01, 0.97, 0.01, 0.01]))
    assert reading(looks(D10_10=0.9), placed=d10).best[:2] == ("D10", 10)
    assert reading(looks(D100_0=0.9), placed=d10).best[:2] == ("D100", 0)


def test_looks_that_disagree_are_not_sure() -> None:
    two = np.concatenate([looks(D20_1=0.99), looks(D20_7=0.99)])
    got = numerals.combine(two, np.full((2, 2), 0.5), EVEN, CALIBRATION)
    assert got.best[2] < 0.55
    assert got.agreed == 0.5


def test_another_numeral_where_the_top_may_be_too_halves_what_is_believed() -> None:
    """By hand: 0.9 for 17 at one place and 0.8 for 3 at the other are 0.45 and 0.4."""
    one, other = reading(looks(D20_17=0.9)), reading(looks(D20_3=0.8))
    got = numerals.between(one, other)
    assert got.best[:2] == ("D20", 17)
    assert got.best[2] == pytest.approx(0.45, abs=0.005)
    assert dict(got.joint)["D20", 3] == pytest.approx(0.4, abs=0.005)
    assert got.agreed == one.agreed / 2
    assert numerals.between(other, one).best[:2] == ("D20", 17)


@pytest.mark.parametrize("other", [{"nothing_0": 0.8}, {"D20_17": 0.6}, {"D20_3": 0.25, "nothing_0": 0.7}])
def test_an_edge_or_the_same_numeral_at_the_other_place_leaves_a_reading_as_it_is(other: dict[str, float]) -> None:
    one = reading(looks(D20_17=0.9))
    assert numerals.between(one, reading(looks(**other))) is one


@pytest.mark.parametrize(
    ("likely", "own", "weight", "believed"),
    [(0.5, 0.0, 1.0, 0.5), (0.8, 0.0, 1.0, 0.8), (0.5, np.log(4), 2.0, 0.8), (0.8, np.log(4), 0.5, 8 / 9)],
)
def test_finder_and_locate_say_together_whether_it_is_a_die(
    likely: float, own: float, weight: float, believed: float
) -> None:
    """By hand: odds multiply, the finder's to the power of its weight: 4 to one, and the root of 4, make 8 to one."""
    weighed = replace(nets(), calibration=replace(CALIBRATION, finder_weight=weight))
    assert numerals.is_die(replace(EVEN, die=float(own)), likely, weighed) == pytest.approx(believed)


def test_how_many_looks_agree_is_told() -> None:
    three = np.concatenate([looks(D20_1=0.9), looks(D20_1=0.4, nothing_0=0.5), looks(D20_7=0.6, D20_1=0.3)])
    got = numerals.combine(three, np.array([[0.5, 0.1], [0.5, 0.2], [0.5, 0.9]]), EVEN, CALIBRATION)
    assert got.best[:2] == ("D20", 1)
    assert got.pips == pytest.approx(0.4)
    assert got.agreed == pytest.approx(2 / 3)  # what sees nothing on it speaks for no other numeral


def test_a_look_agrees_where_the_dies_shape_rules_out_what_it_takes_for_likelier() -> None:
    """A 4 that each look gives rather to a D20: the whole die has no D20's shape."""
    two = np.concatenate([looks(D12_4=0.4, D20_4=0.5), looks(D12_4=0.3, D20_4=0.6)])
    d12 = replace(EVEN, shapes=np.array([0.01, 0.01, 0.97, 0.01]))
    got = numerals.combine(two, np.full((2, 2), 0.5), d12, CALIBRATION)
    assert (got.best[:2], got.agreed) == (("D12", 4), 1.0)


def test_a_larger_look_is_one_at_a_larger_disc() -> None:
    one = render(np.random.default_rng(5))
    nets, larger = numerals.mine(), one.top.disc * np.array([1.12, 1.12, 1.0])
    told, expected = (
        numerals.look(one.picture, d, ((40.0, s),), nets)[0] for d, s in ((one.top.disc, 1.12), (larger, 1))
    )
    np.testing.assert_allclose(told, expected, atol=1e-9)


@pytest.mark.parametrize("die", [None, "D20"])
def test_pips_or_a_sign_leave_little_for_any_value(die: str | None) -> None:
    got = reading(looks(nothing_0=0.9, D20_1=0.09), die=die)
    assert got.nothing == pytest.approx(0.9, abs=0.02)
    assert got.best[2] < 0.1


def test_probabilities_sum_to_one() -> None:
    got = reading(looks(D20_6=0.5, D20_9=0.2, D12_6=0.1), mark=0.1)
    assert sum(p for _, p in got.dice) + got.nothing == pytest.approx(1)
    assert sum(p for _, p in got.values) == pytest.approx(1)


@pytest.mark.parametrize(
    "text", ["", "{}", '{"classes": [["D6", 1]], "shapes": [["D6"]], "temperature": "hot"}', "[1]"]
)
def test_a_calibration_that_is_none_is_refused(text: str) -> None:
    locate, numeral, _ = numerals.shipped_files()
    with pytest.raises(numerals.BadModel, match="calibration"):
        numerals.load(locate, numeral, text)


def test_files_that_are_no_nets_or_the_wrong_ones_are_refused() -> None:
    locate, numeral, text = numerals.shipped_files()
    with pytest.raises(numerals.BadModel, match="ONNX"):
        numerals.load(b"not a model", numeral, text)
    with pytest.raises(numerals.BadModel, match="outputs"):
        numerals.load(numeral, locate, text)


@pytest.mark.parametrize("name", ["D6", "D8", "D12", "D20"])
def test_the_lift_is_the_solids_own(name: str) -> None:
    face = solids.solid(name, np.random.default_rng(0)).numbered[0]
    assert numerals.LIFT[name] == pytest.approx(
        face.centre @ face.normal / (solids.DISC[name] * face.inradius), abs=1e-3
    )


def test_a_tray_of_dice_tells_the_cameras_tilt() -> None:
    tilts = [(0.0, 0.3), (0.02, 0.28), (-0.01, 0.31), (0.0, -0.1), (0.6, 0.3)]
    assert numerals.common_tilt([replace(EVEN, tilt=tilt) for tilt in tilts]) == (0.0, 0.3)


# ---- the shipped nets


@cache
def nets() -> NumeralNets:
    cv2.setNumThreads(1)
    return numerals.shipped()


def test_the_models_are_small() -> None:
    """The wheel's nets together, the judge of faces too: under 4 MB."""
    folder = ROOT / "vision/dicevision/models"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 4_000_000


def test_the_nets_give_what_the_trained_networks_gave() -> None:
    """fixtures/nets/golden.json holds outputs that PyTorch computed at export for the input sin(0.01 k) times three."""
    golden = json.loads((ROOT / "fixtures/nets/golden.json").read_text())
    for name, planes, net in (("locate", 5, nets().locate), ("numeral", 3, nets().numeral)):
        shape = (2, planes, 72, 72)
        net.setInput((3 * np.sin(0.01 * np.arange(np.prod(shape)))).reshape(shape).astype(np.float32))
        np.testing.assert_allclose(net.forward(), np.array(golden[name]), atol=1e-4)


def drawn(die: str, value: int, seed: int) -> Single:
    """A render whose top has a numeral, and no pips or maker's sign: the first of a row of seeds."""
    for again in range(20):
        one = render(np.random.default_rng((20260, seed, again)), die=die, value=value)
        if one.top.numeral:
            return one
    raise AssertionError("twenty renders in a row without a numeral")


def sure_and_right(cases: list[tuple[str, int, int]]) -> tuple[int, int]:
    """How many readings are right, and how many wrong ones were given more than 0.98."""
    right = wrong = 0
    for die, value, seed in cases:
        one = drawn(die, value, seed)
        got = numerals.read_numeral(one.picture, one.outline, nets(), overhead=one.away)
        right += got.best[:2] == (die, value)
        wrong += got.best[:2] != (die, value) and got.best[2] > 0.98
    return right, wrong


@pytest.mark.parametrize("die", ["D4", "D6", "D8", "D10", "D12", "D20", "D100"])
def test_renders_in_pen_strokes_are_read(die: str) -> None:
    """Renders of any quality, illegible ones too; the least number right is 3 or 4 under what was measured."""
    values = [
        value
        for d, value in nets().calibration.classes
        if d == die and not (d in numerals.NEEDS_MARK and value in (6, 9))
    ]
    cases = [(die, values[k % len(values)], k) for k in range(40)]
    right, wrong = sure_and_right(cases)
    assert right >= LEAST_RIGHT[die], f"{right} of 40"
    assert wrong <= 1, f"{wrong} of 40 wrong and sure"


LEAST_RIGHT = {"D4": 12, "D6": 31, "D8": 32, "D10": 31, "D12": 33, "D20": 21, "D100": 21}


def test_a_known_tilt_places_the_disc_where_the_solid_has_it() -> None:
    off = []
    for seed in range(25):
        one = render(np.random.default_rng((4, seed)), die="D20")
        placed = numerals.place(one.picture, one.outline, nets())
        told = numerals.at_tilt(placed, one.outline, one.tilt, nets())
        off.append(np.linalg.norm(told.disc[:, 2] - one.top.disc[:, 2]) / np.linalg.svd(one.top.disc[:, :2])[1][0])
    assert float(np.median(off)) < 0.25


def test_a_mirrored_die_is_placed_where_the_mirror_shows_it() -> None:
    """Whatever the nets say of a die, they say of its mirror picture turned round."""
    for seed in range(4):
        one = drawn("D12", 5, seed)
        width = one.picture.shape[1]
        outline = np.column_stack([width - 1 - one.outline[:, 0], one.outline[:, 1]]).astype(np.float32)
        here = numerals.place(one.picture, one.outline, nets(), (0.2, 0.1))
        there = numerals.place(np.ascontiguousarray(one.picture[:, ::-1]), outline, nets(), (-0.2, 0.1))
        assert there.shapes == pytest.approx(here.shapes, abs=1e-3)
        assert there.tilt == pytest.approx((-here.tilt[0], here.tilt[1]), abs=2e-3)
        assert there.disc[:, 2] == pytest.approx((width - 1 - here.disc[0, 2], here.disc[1, 2]), abs=0.1)
        assert np.abs(there.disc[:, :2]) == pytest.approx(np.abs(here.disc[:, :2]), abs=0.1)
        assert there.die == pytest.approx(here.die, abs=2e-2)


def test_an_outline_at_the_frames_edge_is_still_read_or_doubted() -> None:
    one = drawn("D6", 3, 1)
    cut = np.ascontiguousarray(one.picture[:, : int(one.box[0] + one.box[2] / 2)])
    got = numerals.read_numeral(cut, one.outline, nets())
    assert 0 <= got.best[2] <= 1
    assert np.isfinite(got.disc).all()


def test_reading_is_the_same_twice() -> None:
    one = drawn("D20", 13, 2)
    first, again = (numerals.read_numeral(one.picture, one.outline, nets()) for _ in range(2))
    assert first.joint == again.joint


def test_nets_come_from_a_folder_too(tmp_path: Path) -> None:
    kept = Path(numerals.__file__).with_name("models")
    assert numerals.in_folder(kept).calibration == numerals.shipped().calibration
    for name in ("locate.onnx", "numeral.onnx"):
        (tmp_path / name).write_bytes((kept / name).read_bytes())
    with pytest.raises(FileNotFoundError, match=r"numerals\.json"):
        numerals.in_folder(tmp_path)
    (tmp_path / "numerals.json").write_text("{}")
    with pytest.raises(numerals.BadModel, match="calibration"):
        numerals.in_folder(tmp_path)
