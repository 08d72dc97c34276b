"""Examples at the end of each command's help; they run from the root of the clone."""

from __future__ import annotations

from typing import Final

_WIDEST: Final = 74
_FILE: Final = "examples/breast_cancer.csv"
_CANCER: Final = f"{_FILE} --positive malignant"

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "score": (
        "examples/neighbours.jsonl",
        f"{_CANCER} --truth truth --pred tree --metric f1",
        "--counts tp=80,fp=20,fn=30,tn=870",
        "--counts tp=80,fp=20,fn=30,tn=870 --prevalence 1% --metric precision",
    ),
    "compare": (
        f"{_CANCER} --pred logistic --pred tree",
        "examples/neighbours.jsonl examples/logistic.jsonl --outcome passed --cluster question",
        "--wins 17,4,3278",
    ),
    "leaderboard": (
        f"{_CANCER} --pred logistic --pred tree --pred texture",
        "--rate 47/50 --rate 40/50 --rate 44/50",
    ),
    "forecast": (
        f"{_CANCER} --pred tree --n 200 --metric f1 --below 0.9",
        f"{_CANCER} --pred logistic --pred tree --n 200",
        "--rate 47/50 --n 20",
    ),
    "curve": (
        f"{_CANCER} --score p_tree",
        f"{_CANCER} --score p_tree --best f1",
        f"{_CANCER} --score p_tree --best precision --at-least recall=0.9",
    ),
    "gate": (
        f"{_CANCER} --pred logistic --require 'f1 > 0.9 with 0.95'",
        f"{_CANCER} --pred logistic --pred tree --require 'f1 not worse by 0.01'",
    ),
    "plan": (
        "--metric f1 --expected recall=.8,precision=.7,prevalence=.1 --width .05",
        f"{_CANCER} --pred tree --metric f1 --above .85",
        "--expected rate=.8 --difference .05 --disagreement .1",
    ),
    "solve": ("precision=.75 recall=.6 accuracy=.85 n=200",),
    "surface": ("--z phi fallout=.01",),
    "tradeoff": ("accuracy=.9 prevalence=.2",),
    "trec": ("examples/wine.qrels examples/wine-full.run",),
    "metrics": ("f1",),
    "papers": ("goutte-eq-9",),
}


def epilog(command: str) -> str:
    """The examples of a command as click prints them, line by line; long ones are continued."""
    lines = [x for line in EXAMPLES[command] for x in _continued(f"  howsure {command} {line}")]
    return "\n".join(["\b", "Examples:", *lines])


def _continued(line: str) -> list[str]:
    """Lines of at most 74 columns, broken before options."""
    if len(line) <= _WIDEST or (end := line.rfind(" --", 0, _WIDEST)) < 0:
        return [line]
    return [f"{line[:end]} \\", *_continued(f"    {line[end + 1 :]}")]
