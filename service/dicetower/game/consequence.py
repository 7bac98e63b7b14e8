"""What follows by itself once the dice are there: an outcome, or a damage die that is owed."""

from __future__ import annotations

from dicetower.assign import Held
from dicetower.game.events import AttackResolved, DamageOwed, Event
from dicetower.game.state import Attack, State
from dicetower.model import Outcome
from dicetower.rules.resolve import damage_is_owed, resolve


def consequence(state: State, at_ms: int) -> Event | None:
    """Return the event that the open attack's dice bring about now; None where they bring none.

    A reopened attack waits for a person.
    """
    attack = state.open_attack
    if attack is None or attack.reopened or not attack.four_filled:
        return None
    outcome = _outcome(state, attack, None)
    if not damage_is_owed(state.pack(attack.declaration.pack), outcome, state.settings.damage_table):
        return AttackResolved(at_ms, attack.id, outcome)
    damage = attack.damage
    if damage is not None and damage.held is Held.FILLED:
        return AttackResolved(at_ms, attack.id, _outcome(state, attack, damage.value))
    return None if attack.outcome == outcome else _damage_owed(state, attack, outcome, at_ms)


def damage_counts(state: State, attack: Attack) -> bool:
    """Whether a damage die would count, with the four dice as they stand now."""
    outcome = _outcome(state, attack, None)
    return damage_is_owed(state.pack(attack.declaration.pack), outcome, state.settings.damage_table)


def _outcome(state: State, attack: Attack, damage: int | None) -> Outcome:
    faces = [slot.value for slot in attack.four if slot.value is not None]
    rules = state.pack(attack.declaration.pack)
    return resolve(rules, attack.declaration.plan, faces, damage, state.settings.damage_table)


def _damage_owed(state: State, attack: Attack, outcome: Outcome, at_ms: int) -> DamageOwed:
    slot = state.pack(attack.declaration.pack).damage_slot(state.settings.damage_by)
    return DamageOwed(at_ms, attack.id, slot, attack.declaration.player(slot.by), outcome)
