"""Make the data of docs/studies: five evaluations, simulated, so that the truth behind each is known.

Run it with `python examples/make_studies.py`. Every file has its own seed, and the numbers that a study names as the
truth are the constants here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

HERE = Path(__file__).parent / "studies"
Floats = NDArray[np.float64]


def logistic(x: Any) -> Floats:
    """From log odds to probability."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(x, dtype=float))))


def medical() -> None:
    """420 patients of three clinics, each given a new and an old test; sensitivity .88 and .79, specificity .94, .95.

    Cases differ in how severe they are, so both tests tend to miss the same ones. Some new tests cannot be read.
    """
    rng = np.random.default_rng(41)
    n = 420
    clinic = rng.choice(["north", "harbour", "hill"], n, p=[0.5, 0.3, 0.2])
    ill = rng.random(n) < np.where(clinic == "hill", 0.35, 0.22)
    severe = rng.normal(0, 1, n)
    new = np.where(ill, rng.random(n) < logistic(2.5 + 1.2 * severe), rng.random(n) < 0.06)
    old = np.where(ill, rng.random(n) < logistic(1.7 + 1.2 * severe), rng.random(n) < 0.05)
    words = np.array(["negative", "positive"])
    unread = rng.random(n) < 0.02
    pl.DataFrame({
        "patient": np.arange(1, n + 1), "clinic": clinic, "disease": words[ill.astype(int)],
        "new": np.where(unread, "", words[new.astype(int)]), "old": words[old.astype(int)],
    }).with_columns(pl.col("new").replace("", None)).write_csv(HERE / "medical.csv")  # fmt: skip


def spam() -> None:
    """2,000 labelled mails, half of them spam, as such sets are made; and 1,500 mails as they come in, a tenth spam."""
    rng = np.random.default_rng(42)
    for name, n, share in (("spam_test", 2000, 0.5), ("spam_inbox", 1500, 0.1)):
        is_spam = rng.random(n) < share
        score = logistic(np.where(is_spam, rng.normal(2.2, 1.6, n), rng.normal(-3.0, 1.5, n)))
        pl.DataFrame({
            "mail": np.arange(1, n + 1), "label": np.where(is_spam, "spam", "ham"), "p_spam": score.round(4),
        }).write_csv(HERE / f"{name}.csv")  # fmt: skip


def two_models() -> None:
    """Two models, 200 questions, five samples each, a judge, and people who checked the first sample of some questions.

    Both models are equally good. `passed` is what people would have said of every sample: the study looks at it only at
    the end. The judge lets 15% of wrong answers of `small` pass, and 40% of those of `large`, which write better; it
    fails 5% of right ones.
    """
    rng = np.random.default_rng(61)
    questions, samples = 200, 5
    hard = rng.normal(0, 1.6, questions)
    checked = rng.permutation(questions) < 100
    parts = []
    for model, skill, fooled in (("small", 0.65, 0.15), ("large", 0.65, 0.40)):
        passed = rng.random((questions, samples)) < logistic(skill - hard + rng.normal(0, 0.8, questions))[:, None]
        verdict = np.where(passed, rng.random(passed.shape) > 0.05, rng.random(passed.shape) < fooled)
        human = np.where(checked[:, None] & (np.arange(samples) == 0), passed.astype(int), -1)
        parts.append(pl.DataFrame({
            "model": model, "question": np.repeat(np.arange(1, questions + 1), samples),
            "sample": np.tile(np.arange(1, samples + 1), questions), "verdict": verdict.astype(int).ravel(),
            "human": human.ravel(), "passed": passed.astype(int).ravel(),
        }).with_columns(pl.col("human").replace(-1, None)))  # fmt: skip
    pl.concat(parts).write_csv(HERE / "two_models.csv")
    first = [part.filter(pl.col("sample") == 1) for part in parts]  # one row per question, for what people checked
    columns = {"question": first[0]["question"]}
    for part in first:
        columns |= {f"{part['model'][0]}_{what}": part[what] for what in ("verdict", "human")}
    pl.DataFrame(columns).write_csv(HERE / "two_models_checked.csv")


def search() -> None:
    """40 queries, three engines that see relevance with more or less noise, and judgments of the top 15 of each."""
    rng = np.random.default_rng(44)
    noise = {"words": 1.0, "vectors": 1.1, "both": 0.75}
    runs: dict[str, list[str]] = {name: [] for name in noise}
    judged: list[str] = []
    for query in range(1, 41):
        documents = [f"d{query:02d}{i:03d}" for i in range(200)]
        worth = rng.normal(0, 1, 200)
        grades = np.where(worth > 2.0, 2, np.where(worth > 1.3, 1, 0))
        luck = rng.normal(0, 0.5)  # some queries suit words, some vectors
        pool: set[int] = set()
        for name, spread in noise.items():
            tilt = {"words": 1 - 0.4 * luck, "vectors": 1 + 0.4 * luck, "both": 1.0}[name]
            seen = worth * tilt + rng.normal(0, spread, 200)
            best = np.argsort(-seen)[:25]
            pool |= set(best[:15].tolist())
            runs[name] += [
                f"q{query:02d} Q0 {documents[i]} {rank} {seen[i]:.4f} {name}" for rank, i in enumerate(best, start=1)
            ]
        judged += [f"q{query:02d} 0 {documents[i]} {grades[i]}" for i in sorted(pool)]
    for name, lines in runs.items():
        (HERE / f"search-{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (HERE / "search.qrels").write_text("\n".join(judged) + "\n", encoding="utf-8")


def thousand() -> None:
    """12,000 items of 1,000 classes, few of them frequent; `wide` is better on rare classes, `deep` on the others."""
    rng = np.random.default_rng(45)
    classes, n = 1000, 12_000
    share = 1 / np.arange(3, classes + 3) ** 0.8
    truth = rng.choice(classes, n, p=share / share.sum())
    rank = truth / classes  # 0 is the most frequent class
    sound = {"deep": 0.90 - 0.38 * rank, "wide": 0.82 - 0.18 * rank}
    answers = {}
    for name, right in sound.items():
        near = (truth + rng.integers(1, 8, n)) % classes  # errors go to classes that look alike
        answers[name] = np.where(rng.random(n) < right, truth, near)
    columns = {"truth": truth, **answers}
    pl.DataFrame(columns).cast(pl.Int16).write_parquet(HERE / "thousand.parquet", compression="zstd")


def main() -> None:
    """Write all of them beside this script."""
    HERE.mkdir(exist_ok=True)
    for make in (medical, spam, two_models, search, thousand):
        make()


if __name__ == "__main__":
    main()
