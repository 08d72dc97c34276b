"""shift: what a test says of a target in which positives are rarer, or more frequent, than among its items."""

from __future__ import annotations

from typing import Any

from howsure.posteriors.posterior import Posterior
from howsure.verbs.inputs import entered, shifted_posterior


def shift(data: Any, prevalence: Any) -> Posterior:
    """The posterior in a target with this share of positives: recall and specificity carry over, the rest follows.

    `data` is a posterior or a Tally. `prevalence` is a number; a pair, taken as uniform between its ends; or a sample
    of the target: a Tally with its truths, or Tally.rate(hits=positives, of=items), which gives a Beta under the same
    prior. The tested share of positives is not used.

    >>> from howsure.evidence.classes import Tally
    >>> p = shift(Tally.binary(tp=90, fp=50, fn=10, tn=950), prevalence=0.01)
    >>> p["precision"]
    precision 0.154 [0.121, 0.194] 95% equal-tailed, quadrature
    """
    return shifted_posterior(entered("shift", data, None, {}).posterior, prevalence)
