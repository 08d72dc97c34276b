"""correct: what people would have said of all items, where a judge labelled most of them."""

from __future__ import annotations

from typing import Any

from howsure.posteriors.posterior import Posterior, posterior
from howsure.validate import flag


def correct_judge(
    judged: Any,
    validation: Any,
    *,
    external: bool = False,
    prior: Any = "even",
    tolerance: float = 0.02,
    seed: int = 0,
) -> Posterior:
    """The posterior of the rate of passes by human labels, from a judge's verdicts and a validated part.

    `judged` are verdicts (true/false, 1/0, yes/no, pass/fail, C/I) on the items that nobody validated, or their counts,
    hs.Tally.rate(hits=…, of=…); `validation` is (human, judge), two arrays of the validated items, or their table,
    hs.tally(human, judge). Systems are mappings from names: arrays of judged are then of the same items. The validated
    items are a random part of the same population, or were chosen by the verdict alone; with `external=True` they are
    of another one, and only the judge's recall and specificity carry over. One validation for several systems is taken
    so too. Data with columns need no correct: score(frame, judge="verdict", human="label").

    >>> import howsure as hs
    >>> p = correct_judge(hs.Tally.rate(hits=700, of=1000), hs.Tally.binary(tp=60, fp=12, fn=3, tn=25))
    >>> p["rate"]
    rate 0.617 [0.543, 0.687] 95% equal-tailed, sampled
    """
    from howsure.io.judged_items import of_arrays

    return posterior(of_arrays(judged, validation, flag(external, "external")), prior, tolerance=tolerance, seed=seed)
