"""What is in the wheel and in the source archive: all that the package needs, and nothing that is ours alone."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SOURCES = (
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "SECURITY.md", "CONTRIBUTING.md",
    "Makefile", "constraints.txt",
)  # fmt: skip


def tree() -> set[str]:
    """Every file of the package, as it is in src: modules, py.typed, data, templates and what pages are made of."""
    home = ROOT / "src"
    found = (x for x in (home / "howsure").rglob("*") if x.is_file())
    return {x.relative_to(home).as_posix() for x in found if "__pycache__" not in x.parts}


def faults_of_wheel(path: Path) -> list[str]:
    """A sentence for every file that is missing or too much."""
    with zipfile.ZipFile(path) as archive:
        held = {x for x in archive.namelist() if not x.endswith("/")}
    own = {x for x in held if not x.partition("/")[0].endswith(".dist-info")}
    faults = [f"the wheel lacks {x}" for x in sorted(tree() - own)]
    faults += [f"the wheel has {x}, which is not in src" for x in sorted(own - tree())]
    needed = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    info = {x.partition(".dist-info/")[2] for x in held - own}
    return faults + [f"the wheel lacks its {x}" for x in needed if x not in info]


def faults_of_source(path: Path) -> list[str]:
    """As of the wheel; the tests, docs and tools are in it, so that they run from it."""
    with tarfile.open(path) as archive:
        held = {x.name.partition("/")[2] for x in archive.getmembers() if x.isfile()}
    needed = [*_SOURCES, *(f"src/{x}" for x in sorted(tree()))]
    needed += [f"{x}/__init__.py" for x in ("tests", "tools", "bench")] + ["docs/README.md", "examples/demo.sh"]
    faults = [f"the source archive lacks {x}" for x in needed if x not in held]
    odd = sorted(x for x in held if x.startswith((".venv", "build/", "dist/")) or "__pycache__" in x)
    return faults + [f"the source archive has {x}" for x in odd]


def faults(folder: Path) -> list[str]:
    """Of the one wheel and the one source archive in a folder."""
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if (len(wheels), len(sources)) != (1, 1):
        return [f"there are {len(wheels)} wheels and {len(sources)} source archives, not one of each"]
    return faults_of_wheel(wheels[0]) + faults_of_source(sources[0])
