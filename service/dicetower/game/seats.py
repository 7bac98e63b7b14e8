"""Acts upon the table itself: opening it, its players and its settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dicetower.errors import BadInput, Conflict, NotFound
from dicetower.game.events import Event, PlayerChanged, PlayerSeated, RulesLoaded, SettingsChanged, TableOpened
from dicetower.game.settings import Settings, changed
from dicetower.game.state import State
from dicetower.game.words import can_be_read, look
from dicetower.model import Player
from dicetower.rules.ruleset import RuleSet

TABLE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}", re.ASCII)
SHAPES = ("circle", "cross", "star", "chevron", "ring", "crescent", "shield", "bars")
"""The marks that tell players apart without colour, one each (at most eight sit down). None is a die's outline."""

COLOURS = ("#ac2917", "#2a72d4", "#ffd327", "#054d43", "#6c337e", "#83d4f4", "#ec935c", "#f8f7e8")
"""The colours that players are offered in turn; under every kind of colour blindness any two are told apart."""

NAME_MAX = 40
"""Longest name of a player, in characters: it stands on the display beside a die."""

FIRST_PLAYERS = (
    Player("red", "Red", COLOURS[0], SHAPES[0]),
    Player("blue", "Blue", COLOURS[1], SHAPES[1]),
)
"""Who sits at a new table: two players who can rename themselves, so that an attack can be declared at once."""


def check_table_name(name: str) -> None:
    """BadInput unless `name` can name a table."""
    if not TABLE_NAME.fullmatch(name):
        raise BadInput(f"Expected a table's name of 1 to 32 of a-z, 0-9 and hyphens, got {name!r:.60}.")


def open_table(journal: str, rules: RuleSet, at_ms: int) -> tuple[Event, ...]:
    """Open a new table under `rules`, with two players seated."""
    settings = Settings(damage_table=rules.damage.on, damage_by=rules.damage.by)
    seated = (PlayerSeated(at_ms, player) for player in FIRST_PLAYERS)
    return (TableOpened(at_ms, journal), RulesLoaded(at_ms, rules), SettingsChanged(at_ms, settings), *seated)


def load_rules(state: State, rules: RuleSet, at_ms: int) -> Event | None:
    """Put another rule pack in force; None where it is in force already."""
    return None if state.packs and state.rules == rules else RulesLoaded(at_ms, rules)


def change_settings(state: State, changes: Mapping[str, Any], at_ms: int) -> Event | None:
    """Change some settings; None where they stand so already."""
    settings = changed(state.settings, changes, (player.id for player in state.players))
    return None if settings == state.settings else SettingsChanged(at_ms, settings)


def seat(state: State, name: str, colour: str | None, shape: str | None, at_ms: int) -> Event:
    """Seat a player; where colour or shape is left out it is the next that nobody has."""
    if len(state.players) >= len(SHAPES):
        raise Conflict(f"The table is full: {len(SHAPES)} players, one for each shape.")
    taken = {player.colour for player in state.players}
    player = Player(
        _new_id(state, _name(name)),
        _name(name),
        _colour(colour or next(free for free in COLOURS if free not in taken)),
        shape or next(free for free in SHAPES if free not in {player.shape for player in state.players}),
    )
    _check_apart(state, player)
    return PlayerSeated(at_ms, player)


def change_player(
    state: State, who: str, name: str | None, colour: str | None, shape: str | None, at_ms: int
) -> Event | None:
    """Change a seated player; None where nothing is different."""
    before = state.player(who)
    if before is None:
        raise NotFound(f"No player {who!r:.60} sits at this table.")
    player = replace(
        before,
        name=before.name if name is None else _name(name),
        colour=before.colour if colour is None else _colour(colour),
        shape=before.shape if shape is None else shape,
    )
    _check_apart(state, player)
    return None if player == before else PlayerChanged(at_ms, player)


def _name(name: str) -> str:
    said = " ".join(name.split())
    if not (len(said) <= NAME_MAX and can_be_read(said)):
        raise BadInput(f"Expected a player's name of 1 to {NAME_MAX} printable characters, got {name!r:.60}.")
    return said


def _colour(colour: str) -> str:
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", colour, re.ASCII):
        raise BadInput(f"Expected a colour such as #d1495b, got {colour!r:.60}.")
    return colour.lower()


def _new_id(state: State, name: str) -> str:
    """An id from the name that no other player has."""
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "player"
    taken = {player.id for player in state.players}
    return next(made for made in (stem, *(f"{stem}-{n}" for n in range(2, 99))) if made not in taken)


def _check_apart(state: State, player: Player) -> None:
    """BadInput unless the player can be told from every other by name, colour and shape."""
    if player.shape not in SHAPES:
        raise BadInput(f"Expected a shape of {', '.join(SHAPES)}, got {player.shape!r:.60}.")
    for other in state.players:
        if other.id == player.id:
            continue
        for what, mine, theirs in (
            ("name", look(player.name), look(other.name)),
            ("colour", player.colour, other.colour),
            ("shape", player.shape, other.shape),
        ):
            if mine == theirs:
                raise BadInput(f"Expected a {what} that nobody else has; {other.name} has {theirs}.")
