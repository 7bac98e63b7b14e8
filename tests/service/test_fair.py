"""Fair rolls: the formulas against vectors that hashlib made elsewhere, and the check that names the first bad roll."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

from dicetower.model import Die, Pledge, PledgeState
from dicetower.sources.fair import checked, commitment_of, nonce_of, roll_in, value_of
from dicetower.sources.verbs import E_DICE, Roll, encode_message

VECTORS = (Path(__file__).parents[2] / "fixtures/wire/fair.txt").read_text().splitlines()
ROWS = [row.split("\t") for row in VECTORS]
SEED, SECRET = "000102030405060708090a0b0c0d0e0f", "f0" * 16
PLEDGE = Pledge("00c0ffee00c0ffee", sha256(b"c" + bytes(range(16))).hexdigest(), SECRET)


def nonce(req: int) -> str:
    return sha256(b"n" + b"\xf0" * 16 + req.to_bytes(4, "big")).hexdigest()[:8]


def fair_roll(number: int, req: int, die: Die = Die.D20) -> Roll:
    value = value_of(SEED, req, nonce(req), die)
    return Roll("5be0cd19", number, die, value, req, 500, "ok", late=False, t_ms=1, fair=True)


GAME = [fair_roll(number, 40 + number, die) for number, die in enumerate(E_DICE, 1)]


@pytest.mark.parametrize("row", [row[1:] for row in ROWS if row[0] == "commit"])
def test_commitments(row: list[str]) -> None:
    seed, commitment = row
    assert commitment_of(seed) == commitment


@pytest.mark.parametrize("row", [row[1:] for row in ROWS if row[0] == "roll"])
def test_values(row: list[str]) -> None:
    seed, req, given, sides, value = row
    assert value_of(seed, int(req), given, Die(f"D{sides}")) == int(value)


def test_a_nonce_follows_from_the_secret_and_the_request() -> None:
    assert [nonce_of(SECRET, req) for req in (1, 41, 2**32 - 1)] == [nonce(req) for req in (1, 41, 2**32 - 1)]


def test_a_game_as_it_must_be_is_verified() -> None:
    verdict = checked(PLEDGE, SEED, [*GAME, GAME[2]])  # a copy is the same roll
    assert (verdict.state, verdict.rolls, verdict.bad) == (PledgeState.VERIFIED, 6, None)


def test_rolls_of_the_dies_own_noise_are_not_covered() -> None:
    other = replace(fair_roll(9, 49), fair=None, reported=1)
    assert checked(PLEDGE, SEED, [*GAME, other]).rolls == 6


@pytest.mark.parametrize("bad", range(6))
def test_the_first_bad_roll_is_named(bad: int) -> None:
    """A value changed; the last roll changed too, and not named."""
    wrong = {bad, 5}
    rolls = [replace(r, reported=r.reported % r.die.sides + 1) if at in wrong else r for at, r in enumerate(GAME)]
    verdict = checked(PLEDGE, SEED, reversed(rolls))
    assert (verdict.state, verdict.bad) == (PledgeState.BROKEN, bad + 1)
    assert f"Roll {bad + 1}, a {GAME[bad].die}: expected {GAME[bad].reported} of its seed" in verdict.text


def test_another_seed_than_the_one_committed_to_is_broken() -> None:
    verdict = checked(PLEDGE, "ff" * 16, GAME)
    assert (verdict.state, verdict.bad) == (PledgeState.BROKEN, None)
    assert PLEDGE.commitment in verdict.text


def test_a_request_that_was_rolled_twice_is_broken() -> None:
    verdict = checked(PLEDGE, SEED, [*GAME, fair_roll(7, 43, GAME[2].die)])
    assert (verdict.state, verdict.bad) == (PledgeState.BROKEN, 3)
    assert "rolled 2 times" in verdict.text


def test_a_roll_for_another_nonce_is_found() -> None:
    """All requests but one: what the die gives for a number the host did not choose is its own choice."""
    chosen = [value_of(SEED, req, "00000001", Die.D20) for req in range(1, 200)]
    caught = [
        checked(PLEDGE, SEED, [replace(fair_roll(1, req), reported=value)]).bad for req, value in enumerate(chosen, 1)
    ]
    honest = sum(value == value_of(SEED, req, nonce(req), Die.D20) for req, value in enumerate(chosen, 1))
    assert caught.count(None) == honest < 30


def test_every_face_of_every_die_comes_from_as_many_bytes() -> None:
    """Over all first bytes, by the rule of the page: what is below the largest multiple."""
    for die in E_DICE:
        limit = 256 // die.sides * die.sides
        faces = [byte % die.sides + 1 for byte in range(limit)]
        assert {faces.count(face) for face in range(1, die.sides + 1)} == {limit // die.sides}


def test_what_the_page_says_of_four_bytes_of_nonce() -> None:
    """The best of 2^40 seeds moves the share of a D20's face over all nonces by less than 3 in 100,000."""
    share, nonces = Fraction(1, 20), 2**32
    deviation = float(share * (1 - share) / nonces) ** 0.5
    tail_beyond_7 = 1.28e-12  # of a normal distribution, one side
    assert tail_beyond_7 < 2**-39
    assert 7.3 * deviation < 3e-5


def test_a_line_kept_as_evidence_is_read_again() -> None:
    line = encode_message(9, GAME[0]).decode().rstrip("\n")
    assert roll_in(line) == GAME[0]
    assert [roll_in(text) for text in ("", "scene.png", line[:-1], line.replace("val=", "vol="))] == [None] * 4


def test_the_six_dice_are_those_of_the_vectors() -> None:
    assert {(row[2], row[4]) for row in ROWS if row[0] == "roll" and row[1] == SEED} >= {
        (req, str(die.sides)) for req, die in product(("1", "41"), E_DICE)
    }
