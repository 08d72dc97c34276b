"""The calls of the corpus, as data: calls.txt; and a few that need a stream of their own."""

from __future__ import annotations

import re
from pathlib import Path

_LINES = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").splitlines()
_SECTIONS = "\n".join(_LINES).split("\n# == ")
REFUSED = [x for part in _SECTIONS if part.startswith("refused") for x in part.splitlines()[1:] if x]
_GIVEN = [x for x in _LINES if x and not x.startswith("#")]

INTERRUPTED: dict[str, type[BaseException]] = {  # lines whose output goes to a stream that raises
    "$ score --rate 3/4 > RuntimeError": RuntimeError,
    "$ score --rate 3/4 > KeyboardInterrupt": KeyboardInterrupt,
}
CALLS = [x for x in _GIVEN if not x.startswith("$ ")]
PIPED = [x for x in _GIVEN if re.search(r"^\$ .* < [\w.-]+$", x)]
COMMANDS = [x for x in _GIVEN if x.startswith("$ ") and x not in PIPED]
EVERY = [*_GIVEN, *INTERRUPTED]
