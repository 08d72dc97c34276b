"""The lowest versions that pyproject.toml names, as a file of pins for pip: `python -m tools.floors`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNTIME = ("charts", "web", "postgres", "spark", "arviz", "trec")  # the extras that people install
TOOLS = (
    "import-linter", "mypy", "ruff", "scipy-stubs",  # they judge the code and never run it
    "schemathesis",  # asks for a newer rich than people need
)  # fmt: skip
_NEED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*>=\s*(?P<version>[\w.]+)")


def project() -> dict[str, object]:
    """The table [project] of pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, object] = tomllib.load(file)["project"]
    return found


def extras() -> dict[str, list[str]]:
    """What each extra needs."""
    return dict(project()["optional-dependencies"])  # type: ignore[call-overload]


def floors(*names: str) -> dict[str, str]:
    """The lowest version of each requirement of the package and of these extras; of two for one name the higher."""
    given = [*project()["dependencies"], *(x for name in names for x in extras()[name])]  # type: ignore[misc]
    found: dict[str, str] = {}
    for need in given:
        match = _NEED.fullmatch(need.strip())
        if match is None:
            if need.startswith("howsure["):
                continue
            raise ValueError(f"{need!r} names no lowest version: write it as name>=version")
        name, version = match["name"].lower().replace("_", "-"), match["version"]
        found[name] = max(found.get(name, version), version, key=_parts)
    return {name: version for name, version in sorted(found.items()) if name not in TOOLS}


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(x) for x in version.split("."))


def pins() -> str:
    """The lines of a constraints file: of the package, its extras, and what its tests need."""
    return "".join(f"{name}=={version}\n" for name, version in floors(*RUNTIME, "dev").items())


if __name__ == "__main__":
    sys.stdout.write(pins())
