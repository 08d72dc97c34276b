"""Options from a file: [tool.howsure] of pyproject.toml, or howsure.toml; what is typed comes first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from howsure.cli.options import FileName, option
from howsure.errors import BadFile, BadSetting, UnknownName, nearest

FILES: Final = ("howsure.toml", "pyproject.toml")
_FOUND: Final = "howsure.configured"  # where the context keeps the file that was read
_LEFT: Final = ("config", "kind", "out", "shown", "verbose", "help")  # what a file does not set
_PATHS: Final = ("files", "baseline", "matrix")  # from the folder of the file


def _configured(context: click.Context, _option: click.Parameter, given: Path | None) -> Path | None:
    """The table of options becomes click's defaults; it is read before any other option."""
    path = given if given is not None else _usual()
    table = None if path is None else _table(path)
    if path is None or table is None:
        if given is not None:
            raise BadFile(f"{str(given)!r} has no [tool.howsure]: put the options of gate there, or in howsure.toml.")
        return None
    context.meta[_FOUND] = path
    context.default_map = _defaults(context.command, table, path)
    return path


CONFIG = option(
    "--config",
    type=FileName(dir_okay=False),
    is_eager=True,
    callback=_configured,
    help="A file with these options.  [default: howsure.toml, or [tool.howsure] of pyproject.toml]",
)


def source() -> Path | None:
    """The file that options were read from, if there was one."""
    found: Path | None = click.get_current_context().meta.get(_FOUND)
    return found


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
    known = {_key(x): x for x in command.params if x.name not in _LEFT}
    found: dict[str, Any] = {}
    for key, value in table.items():
        one = known.get(key.replace("_", "-"))
        if one is None and any(_key(x) == key for x in command.params):
            raise UnknownName(f"{str(path)!r} sets {key!r}, which is not set by a file: type --{key}.")
        if one is None or one.name is None:
            raise UnknownName(f"{str(path)!r} sets {key!r}, which is no option of gate.{nearest(key, known)}")
        found[one.name] = _value(one, key, value, path)
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
    if one.name in _PATHS:
        texts = [_from(path, str(x)) for x in texts]
    return tuple(texts) if several else texts[0]


def _from(path: Path, name: str) -> str:
    """A file beside the one that names it; addresses and standard input are none."""
    return name if name == "-" or "://" in name else str(path.parent / name)
