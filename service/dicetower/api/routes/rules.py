"""The rule pack, and the odds of an attack that nobody declares."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from dicetower.api.bodies import OddsBody
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheServices
from dicetower.api.views import OddsView, RulesView
from dicetower.rules.declared import declared, describe
from dicetower.rules.odds import odds
from dicetower.rules.plan import plan
from dicetower.rules.shapes import after_table_shape, odds_shape, plan_shape

router = APIRouter(tags=["rules"])


@router.get("/rules", response_model=RulesView)
def show_rules(services: TheServices) -> dict[str, Any]:
    """The rule pack's name, version and hash, and each weapon system with the choices it has."""
    rules = services.rules
    return {
        "name": rules.name,
        "version": rules.version,
        "hash": rules.hash,
        "size_dice": rules.size_dice,
        "armour_dice": rules.armour_dice,
        "systems": [asdict(rules.choices(system.id)) for system in rules.systems],
        "damage": {"die": rules.damage.die, "on": rules.damage.on, "by": rules.damage.by},
    }


@router.post("/odds", response_model=OddsView, responses=documented(400, 403, 413, 415, 422))
def show_odds(body: OddsBody, services: TheServices) -> dict[str, Any]:
    """The dice an attack would ask for, its printed effectiveness and its exact odds; declares nothing."""
    attack = declared(services.rules, body.attack())
    planned = plan(services.rules, attack)
    found = odds(services.rules, planned, body.damage_table)
    return {
        "title": describe(services.rules, attack),
        "plan": plan_shape(planned),
        "printed": planned.printed,
        "vehicle": planned.vehicle,
        "notes": planned.notes,
        "odds": odds_shape(found),
        "after_table": after_table_shape(found),
    }
