"""Options from a settings file: [tool.howsure] of pyproject.toml, or howsure.toml; options that you type override it.

A settings file may come with somebody else's folder. It cannot choose where to write or what to connect to, and the
data that it names must lie in its own folder. Every option of a command that reads one is in
one of the three sets below.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from howsure.cli.options import FileName, option
from howsure.cli.sources import SETTINGS_FILE
from howsure.errors import BadFile, BadSetting, UnknownName, nearest

FILES: Final = ("howsure.toml", "pyproject.toml")
DATA: Final = frozenset(("files", "baseline", "matrix"))  # in the folder of the settings file
ALLOWED: Final = frozenset((
    "better", "bins", "bounds", "cluster", "count", "counts", "filter", "human", "independent", "independent-rows",
    "interval", "judge", "labels", "level", "missing", "name", "on", "outcome", "pool", "population", "positive",
    "pred", "prevalence", "prior", "rate", "require", "rows", "score", "scorer", "seed", "sep", "stratum", "strict",
    "system", "task", "threshold", "tolerance", "truth", "unmatched", "value", "weight", "where",
))  # fmt: skip
_WRITES, _DATABASE, _SERVER, _SHOWS = "where to write", "a database", "a server", "how results are shown"
REFUSED: Final = {  # and what a settings file cannot choose
    "out": _WRITES, "plot": _WRITES, "db": _DATABASE, "table": _DATABASE, "query": _DATABASE, "remote": _SERVER,
    "host": _SERVER, "port": _SERVER, "no-browser": _SERVER, "engine": "an engine", "config": "another settings file",
    "format": _SHOWS, "columns": _SHOWS, "verbose": _SHOWS, "all": _SHOWS, "debug": _SHOWS, "version": _SHOWS,
}  # fmt: skip
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # of a server or a database; Spark reads file:/etc too
_UPWARDS: Final = re.compile(r"(?:^|[/\\])\.\.(?:$|[/\\])")


def _configured(context: click.Context, _option: click.Parameter, given: Path | None) -> Path | None:
    """The table of options becomes click's defaults; it is read before any other option."""
    path = given if given is not None else _usual()
    table = None if path is None else _table(path)
    if path is None or table is None:
        if given is not None:
            raise BadFile(f"{str(given)!r} has no [tool.howsure]: put options there, or in howsure.toml.")
        return None
    context.meta[SETTINGS_FILE] = str(path)
    context.default_map = _defaults(context.command, table, path)
    return path


CONFIG = option(
    "--config",
    type=FileName(dir_okay=False),
    is_eager=True,
    callback=_configured,
    help="A file with these options.  [default: howsure.toml, or [tool.howsure] of pyproject.toml]",
)


def _usual() -> Path | None:
    """The first of the usual files in the current folder that has something to say."""
    return next((path for name in FILES if (path := Path(name)).is_file() and _table(path) is not None), None)


def _table(path: Path) -> Mapping[str, Any] | None:
    """What a file sets: [tool.howsure], or all of it where there is no [tool]; None where it says nothing."""
    import tomllib

    try:
        found: Any = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadFile(f"cannot read {str(path)!r}: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(f"{str(path)!r} is not TOML: {error}.") from None
    tool = found.get("tool")
    own = tool.get("howsure") if isinstance(tool, dict) else None
    if own is None and path.name != "pyproject.toml" and not isinstance(tool, dict):
        return found  # type: ignore[no-any-return]
    if own is not None and not isinstance(own, dict):
        raise BadFile(f"howsure of [tool] in {str(path)!r} must be a table, [tool.howsure]; got {own!r}.")
    return own


def _defaults(command: click.Command, table: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Keys as options are called on the command line, and their values as click takes them."""
    own = {_key(x): x for x in command.params}
    known = {key: x for key, x in own.items() if key in ALLOWED | DATA}
    found: dict[str, Any] = {}
    for given, value in table.items():
        key = given.replace("_", "-")
        if key not in known and (key in own or key in REFUSED):
            chosen = REFUSED.get(key, "this option")
            typed = f" and type --{key}" if key in own else ""
            raise BadSetting(
                f"{str(path)!r} sets {given!r}, but a settings file cannot choose {chosen}: take it out{typed}."
            )
        if key not in known:
            raise UnknownName(f"{str(path)!r} sets {given!r}, but there is no such option.{nearest(given, known)}")
        found[str(known[key].name)] = _value(known[key], key, value, path)
    return found


def _key(one: click.Parameter) -> str:
    return one.opts[0].removeprefix("--")


def _value(one: click.Parameter, key: str, value: Any, path: Path) -> Any:
    """A value of the type that the option has."""
    several = getattr(one, "multiple", False) or one.nargs == -1
    each = value if isinstance(value, list) and several else [value]
    flag = bool(getattr(one, "is_flag", False))
    bad = next((x for x in each if isinstance(x, (dict, list)) or isinstance(x, bool) != flag), None)
    if bad is not None or (isinstance(value, list) and not several):
        wanted = "true or false" if flag else "a text or a number" + (", or a list of them" if several else "")
        raise BadSetting(f"{key!r} in {str(path)!r} must be {wanted}; got {value!r}.")
    texts = [x if flag else str(x) for x in each]
    if key in DATA:
        texts = [_in_folder(path, key, str(x)) for x in texts]
    return tuple(texts) if several else texts[0]


def _in_folder(settings: Path, key: str, name: str) -> str:
    """Return the path of data in the folder of a settings file, or standard input; refuse any other place."""
    if name == "-":
        return name
    path = str(settings.parent / name)
    home = os.path.realpath(settings.parent)
    odd = _ADDRESS.match(name) or _UPWARDS.search(name) or set(name) & set("{}\0")  # Spark reads {a,/etc/x}
    if odd or not all(Path(os.path.realpath(x)).is_relative_to(home) for x in _reached(path)):
        raise BadSetting(
            f"{key!r} in {str(settings)!r} must name data in the folder of that file, without '..', braces or an "
            f"address; got {name!r}: move the data there, or type its name on the command line."
        )
    return path


def _reached(path: str) -> Iterator[str]:
    """Yield the files that a path or a pattern leads to, and what is in a folder."""
    from howsure.io.formats import matching

    for one in matching(path):
        yield one
        if os.path.isdir(one):  # noqa: PTH112 - a name that is too long is none
            yield from map(str, Path(one).rglob("*"))
