"""The command of a verb, made from its declaration: its options, its call, its result and its exit code."""

from __future__ import annotations

from functools import partial
from inspect import cleandoc
from typing import Any, Final

import click

from howsure.cli import options, parse, sources, streams
from howsure.cli.output import show
from howsure.render import formats
from howsure.results import verbs
from howsure.results.verbs import Option, Verb

_TYPES: Final[dict[str, Any]] = {"number": options.Number(), "whole": int, "file": options.FileName()}


def command(name: str) -> click.Command:
    """The command of the verb of that name."""
    verb = verbs.verb(name)
    kind = verb.kinds[0]
    params = [
        *(sources.options(verb.data) if verb.data is not None else ()),
        *(_parameter(name, one) for name, one in verb.options.items()),
        *(_config() if verb.configured else ()),
        *options.written(formats.fitting(kind.name, kind.columnar), not kind.every_note),
    ]
    about = cleandoc(verb.help or (verb.function.__doc__ or "").partition("Parameters\n")[0].partition("\n\n")[2])
    return (options.Grouped if verb.data is not None else options.Command)(
        name, params=params, callback=partial(_run, verb), help=f"{verbs.summary(name)}\n\n{about}",
        examples=verb.examples,
    )  # fmt: skip


def _config() -> tuple[click.Parameter, ...]:
    from howsure.cli.settings_file import CONFIG

    return (CONFIG,)


def _parameter(name: str, one: Option) -> click.Parameter:
    """A keyword as click takes it."""
    kind: Any = click.Choice(one.choices) if one.choices else _TYPES.get(one.reads or "text")
    if one.argument:
        nargs = -1 if one.many else 1
        return click.Argument([name], type=kind, metavar=one.metavar or None, required=one.required, nargs=nargs)
    default = f"  [default: {one.default}]" if one.default else ""
    more: dict[str, Any] = {"is_flag": True}
    if one.reads != "flag":
        more = {"multiple": one.many, "type": kind, "nargs": one.parts}
    if one.metavar:
        more["metavar"] = one.metavar
    return options.option(
        f"--{one.flag or name.replace('_', '-')}", name, required=one.required, group=one.group or options.QUESTION,
        help=f"{one.help}{default}", **more,
    )  # fmt: skip


def _run(verb: Verb, **values: Any) -> int:
    """The result of what was typed, shown; keywords that were not typed are left to the verb."""
    context = click.get_current_context()
    kind, out, _ = values.pop("kind"), values.pop("out"), values.pop("config", None)
    view = context.meta.get(options.VIEW, formats.USUAL)
    formats.for_detail(kind, view)
    options.check_written(context)
    given = sources.Inputs() if verb.data is None else sources.taken(context, verb, values)
    if given.own:
        given.check()
    made = verb.run(given, {k: _read(k, verb.options[k], x) for k, x in values.items() if _typed(context, k, x)})
    code = verb.codes[made.status] if verb.codes else 0
    try:
        show(made, kind, out, view)
    except BrokenPipeError:  # the answer stands, though the reader went away
        if not verb.codes:
            raise
        streams.forget("stdout")
    return code


def _typed(context: click.Context, name: str, value: Any) -> bool:
    found = context.get_parameter_source(name)
    return found is not click.core.ParameterSource.DEFAULT and value not in (None, ())


def _read(name: str, one: Option, value: Any) -> Any:
    """What was typed as the verb takes it."""
    if one.reads == "limits":
        return parse.limits(value, f"--{one.flag or name.replace('_', '-')}")
    if one.reads == "numbers":
        return [parse.listed_number(x, f"--{one.flag or name}") for text in value for x in text.split(",")]
    return list(value) if one.many else value
