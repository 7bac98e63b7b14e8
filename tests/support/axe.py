"""axe-core on an open page, in both themes."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

EVERY_RULE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
COLOURS_ONLY = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
AXE = Axe()


def check(page: Page, what: str) -> None:
    """No violation, dark and light: the theme is changed under the open page, and changes nothing but colours."""
    for theme, rules in (("dark", EVERY_RULE), ("light", COLOURS_ONLY)):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        assert violations(page, rules) == [], (what, theme)


def violations(page: Page, rules: dict[str, Any]) -> list[str]:
    """What axe finds, a line for each element."""
    found = AXE.run(page, options=rules).response["violations"]
    return [f"{each['id']}: {node['html'][:160]} {node['failureSummary']}" for each in found for node in each["nodes"]]
