"""Reports that a page shows in a frame: the last few, in memory, for a quarter of an hour."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from typing import Final

_MOST: Final = 8
_LONGEST: Final = 900.0  # seconds
_LARGEST: Final = 20_000_000


class Reports:
    """Pages by addresses that nobody can guess."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, str]] = OrderedDict()

    def keep(self, page: str) -> str | None:
        """The address of a page; None where it is too large to be kept."""
        if len(page) > _LARGEST:
            return None
        name = secrets.token_urlsafe(18)
        self._kept[name] = (time.monotonic(), page)
        self._forget()
        return f"/report/{name}"

    def page(self, name: str) -> str | None:
        """The page of that name, if it is still there."""
        self._forget()
        found = self._kept.get(name)
        return None if found is None else found[1]

    def _forget(self) -> None:
        now = time.monotonic()
        while self._kept and (len(self._kept) > _MOST or now - next(iter(self._kept.values()))[0] > _LONGEST):
            self._kept.popitem(last=False)
