"""The sentences of the notes that ingest makes: templates over their facts, by code, or by code and form."""

from __future__ import annotations

from typing import Final

SENTENCES: Final[dict[str, str]] = {
    "missing-dropped/label": "{truths:,} missing truths and {predictions:,} missing predictions were left out",
    "missing-dropped/outcome": "{count:,} missing outcomes were left out",
    "missing-dropped/value": "{count:,} of {total:,} items were left out: a value is missing",
    "missing-dropped/score": "{count:,} of {total:,} items were left out: a truth or a score is missing",
    "missing-dropped/cluster": "{count:,} items without a cluster were left out",
    "missing-wrong": "{count:,} missing {what}s are counted as wrong",
    "similar-labels": "labels {first!r} and {second!r} differ only by case or blanks; are they one class?",
    "binned/one": "scores are counted in {bins:,} bins, with edges from {ends}",
    "binned/several": "scores are counted in up to {bins:,} bins for each of {scores} scores, with edges from {ends}",
    "ids-missing": "left out: {count:,} rows have no id (in {where})",
    "ids-twice": "left out: {count:,} ids occur more than once in {where} ({first})",
    "ids-unmatched/only": "left out: {count:,} ids are only in {where} ({first})",
    "ids-unmatched/some": "left out: {count:,} ids are not in every file ({first})",
    "truths-disagree": "left out: {count:,} ids have truths that disagree ({first})",
    "clusters-unmatched": "left out: {count:,} clusters are not in every system ({first})",
    "ids-repeat": "{ids:,} values of {column!r} have several rows; if these belong together, such as answers to one "
    "question, give that column as <cluster>",
}
