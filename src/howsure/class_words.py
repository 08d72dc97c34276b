"""Words of the notes on measures of many classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final


def _of_all(f: Mapping[str, Any]) -> str:
    names = f["of"]
    are = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} of all {f['classes']:,} classes together"
    return f"{are}; {names[0]}:{f['positive']} is of {f['positive']} against the rest"


WORDS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {"of-all-classes": _of_all}
