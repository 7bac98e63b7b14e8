"""What a corrected declaration keeps: each face whose player, slot and die type are unchanged. The rest is owed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dicetower.assign import Held, short
from dicetower.game.declaration import Declaration
from dicetower.game.state import Attack, SlotState, State
from dicetower.game.words import both
from dicetower.model import SlotName


@dataclass(frozen=True, slots=True)
class Correction:
    """The corrected declaration, the slots whose dice stand, and those that are owed after it."""

    declaration: Declaration
    keeps: tuple[SlotName, ...]
    owes: tuple[SlotName, ...]
    text: str


def correction(state: State, attack: Attack, declaration: Declaration) -> Correction:
    """Return what correcting `attack` to `declaration` does."""
    wanted = [SlotState(slot, declaration.player(slot.by)) for slot in declaration.plan.slots]
    wanted += _damage(state, declaration)
    kept = [slot for slot in wanted if _stands(attack.slot(slot.name), slot)]
    owed = [slot for slot in wanted if slot not in kept and slot.name is not SlotName.DAMAGE]
    return Correction(
        declaration,
        tuple(slot.name for slot in kept),
        tuple(slot.name for slot in owed),
        _text(state, attack, declaration, kept, owed),
    )


def _damage(state: State, declaration: Declaration) -> list[SlotState]:
    if not declaration.plan.vehicle:
        return []
    slot = state.rules.damage_slot(state.settings.damage_by)
    return [SlotState(slot, declaration.player(slot.by))]


def _stands(now: SlotState | None, wanted: SlotState) -> bool:
    if now is None or now.held is Held.OWED:
        return False
    return now.player == wanted.player and now.slot.die is wanted.slot.die


def _text(
    state: State, attack: Attack, declaration: Declaration, kept: Iterable[SlotState], owed: Iterable[SlotState]
) -> str:
    keeps = both(_kept_words(state, attack.slot(slot.name)) for slot in kept)
    owes = both(_owed_words(state, attack.slot(slot.name), slot) for slot in owed)
    lost = [slot for slot in attack.slots if slot.held is not Held.OWED and slot.name not in _names(kept, owed)]
    parts = [
        f"Attack {attack.number} becomes {declaration.title}",
        f"{keeps} stand" if keeps else "",
        owes,
        f"{both(_kept_words(state, slot) for slot in lost)} no longer counts" if lost else "",
    ]
    return "; ".join(part for part in parts if part) + "."


def _names(*slots: Iterable[SlotState]) -> set[SlotName]:
    return {slot.name for group in slots for slot in group}


def _kept_words(state: State, slot: SlotState | None) -> str:
    assert slot is not None
    shows = slot.value if slot.held is Held.FILLED else "in doubt"
    return f"{state.name(slot.player)}'s {slot.slot.die} {short(slot.name)} ({shows})"


def _owed_words(state: State, now: SlotState | None, wanted: SlotState) -> str:
    again = " again" if now is not None and now.held is not Held.OWED else ""
    return f"{state.name(wanted.player)} owes a {wanted.slot.die} {short(wanted.name)}{again}"
