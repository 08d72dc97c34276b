"""Several systems on a command line: what files and columns are which system, what they are called, and which two."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Any, Protocol

import click

from howsure.cli import parsing
from howsure.errors import BadSetting, listing
from howsure.language import again


class SystemsGiven(Protocol):
    """What of a command line tells its systems."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files."""

    @property
    def columns(self) -> Mapping[str, Any]:
        """The options of columns that were given."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of systems."""


def refuse_numbered(files: list[str]) -> None:
    """Files whose names differ in digits only may be shards or systems: the command has to be told."""
    from howsure.ingest.streams import is_stream

    seen = [os.path.realpath(x) for x in files]
    twice = next((x for x, own in zip(files, seen, strict=True) if seen.count(own) > 1), None)
    if twice is not None and not is_stream(twice):
        raise BadSetting(f"the same file is given twice, {twice}: give it once, or give another file")
    alike = {re.sub(r"[0-9]+", "*", x) for x in files}
    if len(alike) == 1 and not any(is_stream(x) for x in files):
        raise BadSetting(
            f"{files[0]} and {files[1]} differ in digits only: if they are shards of one data set add --pool, or give "
            f"them as one pattern in quotes, '{alike.pop()}'; if they are systems join their items with --on, or name "
            "each with --name"
        )


def unjoined(many: int, cluster: str | None = None) -> str:
    """What to do with several files, as far as the command can."""
    taken = {x.name for x in click.get_current_context().command.params}
    ways = {
        "on": "name the id that joins items of systems with --on (none called id, item, qid or doc_id is in each)",
        "cluster": f"give --cluster {shlex.quote(cluster or 'COLUMN')} if several rows belong to one question",
        "independent": "give --independent if they hold different items",
        "pool": "pool shards of one data set with --pool",
    }
    told = [way for name, way in ways.items() if name in taken]
    return f"{many} files: {', or '.join(told)}; rows are never paired by their order"


def called(given: SystemsGiven, columns: Mapping[str, Any]) -> tuple[str, ...]:
    """What to call the systems, one for each file."""
    from howsure.ingest.sniffing import system_names

    refuse("each file holds a system", columns, "system")
    many, own = len(given.files), answers(columns)[1]
    if len(own) not in (0, 1, many):
        raise BadSetting(
            f"{many} files take one --pred (or --outcome, or --value) for all, or one for each; got {len(own)}"
        )
    parsing.refuse_names(given.names, many)
    return given.names or (tuple(own) if own and len(set(own)) == many else tuple(system_names(given.files)))


def each_file(
    names: tuple[str, ...], files: list[str], columns: dict[str, Any]
) -> list[tuple[str, str, dict[str, Any]]]:
    """Every file with its own column of answers."""
    role, own = answers(columns)
    each = [{role: c} for c in own] or [{}]
    each = each * len(files) if len(each) == 1 else each
    return [(n, f, {**columns, **c}) for n, f, c in zip(names, files, each, strict=True)]


def refuse_one_system(given: SystemsGiven, found: Any) -> None:
    """Pooled files are one system, and so is one column of one file."""
    role, one = answers(given.columns)[0], len(found.systems) == 1
    if one and "pool" in given.columns:
        raise BadSetting(f"--pool makes one system of the files: leave it out, or give one --{role} for each system")
    if one:
        way = f"give a second --{role}, or a second file; howsure score takes one"
        raise BadSetting(f"two systems are needed, and {found.systems[0]!r} is one: {way}")


def answers(columns: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The role and the columns of the answers."""
    role = next((x for x in ("pred", "outcome", "value", "score", "judge") if x in columns), "pred")
    found = columns.get(role, [])
    return role, [found] if isinstance(found, str) else list(found)


def refuse(why: str, given: Mapping[str, Any], *names: str) -> None:
    """Refuse the first of some options that was given, saying why."""
    stray = next((name for name in names if given.get(name)), None)
    if stray is not None:
        raise BadSetting(f"{why}: leave out --{stray}")


def refuse_more_than_two(given: SystemsGiven, found: Any) -> None:
    """A comparison is of two systems: which there are, and how to take two of them."""
    from howsure.ingest.request import is_pattern

    refuse_one_system(given, found)
    many, (role, own) = len(found.systems), answers(given.columns)
    if many < 3:
        return
    if "system" in given.columns or any(is_pattern(x) for x in own):
        way = f"Choose two:\n  {again({'names': found.systems[:2]}, ['names'])}\nOr rank all with howsure leaderboard"
    else:
        taken = "of the files" if len(given.files) > 1 and "pool" not in given.columns else f"--{role}"
        way = f"Give two {taken}, or rank all with howsure leaderboard"
    raise BadSetting(f"compare needs two systems, and there are {many}: {listing(found.systems, most=20)}. {way}")
