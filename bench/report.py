"""Rows to text: lines while the benchmark runs, and the page bench/RESULTS.md."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass

from bench import provenance
from bench.registry import Group, Row, Run
from bench.timing import Cost

PACKAGES = (
    "howsure", "numpy", "scipy", "duckdb", "scikit-learn", "confidenceinterval", "evalstats", "prob_conf_mat", "pycm",
    "statsmodels", "mpmath",
)  # fmt: skip
COLUMNS = ("what", "ours", "memory", "against", "its time", "its memory", "ratio", "target", "met")
WIDTHS = (40, 9, 14, 44, 9, 14, 14, 21, 3)
METHOD = (
    "Written by the benchmark. Times are the best of several calls in one warm process, the contenders "
    "taking turns; a ratio compares two times of the same run. All rows are of one run of one commit.\n\n"
    "Memory is the rise of the process's peak (VmHWM of Linux) during one call, over what was resident before it: the "
    "data of the call are not in it, its answer is. It is measured by one more call after the timed ones, or in the "
    "timed rounds if a call takes over 2 s. A rise is known to about 0.3 MB; memory that DuckDB or polars kept from an "
    'earlier call does not count again. "In all" is the peak of a whole process with its interpreter and imports. '
    "A contender that is timed on a part has none, and neither has one that is called once and takes over 20 s."
)
Results = Sequence[tuple[Group, Sequence[Row]]]


@dataclass(frozen=True)
class Origin:
    """Where figures come from: the commit, how busy the machine was, and the seconds that the run took."""

    commit: str
    load: str
    seconds: float


# -- pieces ----------------------------------------------------------------------------------------


def duration(seconds: float) -> str:
    """Three figures and a unit.

    >>> duration(0.0000421), duration(0.0123), duration(3.21)
    ('42.1 µs', '12.3 ms', '3.21 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_three(seconds / size)} {unit}"
    return f"{_three(seconds * 1e6)} µs"


def _three(x: float) -> str:
    return f"{x:,.0f}" if x >= 99.95 else f"{x:.1f}" if x >= 9.995 else f"{x:.2f}"


def ratio(row: Row) -> str:
    """Faster or slower, and how many times."""
    if row.ratio is None:
        return "–"
    times, word = (row.ratio, "faster") if row.ratio >= 1 else (1 / row.ratio, "slower")
    return f"{_three(times)}× {word}"


def cells(row: Row) -> tuple[str, ...]:
    """The columns that every row has."""
    met = "–" if row.met is None else "yes" if row.met else "no"
    target = row.target.text if row.target else "–"
    theirs = ("–", "–") if row.peer is None else (duration(row.peer.seconds), memory(row.peer))
    return (
        row.what, duration(row.ours.seconds), memory(row.ours), row.against or "–", *theirs, ratio(row), target, met
    )  # fmt: skip


def memory(cost: Cost) -> str:
    """The peak memory, if it was measured."""
    return "–" if cost.peak is None else cost.peak.text


def missed(key: str, row: Row) -> str:
    """One sentence for a target that was not reached."""
    if row.target is None:
        raise ValueError("a row without a target cannot miss it")
    than = "" if row.peer is None else f" against {duration(row.peer.seconds)} for {row.against}, {ratio(row)}"
    return f"{key}: {row.what} took {duration(row.ours.seconds)}{than}; the target is {row.target.text}."


# -- while it runs ---------------------------------------------------------------------------------


def heading(group: Group) -> str:
    return f"\n{group.key}: {group.title}\n{_line(COLUMNS)}\n{_line(tuple('-' * w for w in WIDTHS))}"


def line(row: Row) -> str:
    """The row, with its errors and its note on lines of their own."""
    more = []
    if row.our_error and row.peer_error:
        more.append(f"error: ours {row.our_error.text}, its {row.peer_error.text}")
    if row.note:
        more.append(row.note)
    return "\n".join([_line(cells(row)), *(f"    {text}" for text in more)])


def _line(values: Sequence[str]) -> str:
    return "  ".join(v.ljust(w) for v, w in zip(values, WIDTHS, strict=True)).rstrip()


def summary(results: Results) -> list[str]:
    """How many targets were met, and a sentence for each that was not."""
    judged = [(group.key, row) for group, rows in results for row in rows if row.met is not None]
    bad = [(key, row) for key, row in judged if not row.met]
    if not judged:
        return ["No row of this run has a target."]
    if not bad:
        return [f"All {len(judged)} targets were met in this run."]
    count = f"{len(judged) - len(bad)} of {len(judged)} targets were met in this run. Missed:"
    return [count, *(f"- {missed(key, row)}" for key, row in bad)]


# -- the page --------------------------------------------------------------------------------------


def page(results: Results, run: Run, origin: Origin) -> str:
    parts = ["# Results of `make bench`", _setting(run, origin), "\n".join(_gap(summary(results)))]
    for group, rows in results:
        parts += [f"## {group.key}: {group.title}", _table(rows)]
        notes = dict.fromkeys(f"{row.against or row.what}: {row.note}." for row in rows if row.note)
        said = [*notes, *group.remarks]
        if said:
            parts.append("\n".join(f"- {text}" for text in said))
    return "\n\n".join(parts) + "\n"


def _gap(lines: list[str]) -> list[str]:
    return [lines[0], "", *lines[1:]] if len(lines) > 1 else lines


def _setting(run: Run, origin: Origin) -> str:
    versions = ", ".join(f"{name} {provenance.version(name)}" for name in PACKAGES)
    made = f"{provenance.today()}; commit `{origin.commit}`; {origin.seconds / 60:.0f} minutes, {origin.load}"
    lines = [f"{made}; Python {platform.python_version()}; {versions}; {provenance.machine()}.", METHOD]
    if run.quick:
        lines.append("**A quick pass**: small sizes and few repeats; its figures say little.")
    return "\n\n".join(lines)


def _table(rows: Sequence[Row]) -> str:
    errors = any(row.our_error or row.peer_error for row in rows)
    head = (*COLUMNS, "our error", "its error") if errors else COLUMNS
    body = [(*cells(row), *(_errors(row) if errors else ())) for row in rows]
    right = {"ours", "memory", "its time", "its memory", "ratio"}
    rule = ["---:" if name in right else "---" for name in head]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *body))


def _errors(row: Row) -> tuple[str, str]:
    return tuple(e.text if e else "–" for e in (row.our_error, row.peer_error))  # type: ignore[return-value]
