"""A result to the terminal, to standard output or to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure.errors import BadFile

if TYPE_CHECKING:
    from howsure.result import Result


def show(result: Result | dict[str, Any], kind: str, out: Path | None) -> None:
    """A result, or a document, in a format."""
    from howsure.render import plain
    from howsure.result import Document, Result

    made = result if isinstance(result, Result) else Document(result)
    if out is not None:
        made.save(out, kind=kind)
    elif kind == "table" and sys.stdout.isatty():
        plain.on_terminal(made.page())
    else:
        write(made.to_text(kind), None)


def write(text: str, out: Path | None) -> None:
    """To standard output, or to a file."""
    from howsure import atomic

    if out is not None:
        atomic.write_text(out, text)
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        raise BadFile(f"cannot write to standard output: {error.strerror or error}.") from None
