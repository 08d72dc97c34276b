"""Commands and options; every message is one sentence, every output is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from itertools import takewhile
from typing import Final

import click

from howsure.cli import interrupts, progress, streams
from howsure.cli.output import say, wrapped, write
from howsure.errors import HowsureError, nearest
from howsure.messages.language import SPOKEN, Typed, at_shell
from howsure.messages.user_text import laid_out
from howsure.results import verbs
from howsure.version import VERSION

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    before = SPOKEN.set("command")
    progress.begin("working")
    try:
        return _run(arguments, "--debug" in arguments)
    finally:
        progress.stop()
        SPOKEN.reset(before)


def _run(arguments: list[str], debug: bool) -> int:
    words = _with_verb([a for a in arguments if a != "--debug"])
    typed = Typed(tuple(words))
    try:
        result = app.main(args=words, prog_name="howsure", standalone_mode=False, obj=typed)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        return _say(error.format_message(), 2)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except click.exceptions.NoSuchOption as error:
        hint = nearest(error.option_name, error.possibilities or ()).replace("'", "")
        name = _asked(arguments).strip()
        if name in verbs.names():
            hint = verbs.verb(name).instead.get(error.option_name, hint)
        return _complain(f"no option named {error.option_name!r}.{hint} See: howsure {_asked(arguments)}--help", 2)
    except click.ClickException as error:
        return _complain(error.format_message(), 2)
    except HowsureError as error:
        return _complain(at_shell(error, typed), 2)
    except MemoryError:
        told = "what was asked is too large for the memory of this machine"
        return _complain(f"{told}; ask for fewer draws, slices, classes or measures at once", 2)
    except BrokenPipeError:
        return _silence()
    except SystemExit as error:  # click ends a closed pipe this way
        return _silence() if error.code == 1 else int(error.code or 0)
    except Exception as error:
        if "_HOWSURE_COMPLETE" in os.environ:  # a shell asks on a press of Tab: what it cannot use is not told
            return 0
        if isinstance(error, OSError) and streams.is_refusal(error):  # of a page of help, or of a terminal
            return _complain(str(streams.refused(error)), 2)
        if debug:
            raise
        told = f"this is a bug in howsure ({type(error).__name__}: {error})"
        return _complain(f"{told}; run again with --debug for the trace", 70)


def _with_verb(words: list[str]) -> list[str]:
    """A line that begins with files and has no verb: one file is scored, two are compared, more are ranked."""
    if not words or words[0] in app.commands or not _is_data(words[0]):
        return words
    many = sum(1 for _ in takewhile(lambda x: not x.startswith("-") or x == "-", words))
    return [("score", "compare", "leaderboard")[min(many, 3) - 1], *words]


def _is_data(word: str) -> bool:
    """Whether a word is a file, a folder, a pattern or an address, or looks like one: else it may be a verb."""
    return word == "-" or bool(set(word) & set("./\\*?:")) or os.path.lexists(word)


def _asked(arguments: list[str]) -> str:
    """The command that was asked for, with a blank, if there is one."""
    return next((f"{a} " for a in arguments if a in app.commands), "")


def _complain(message: str, code: int) -> int:
    return _say(wrapped(f"howsure: {laid_out(message)}"), code)


def _say(text: str, code: int) -> int:
    """On standard error; where that is full or closed, the code says it alone."""
    if interrupts.asked():
        return 130
    say(text)
    return code


def _silence() -> int:
    """The reader of the output went away: no message, no failure."""
    streams.forget("stdout")
    return 0


_CODES = (
    "Exit codes: 0 done, 1 a gate failed, 2 bad input, 3 a gate is inconclusive, 70 a bug in howsure, 130 interrupted."
)
_FIRST = """howsure: how sure are you of that score,
and is B really better than A?

Try:
  howsure preds.csv
  howsure compare preds.csv \\
    --pred model_a --pred model_b
  howsure score \\
    --counts tp=80,fp=20,fn=30,tn=870

All commands: howsure --help
"""
_OWN: Final = {  # commands that are no verbs, in the order of the help: their functions, and what they do
    "serve": ("serving:serve", "Open the page: all of this in the browser."),
    "metrics": ("cataloguing:metrics_command", "List every metric, or show one in full."),
    "papers": ("papers:papers_command", "Recompute what the papers print."),
    "completion": ("completion:completion", "The script that completes commands in your shell."),
}


def _short(name: str) -> str:
    return _OWN[name][1] if name in _OWN else verbs.summary(name)


class Commands(MutableMapping[str, click.Command]):
    """The commands by name, in the order of the help; the module of one is imported when that one is wanted."""

    def __init__(self) -> None:
        self._made: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._made and name in _OWN:
            module, _, own = _OWN[name][0].partition(":")
            self[name] = getattr(import_module(f"howsure.cli.{module}"), own)
        elif name not in self._made and name in self:
            from howsure.cli.commands import command

            self[name] = command(name)
        return self._made[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in (*verbs.names(), *_OWN)

    def __iter__(self) -> Iterator[str]:
        return iter((*verbs.names(), *_OWN))

    def __len__(self) -> int:
        return len(verbs.names()) + len(_OWN)


class Ordered(click.Group):
    """The commands in an order that helps."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """First what is used most."""
        return [*verbs.names(), *_OWN]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names with their short helps, for which no command is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _short(name)) for name in self.list_commands(ctx)])


@click.group(cls=Ordered, commands=Commands(), context_settings=CONTEXT, epilog=_CODES, invoke_without_command=True)
@click.version_option(VERSION, message="howsure %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the trace if howsure has a bug.")
@click.pass_context
def app(context: click.Context) -> None:
    """How sure are you of that score, and is B really better than A?

    Files alone need no command: howsure FILE is score, howsure OLD NEW is compare, three or more a leaderboard. Folders
    and logs of lm-evaluation-harness, Inspect, promptfoo, Every Eval Ever and JUnit are files too.
    """
    if context.invoked_subcommand is None:
        write(_FIRST, None)
