"""Tails of Beta laws with large shapes, by one uniform expansion around the normal law.

Statement: for B ~ Beta(a, b), s = a + b and z = logit B measured from its mode, the density is exp(-s·δ(z)) times its
peak, δ(z) = log(q + p·exp(z)) - p·z with p = a/s, q = 1 - p. With δ = pq·η²/2 a tail is that of exp(-w²/2)·dz/dη over
w = η·√κ, κ = ab/s; and dz/dη = Σ d_k(q - p)·η^k, each d_k a polynomial (at q - p = 1 those of Temme for the Gamma law,
DLMF 8.12). Integrals of w^k·exp(-w²/2) follow from each other, so nothing is summed that has two signs but for d_k.
Domain: κ from 1e3 on, |η| up to 0.3; beyond lie tails below 1e-20.
Error: what is left out is below 1e-15 of the tail; held against mpmath, and against scipy, which takes ten times as
long and more, in tests/laws/test_beta_expansion.py.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Polynomial = list[Fraction]  # coefficients, the constant first

LEAST: Final = 1e3  # of κ
FURTHEST: Final = 0.3  # of η
_TERMS: Final = 14
_PIECE: Final = 8_192  # points at a time: all of their arrays stay in the cache


def fits(a: Array, b: Array, drop: Array) -> NDArray[np.bool_]:
    """Whether the point at which the log density lies so far below its peak is one for the expansion."""
    kappa = a / (a + b) * b
    return (kappa >= LEAST) & (2.0 * drop <= FURTHEST * FURTHEST * kappa)


def tail(a: Array, b: Array, drop: Array, log_factor: Array) -> Array:
    """The tail beyond a point below the mean, flat; log_factor is that of the peak to a normal one of variance 1/κ."""
    out = np.empty(drop.shape)
    for start in range(0, drop.size, _PIECE):
        at = slice(start, start + _PIECE)
        out[at] = _tail(a[at], b[at], drop[at]) * np.exp(log_factor[at])
    return out


def _tail(a: Array, b: Array, drop: Array) -> Array:
    s = a + b
    turn, step = (b - a) / s, 1.0 / np.sqrt(a / s * b)
    w = np.sqrt(2.0 * drop)
    c = _terms(turn, step)
    above = np.zeros(w.shape)  # Σ c_k·w^(k-1) from k = 2 on, of ∫w^k·exp(-w²/2) = w^(k-1)·exp(-w²/2) + (k-1)·∫w^(k-2)…
    for k in range(_TERMS - 1, 1, -1):
        above = above * w + c[k]
        c[k - 2] = c[k - 2] + (k - 1) * c[k]
    below_peak = (above * w + c[1]) * np.exp(-drop)
    return np.asarray(0.5 * c[0] * special.erfc(np.sqrt(drop)) + below_peak / math.sqrt(2.0 * math.pi))


def _terms(turn: Array, step: Array) -> list[Array]:
    """(-1)^k·d_k·step^k: the sign is that of the side below the mean."""
    square, power, found = turn * turn, np.ones(step.shape), []
    for k, own in enumerate(_coefficients()):
        value = np.full(step.shape, own[-1])
        for x in own[-2::-1]:
            value = value * square + x
        found.append(power * (-turn * value if k % 2 else value))
        power = power * step
    return found


@cache
def _coefficients() -> tuple[tuple[float, ...], ...]:
    """Of each d_k, those of g^(k mod 2), g^(k mod 2 + 2), …: d_k is odd or even as k is."""
    return tuple(tuple(float(x) for x in d[k % 2 :: 2]) for k, d in enumerate(slopes(_TERMS)))


def slopes(terms: int) -> list[Polynomial]:
    """d_0, d_1, … as polynomials in g = q - p, exactly.

    E = δ'(z)/pq keeps to dE/dz = 1 + g·E - pq·E² and to E·dz = η·dη, so that S = E² has, with E = Σ E_k·η^k,
    k/2·S_k = [k = 2] + g·E_(k-2) - pq·S_(k-2), and dz/dη is η/E.
    """
    share = [Fraction(1, 4), Fraction(0), Fraction(-1, 4)]  # pq
    e: list[Polynomial] = [[], [Fraction(1)]]
    square: list[Polynomial] = [[], [], [Fraction(1)]]
    for k in range(3, terms + 2):
        rise = _sum(_product([Fraction(0), Fraction(1)], e[k - 2]), _product(share, square[k - 2]), Fraction(-1))
        square.append([Fraction(2, k) * x for x in rise])
        rest = square[k]
        for i in range(2, k - 1):
            rest = _sum(rest, _product(e[i], e[k - i]), Fraction(-1))
        e.append([x / 2 for x in rest])
    d: list[Polynomial] = [[Fraction(1)]]
    for k in range(1, terms):
        d.append([])
        for i in range(1, k + 1):
            d[k] = _sum(d[k], _product(e[i + 1], d[k - i]), Fraction(-1))
    return [x[: k + 1] for k, x in enumerate(d)]


def _sum(x: Polynomial, y: Polynomial, by: Fraction) -> Polynomial:
    size = max(len(x), len(y))
    x, y = (part + [Fraction(0)] * (size - len(part)) for part in (x, y))
    return [p + by * q for p, q in zip(x, y, strict=True)]


def _product(x: Polynomial, y: Polynomial) -> Polynomial:
    made = [Fraction(0)] * max(0, len(x) + len(y) - 1)
    for i, p in enumerate(x):
        for j, q in enumerate(y if p else ()):
            if q:
                made[i + j] += p * q
    return made
