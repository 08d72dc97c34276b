"""What the Tab key offers: columns of the data given, names of measures, choices; it never fails and never prints."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class, split_arg_string

SHELLS: Final = {  # where the script goes
    "bash": "howsure completion bash > ~/.howsure-complete.bash && echo '. ~/.howsure-complete.bash' >> ~/.bashrc",
    "zsh": "howsure completion zsh > ~/.howsure-complete.zsh && echo '. ~/.howsure-complete.zsh' >> ~/.zshrc",
    "fish": "howsure completion fish > ~/.config/fish/completions/howsure.fish",
}
_CHOICES: Final = re.compile(r"[a-z-]+(\|[a-z-]+)+")


def script(app: click.Command, shell: str) -> str:
    """The script of a shell, with how to install it at its head."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"no completion for {shell}")
    source = ShellComplete.source(made(app, {}, "howsure", "_HOWSURE_COMPLETE"))
    return f"# Completion of howsure in {shell}. To install it, once:\n#   {SHELLS[shell]}\n{source.strip()}\n"


def of_option(name: str, metavar: str) -> Any:
    """What an option offers, by its name and by what it takes; None where there is nothing to offer."""
    if metavar == "COLUMN":
        return _columns
    if name == "--metric":
        return _metrics
    if _CHOICES.fullmatch(metavar):
        return lambda _context, _option, start: [x for x in metavar.split("|") if x.startswith(start)]
    return None


def files(_context: click.Context, _argument: click.Parameter, start: str) -> list[CompletionItem]:
    """Names of files, which the shell knows."""
    return [CompletionItem(start, type="file")]


def _metrics(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    with contextlib.suppress(Exception):
        from howsure.catalogue import metrics
        from howsure.catalogue.repeated import repeated

        return [name for x in (*metrics(), *repeated()) if (name := str(x)).startswith(start)]
    return []


def _columns(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    with contextlib.suppress(Exception):
        return [name for name in _names(split_arg_string(os.environ["COMP_WORDS"])) if name.startswith(start)]
    return []


def _names(words: list[str]) -> list[str]:
    """The columns of the first file on the line, or of a database that is a file; click drops an unfinished line."""
    told = dict(itertools.pairwise(words))
    if "--db" in told:
        from howsure.io import addresses

        if addresses.address(told["--db"]).kind == "postgresql":  # no server is asked by a key
            return []
        with addresses.opened(told["--db"], told.get("--table"), told.get("--query")) as (source, _):
            return source.names()
    path = next((x for x in words[2:] if Path(x).is_file()), None)
    if path is None:
        return []
    from howsure.io.files import opened

    with opened([path]) as found:
        return found.names()
