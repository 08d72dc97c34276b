"""A result to the terminal, to standard output or to a file; a message in lines."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from howsure.cli import progress, streams
from howsure.cli.options import PLOTTED, STRICT
from howsure.errors import BadFile, BadSetting, plural
from howsure.messages.language import Typed

if TYPE_CHECKING:
    from howsure.render.formats import Detail
    from howsure.results.result import Result


def show(result: Result | dict[str, Any], kind: str, out: Path | None, view: Detail | None = None) -> None:
    """A result, or a document, in a format; of a view, where people asked for more."""
    from howsure.render import text as plain
    from howsure.render.formats import USUAL
    from howsure.results.result import Document, Result

    context = click.get_current_context(silent=True)
    view = replace(view or USUAL, typed=None if context is None else context.find_object(Typed))
    made = result if isinstance(result, Result) else Document(result)
    _refuse_warnings(made)
    if out is not None:
        with _drawn(made):
            made._save(out, kind, view)
            _say_written(out)
        return
    with _drawn(made):
        pass
    if kind == "table" and sys.stdout is not None and sys.stdout.isatty():
        page = made.page_for(view)
        progress.stop()
        plain.on_terminal(page, view)
    elif kind == "table" and _asked_width() is not None:
        write(plain.fitted(made.page_for(view), _asked_width() or 80, view), None, kind)
    else:
        write(made._render(kind, view), None, kind)


def _refuse_warnings(made: Result) -> None:
    """With --strict, a result with warnings is an error: nothing is printed or written."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(STRICT):
        return
    texts = [n["text"] for n in made.page()["notes"] if n["level"] == "warning"]
    if texts:
        raise BadSetting(f"--strict refuses a result with {plural(len(texts), 'warning')}: {'; '.join(texts)}")


@contextmanager
def _drawn(made: Result) -> Iterator[None]:
    """The chart that --plot asks for: drawn before the block, and in its place once the block has ended well."""
    context = click.get_current_context(silent=True)
    path = None if context is None else context.meta.get(PLOTTED)
    if path is None:
        yield
        return
    from howsure import atomic

    chart = made.plot().as_file(path)
    with atomic.whole(path) as place:
        place.write_bytes(chart)
        yield
    _say_written(path)


def _asked_width() -> int | None:
    """COLUMNS, where it is set: a pipe has no width of its own."""
    given = os.environ.get("COLUMNS", "")
    return max(int(given), 20) if given.isdecimal() and int(given) else None


def width(out: Path | None = None, most: int = 100) -> int:
    """Columns for lists in words: those of the terminal or of COLUMNS, but no more than can be read well."""
    if out is None and sys.stdout is not None and sys.stdout.isatty():
        return min(max(get_terminal_size().columns, 20), most)
    return min(_asked_width() or most, most)


def write(text: str, out: Path | None, kind: str = "table") -> None:
    """To standard output, or to a file."""
    if out is not None:
        from howsure import atomic

        atomic.write_text(out, text)
        _say_written(out)
        return
    if sys.stdout is None:
        raise BadFile("cannot write to standard output: it is closed.")
    progress.stop()
    try:
        sys.stdout.write(_encodable(text, sys.stdout.encoding, kind))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        raise streams.refused(error) from None


def _say_written(path: Path) -> None:
    """Say on standard error which file was written; a pipe or a device is none."""
    from howsure import atomic
    from howsure.messages.user_text import visible

    if not atomic.is_stream(path):
        say(visible(f"wrote {path}"))


def wrapped(text: str) -> str:
    """A message in lines that end between words, where a terminal shows it."""
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    room = max(get_terminal_size().columns, 20)
    how: Any = {"break_long_words": False, "break_on_hyphens": False}
    return "\n".join(
        textwrap.fill(line, room, subsequent_indent=" " * (len(line) - len(line.lstrip())), **how)
        for line in text.splitlines()
    )


def say(text: str) -> None:
    """Write a line to standard error; if that is full or closed, leave it out."""
    progress.stop()
    try:
        click.echo(text, err=True)
    except OSError:
        streams.forget("stderr")


def _encodable(text: str, encoding: str | None, kind: str) -> str:
    """The text with escapes of its format for what the encoding lacks; other formats have none, and show theirs."""
    name = encoding or "utf-8"
    try:
        text.encode(name)
    except UnicodeEncodeError:
        from howsure.render.formats import named

        escaped = getattr(named(kind).renderer, "escaped", _visible)
        lacking = {c for c in set(text) if not c.isascii() and not _has(name, c)}
        return text.translate({ord(c): escaped(c) for c in lacking})
    return text


def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _visible(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode("ascii")
