"""What is said of an unassigned die now. What was decided of it when it fell stays in the journal; a table plays on."""

from __future__ import annotations

from dataclasses import replace

from dicetower.assign import Decision, Waits, assign, doubtful, type_unknown
from dicetower.game.state import Attack, State, Thrown
from dicetower.game.words import die_words
from dicetower.model import Die, Reading, ReadingStatus

BETWEEN = "the attack is over, and no other is declared"
BEFORE_ALL = "no attack is declared"


def why_between(state: State) -> str:
    """Why a die goes nowhere while no attack is open."""
    return BEFORE_ALL if state.current is None else BETWEEN


def why_now(state: State, die: Thrown) -> str:
    """Why `die` lies unassigned, true of the table as it stands: what was said of it, until that has changed."""
    attack = state.open_attack
    if attack is None and die.attack is None:
        return why_between(state)
    if die.amid == state.amid():
        return die.why
    if attack is None:
        return _after(state, die)
    why = _in_attack(state, attack, die)
    return f"thrown before this attack was declared; {why}" if die.attack is None else why


def _after(state: State, die: Thrown) -> str:
    """Of a die of an attack that is over: what was said of it, where the rule says the same beside all its dice."""
    attack = next((attack for attack in state.attacks if attack.id == die.attack), None)
    if attack is None:
        return f"{die_words(die.die)} thrown in an attack that is over"
    settled = attack.complete and not doubtful(known(die)) and not type_unknown(die.die, die.value)
    if settled and _alone(state, attack, die).why == die.why:
        return die.why
    return f"{die_words(die.die)} thrown in attack {attack.number}, which is over"


def _alone(state: State, attack: Attack, die: Thrown) -> Decision:
    (decision,) = assign([replace(known(die), slot=None)], attack.dues(), state.players, state.settings.house())
    return decision


def _in_attack(state: State, attack: Attack, die: Thrown) -> str:
    """What the table's rule says of the die beside the dice that lie there now, or that a person may place it."""
    decision = _alone(state, attack, die)
    if decision.slot is None:
        return decision.why
    if die.attack == attack.id and (die.waits is Waits.TYPE or (die.waits is Waits.COUNT and _as_many(state, die))):
        return die.why
    slot = attack.slot(decision.slot)
    assert slot is not None
    name = state.name(slot.player)
    return f"{name} owes {die_words(slot.slot.die)} now: place it if it is {name}'s, or throw again"


def _as_many(state: State, die: Thrown) -> bool:
    """Whether the slots that ask for its type stand as they did."""
    then, now = die.amid, state.amid()
    return (
        then is not None
        and then.players == now.players
        and [due for due in then.dues if due.slot.die is die.die]
        == [due for due in now.dues if due.slot.die is die.die]
    )


def known(die: Thrown) -> Reading:
    """The reading with what a person has said of it so far."""
    if not die.said or die.die is None or die.value is None:
        return die.reading
    return as_said(die.reading, die.die, die.value)


def as_said(reading: Reading, die: Die, value: int) -> Reading:
    """The reading as a person says it is."""
    return replace(reading, die=die, value=value, status=ReadingStatus.SURE, cocked=False, slot=None)
