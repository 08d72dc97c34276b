"""From data and prior to a posterior: tables under a Dirichlet, items and scores under the Bayesian bootstrap."""

from __future__ import annotations

from typing import Any, overload

from howsure.distribution import check_seed
from howsure.errors import BadSetting
from howsure.items import Items
from howsure.model.ranked import Ranked, of_scores
from howsure.model.resampled import Resampled
from howsure.model.tables import END_ERROR, Posterior, of_table
from howsure.scored import Scored, scored_of
from howsure.table import Tally

__all__ = ["END_ERROR", "Known", "Posterior", "Ranked", "Resampled", "posterior"]

Known = Posterior | Resampled | Ranked


@overload
def posterior(data: Tally, prior: Any = "even", *, tolerance: float = 0.02, seed: int = 0) -> Posterior: ...
@overload
def posterior(data: Items, prior: Any = "even", *, tolerance: float = 0.02, seed: int = 0) -> Resampled: ...
@overload
def posterior(data: Scored, prior: Any = "even", *, tolerance: float = 0.02, seed: int = 0) -> Ranked: ...
def posterior(data: Tally | Items | Scored, prior: Any = "even", *, tolerance: float = 0.02, seed: int = 0) -> Known:
    """The posterior of a tally under a prior: a name, a weight, an array of weights, or an earlier Posterior.

    Items have the Bayesian bootstrap for a posterior; bounds that were given for their values carry the prior. Scored
    items have it too, with the prior's weight above and below all scores ("none" leaves it out).
    """
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 1e-4 <= tolerance <= 1:
        raise BadSetting(f"tolerance is a share of the standard deviation from 0.0001 to 1; got {tolerance!r}.")
    if isinstance(data, Items):
        if not isinstance(prior, str) or prior != "even":
            raise BadSetting(f"items take no other prior than even (on bounds= of their values); got {prior!r}.")
        return Resampled(data, check_seed(seed))
    data = scored_of(data)
    if isinstance(data, Scored):
        return of_scores(data, prior, float(tolerance), check_seed(seed))
    if not isinstance(data, Tally):
        raise BadSetting(
            f"posterior needs a Tally, Items or a curve; got {type(data).__name__}. Make one with hs.tally, "
            "hs.Tally.binary, hs.means or hs.curve."
        )
    return of_table(data, prior, tolerance, check_seed(seed))
