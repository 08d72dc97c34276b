"""The tiers of tests (tests/tiers.py), and settings of the property tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests import tiers

UNIT = Path(__file__).parent / "unit"

settings.register_profile("howsure", deadline=None)  # the first call of a part imports it
settings.load_profile("howsure")


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "fast: one quick case of each test; test: every property (default); deep: the long sweeps too"
    parser.addoption("--tier", choices=tiers.TIERS, default="test", help=help_)


def pytest_configure(config: pytest.Config) -> None:
    tiers.tier = config.getoption("--tier")
    os.environ.pop("COLUMNS", None)  # pytest-xdist sets it for its workers, and the command lays tables out by it


def pytest_report_header(config: pytest.Config) -> str:
    return f"tier: {config.getoption('--tier')} of {', '.join(tiers.TIERS)} (--tier)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects what is not of the tier."""
    if tiers.tier == "deep":
        return
    kept = [item for item in items if not item.get_closest_marker("deep")]
    if tiers.tier == "fast":
        kept = one_of_each(kept)
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


def one_of_each(items: list[pytest.Item]) -> list[pytest.Item]:
    """All of tests/unit, the doctests, and the first case of every other test that is not slow."""
    seen: set[tuple[Path, str]] = set()
    kept = []
    for item in items:
        if item.get_closest_marker("slow"):
            continue
        name = (item.path, item.nodeid.partition("[")[0])
        if item.path.is_relative_to(UNIT) or not isinstance(item, pytest.Function) or name not in seen:
            kept.append(item)
        seen.add(name)
    return kept
