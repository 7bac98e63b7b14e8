"""What each e-die is asked to roll: the dice still owed, handed out to the e-dice on the table. Pure.

An owed die gets a number, `req`, when it comes to be owed and keeps it until it is thrown; owed again, it gets another.
So a roll that comes late, for a die that is no longer wanted, is never taken for the one that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dicetower.model import Die, SlotName

SLOTS = tuple(SlotName)
REQ_MODULUS = 1 << 32  # docs/wire.md: req is a u32, and not 0


def slot_of(req: int) -> SlotName:
    """The slot that an owed die's number stands for: REQ_MODULUS - 1 is a multiple of the number of slots."""
    return SLOTS[(req - 1) % len(SLOTS)]


@dataclass(frozen=True, slots=True)
class Owed:
    """One die that an e-die may roll: its number, its type and who throws it. `now`: it is that player's turn."""

    req: int
    die: Die
    player: str
    now: bool


@dataclass(slots=True)
class Ledger:
    """Numbers owed dice as a table's view (docs/api.md) shows them. Show it every state, in order.

    A number comes of the table's sequence when the die came to be owed; `shift` is added to that sequence, for a tape
    that is played at a table further on than its own was.
    """

    shift: int = 0
    _since: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def owed(self, view: Mapping[str, Any]) -> list[Owed]:
        """The dice owed in this state, in plan order."""
        attack = view["attack"]
        slots = [slot for slot in attack["slots"] if slot["state"] == "owed"] if takes_dice(attack) else []
        keys = [(attack["id"], slot["slot"], slot["die"]) for slot in slots]
        self._since = {key: self._since.get(key, view["seq"] + self.shift) for key in keys}
        return [
            Owed(
                (self._since[key] * len(SLOTS) + SLOTS.index(SlotName(slot["slot"]))) % (REQ_MODULUS - 1) + 1,
                Die(slot["die"]),
                slot["player"],
                attack["turn"] in (None, slot["by"]),
            )
            for key, slot in zip(keys, slots, strict=True)
        ]


def takes_dice(attack: Mapping[str, Any] | None) -> bool:
    """Whether an attack, as the view shows it, still takes dice."""
    return attack is not None and attack["state"] in ("throwing", "damage")


def handed_out(owed: Sequence[Owed], dice: Mapping[str, str | None]) -> dict[str, Owed]:
    """Which e-die rolls which owed die. `dice` maps each e-die on the table, in order of arrival, to its player.

    A player's own e-dice take what that player owes, in plan order; an e-die of nobody's takes what is owed by whoever
    has the turn. No owed die is handed out twice.
    """
    left = list(owed)
    out: dict[str, Owed] = {}
    for uid, player in sorted(dice.items(), key=lambda die: die[1] is None):
        mine = next((die for die in left if (die.now if player is None else die.player == player)), None)
        if mine is not None:
            out[uid] = mine
            left.remove(mine)
    return out
