"""The command `howsure gate`: requirements to a verdict and its exit code."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from howsure.cli import settings_file, sources, streams
from howsure.cli.options import (
    INTERVAL,
    LEVEL,
    OF_GATES,
    OUT,
    PRIOR,
    QUESTION,
    SEED,
    TOLERANCE,
    VIEW,
    Grouped,
    option,
)
from howsure.cli.output import show
from howsure.errors import BadSetting
from howsure.render.formats import Detail

CODES: Final = {"pass": 0, "fail": 1, "inconclusive": 3}


@click.command("gate", cls=Grouped)
@sources.taking(
    *sources.but(sources.COLUMNS, "by"),
    *sources.STRATA,
    *sources.SYSTEMS,
    *sources.DATABASE,
    *sources.ONE_TABLE,
)
@option(
    "--require",
    "requirements",
    multiple=True,
    metavar="TEXT",
    group=QUESTION,
    help="'f1 > 0.8 with 0.95', 'recall:spam > 0.9 in region=north', or 'f1 not worse by 0.01'; repeat for more.",
)
@option(
    "--baseline",
    metavar="FILE",
    group=QUESTION,
    help="What 'not worse' is against; its items are joined by id or --on.",
)
@settings_file.CONFIG
@PRIOR
@LEVEL
@INTERVAL
@TOLERANCE
@SEED
@OF_GATES
@VIEW
@OUT
def gate(
    given: sources.Inputs,
    requirements: tuple[str, ...],
    baseline: str | None,
    config: Path | None,
    kind: str,
    out: Path | None,
    view: Detail,
    **settings: Any,
) -> int:
    """Does it pass? Exit code 0 if all requirements do, 1 if one fails, 3 if one is inconclusive.

    A requirement passes if it holds with the probability after `with` (0.95 unless given), fails if the opposite does,
    and is inconclusive between. Requirements and other options may stand in howsure.toml or pyproject.toml.
    """
    from howsure._gate import gate as run_gate
    from howsure._gate import refuse_idle_baseline, slice_columns, slicing
    from howsure.messages.notes import note
    from howsure.verbs.requirements import requirements as read

    del config
    if not requirements:
        raise BadSetting("gate needs a requirement, such as --require 'f1 > 0.8 with 0.95', or a file with some")
    if "with" in given.files:
        raise BadSetting(f"put the whole requirement in quotes: --require '{requirements[-1]} with 0.95'")
    asked = read(requirements)
    given, baseline = _typed_first(given, baseline, any(x.compares for x in asked))
    if baseline is not None:
        refuse_idle_baseline(asked)
        given = _with_baseline(given, baseline)
    columns = slice_columns(asked)
    if columns:
        given = replace(given, columns={**given.columns, "by": tuple(columns)})
    with slicing(columns):
        found = sources.evidence(given)
    judged, other = _sides(found, given)
    made = run_gate(judged, asked, baseline=other, **settings)
    if (path := settings_file.source()) is not None:
        made = made.noted(note("configured", file=str(path)))
    code = CODES[made.status]
    try:
        show(made, kind, out, view)
    except BrokenPipeError:  # the answer stands, though the reader went away
        streams.forget("stdout")
    return code


def _typed_first(given: sources.Inputs, baseline: str | None, wanted: bool) -> tuple[sources.Inputs, str | None]:
    """Files and a baseline that only a file of options names give way to what is typed."""
    origin = click.get_current_context().get_parameter_source
    set_by_file = click.core.ParameterSource.DEFAULT_MAP
    if origin("baseline") is set_by_file and not wanted:
        baseline = None
    if origin("files") is set_by_file and (given.counts or given.rate or given.matrix or given.db):
        given, baseline = replace(given, files=()), None
    return given, baseline


def _with_baseline(given: sources.Inputs, baseline: str) -> sources.Inputs:
    """The judged file and the baseline as two systems."""
    from howsure.io.format import system_names

    if len(given.files) != 1:
        got = f"{len(given.files)} files" if given.files else "none"
        raise BadSetting(f"--baseline goes with one FILE, which is judged; got {got}")
    if not baseline or os.path.realpath(baseline) == os.path.realpath(given.files[0]):
        way = "two columns of one file need none: --pred new --pred old"
        raise BadSetting(f"--baseline needs another file than the one that is judged; got {baseline!r}; {way}")
    if "system" in given.columns:
        raise BadSetting("--baseline is a file of its own; --system tells the systems of one file apart: leave one out")
    if "pool" in given.columns:
        raise BadSetting("--pool makes one data set of several files: leave it out, or --baseline")
    if given.names and "independent" in given.columns:
        raise BadSetting("--independent files are called new and baseline: leave out --name")
    files = (*given.files, baseline)
    return replace(given, files=files, names=given.names or system_names(files))


def _sides(found: Any, given: sources.Inputs) -> tuple[Any, Any]:
    """What is judged, and a baseline that had other items."""
    if isinstance(found, dict):
        judged, other = found.values()
        return judged, other
    if isinstance(found, list):
        if given.names:
            raise BadSetting("--name is for several systems; there is only one")
        return found[0], None
    return found, None
