"""A document to the terminal, or to a file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import click


def show(document: dict[str, Any], kind: str, out: Path | None) -> None:
    """Render a document in a format."""
    from howsure.render import plain, render

    if kind == "table" and out is None and sys.stdout.isatty():
        plain.on_terminal(document)
        return
    write(render(document, kind), out)


def write(text: str, out: Path | None) -> None:
    """To standard output, or to a file that appears whole or not at all."""
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    temporary: Path | None = None
    try:
        if out.exists() and not out.is_file():  # a pipe or a device cannot be replaced
            out.write_text(text, encoding="utf-8")
            return
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=out.parent, prefix=".howsure-", delete=False) as f:
            temporary = Path(f.name)
            f.write(text)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(out)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise click.ClickException(f"cannot write {str(out)!r}: {error.strerror or error}") from None
