"""Acts upon the e-dice that a table knows: whose each is, and what it is called. Kept by the die's own id."""

from __future__ import annotations

import re
from dataclasses import replace

from dicetower.errors import BadInput, Conflict, NotFound
from dicetower.game.events import CommitmentEnded, EDieCommitted, EDieSet, Event
from dicetower.game.state import State
from dicetower.game.words import can_be_read, look
from dicetower.model import Pledge, PledgeState

UID = re.compile(r"[0-9a-f]{16}", re.ASCII)
NO_UID = "0" * 16
"""What a die says that could not draw its id (docs/wire.md)."""

NAME_MAX = 30
"""Longest name of a die, in characters: it stands on the display in a sentence."""

KNOWN_MAX = 64
"""More dice than this at one table is a mistake; sixteen is the most that the service is measured with."""


def set_edie(
    state: State, uid: str, player: str | None, name: str | None, pressed: str | None, at_ms: int
) -> Event | None:
    """Give an e-die a player ("": nobody) or a name ("": none); None leaves it. None where all stands so already."""
    _check_uid(uid)
    before = state.edie(uid)
    after = replace(
        before,
        player=before.player if player is None else _player(state, player),
        name=before.name if name is None else _name(state, uid, name),
    )
    lies = pressed if pressed is not None and _is_press(state, uid, pressed) else None
    if after == before and lies is None:
        return None
    if before not in state.edice and len(state.edice) >= KNOWN_MAX:
        raise Conflict(f"The table knows {KNOWN_MAX} e-dice already; give one of those to the player instead.")
    return EDieSet(at_ms, after, lies)


def _is_press(state: State, uid: str, key: str) -> bool:
    """Whether that is a roll of this die which lies unassigned, and of which nobody has said anything yet."""
    die = state.loose_die(key)
    return die is not None and die.reading.device == uid and not die.said


def commit(state: State, pledge: Pledge, at_ms: int) -> Event:
    """Keep an e-die's commitment; Conflict while another of its stands."""
    _check_uid(pledge.uid)
    standing = state.pledge(pledge.uid)
    if standing is not None and standing.state is PledgeState.STANDS:
        raise Conflict(f"E-die {pledge.uid} has a commitment that stands; it must end before another is made.")
    if standing is None and len(state.pledges) >= KNOWN_MAX:
        raise Conflict(f"Expected commitments of at most {KNOWN_MAX} e-dice at one table.")
    return EDieCommitted(at_ms, pledge)


def end_commitment(state: State, pledge: Pledge, at_ms: int) -> Event | None:
    """Keep how an e-die's commitment ended; None where that one does not stand."""
    standing = state.pledge(pledge.uid)
    if standing is None or standing.state is not PledgeState.STANDS or standing.commitment != pledge.commitment:
        return None
    return CommitmentEnded(at_ms, pledge)


def _check_uid(uid: str) -> None:
    if not UID.fullmatch(uid) or uid == NO_UID:
        raise BadInput(f"Expected an e-die's id of 16 of 0-9 and a-f, not all 0, got {uid!r:.60}.")


def _player(state: State, player: str) -> str | None:
    if player and state.player(player) is None:
        raise NotFound(f"No player {player!r:.60} sits at this table.")
    return player or None


def _name(state: State, uid: str, name: str) -> str:
    """The name with single spaces; BadInput where it cannot be read or is another die's."""
    said = " ".join(name.split())
    if said and not (len(said) <= NAME_MAX and can_be_read(said)):
        raise BadInput(f"Expected an e-die's name of at most {NAME_MAX} printable characters, got {name!r:.60}.")
    if said and any(look(die.name) == look(said) for die in state.edice if die.uid != uid):
        raise BadInput(f"Expected a name that no other e-die has, got {said}.")
    return said
