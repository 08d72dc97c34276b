"""Rates behind the verdicts of a fallible judge whose errors were measured on other items.

Statement: a judge passes a share q = π·se + (1 - π)·(1 - sp) of items whose true rate is π (Rogan & Gladen 1978). With
Betas for recall se and specificity sp, a uniform law for π, and x passes of n, the posterior of (se, sp) has the weight
W = (I(se) - I(1 - sp)) / (se + sp - 1), where I is the cdf of Beta(x + 1, n - x + 1), and q is that Beta between 1 - sp
and se. Several rates that share the judge multiply their weights; their q go together as the verdicts do, by a normal
copula, whose margins are exact.
Domain: any counts; recall and specificity may add up to less than 1. Verdicts that no judge of the validation could
have given have weights of 0 throughout: then there is no answer (None).
Numerics: (se, sp) come from a grid of cells over all but 1e-13 of each Beta, a cell with its own probability and the
weight at its middle; within a cell draws are uniform. The Beta of q is tabulated, and read by straight lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array

CELLS = 240
_TAIL = 1e-13
_ALIKE = 1e-9  # recall and fallout: the verdicts say nothing
_REACH, _NODES = 10.0, 4096  # standard deviations around the share of passes, and nodes of its tabulated Beta


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Passes and trials of each system, and how the verdicts on the systems go together (correlations)."""

    passes: Array
    trials: Array
    correlation: Array


def rate_draws(recall: Array, specificity: Array, seen: Verdicts, n: int, rng: np.random.Generator) -> Array | None:
    """n draws of the rates, (n, systems); `recall` and `specificity` are the shapes of their Betas."""
    (se, se_width, p_se), (sp, sp_width, p_sp) = _cells(recall), _cells(specificity)
    weight = (
        p_se[:, None]
        * p_sp[None, :]
        * np.prod([_weight(se, sp, x, m) for x, m in zip(seen.passes, seen.trials, strict=True)], axis=0)
    )
    total = weight.sum()
    if not total > 0:
        return None
    chosen = np.searchsorted(np.cumsum(weight.ravel()) / total, rng.random(n), side="right")
    i, j = np.divmod(np.minimum(chosen, weight.size - 1), len(sp))
    se_drawn = se[i] + se_width * (rng.random(n) - 0.5)
    sp_drawn = sp[j] + sp_width * (rng.random(n) - 0.5)
    uniform = _together(seen.correlation, n, rng)
    columns = [_rate(se_drawn, sp_drawn, x, m, u) for x, m, u in zip(seen.passes, seen.trials, uniform.T, strict=True)]
    return np.stack(columns, axis=1)


def _cells(shapes: Array) -> tuple[Array, float, Array]:
    """Middles of cells of a Beta, their width, and their probabilities."""
    from scipy.special import betainc, betaincc, betainccinv, betaincinv

    a, b = shapes
    edges = np.linspace(betaincinv(a, b, _TAIL), betainccinv(a, b, _TAIL), CELLS + 1)
    low, high = np.diff(betainc(a, b, edges)), -np.diff(betaincc(a, b, edges))
    middle = 0.5 * (edges[1:] + edges[:-1])
    return middle, float(edges[1] - edges[0]), np.maximum(np.where(middle < a / (a + b), low, high), 0.0)


def _weight(se: Array, sp: Array, x: float, m: float) -> Array:
    """The probability of x passes of m at recalls and specificities, up to a factor, (recalls, specificities)."""
    from scipy.special import betainc, betaincc, gammaln

    a, b = x + 1.0, m - x + 1.0
    low, high = (1.0 - sp)[None, :], se[:, None]
    gap = high - low
    below = betainc(a, b, high) - betainc(a, b, low)
    above = betaincc(a, b, low) - betaincc(a, b, high)
    mass = np.where(np.minimum(low, high) < a / (a + b), below, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_pdf = (a - 1) * np.log(high) + (b - 1) * np.log1p(-high) - (gammaln(a) + gammaln(b) - gammaln(a + b))
        return np.where(np.abs(gap) < _ALIKE, np.exp(log_pdf), mass / gap)


def _together(correlation: Array, n: int, rng: np.random.Generator) -> Array:
    """Uniform numbers that go together by a normal copula, (n, systems)."""
    from scipy.special import ndtr

    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(ndtr(rng.standard_normal((n, len(correlation))) @ root.T))


def _rate(se: Array, sp: Array, x: float, m: float, u: Array) -> Array:
    """The rate at a recall and a specificity: the share of passes is a Beta between 1 - sp and se."""
    from scipy.special import betainc, betaincc

    a, b = x + 1.0, m - x + 1.0
    middle = a / (a + b)
    reach = _REACH * np.sqrt(middle * (1.0 - middle) / (a + b + 1.0))
    near = np.linspace(max(middle - reach, 0.0), min(middle + reach, 1.0), _NODES)
    nodes = np.unique(np.concatenate([near, np.linspace(0.0, 1.0, _NODES // 8)]))
    low, high = np.minimum(1.0 - sp, se), np.maximum(1.0 - sp, se)
    share = np.empty_like(u)
    for here, side in ((low < middle, betainc(a, b, nodes)), (low >= middle, -betaincc(a, b, nodes))):
        first, last = (np.interp(end[here], nodes, side) for end in (low, high))
        share[here] = np.interp(first + u[here] * (last - first), side, nodes)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = (np.clip(share, low, high) - (1.0 - sp)) / (se + sp - 1.0)
    return np.clip(np.where(np.abs(se + sp - 1.0) < _ALIKE, u, rate), 0.0, 1.0)
