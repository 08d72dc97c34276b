"""What the Tab key offers: columns of the data given, names of measures, choices; it never fails and never prints."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from pathlib import Path
from typing import Final

import click
from click.shell_completion import ShellComplete, get_completion_class, split_arg_string

from howsure.cli.output import write

SHELLS: Final = {  # where the script goes
    "bash": "howsure completion bash > ~/.howsure-complete.bash && echo '. ~/.howsure-complete.bash' >> ~/.bashrc",
    "zsh": "howsure completion zsh > ~/.howsure-complete.zsh && echo '. ~/.howsure-complete.zsh' >> ~/.zshrc",
    "fish": "howsure completion fish > ~/.config/fish/completions/howsure.fish",
}
_CHOICES: Final = re.compile(r"[a-z-]+(\|[a-z-]+)+")


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, measures and columns; its head says how to install it."""
    write(script(context.find_root().command, shell), None)


def script(app: click.Command, shell: str) -> str:
    """The script of a shell, with how to install it at its head."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"no completion for {shell}")
    source = ShellComplete.source(made(app, {}, "howsure", "_HOWSURE_COMPLETE"))
    return f"# Completion of howsure in {shell}. To install it, once:\n#   {SHELLS[shell]}\n{source.strip()}\n"


def of_option(name: str, metavar: str, start: str) -> list[str] | None:
    """What an option offers, by its name and by what it takes; None where its type knows."""
    if metavar == "COLUMN":
        return _columns(start)
    if name == "--metric":
        return _metrics(start)
    if _CHOICES.fullmatch(metavar):
        return [x for x in metavar.split("|") if x.startswith(start)]
    return None


def _metrics(start: str) -> list[str]:
    with contextlib.suppress(Exception):
        from howsure.catalogue import metrics
        from howsure.catalogue.repeated import repeated

        return [name for x in (*metrics(), *repeated()) if (name := str(x)).startswith(start)]
    return []


def _columns(start: str) -> list[str]:
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
