"""Known weaknesses of the pinned packages, whether what is installed fits together, and licences: `make audit`.

Exit codes: 0 all pinned packages were looked up and none has a known weakness; 1 one has, or packages do not fit; 3 the
databases of weaknesses could not be asked from here, so that this part says nothing.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from collections import defaultdict
from typing import Any

from tools import floors
from tools.environments import ROOT, Failed, made

PINS = ROOT / "constraints.txt"
SERVICES = ("pypi", "osv")
UNASKED = 3


def main() -> int:
    """The three parts in turn."""
    fits = _fits()
    _show_licences()
    try:
        answers = _answers()
    except Failed as why:
        print(f"pip-audit did not install or answer: {str(why).splitlines()[-1]}")
        answers = []
    told = [x for x in answers if "vulns" in x]
    weak = [x for x in told if x["vulns"]]
    for package in weak:
        for found in package["vulns"]:
            fixed = ", ".join(found["fix_versions"]) or "no version"
            print(f"{package['name']} {package['version']}: {found['id']}, fixed in {fixed}")
    print(f"Known weaknesses: {len(told)} of {_pinned()} pinned packages were looked up, {len(weak)} have one.")
    if weak or not fits:
        return 1
    if len(told) < _pinned():
        print("The databases of weaknesses cannot be asked from here about the others: run make audit where they can.")
        return UNASKED
    return 0


def _pinned() -> int:
    return len(PINS.read_text(encoding="utf-8").split())


# -- known weaknesses ------------------------------------------------------------------------------


def _answers() -> list[dict[str, Any]]:
    """What the newest pip-audit was told of each package, by the first service that tells of any."""
    home = made(sys.executable, "audit")
    home.install("pip-audit", pins=PINS)
    found: list[dict[str, Any]] = []
    for service in SERVICES:
        line = [home.python, "-m", "pip_audit", "-s", service, "-r", str(PINS), "--no-deps", "--disable-pip"]
        done = subprocess.run([*line, "-f", "json"], capture_output=True, text=True, check=False, timeout=900)
        found = json.loads(done.stdout)["dependencies"] if done.stdout.startswith("{") else []
        if any("vulns" in x for x in found):
            break
    return found


# -- what is installed -----------------------------------------------------------------------------


def _fits() -> bool:
    """pip's own check of the environment that runs this."""
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    print("pip check:", done.stdout.strip() or done.stderr.strip())
    return done.returncode == 0


def _show_licences() -> None:
    """Of all that the package and its extras bring along, as far as it is installed here."""
    by: dict[str, list[str]] = defaultdict(list)
    for name in sorted(_brought_along()):
        by[_licence(name)].append(name)
    print("Licences of what the package and its extras bring along:")
    for licence in sorted(by, key=str.lower):
        print(f"  {licence}: {', '.join(by[licence])}")


def _brought_along() -> set[str]:
    """The names of all requirements, and of theirs."""
    found: set[str] = set()
    left = list(floors.floors(*floors.RUNTIME))
    while left:
        name = left.pop()
        if name in found or not _installed(name):
            continue
        found.add(name)
        needs = importlib.metadata.requires(name) or []
        left += [_name(x) for x in needs if "extra ==" not in x and "platform" not in x]
    return found


def _installed(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _name(requirement: str) -> str:
    return re.split(r"[\s;\[<>=!~(]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _licence(name: str) -> str:
    """By its expression, else by its classifiers, else by the first line of its field."""
    meta = importlib.metadata.metadata(name)
    if meta.get("License-Expression"):
        return str(meta["License-Expression"])
    listed = [x.rpartition(" :: ")[2] for x in meta.get_all("Classifier") or [] if x.startswith("License ::")]
    line = str(meta.get("License") or "").strip().partition("\n")[0]
    return " and ".join(listed) or line[:40] or "not stated"


if __name__ == "__main__":
    sys.exit(main())
