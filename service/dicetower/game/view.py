"""A state as pages see it: the dict of docs/api.md, without `sources`. Plain JSON values only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dicetower.assign import Held, Order, doubtful, short, shown, turn, type_unknown
from dicetower.game.codec import to_json
from dicetower.game.loose import why_now
from dicetower.game.settings import as_json
from dicetower.game.state import Attack, SlotState, State, Thrown
from dicetower.game.undo import next_step
from dicetower.game.words import either
from dicetower.model import Die, Outcome, Pledge, Reading, SourceKind
from dicetower.rules.ruleset import RuleSet

LAST = 12
"""How many ended attacks the state shows."""

UNASSIGNED = 40
"""How many unassigned dice the state shows, the newest; the journal has all."""


def view(state: State) -> dict[str, Any]:
    """Return what a page shows of `state`."""
    ended = [attack for attack in reversed(state.attacks) if not attack.open][:LAST]
    step = next_step(state)
    return {
        "table": state.table,
        "journal": state.journal,
        "seq": state.seq,
        "rules": pack_view(state.rules),
        "settings": as_json(state.settings),
        "players": [to_json(player) for player in state.players],
        "edice": [to_json(die) for die in state.edice],
        "pledges": [_pledge(pledge) for pledge in state.pledges],
        "attack": None if state.current is None else _attack(state, state.current),
        "unassigned": [_unassigned(state, die) for die in state.loose[-UNASSIGNED:]],
        "last": [_ended(state, attack) for attack in ended],
        "undo": None if step is None else step.text,
    }


def pack_view(rules: RuleSet) -> dict[str, Any]:
    """What is said of a rule pack."""
    return {"name": rules.name, "version": rules.version, "hash": rules.hash}


def outcome_view(outcome: Outcome) -> dict[str, Any]:
    """An outcome as `dicetower resolve --json` prints it."""
    return {
        "outcome": outcome.outcome,
        "pairs_to_target": outcome.pairs_to_target,
        "explanation": outcome.explanation,
        "damage": outcome.damage,
        "final": outcome.final,
    }


def _pledge(pledge: Pledge) -> dict[str, Any]:
    """An e-die's commitment. The host's secret is no page's to know: with it the die could foretell its rolls."""
    return {"uid": pledge.uid, "commitment": pledge.commitment, "state": pledge.state.value, "text": pledge.text}


def _attack(state: State, attack: Attack) -> dict[str, Any]:
    declaration = attack.declaration
    side = turn(attack.dues(), state.settings.order) if attack.open else None
    odds = to_json(declaration.odds)
    after_table = odds.pop("after_table")
    return {
        "id": attack.id,
        "number": attack.number,
        "state": attack.status.value,
        "reopened": attack.reopened,
        "declared": to_json(declaration.declared),
        "title": declaration.title,
        "firer": declaration.firer,
        "target": declaration.target,
        "vehicle": declaration.plan.vehicle,
        "printed": declaration.plan.printed,
        "notes": list(declaration.plan.notes),
        "odds": odds,
        "after_table": after_table if state.settings.damage_table else None,
        "turn": None if side is None else side.value,
        "owes": _owes(state, attack) if attack.open else [],
        "slots": [_slot(state, slot) for slot in attack.slots],
        "outcome": None if attack.outcome is None else outcome_view(attack.outcome),
    }


def _owes(state: State, attack: Attack) -> list[str]:
    """Who is to throw what now, a sentence each: the player whose turn it is, or all who owe."""
    side = turn(attack.dues(), state.settings.order)
    first = state.settings.order is Order.FIRER_FIRST
    owed = [slot for slot in attack.slots if slot.held is Held.OWED and (not first or slot.slot.by is side)]
    players = dict.fromkeys(slot.player for slot in owed)
    return [f"{state.name(player)} owes {_dice(slot for slot in owed if slot.player == player)}" for player in players]


def _dice(slots: Iterable[SlotState]) -> str:
    return ", ".join(f"{slot.slot.die} {short(slot.name)}" for slot in slots)


def _slot(state: State, slot: SlotState) -> dict[str, Any]:
    reading = slot.thrown.reading if slot.thrown is not None else None
    return {
        "slot": slot.name.value,
        "by": slot.slot.by.value,
        "player": slot.player,
        "die": slot.slot.die.value,
        "state": slot.held.value,
        "value": slot.value,
        "source": reading.source.value if reading is not None else None,
        "reading": reading.key if reading is not None else None,
        "by_person": slot.by_person,
        "cocked": reading.cocked if reading is not None else False,
        "question": _question(state, slot, reading) if slot.held is Held.ASKING and reading is not None else None,
    }


def _question(state: State, slot: SlotState, reading: Reading) -> dict[str, Any]:
    die = slot.slot.die
    candidates = [(value, share) for value, share in reading.candidates if die.holds(value)]
    whose = f"{state.name(slot.player)}'s {die}"
    return _asked(reading, die, candidates, _question_text(whose, [value for value, _ in candidates], reading.cocked))


def _question_text(whose: str, values: list[int], cocked: bool) -> str:
    if cocked:
        return f"{whose} is cocked: what does it show?"
    return f"Is {whose} {either(values)}?" if values else f"What does {whose} show?"


def _asked(reading: Reading, die: Die | None, candidates: list[tuple[int, float]], text: str) -> dict[str, Any]:
    return {
        "reading": reading.key,
        "text": text,
        "die": None if die is None else die.value,
        "candidates": [list(candidate) for candidate in candidates],
        "evidence": _crop(reading),
    }


def _crop(reading: Reading) -> str | None:
    """The picture it was read from; what an e-die's reading has for evidence is its line, which no page can show."""
    return reading.evidence if reading.source is SourceKind.CAMERA else None


def _unassigned(state: State, die: Thrown) -> dict[str, Any]:
    reading = die.reading
    return {
        "reading": die.key,
        "die": None if die.die is None else die.die.value,
        "value": die.value if die.die is None or die.value is None else shown(die.die, die.value),
        "status": "sure" if die.said or not doubtful(reading) else "unsure",
        "source": reading.source.value,
        "why": why_now(state, die),
        "evidence": _crop(reading),
        "question": _question_of_unassigned(die),
        "fits": _fits(state, die),
    }


def _question_of_unassigned(die: Thrown) -> dict[str, Any] | None:
    if type_unknown(die.die, die.value):
        text = "Which die is this, and what does it show?"
        return _asked(die.reading, None, list(die.reading.candidates), text)
    if die.die is None or die.said or not doubtful(die.reading):
        return None
    candidates = [(value, share) for value, share in die.reading.candidates if die.die.holds(value)]
    return _asked(die.reading, die.die, candidates, f"What does this {die.die} show?")


def _fits(state: State, die: Thrown) -> list[str]:
    slots = state.open_attack.slots if state.open_attack is not None else ()
    return [slot.name.value for slot in slots if slot.held is Held.OWED and die.die in (None, slot.slot.die)]


def _ended(state: State, attack: Attack) -> dict[str, Any]:
    return {
        "id": attack.id,
        "number": attack.number,
        "title": attack.declaration.title,
        "firer": attack.declaration.firer,
        "target": attack.declaration.target,
        "state": attack.status.value,
        "outcome": None if attack.outcome is None else outcome_view(attack.outcome),
        "slots": [_slot(state, slot) for slot in attack.slots],
        "at_ms": attack.ended_ms if attack.ended_ms is not None else attack.at_ms,
    }
