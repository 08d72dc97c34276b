"""Coverage-guided fuzzing of one parser, or of all, with atheris: make fuzz, or python -m tests.fuzz.run NAME.

Each runs for some seconds in a process of its own, from the kept corpus and a larger one in build/fuzz that grows.
Bytes that break a parser are written to build/fuzz and named; put them into tests/fuzz/corpus when it is mended.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).parent / "corpus"
LONGEST = 20  # seconds for one input


def reached(name: str) -> list[str]:
    """The modules of howsure that the kept inputs need: most are imported when first used, which would be too late."""
    from tests.fuzz.targets import TARGETS

    for path in sorted((KEPT / name).iterdir()):
        TARGETS[name](path.read_bytes())
    ours = [x for x in sys.modules if x.partition(".")[0] in ("howsure", "tests")]
    for module in ours:
        if module != __name__:
            del sys.modules[module]  # so that it is imported again, instrumented
    return [x for x in ours if x.startswith("howsure")]


def fuzz(name: str, seconds: int, seed: int) -> None:
    """Does not return: libFuzzer ends the process, with a code other than 0 if it found something."""
    import atheris

    modules = reached(name)
    with atheris.instrument_imports(include=["howsure"]):
        for module in modules:
            import_module(module)
        from tests.fuzz import targets

    grown = ROOT / "build" / "fuzz" / name
    grown.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={targets.MOST}", f"-timeout={LONGEST}",
        f"-artifact_prefix={grown}-", "-print_final_stats=1", "-verbosity=0", "-rss_limit_mb=4096",
    ]  # fmt: skip
    target = targets.TARGETS[name]
    atheris.Setup([sys.argv[0], *options, str(grown), str(KEPT / name)], lambda data: target(data) and None)
    atheris.Fuzz()


def main() -> int:
    """One target in this process, or each of all in its own."""
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("name", nargs="?", choices=[*TARGETS], help="the parser; all of them without one")
    parser.add_argument("--seconds", type=int, default=60, help="for each parser")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.name:
        fuzz(given.name, given.seconds, given.seed)
    broken = []
    for name in TARGETS:
        print(f"-- {name}, {given.seconds} s", flush=True)
        words = [
            sys.executable,
            "-m",
            "tests.fuzz.run",
            name,
            "--seconds",
            str(given.seconds),
            "--seed",
            str(given.seed),
        ]
        if subprocess.run(words, cwd=ROOT, check=False).returncode:
            broken.append(name)
    print(f"broken: {', '.join(broken) or 'none'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
