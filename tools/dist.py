"""Build the wheel and the source archive and try them in new environments: `make dist`.

Every step has an environment of its own under build/environments. The files come to dist/ when all steps went well, and
not before. `--only STEP ...` tries some steps and leaves dist/ alone.
"""

from __future__ import annotations

import argparse
import functools
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tools import extra_lines, floors, package_content
from tools.environments import ROOT, Environment, Failed, interpreters, made, say

MADE = ROOT / "build" / "made"
PINS = ROOT / "constraints.txt"
FLOOR_PINS = ROOT / "build" / "floors.txt"
TRIED_AT_FLOORS = (
    "tests/bad_input", "tests/command", "tests/evidence", "tests/metrics", "tests/posteriors", "tests/results",
    "tests/sklearn", "tests/files", "tests/engines", "tests/trec", "tests/render", "tests/charts", "tests/report",
    "tests/web",
)  # fmt: skip
IGNORED_AT_FLOORS = (
    "tests/web/test_schema.py",  # by schemathesis, which asks for a newer rich
)


class LeftOut(Exception):
    """A step that cannot be tried here; the text says why."""


Step = Callable[[], str | None]


def main() -> int:
    """Every step in turn; a line for each, and a verdict at the end."""
    steps = all_steps()
    options = _options(list(steps))
    chosen = {name: step for name, step in steps.items() if not options.only or _asked(name, options.only)}
    states = [_taken(name, step) for name, step in {"build": _build, **chosen}.items()]
    bad, out = states.count("failed"), states.count("left out")
    print(f"\n{len(states) - bad - out} steps went well, {out} were left out, {bad} failed.")
    if bad:
        print("dist/ is as it was.")
        return 1
    if not options.only:
        print("Wrote", ", ".join(f"dist/{x}" for x in _delivered()))
    return 0


def all_steps() -> dict[str, Step]:
    """The name of each step, and what it does."""
    steps: dict[str, Step] = {}
    for version, python in interpreters():
        steps[f"bare, Python {version}"] = functools.partial(_bare, version, python)
    for name in extra_lines.EXTRAS:
        steps[f"extra {name}"] = functools.partial(_extra, name)
    steps["floors"] = _floors
    return steps


def _asked(name: str, only: list[str]) -> bool:
    return any(word in name for word in only)


def _options(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="STEP", help=f"words of their names: {'; '.join(names)}")
    return parser.parse_args()


def _taken(name: str, step: Step) -> str:
    """Take a step, print how it went, and say it in a word."""
    start = time.perf_counter()
    try:
        said, state = step() or "", "ok"
    except LeftOut as why:
        said, state = str(why), "left out"
    except Failed as why:
        said, state = str(why), "failed"
    first, *more = said.splitlines() or [""]
    print(f"{state:9} {name:20} {time.perf_counter() - start:5.0f} s  {first}", flush=True)
    for line in more:
        print(f"{'':12}{line}", flush=True)
    return state


# -- the steps -------------------------------------------------------------------------------------


def _build() -> str:
    """Both files, the wheel from the source archive, by pinned tools; checked by twine and by their content."""
    shutil.rmtree(MADE, ignore_errors=True)
    tools = made(sys.executable, "tools")
    tools.install("build", "hatchling", "twine", pins=PINS)
    say([tools.python, "-m", "build", "--no-isolation", "--outdir", str(MADE), str(ROOT)])
    files = sorted(str(x) for x in MADE.iterdir())
    say([tools.python, "-m", "twine", "check", "--strict", *files])
    faults = package_content.faults(MADE)
    if faults:
        raise Failed("\n".join(faults))
    return ", ".join(f"{Path(x).name} ({Path(x).stat().st_size / 1024:,.0f} kB)" for x in files)


def _wheel() -> str:
    return str(next(MADE.glob("*.whl")))


def _bare(version: str, python: str | None) -> str:
    """The package and what it needs, nothing else; the first lines of the README."""
    if python is None:
        raise LeftOut(f"there is no Python {version} here: neither on PATH nor in pyenv")
    home = made(python, f"bare-{version}")
    home.install(_wheel(), pins=PINS)
    told, meant = say([home.program("howsure"), "--version"]).split()[-1], Path(_wheel()).name.split("-")[1]
    if told != meant:
        raise Failed(f"the command says that it is {told}, the wheel that it is {meant}")
    _alone(home, ROOT / "tools" / "first_lines.py", str(ROOT / "README.md"), home.program("howsure"))
    return "the first lines of the README print what it shows"


def _extra(name: str) -> str:
    """The package with one extra and no other; one use of it."""
    home = made(sys.executable, f"extra-{name}")
    home.install(f"{_wheel()}[{name}]", pins=PINS)
    _alone(home, ROOT / "tools" / "extra_lines.py", name, home.program("howsure"))
    return "all of them work side by side" if name == "all" else "works alone"


def _alone(home: Environment, script: Path, *words: str) -> None:
    """Run a script in a new folder that has the examples and nothing else of the project."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        line = [home.python, str(shutil.copy(script, folder)), *words]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip()
    if done.returncode == extra_lines.LEFT_OUT:
        raise LeftOut(said.splitlines()[-1])
    if done.returncode:
        raise Failed(said or f"{script.name} ended with {done.returncode}")


def _floors() -> str:
    """The lowest versions that pyproject.toml names, and the tests that meet other packages most."""
    FLOOR_PINS.write_text(floors.pins(), encoding="utf-8")
    home = made(_oldest(), "floors")
    needs = [x for x in floors.extras()["dev"] if not x.startswith((*floors.TOOLS, "howsure["))]
    home.install(f"{_wheel()}[{','.join(floors.RUNTIME)}]", *needs, pins=FLOOR_PINS)
    tests = [x for x in TRIED_AT_FLOORS if (ROOT / x).is_dir()]
    line = [home.python, "-m", "pytest", "-q", "-n", "2", "--tier", "fast", "-p", "no:cacheprovider", *tests]
    line += [*(f"--ignore={x}" for x in IGNORED_AT_FLOORS)]
    return say(line).strip().splitlines()[-1]


def _oldest() -> str:
    """The oldest interpreter here: wheels of old versions are made for old ones."""
    return next(python for _, python in interpreters() if python)


def _delivered() -> list[str]:
    """Moves the files to dist/, in place of those that were there."""
    home, new = ROOT / "dist", ROOT / "build" / "dist"
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(MADE, new)
    shutil.rmtree(home, ignore_errors=True)
    new.rename(home)
    return sorted(x.name for x in home.iterdir())


if __name__ == "__main__":
    sys.exit(main())
