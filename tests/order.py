"""In which order tests run, and which of them share a worker of pytest-xdist.

A worker takes a file after the other, so that what its tests have in common is made once. What waits for a browser,
Spark or PostgreSQL more than it works is taken by one worker, first and one after the other, while the other workers
compute: there is one worker more than there are cores (Makefile). Then come the folders with the longest files, so that
none of them is last.
"""

from __future__ import annotations

from typing import Any

WAITING = ("tests/engines/", "tests/web/browser/", "tests/databases/")
LONG = tuple(f"tests/{x}/" for x in ("web", "laws", "docs", "faults", "reference", "comparison", "files"))


def place(nodeid: str) -> str:
    """What is handed to a worker as one: a file, or all that waits."""
    file = nodeid.partition("::")[0]
    return "waiting" if file.startswith(WAITING) else file


def rank(nodeid: str) -> int:
    """The lower, the earlier."""
    first = (*WAITING, *LONG)
    return next((i for i, folder in enumerate(first) if nodeid.startswith(folder)), len(first))


def by_place(config: Any, log: Any) -> Any:
    """What hands tests to the workers in their order, as the hook pytest_xdist_make_scheduler wants it."""
    from xdist.scheduler import LoadScopeScheduling

    class ByPlace(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return place(nodeid)

    config.option.loadscopereorder = False  # the order is ours
    return ByPlace(config, log)
