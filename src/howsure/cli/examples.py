"""Examples at the end of each command's help; they run from the root of the clone."""

from __future__ import annotations

from typing import Final

_FILE: Final = "examples/breast_cancer.csv --truth truth --positive malignant"

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "score": ("--counts tp=80,fp=20,fn=30,tn=870", "--rate 47/50", f"{_FILE} --pred tree"),
    "compare": ("--wins 17,4,3278", f"{_FILE} --pred tree --pred texture"),
    "leaderboard": ("--rate 47/50 --rate 40/50 --rate 44/50", f"{_FILE} --pred tree --pred texture"),
    "curve": (f"{_FILE} --score p_tree", f"{_FILE} --score p_tree --best f1"),
    "solve": ("precision=.75 recall=.6 accuracy=.85 n=200",),
    "surface": ("--z phi fallout=.01",),
    "tradeoff": ("accuracy=.9 prevalence=.2",),
    "trec": ("examples/wine.qrels examples/wine-full.run",),
    "metrics": ("f1",),
    "papers": ("goutte-eq-9",),
}


def epilog(command: str) -> str:
    """The examples of a command as click prints them, line by line; long ones are continued."""
    lines = [f"  howsure {command} {line}" for line in EXAMPLES[command]]
    return "\b\nExamples:\n" + "\n".join(x.replace(" --positive", " \\\n    --positive") for x in lines)
