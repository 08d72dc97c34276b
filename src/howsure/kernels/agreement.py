"""phi and Cohen's kappa of four Dirichlet cells: where they reach a value, along one share of the table.

Statement: a Dirichlet splits into three independent Betas in several ways. By right and wrong answers: the share of
right answers; that of tp among the right; that of fp among the wrong. By tn and the rest (Jaccard): the share of tp
among tp, fp, fn; that of tn in all; that of fp among the wrong. And the latter with the classes swapped. Given the two
others, both measures rise with the first share y, so P(M <= t) is the mean of P(y <= y*(t)) over the two others.
Formula: in the odds r of y the cells are tp = a0 + a1·r, tn = d0 + d1·r, with fp = b and fn = c fixed and total 1 + r.
kappa = t is a quadratic in r. For phi, atanh phi = asinh(N/√R) with N = tp·tn - fp·fn and R the product of the
margins less N², a sum of products that are never negative: nothing cancels next to 1, and Newton's steps in log r, from
kappa's root, are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Kind = Literal["phi", "kappa"]

RIGHT, POSITIVE, NEGATIVE = 0, 1, 2  # splits: by right answers, by the Jaccard share of a class
_STEPS: Final = 40
_SETTLED: Final = 1e-7  # steps shrink by squares
_FAR: Final = 170.0  # of log r: four cells can be multiplied without overflow


def shapes(split: Index, tp: Array, fp: Array, fn: Array, tn: Array) -> list[tuple[Array, Array]]:
    """The Betas of the inner share and of both outer ones."""
    wrong = fp + fn
    inner = np.choose(split, [tp + tn, tp, tn])
    kept = np.choose(split, [tp, tn, tp])
    rest = np.choose(split, [tn, tp + wrong, tn + wrong])
    inner, wrong, kept, rest, fp, fn = np.broadcast_arrays(inner, wrong, kept, rest, fp, fn)
    return [(inner, wrong), (kept, rest), (fp, fn)]


@dataclass(frozen=True)
class CellLines:
    """The cells as lines in the odds r of the inner share, at given outer shares (u, 1-u) and (v, 1-v)."""

    a0: Array
    a1: Array
    d0: Array
    d1: Array
    b: Array
    c: Array

    @staticmethod
    def make(split: Index, u: Array, u_rest: Array, v: Array, v_rest: Array) -> CellLines:
        zero = np.zeros_like(u)
        outside = np.where(split == RIGHT, 1.0, u_rest)
        return CellLines(
            np.where(split == NEGATIVE, u, zero),
            np.where(split == POSITIVE, u_rest, u),
            np.where(split == POSITIVE, u, zero),
            np.where(split == POSITIVE, u, u_rest),
            outside * v,
            outside * v_rest,
        )

    def at(self, rows: NDArray[np.intp] | slice) -> CellLines:
        """The lines of some tables."""
        return CellLines(*(x[rows] for x in (self.a0, self.a1, self.d0, self.d1, self.b, self.c)))

    def atanh_phi(self, r: Array) -> tuple[Array, Array]:
        """atanh phi at odds r, and its slope by log r."""
        b, c = self.b, self.c
        da, dd = self.a1 * r, self.d1 * r
        a, d = self.a0 + da, self.d0 + dd
        ad, bc = a * d, b * c
        n, dn = ad - bc, da * d + a * dd
        p, q = a * c + b * d, a * b + c * d
        dp, dq = da * c + b * dd, da * b + c * dd
        rest = 4.0 * ad * bc + (ad + bc) * (p + q) + p * q
        more = 4.0 * dn * bc + dn * (p + q) + (ad + bc) * (dp + dq) + dp * q + p * dq  # the slope of rest
        slope = (dn - 0.5 * n * (more / rest)) / np.sqrt(rest + n * n)  # that of the margins would cancel next to 1
        return np.arcsinh(n / np.sqrt(rest)), slope

    def atanh_kappa(self, r: Array) -> tuple[Array, Array]:
        """atanh kappa at odds r, and its slope by log r."""
        da, dd = self.a1 * r, self.d1 * r
        a, d = self.a0 + da, self.d0 + dd
        half = 0.5 * (self.b + self.c)
        n = a * d - self.b * self.c
        low = half * (1.0 + r)
        high = 2.0 * n + low
        dn = da * d + a * dd
        return 0.5 * np.log(high / low), (dn - n * r / (1.0 + r)) / high

    def root(self, kind: Kind, h: Array) -> tuple[Array, Mask]:
        """log r where the measure is tanh h, and whether it is: kappa may lie above a low value everywhere."""
        z, there = self._kappa_root(h)
        return (z, there) if kind == "kappa" else (self._phi_root(h, z), there)

    def _kappa_root(self, h: Array) -> tuple[Array, Mask]:
        """(1-t)·N = t·(fp+fn)/2·(1+r), a quadratic with one root above 0, or none."""
        with np.errstate(over="ignore"):
            odds = 0.5 * np.expm1(2.0 * h)  # t/(1-t)
        wrong = odds * 0.5 * (self.b + self.c)
        two, one = self.a1 * self.d1, self.a0 * self.d1 + self.a1 * self.d0 - wrong
        none = -self.b * self.c - wrong
        there = none < 0
        none = np.where(there, none, -1.0)
        root = np.sqrt(one * one - 4.0 * two * none)
        with np.errstate(divide="ignore", invalid="ignore"):
            r = np.where(one > 0, -2.0 * none / (one + root), (root - one) / (2.0 * two))
        return np.clip(np.log(r), -_FAR, _FAR), there

    def _phi_root(self, h: Array, z: Array) -> Array:
        """Newton's steps from kappa's root, not below the point where phi is 0; for h >= 0."""
        least = self._kappa_root(np.zeros(()))[0]
        z = np.maximum(z, least)
        for _ in range(_STEPS):
            value, slope = self.atanh_phi(np.exp(z))
            step = np.clip((h - value) / slope, -10.0, 10.0)
            z = np.clip(z + step, least, _FAR)
            if not (np.abs(step) > _SETTLED).any():
                break
        return z


def at_logs(kind: Kind, *logs: Array) -> Array:
    """The measure at the logs of tp, fp, fn and tn, which may be far below the smallest double."""
    a, b, c, d = logs
    said, unsaid, yes, no = (np.logaddexp(x, y) for x, y in ((a, b), (c, d), (a, c), (b, d)))
    half, even = 0.5 * (said + unsaid + yes + no), np.logaddexp(said + no, yes + unsaid) - np.log(2.0)
    scale = half if kind == "phi" else even
    return np.asarray(np.clip(np.exp(a + d - scale) - np.exp(b + c - scale), -1.0, 1.0))
