"""One line of every command, on the shipped examples; each writes to the file that --out names, if it can."""

from __future__ import annotations

import shlex

from tests.faults.nursery import ROOT

EXAMPLES = ROOT / "examples"
_CANCER = f"{shlex.quote(str(EXAMPLES / 'breast_cancer.csv'))} --positive malignant"
LINES = {
    "score": f"{_CANCER} --pred tree --metric f1 --metric phi --metric tetrachoric --tolerance 0.1",
    "compare": f"{_CANCER} --pred tree --pred logistic --metric informedness --tolerance 0.1",
    "leaderboard": f"{_CANCER} --pred tree --pred logistic --pred naive_bayes --metric f1 --tolerance 0.1",
    "curve": f"{_CANCER} --score p_tree --tolerance 0.1",
    "trec": shlex.join(str(EXAMPLES / x) for x in ("wine.qrels", "wine-full.run", "wine-color.run")),
    "solve": "precision=.75 recall=.6 accuracy=.85 n=200",
    "tradeoff": "accuracy=.9 prevalence=.2",
    "surface": "--z phi fallout=.01",
    "plan": "--expected rate=.8 --width .2",
    "forecast": f"{_CANCER} --pred tree --n 60 --metric f1 --tolerance 0.1",
    "gate": f"{_CANCER} --pred logistic --require 'f1 > 0.9 with 0.95'",
    "papers": "goutte-eq-9",
    "metrics": "",
    "completion": "bash",
}
WRITE = [name for name in LINES if name != "completion"]


def words(name: str, *more: str) -> list[str]:
    """The words of a command's line."""
    return [name, *shlex.split(LINES[name]), *more]
