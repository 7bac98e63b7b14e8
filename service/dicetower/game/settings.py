"""The table's rules of the house, as settings that a keeper changes and the screen shows."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dicetower.assign import Cocked, House, Order
from dicetower.errors import BadInput
from dicetower.game.codec import Malformed, from_json, to_json
from dicetower.model import Side


@dataclass(frozen=True, slots=True)
class Zone:
    """A tray zone, by the name the camera's profile gives it, and the player whose dice fall there."""

    name: str
    player: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What a table has agreed.

    `damage_table`: a damaged vehicle throws the D10; `damage_by`: who throws it. `order`: plain dice come firer
    first, or all together. `virtual`: the system may throw dice, marked so. `assign_by_colour`: dice of a player's
    colour are that player's. `cocked`: a leaning die is asked about, or thrown again. `zones`: parts of the tray.
    `fair_edice`: e-dice roll under a commitment (docs/wire.md, "Fair dice"); those that cannot are asked for nothing.
    """

    damage_table: bool = True
    damage_by: Side = Side.FIRER
    order: Order = Order.FIRER_FIRST
    virtual: bool = False
    assign_by_colour: bool = False
    cocked: Cocked = Cocked.ASK
    zones: tuple[Zone, ...] = ()
    fair_edice: bool = False

    def house(self) -> House:
        """The part of it that assignment needs."""
        zones = {zone.name: zone.player for zone in self.zones}
        return House(self.order, self.cocked, self.assign_by_colour, zones)


MAY_BE = {
    "damage_table": "true or false",
    "damage_by": "firer or target",
    "order": "firer first or together",
    "virtual": "true or false",
    "assign_by_colour": "true or false",
    "cocked": "ask or reroll",
    "fair_edice": "true or false",
    "zones": 'a list of {"name", "player"}',
}


def changed(settings: Settings, changes: Mapping[str, Any], players: Iterable[str]) -> Settings:
    """Return `settings` with `changes` laid over; BadInput names the key and what it may be."""
    whole = to_json(settings)
    for key, value in changes.items():
        if key not in MAY_BE:
            raise BadInput(f"settings: there is no {key!r:.60}; expected some of {', '.join(MAY_BE)}.")
        try:
            from_json(Settings, {key: value})
        except Malformed as fault:
            raise BadInput(f"settings: expected {key} to be {MAY_BE[key]}, got {_shown(value)}.") from fault
        whole[key] = value
    made = from_json(Settings, whole)
    _check_zones(made.zones, set(players))
    return made


def _shown(value: object) -> str:
    """What came, at most 60 characters of it; null, true and false in JSON's words, whose they are."""
    return json.dumps(value) if value is None or isinstance(value, bool) else f"{value!r:.60}"


def _check_zones(zones: tuple[Zone, ...], players: set[str]) -> None:
    names = [zone.name for zone in zones]
    for zone in zones:
        if zone.player not in players:
            raise BadInput(f"settings: zone {zone.name!r:.60} names no player of this table: {zone.player!r:.60}.")
        if names.count(zone.name) > 1 or not zone.name.strip():
            raise BadInput(f"settings: expected each zone to have a name of its own, got {zone.name!r:.60} again.")


def as_json(settings: Settings) -> dict[str, Any]:
    """The settings as the state shows them."""
    return {field.name: to_json(getattr(settings, field.name)) for field in dataclasses.fields(settings)}
