"""The benchmark's scoring on hand-made cases: every verdict below was decided by eye, on paper."""

from __future__ import annotations

import pytest
from benchmarks.scoring import Box, Detection, Judged, Label, Tally, Verdict, centre, judge, overlap
from hypothesis import given
from hypothesis import strategies as st

RIGHT, UNSURE, WRONG, MISSED = Verdict.RIGHT, Verdict.UNSURE, Verdict.WRONG, Verdict.MISSED
INVENTED, DOUBTED = Verdict.INVENTED_SURE, Verdict.INVENTED_UNSURE
HERE: Box = (100, 100, 40, 40)
THERE: Box = (300, 100, 40, 40)
FIVE = Label("D6", 5, HERE)


def seen(
    box: Box, value: int | None = 5, sure: bool = True, die: str | None = "D6", confidence: float = 1.0
) -> Detection:
    return Detection(box, die, value, sure, confidence)


def verdicts(labels: list[Label], detections: list[Detection]) -> list[Verdict]:
    return [one.verdict for one in judge(labels, detections)]


@pytest.mark.parametrize(
    ("detections", "expected"),
    [
        ([], [MISSED]),
        ([seen(HERE)], [RIGHT]),
        ([seen(HERE, 4)], [WRONG]),
        ([seen(HERE, 5, sure=False)], [UNSURE]),
        ([seen(HERE, 4, sure=False)], [UNSURE]),
        ([seen(HERE, None, sure=False)], [UNSURE]),
        ([seen(HERE, 5, die="D10")], [WRONG]),
        ([seen(HERE, 5, die=None)], [UNSURE]),
        ([seen(THERE)], [MISSED, INVENTED]),
        ([seen(THERE, sure=False)], [MISSED, DOUBTED]),
        ([seen(HERE), seen(THERE, 2)], [RIGHT, INVENTED]),
    ],
)
def test_one_labelled_die(detections: list[Detection], expected: list[Verdict]) -> None:
    assert verdicts([FIVE], detections) == expected


def test_an_empty_tray_read_as_empty_has_nothing_to_count() -> None:
    assert judge([], []) == []


def test_whatever_is_seen_on_an_empty_tray_is_invented() -> None:
    assert verdicts([], [seen(HERE), seen(THERE, sure=False)]) == [INVENTED, DOUBTED]


@pytest.mark.parametrize(
    ("label", "detection", "belongs"),
    [
        ((100, 100, 40, 40), (110, 90, 30, 30), True),  # a top face in a die's box
        ((120, 110, 12, 12), (90, 80, 60, 60), True),  # one pip's box inside the die's
        ((100, 100, 40, 40), (118, 98, 4, 4), True),  # one pip seen of a labelled die
        ((100, 100, 40, 40), (121, 100, 40, 40), True),  # both middles outside, overlap 19/61 = 0.31
        ((100, 100, 40, 40), (122, 100, 40, 40), False),  # overlap 18/62 = 0.29
        ((100, 100, 40, 40), (140, 100, 40, 40), False),  # the neighbour that touches
        ((100, 100, 40, 40), (139, 139, 40, 40), False),  # the neighbour at the corner
    ],
)
def test_which_boxes_may_be_of_one_die(label: Box, detection: Box, belongs: bool) -> None:
    assert verdicts([Label("D6", 5, label)], [seen(detection)]) == ([RIGHT] if belongs else [MISSED, INVENTED])


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        ((0, 0, 10, 10), (0, 0, 10, 10), 1.0),
        ((0, 0, 10, 10), (5, 0, 10, 10), 1 / 3),
        ((0, 0, 10, 10), (5, 5, 10, 10), 25 / 175),
        ((0, 0, 10, 10), (10, 0, 10, 10), 0.0),
        ((0, 0, 10, 10), (2, 2, 5, 5), 0.25),
    ],
)
def test_overlap_is_intersection_over_union(a: Box, b: Box, share: float) -> None:
    assert overlap(a, b) == pytest.approx(share)
    assert overlap(b, a) == pytest.approx(share)


def test_touching_dice_each_take_their_own_whatever_the_order() -> None:
    labels = [Label("D6", 1, (100, 100, 40, 40)), Label("D6", 2, (140, 100, 40, 40))]
    found = [seen((142, 98, 40, 40), 2), seen((102, 98, 40, 40), 1)]
    assert verdicts(labels, found) == [RIGHT, RIGHT]


def test_two_dice_read_as_one_sum_are_one_wrong_and_one_missed() -> None:
    labels = [Label("D6", 1, (100, 100, 40, 40)), Label("D6", 2, (140, 100, 40, 40))]
    assert sorted(verdicts(labels, [seen((100, 100, 80, 40), 3)])) == [MISSED, WRONG]


def test_a_die_read_twice_is_right_once_and_invented_once() -> None:
    assert verdicts([FIVE], [seen((104, 104, 40, 40)), seen(HERE)]) == [RIGHT, INVENTED]


def test_a_box_round_everything_is_only_one_die() -> None:
    labels = [Label("D6", 5, (x, 100, 40, 40)) for x in (0, 100, 200)]
    assert sorted(verdicts(labels, [seen((0, 0, 640, 480))])) == [MISSED, MISSED, RIGHT]


def test_a_die_without_a_box_takes_the_chief_detection_not_the_one_that_fits() -> None:
    label = Label("D10", 7)
    small_but_right = seen((0, 0, 10, 10), 7, die="D10", confidence=0.9)
    large_and_wrong = seen((50, 50, 80, 80), 6, confidence=0.95)
    assert verdicts([label], [small_but_right, large_and_wrong]) == [WRONG, INVENTED]


def test_a_sure_detection_is_chief_over_a_doubtful_one() -> None:
    assert verdicts([Label("D6", 5)], [seen(HERE, 4, sure=False), seen(THERE, 5)]) == [RIGHT, DOUBTED]


def test_a_die_seen_beside_the_labelled_one_is_neither_it_nor_invented() -> None:
    labels = [Label("D6", 5), Label("D8", None, THERE)]
    beside = seen(THERE, 8, die="D8", confidence=0.99)
    assert verdicts(labels, [beside, seen(HERE, 5, confidence=0.9)]) == [RIGHT]
    assert verdicts(labels, [beside]) == [MISSED]
    assert verdicts(labels, []) == [MISSED]


def test_two_dice_without_boxes_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="alone in its photograph; got 2"):
        judge([Label("D6", 1), Label("D6", 2)], [])


def test_a_die_whose_value_nobody_labelled_counts_for_nothing_but_is_not_invented() -> None:
    assert judge([Label("D20", None)], [seen(HERE)]) == []
    assert judge([Label("D20", None)], []) == []


@pytest.mark.parametrize(
    ("leans", "said", "sure", "value", "expected"),
    [
        (True, True, False, None, RIGHT),  # called leaning: the table's rule decides
        (True, True, True, 5, RIGHT),
        (True, True, True, 4, WRONG),
        (True, False, True, 5, WRONG),  # given as flat: the table was never asked
        (True, False, False, 5, UNSURE),
        (False, True, True, 5, UNSURE),  # flat but called leaning: a question too many
        (False, True, False, None, UNSURE),
    ],
)
def test_leaning_dice(leans: bool, said: bool, sure: bool, value: int | None, expected: Verdict) -> None:
    found = Detection(HERE, "D6", value, sure, 1.0, cocked=said)
    assert verdicts([Label("D6", 5, HERE, cocked=leans)], [found]) == [expected]


def test_a_tally_counts_and_its_shares_are_of_what_they_say() -> None:
    kinds = [RIGHT] * 6 + [WRONG] * 2 + [UNSURE] + [MISSED] + [INVENTED] * 3 + [DOUBTED] * 4
    tally = Tally.of(Judged(kind, FIVE, None) for kind in kinds)
    assert tally == Tally(right=6, unsure=1, wrong=2, missed=1, invented_sure=3, invented_unsure=4)
    assert (tally.dice, tally.sure, tally.right_share, tally.wrong_share) == (10, 8, 0.6, 0.25)


def test_a_share_of_nothing_is_none_and_not_nought() -> None:
    assert (Tally().right_share, Tally().wrong_share) == (None, None)
    assert Tally(missed=3).wrong_share is None


def test_an_invented_die_counts_under_what_it_was_taken_for() -> None:
    assert [one.die for one in judge([], [seen(HERE, die="D6"), seen(THERE, None, sure=False, die=None)])] == [
        "D6",
        "?",
    ]


def middle(label: Label) -> tuple[float, float]:
    assert label.box is not None
    return centre(label.box)


boxes = st.tuples(*[st.integers(0, 300)] * 2, *[st.integers(1, 90)] * 2)
detections = st.lists(st.builds(seen, boxes, st.integers(1, 6), st.booleans()), max_size=8)
labels = st.lists(st.builds(Label, st.just("D6"), st.integers(1, 6), boxes), max_size=8)


@given(labels, detections)
def test_every_die_and_every_detection_is_told_once(labels: list[Label], detections: list[Detection]) -> None:
    judged = judge(labels, detections)
    assert [one.label for one in judged if one.label is not None] == labels
    assert sorted(one.detection.box for one in judged if one.detection) == sorted(one.box for one in detections)
    assert Tally.of(judged).dice == len(labels)


@given(labels)
def test_a_reader_that_gives_the_labels_back_is_always_right(labels: list[Label]) -> None:
    apart = [label for i, label in enumerate(labels) if all(middle(label) != middle(other) for other in labels[:i])]
    found = [seen(label.box, label.value) for label in apart if label.box]
    assert all(one.verdict is RIGHT for one in judge(apart, found))
