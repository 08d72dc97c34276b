"""Judged items whose validation comes from elsewhere: its recall and specificity carry over, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.kernels import draws as drawing
from howsure.kernels.judge_errors import Verdicts, rate_draws
from howsure.model import judge_notes
from howsure.model.corrected import Cells, Corrected
from howsure.routes import values

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedElsewhere(Corrected):
    """A measure of passes by people, with Betas for the errors of the judge and a uniform law for the rate."""

    @cached_property
    def score(self) -> Array:
        """Rogan and Gladen's estimate, kept within 0 and 1; undefined where the judge does no better than chance."""
        (recall, specificity), unknown = judge_notes.agreement(self.evidence), self.evidence.unknown()
        if recall is None or specificity is None or recall + specificity <= 1.0 or not unknown.sum():
            return np.asarray(np.nan)
        rate = (unknown[1] / unknown.sum() + specificity - 1.0) / (recall + specificity - 1.0)
        return self._values(np.asarray(np.clip(rate, 0.0, 1.0)))

    @property
    def undefined(self) -> str:
        """When the point score is undefined."""
        return "the judge did no better than chance on the validation, or its human labels are all the same"

    def _values(self, rate: Array) -> Array:
        """The measure at rates of passes."""
        one, zero = np.ones_like(rate), np.zeros_like(rate)
        shares = np.stack([1.0 - rate, rate])
        return values(self.human.light, self.cells(shares, np.stack([zero, one]), np.stack([one, zero])), None)

    def drawn_cells(self, j: int, n: int, seed: int, place: int = 0) -> Cells:
        """Draws of passes and fails."""
        del j, place
        rate = self._rates(n, seed)[:, 0]
        return self.cells(np.stack([1.0 - rate, rate]), np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]))

    def _joint(self, j: int, n: int, seed: int) -> Array:
        """The measure of every system, (n, systems)."""
        del j
        return self._values(self._rates(n, seed))

    def _rates(self, n: int, seed: int) -> Array:
        """Draws of the rates of all systems; with one judge for all they share its errors."""
        e = self.evidence
        own = [e.system(name) for name in e.systems]
        if e.shared or len(own) == 1:
            return self._of_one_judge(own[0].judge_table(), np.stack([x.unknown() for x in own]), n, seed)
        apart = [self._of_one_judge(x.judge_table(), x.unknown()[None], n, seed, k) for k, x in enumerate(own)]
        return np.concatenate(apart, axis=1)

    def _of_one_judge(self, table: Array, unknown: Array, n: int, seed: int, place: int = 0) -> Array:
        (miss, hit), _ = self.weights
        recall, specificity = table[1, ::-1] + hit, table[0] + miss
        seen = Verdicts(unknown[:, 1].astype(float), unknown.sum(axis=1).astype(float), self._correlation(len(unknown)))
        rng = drawing.generator(seed, 40_009, place, table, unknown, self.weights)
        found = rate_draws(recall, specificity, seen, n, rng) if _possible(recall, specificity, seen) else None
        if found is None:
            raise BadSetting(
                "these verdicts cannot come from a judge with the recall and specificity of the validation: the judge "
                "does otherwise here; validate some of these items."
            )
        return found

    def _correlation(self, systems: int) -> Array:
        """Of the verdicts on systems judged on the same items; 0 where these are not."""
        e = self.evidence
        if systems == 1:
            return np.ones((1, 1))
        own = e.own & (e.cells >= 0).all(axis=1)
        weight = e.counts[own].astype(float)
        if not weight.sum():
            return np.eye(systems)
        said = (e.cells[own] // 3).astype(float)
        centred = said - np.average(said, axis=0, weights=weight)
        spread = (centred * weight[:, None]).T @ centred / weight.sum()
        scale = np.sqrt(np.diag(spread))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = spread / np.outer(scale, scale)
        found = np.where(np.isfinite(found), found, 0.0)
        np.fill_diagonal(found, 1.0)
        return np.asarray(found)

    def variances(self, n: int) -> tuple[float, float]:
        """Of the measure, and of what the judge's errors add to it."""
        drawn = self.draws(n, self.state.seed)
        (recall, specificity), unknown = judge_notes.agreement(self.evidence), self.evidence.unknown()
        passed, gap = unknown[1] / unknown.sum(), (recall or 0.0) + (specificity or 0.0) - 1.0
        whole = float(np.var(drawn))
        rest = passed * (1.0 - passed) / unknown.sum() / gap**2 if gap > 0 else 0.0
        return whole, max(whole - float(rest), 0.0)


_TRIED, _LEAST = 20_000, 1e-3


def _possible(recall: Array, specificity: Array, seen: Verdicts) -> bool:
    """Whether the shares of passes can lie between fallout and recall: in at least one in a thousand draws of them."""
    rng = np.random.default_rng(40_010)
    ends = np.sort(
        np.stack([rng.beta(recall[0], recall[1], _TRIED), rng.beta(specificity[1], specificity[0], _TRIED)]), axis=0
    )
    shares = rng.beta(seen.passes + 0.5, seen.trials - seen.passes + 0.5, (_TRIED, len(seen.passes)))
    between = (shares >= ends[0][:, None]) & (shares <= ends[1][:, None])
    return bool((between.mean(axis=0) >= _LEAST).all())
