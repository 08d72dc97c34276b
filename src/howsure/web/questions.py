"""From a question in JSON to the call and the command line that answer it, by the declaration of its verb."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, Final, Literal

from pydantic import Field, create_model

from howsure.errors import BadSetting
from howsure.results import verbs
from howsure.results.verbs import Option, Verb
from howsure.validate import NAMES
from howsure.web import models, uploads
from howsure.web.shapes import SHAPES, Call, Part, flags, refuse_many

# -- models

_TYPES: Final[Mapping[str, Any]] = {
    "number": models.Number, "limits": models.Limits, "whole": models.Size, "text": models.Text,
    "numbers": models.Numbers,
}  # fmt: skip
_NAMED: Final[Mapping[str, Any]] = {  # keywords with narrower types
    "interval": Literal["auto", "equal-tailed", "hdi"],
    "most": models.Listed,
    "prior": models.Text | models.Number,
    "seed": models.Seed,
    "tolerance": models.Tolerance,
}


def _type(name: str, one: Option) -> Any:
    if name in _NAMED:
        return _NAMED[name]
    if one.choices:
        return Literal[one.choices]
    return models.Metrics if one.many and one.reads in (None, "text") else _TYPES[one.reads or "text"]


def _field(name: str, one: Option) -> tuple[Any, Any]:
    """A keyword as pydantic has it."""
    if one.reads == "flag":
        return bool, Field(default=False, description=one.help)
    kind = _type(name, one)
    return (
        (kind, Field(description=one.help))
        if one.required
        else (kind | None, Field(default=None, description=one.help))
    )


@cache
def model(name: str) -> type[models.StrictModel]:
    """The model of a verb's questions: its data in one of their shapes, and its keywords."""
    verb = verbs.verb(name)
    assert verb.question is not None  # noqa: S101 - narrows the type
    data: dict[str, Any] = {}
    for shape in verb.question.shapes:
        fields = SHAPES[shape].fields
        alone = len(verb.question.shapes) == 1 and shape != "table"
        data |= {k: (x, ...) if alone and k != "positive" else (x | None, None) for k, x in fields.items()}
    keywords = {k: _field(k, replace(x, required=k in _needed(verb))) for k, x in verb.asked.items()}
    made: type[models.StrictModel] = create_model(
        f"{name.title()}Question",
        __base__=models.WithCharts,
        __module__=__name__,
        __doc__=verbs.summary(name),
        **data | keywords,
    )
    made.model_config["json_schema_extra"] = {"examples": [dict(verb.question.example)]}
    made.model_rebuild(force=True)
    return made


def asking() -> tuple[str, ...]:
    """The verbs that take questions."""
    return tuple(name for name in verbs.names() if verbs.verb(name).question is not None)


def of_files() -> tuple[str, ...]:
    """The verbs that take questions about a file."""
    return tuple(name for name in asking() if verbs.verb(name).data is not None and not _by_name(verbs.verb(name)))


def _by_name(verb: Verb) -> bool:
    return "pilot" in verb.keywords


@cache
def file_model() -> type[models.FileColumns]:
    """The model of questions about a file: its columns, and the keywords of every verb that takes one."""
    keywords: dict[str, Any] = {}
    for name in of_files():
        for k, x in verbs.verb(name).asked.items():
            if k not in _NOT_OF_FILES:
                keywords.setdefault(_query(k), _field(k, replace(x, required=False, reads=_ONE.get(x.reads, x.reads))))
    return create_model("FileQuestion", __base__=models.FileColumns, __module__=__name__, **keywords)


_ONE: Final[Mapping[Any, Any]] = {"limits": "number"}  # a query string has no mappings
_NOT_OF_FILES: Final = ("draws", "tolerance")


def _query(name: str) -> str:
    return "metric" if name == "metrics" else name


def __getattr__(name: str) -> Any:
    """A model by its name, as pickle looks for it."""
    if name == "FileQuestion":
        return file_model()
    verb = name.removesuffix("Question").lower()
    if verb == name.lower() or verb not in verbs.names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return model(verb)


# -- questions


@dataclass(frozen=True)
class Posed:
    """A question: the line of Python and the words of the command that answer it, and the files that both read.

    `answer` is what is run in place of the line: what was pasted is a file in the lines, and lists here.
    """

    line: Call
    words: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)  # what each holds
    answer: Callable[[], Any] | None = None
    lined: Callable[[Any], Call] | None = None  # the line, if it follows from the result

    def run(self) -> Any:
        """The result."""
        return self.line.run() if self.answer is None else self.answer()

    def python(self, result: Any) -> str:
        """The line of Python that gives the same."""
        return (self.line if self.lined is None else self.lined(result)).python()

    @property
    def shell(self) -> str:
        """The line of the shell that gives the same."""
        return shlex.join(["howsure", *self.words])


def asked(name: str, question: Any) -> Posed:
    """The call that answers a question."""
    verb = verbs.verb(name)
    part = _part(verb, question)
    settings = _given(question, *verb.asked)
    after, kept = _then(verb, settings)
    words = (name, *part.words, *flags(settings))
    places, own = _placed(verb, kept)
    line = verb.question.line if verb.question is not None else None
    if line is not None and not part.given:  # values, which the command reads
        read = partial(verb.typed or verb.function, None, values=list(part.words), **settings)
        return Posed(Call(name), words, answer=read, lined=lambda x: Call(name, *line(question.values, settings, x)))
    call = Call(part.function or name, (*part.given, *places), {**part.named, **own}, after)
    if part.run is None:
        return Posed(call, words, part.files)
    given, named = part.run
    return Posed(call, words, part.files, Call(name, given, {**named, **own}, after).run)


def _part(verb: Verb, question: Any) -> Part:
    """The data of a question, in one of the shapes that the verb takes."""
    shapes = {name: SHAPES[name] for name in (verb.question.shapes if verb.question else ())}
    there = [s for s in shapes.values() if any(getattr(question, k, None) is not None for k in s.fields)]
    if len(there) == 1 or len(shapes) == 1:
        return (there or list(shapes.values()))[0].part(question, verb)
    told = " or ".join(s.called or next(iter(s.fields)) for s in shapes.values())
    raise BadSetting(f"give {told}: one of these {len(shapes)}; got {'none' if not there else 'more'}.")


def _given(question: Any, *names: str) -> dict[str, Any]:
    """The settings that were given, in this order."""
    found = {name: getattr(question, name) for name in names}
    return {name: x for name, x in found.items() if x is not None and x is not False and x != []}


def _needed(verb: Verb) -> list[str]:
    """The settings that a question must have."""
    return [k for k, x in verb.asked.items() if x.required or k in _places(verb)]


def _places(verb: Verb) -> list[str]:
    """The settings that are no keywords of the function, but arguments after the data."""
    q = verb.question
    return [] if q is None or q.line is not None else [k for k in q.also if k not in q.then]


def _placed(verb: Verb, settings: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Settings by place, which are no keywords of the function, and by name; one metric is named alone."""
    own = dict(settings)
    several: list[str] = list(own.get("metrics") or [])
    if len(several) == 1 and not several[0].endswith(":*"):
        own = {("metric" if k == "metrics" else k): (several[0] if k == "metrics" else x) for k, x in own.items()}
    return tuple(own.pop(k) for k in _places(verb) if k in own), own


def _then(verb: Verb, settings: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The method of the result that finds what is asked for, with its argument; and the other settings."""
    methods = verb.question.then if verb.question is not None else {}
    found = next((k for k in methods if k in settings), None)
    kept = {k: x for k, x in settings.items() if k not in methods}
    if found is None:
        return (), kept
    if "metrics" in settings:
        raise BadSetting(f"{found} replaces the summary of a {verb.name}: leave out its measures.")
    return (methods[found], settings[found]), kept


# -- files


def of_file(name: str, file: str, q: models.FileColumns) -> Posed:
    """A question about the columns of a file: `file` in the folder where this is run, and its own name in the lines."""
    verb = verbs.verb(name)
    columns = {k: x[0] if isinstance(x, list) and len(x) == 1 else x for k, x in _given(q, *_COLUMNS).items()}
    settings = {k: x for k in verb.asked if (x := getattr(q, _query(k), None)) not in (None, False, [])}
    _refuse_others(verb, q, columns)
    after, kept = _then(verb, settings)
    places, own = _placed(verb, kept)
    theirs = uploads.own_name(q.name)
    run = partial(_checked, verb, Call(name, (file, *places), {**columns, **own}, after), columns)
    words = (name, theirs, *flags(columns), *flags(settings))
    return Posed(Call(name, (theirs, *places), {**columns, **own}, after), words, answer=run)


_COLUMNS: Final = tuple(k for k in models.FileColumns.model_fields if k in NAMES)


def _refuse_others(verb: Verb, q: models.FileColumns, columns: Mapping[str, Any]) -> None:
    """What goes with other verbs, and what this one lacks."""
    own = {_query(k): x for k, x in verb.asked.items()}
    for k in file_model().model_fields:
        if k in models.FileColumns.model_fields or k in own or getattr(q, k) in (None, False):
            continue
        takers = [x for x in of_files() if k in map(_query, verbs.verb(x).asked)]
        told = " and ".join(x for x in (", ".join(takers[:-1]), takers[-1]) if x)
        raise BadSetting(f"{k} goes with {told}: leave it out of {verb.name}.")
    if "by" in columns and verb.data is not None and not (verb.data.by and "by" not in verb.data.without):
        raise BadSetting(f"{verb.name} takes no by: leave it out.")
    needed = next((k for k in _needed(verb) if not getattr(q, k)), None)
    if needed is not None:
        raise BadSetting(f"{verb.name} needs {needed}, such as {own[needed].shown}.")


def _checked(verb: Verb, call: Call, columns: Mapping[str, Any]) -> Any:
    """Run a question about a file, whose classes, slices and systems are counted before anything is computed."""
    from howsure.verbs.inputs import entered

    name, *more = call.given
    if "between" in call.named:  # slices of one system, which are read apart
        return call.run()
    settings = {k: x for k, x in call.named.items() if k not in columns}
    first = {x: settings.get(x) for x in ("prior", "seed")}
    kind = None if verb.data is None else verb.data.kind
    posterior = entered(call.name, name, None, columns, kind=kind, **first).posterior
    evidence = posterior.evidence
    refuse_many("classes", len(getattr(evidence, "labels", ())))
    refuse_many("systems", len(evidence.systems))
    refuse_many("slices", getattr(evidence, "tables", 0))  # items that are kept one by one are counted in the answer
    if more or "system" in columns:  # these read slices and the order of systems for themselves
        return call.run()
    rest = {k: x for k, x in settings.items() if k not in first}
    return replace(call, given=(posterior, *more), named=rest).run()
