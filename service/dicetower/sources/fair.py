"""Rolls that are fair to both sides: the formulas of docs/wire.md, "Fair dice", and the check at the end. Pure.

pledge = Pledge(uid, commitment, secret)
nonce_of(pledge.secret, req)             # goes with ARM
checked(pledge, seed, rolls)             # once the die has revealed its seed
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from dicetower.errors import BadLine
from dicetower.model import Die, Pledge, PledgeState
from dicetower.sources.verbs import Roll, meaning
from dicetower.sources.wire import decode

SECRET_BYTES = 16
"""As many as the seed has: neither can be searched for."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check came to, in a sentence. `rolls`: how many it covered; `bad`: the number of the first bad one."""

    state: PledgeState
    text: str
    rolls: int = 0
    bad: int | None = None


def commitment_of(seed: str) -> str:
    """The commitment to a seed."""
    return sha256(b"c" + bytes.fromhex(seed)).hexdigest()


def nonce_of(secret: str, req: int) -> str:
    """The host's number for a request."""
    return sha256(b"n" + bytes.fromhex(secret) + _u32(req)).hexdigest()[:8]


def value_of(seed: str, req: int, nonce: str, die: Die) -> int:
    """The face that the seed gives for a request."""
    start = b"r" + bytes.fromhex(seed) + _u32(req) + bytes.fromhex(nonce) + bytes([die.sides])
    limit = 256 - 256 % die.sides
    stream = (byte for block in count() for byte in sha256(start + bytes([block])).digest())
    return next(byte for byte in stream if byte < limit) % die.sides + 1


def _u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def roll_in(text: str) -> Roll | None:
    """The roll in a line that was kept as a reading's evidence; None where it is none."""
    try:
        message = meaning(decode(text.encode()))
    except BadLine:
        return None
    return message if isinstance(message, Roll) else None


def checked(pledge: Pledge, seed: str, rolls: Iterable[Roll]) -> Verdict:
    """Check a revealed seed and every roll that is said to come of it; `rolls` may hold others, and copies."""
    if commitment_of(seed) != pledge.commitment:
        return Verdict(
            PledgeState.BROKEN,
            f"The seed {seed} is not the one it committed to: expected {pledge.commitment}, got {commitment_of(seed)}.",
        )
    covered = sorted({(roll.roll, *roll.content): roll for roll in rolls if roll.fair}.values(), key=lambda r: r.roll)
    asked = Counter(roll.req for roll in covered)
    for roll in covered:
        if fault := _fault(pledge, seed, roll, asked[roll.req]):
            return Verdict(PledgeState.BROKEN, fault, len(covered), roll.roll)
    return Verdict(PledgeState.VERIFIED, f"Its seed gives every one of its {len(covered)} rolls.", len(covered))


def _fault(pledge: Pledge, seed: str, roll: Roll, times: int) -> str:
    """What is wrong with a roll; empty where it is as it must be."""
    expected = value_of(seed, roll.req, nonce_of(pledge.secret, roll.req), roll.die)
    if roll.value != expected:
        return f"Roll {roll.roll}, a {roll.die}: expected {expected} of its seed, got {roll.reported}."
    if times > 1:
        return f"Roll {roll.roll}, a {roll.die}: its request {roll.req} was rolled {times} times, expected once."
    return ""
