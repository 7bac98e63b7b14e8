"""Dependencies point one way: the table below is DESIGN's, and a stray import fails."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALL = {
    "model", "errors", "rules", "assign", "game", "sources", "store", "table", "stats", "tapes", "api", "display",
    "settings", "cli",
}  # fmt: skip
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"cli"},
    "model": set(),
    "errors": set(),
    "rules": {"model", "errors"},
    "assign": {"model", "errors"},
    "game": {"model", "errors", "rules", "assign"},
    "sources": {"model", "errors"},
    "store": {"model", "errors"},
    "table": {"game", "model", "errors", "rules", "assign"},
    "stats": {"model"},
    "tapes": {"model", "errors", "rules", "assign", "game", "sources", "store", "table"},
    "api": {"table", "stats", "model", "errors", "game", "rules", "display"},
    "display": {"model", "errors"},
    "settings": {"model", "errors"},
    "cli": ALL,
}
MAY_SEE_DICEVISION = {
    ("sources", "camera"),
    ("sources", "camera_live"),
    ("sources", "camera_shots"),
    ("sources", "camera_desk"),
    ("sources", "die_sets"),
    ("sources", "own_dice"),
    ("sources", "enrol_desk"),
    ("cli", "vision"),
    ("cli", "enrol"),
    ("cli", "bench"),
}
VISION_THIRD_PARTY = {"numpy", "cv2"}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the whole name"
            assert node.module
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def module_of(path: Path, root: Path) -> tuple[str, str]:
    parts = path.relative_to(root).with_suffix("").parts
    return parts[0], parts[-1]


SERVICE = sorted((ROOT / "service/dicetower").rglob("*.py"))
VISION = sorted((ROOT / "vision/dicevision").rglob("*.py"))


@pytest.mark.parametrize("path", SERVICE, ids=lambda p: str(p.relative_to(ROOT)))
def test_service_imports_point_one_way(path: Path) -> None:
    unit, leaf = module_of(path, ROOT / "service/dicetower")
    assert unit in MAY_IMPORT, f"{path} is a module that DESIGN does not name; give it a row"
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "dicetower" and len(parts) > 1 and parts[1] in ALL:
            assert parts[1] == unit or parts[1] in MAY_IMPORT[unit], f"{unit} may not import {name}"
        if parts[0] == "dicevision":
            assert (unit, leaf) in MAY_SEE_DICEVISION, f"{path} may not import dicevision"


@pytest.mark.parametrize("path", VISION, ids=lambda p: str(p.relative_to(ROOT)))
def test_vision_imports_numpy_and_cv2_only(path: Path) -> None:
    import sys

    for name in imported(path):
        top = name.split(".")[0]
        assert top in VISION_THIRD_PARTY or top == "dicevision" or top in sys.stdlib_module_names, name


def test_the_table_names_every_module() -> None:
    found = {module_of(path, ROOT / "service/dicetower")[0] for path in SERVICE}
    assert found <= set(MAY_IMPORT)
