"""The trade-off curve of a system whose accuracy and prevalence are known from a test only.

The curve p = r/(2r - e) depends on the table by e = (tp - fp)/(tp + fn) alone, a linear quotient of the cells, whose
posterior is exact. So precision at a given recall is that law through a Möbius map, given that the recall is feasible:
e <= r (else fp would be negative) and r <= (tp + tn)/(tp + fn) (else tn would be). A table cannot break both: one needs
recall above r, the other recall below it. So P(feasible) is 1 minus two exact tails. The law of precision leaves out
the second event and counts its probability as its error; where that is too much (accuracy below or about prevalence,
or few items) it is a sample instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.catalogue import Metric
from howsure.catalogue.expressions import cells
from howsure.distributions.sampled import Sampled
from howsure.distributions.truncated import Truncated
from howsure.errors import BadSetting
from howsure.messages.notes import note
from howsure.messages.numbers import probability, stated
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.posteriors.state import END_ERROR
from howsure.relations.hyperbola import Tradeoff, nice, one_share, share
from howsure.relations.values import short_number
from howsure.results.result import Result, envelope, real
from howsure.validate import AUTO

_tp, _fp, _fn, _tn = cells
EXCESS: Final = Metric(
    "excess", (_tp - _fp) / (_tp + _fn), None, "tp - fp per positive item: the lowest recall, if above 0"
)
REACH: Final = Metric(
    "reach", (_tp + _tn) / (_tp + _fn), None, "accuracy over prevalence: the highest recall, if below 1"
)
NEGLIGIBLE: Final = 1e-13
LEAST: Final = 1e-6  # P(feasible) below which nothing is said of precision
MOST_DRAWS: Final = 2_000_000
CHUNK: Final = 200_000  # tables drawn at a time
GROWN: Final = 10**9  # between the seeds of such chunks
RARE: Final = 0.01  # P(feasible) below which draws are not made by rejection
FEWEST: Final = 200  # draws that a law can be made of
_NUMBERS: Final = ("mean", "std", "median", "low", "high", "value", "probability")
_HELD: Final = note(
    "held",
    "precision if the system gave more or fewer positive answers with its accuracy unchanged; "
    "trade-off means tp > fp: precision falls as recall rises",
)
_FEASIBLE: Final = note(
    "feasible",
    "P(feasible) is the probability that a table with this recall has the accuracy and prevalence; "
    "the other columns are given that it has",
)
Value = Callable[[Any], Any]
Keep = Callable[[Array, Array], Any]


@dataclass(frozen=True)
class Band(Result):
    """The posterior of the trade-off curve: precision at every recall, P(feasible), and P(trade-off).

    `curve` is the curve of the counts themselves; None where they have no accuracy or no positive item.
    """

    posterior: Posterior
    curve: Tradeoff | None
    recalls: tuple[float, ...] | None = None
    level: float = 0.95
    interval: str = AUTO

    # -- laws

    @cached_property
    def excess(self) -> Distribution:
        """(tp - fp)/(tp + fn), which alone gives the curve: the recall at which precision is 1, where it is above 0."""
        return self.posterior[EXCESS]

    @cached_property
    def reach(self) -> Distribution:
        """(tp + tn)/(tp + fn): the highest feasible recall, where it is below 1."""
        return self.posterior[REACH]

    @cached_property
    def p_tradeoff(self) -> float:
        """P(tp > fp), that is P(precision > 1/2): a closed form."""
        return float(self.posterior["precision"].sf(0.5))

    @property
    def p_tradeoff_error(self) -> float:
        """How far it may be off."""
        return float(self.posterior["precision"].error.probability)

    def p_feasible(self, recall: ArrayLike) -> Any:
        """P(some table with this recall has the accuracy and prevalence)."""
        r = share("recall", recall)
        (below, above), (short, far) = self.excess.law.tails(r), self.reach.law.tails(r)
        value = np.clip(np.where(short < 0.5, below - short, far - above), 0.0, 1.0)  # small tails keep their digits
        return float(value) if np.ndim(value) == 0 else np.asarray(value)

    def precision(self, recall: float) -> Distribution:
        """The posterior of precision at this recall, accuracy and prevalence held, given that it is feasible."""
        r = one_share("recall", recall)
        if r == 0:
            raise BadSetting("at recall 0 no positive item is found: precision is 0, or 0/0. Give a recall above 0.")
        p = self.p_feasible(r)
        if p < LEAST:
            raise BadSetting(f"recall {short_number(r)} is out of reach: {self._rare(p)}")
        name = f"precision at recall {short_number(r)}"
        if self._plain(r, p):
            return self._precision(name, np.asarray(r), self._missed(r, p))
        return self._sampled(name, lambda e: r / (2 * r - e), lambda e, reach: (e <= r) & (reach >= r), p)

    def _precision(self, name: str, r: Array, missed: Array) -> Distribution:
        """The exact law of precision, of one recall or of a batch."""
        return self._exact(name, np.full(r.shape, -np.inf), r, (0 * r, r, 0 * r - 1, 2 * r), missed)

    def _plain(self, r: Any, p: Any) -> Any:
        """Whether the law of excess alone gives that of precision, but for a share that is counted as its error."""
        return (self.excess.route != "sampled") & (self._missed(r, p) <= self.posterior.tolerance / 100)

    def _missed(self, r: Any, p: Any) -> Array:
        """P(reach < r) over P(feasible): how far the law of excess alone can be off."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.asarray(self.reach.cdf(r)) / np.asarray(p)
        return np.asarray(np.where(share < NEGLIGIBLE, 0.0, np.where(np.isnan(share), np.inf, share)))

    def _exact(
        self, name: str, low: Array, high: Array, moebius: tuple[Array, Array, Array, Array], missed: Array
    ) -> Distribution:
        """The law of excess between two ends, seen through a Möbius map."""
        a, b, c, d = moebius
        law = Truncated(self.excess.law, low, high, moebius, missed)
        draw = self._sampler(lambda e: (a * e + b) / (c * e + d), lambda e, _: (e >= low) & (e <= high))
        return Distribution(name, law, self.excess.route, draw if np.min(law.kept) > RARE else _by_quantiles(law))

    def recall(self, precision: float) -> Distribution:
        """The posterior of recall at this precision, accuracy and prevalence held, given that some recall has it."""
        p = one_share("precision", precision)
        if p in (0.0, 0.5):
            raise BadSetting(f"at precision {p:g} recall is not settled: every recall has it, or none above 0.")
        k = p / (2 * p - 1)
        low, high = sorted((0.0, 1 / k))
        inside = float(self.excess.cdf(high) - self.excess.cdf(low))
        if inside < LEAST:
            raise BadSetting(f"precision {short_number(p)} is out of reach: {self._rare(inside)}")
        name = f"recall at precision {short_number(p)}"
        if not self._plain(1.0, inside):
            return self._sampled(name, lambda e: k * e, lambda e, reach: _between(k * e, reach), inside)
        one = np.ones(())
        return self._exact(name, low * one, high * one, (k * one, 0 * one, 0 * one, one), self._missed(1.0, inside))

    @property
    def _about(self) -> str:
        t = self.posterior.evidence
        return ", ".join(f"{c} {short_number(float(x))}" for c, x in t.named().items())

    def _rare(self, p: float) -> str:
        return f"P(feasible) is {p:.2g} with the accuracy and prevalence of {self._about}."

    def _tables(self, seed: int, turn: int) -> tuple[Array, Array]:
        """Draws of excess and reach, of the same tables; those of the own seed are kept."""
        key = (seed, turn)
        if key not in self._drawn:
            at = seed + turn * GROWN
            made = self.excess.draws(CHUNK, seed=at), self.reach.draws(CHUNK, seed=at)
            if seed != self.posterior.seed:
                return made
            self._drawn[key] = made
        return self._drawn[key]

    @cached_property
    def _drawn(self) -> dict[tuple[int, int], tuple[Array, Array]]:
        return {}

    def _sampler(self, value: Value, keep: Keep, most: int | None = None) -> Callable[[int, int], Array]:
        """Draws of a value of excess, given that the table is one to keep."""

        def draw(n: int, seed: int) -> Array:
            found: list[Array] = []
            for turn in count():
                if sum(map(len, found)) >= n or (most is not None and turn * CHUNK >= most):
                    break
                e, reach = self._tables(seed, turn)
                kept = keep(e, reach)
                found.append(np.asarray(value(e[kept])))
            return np.concatenate(found)[:n]

        return draw

    def _sampled(self, name: str, value: Value, keep: Keep, p: float) -> Distribution:
        """As many draws as the tolerance asks for, fewer where the event is rare."""
        n = max(10 * FEWEST, int(np.ceil((3 * END_ERROR / self.posterior.tolerance) ** 2)))
        draws = self._sampler(value, keep, most=MOST_DRAWS)(
            min(n, int(max(MOST_DRAWS * p / 4, 1))), self.posterior.seed
        )
        if len(draws) < FEWEST:
            raise BadSetting(f"{name} is out of reach: {self._rare(p)}")
        return Distribution(name, Sampled(np.sort(draws), 0.0, 1.0), "sampled", self._sampler(value, keep))

    # -- document

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        return {} if self.curve is None else {"curve": self.curve.points}

    def at(self) -> Array:
        """The recalls of the rows: those asked for, or round ones that are feasible with some probability."""
        if self.recalls is not None:
            return np.array(self.recalls)
        low = max(0.0, float(self.excess.ppf(0.005)))
        high = min(1.0, float(self.reach.ppf(0.995)))
        found = nice(low, high)
        return found[found > 0]

    def _rows(self) -> list[dict[str, Any]]:
        """A row per recall; the exact laws all at once."""
        r = self.at()
        p = np.atleast_1d(self.p_feasible(r))
        point = np.full(r.shape, np.nan) if self.curve is None else self.curve.precision(r)
        columns = {k: np.full(r.shape, np.nan) for k in _NUMBERS}
        routes = np.full(r.shape, None, dtype=object)
        plain = (r > 0) & (p >= LEAST) & self._plain(r, p)
        if plain.any():
            routes[plain] = self.excess.route
            self._fill(columns, plain, self._precision("precision", r[plain], self._missed(r, p)[plain]))
        for i in np.flatnonzero((r > 0) & (p >= FEWEST / MOST_DRAWS * 8) & ~plain).tolist():
            self._fill(columns, i, self.precision(float(r[i])))
            routes[i] = "sampled"
        rows = []
        for i, route in enumerate(routes.tolist()):
            values = {k: real(x[i]) for k, x in columns.items()}
            error = {"value": values.pop("value"), "probability": values.pop("probability")}
            row = {"recall": real(r[i]), "precision": real(point[i]), "p_feasible": real(p[i])}
            rows.append({**row, **values, "error": error, "route": route})
        return rows

    def _fill(self, columns: dict[str, Array], at: Any, d: Distribution) -> None:
        low, high = d.interval(self.level, kind=self.interval)
        numbers = (d.mean, d.std, d.median, low, high, d.error.value, d.error.probability)
        for k, x in zip(_NUMBERS, numbers, strict=True):
            columns[k][at] = x

    def _make(self) -> dict[str, Any]:
        p = self.posterior
        rows = self._rows()
        notes = [_HELD]
        if any(row["p_feasible"] < 0.9995 for row in rows):
            notes.append(_FEASIBLE)
        sampled = [row for row in rows if row["route"] == "sampled"]
        if sampled:
            worst = max(row["error"]["value"] for row in sampled)
            notes.append(note("sampled", f"{len(sampled)} of {len(rows)} rows are sampled: values within {worst:.1g}"))
        document = envelope(
            "howsure.tradeoff/1", rows, prior=p.prior_document, level=self.level, interval=self.interval, seed=p.seed,
            data=p.evidence.describe(), notes=notes,
        )  # fmt: skip
        return document | {
            "verdict": self.verdict,
            "p_tradeoff": {"value": self.p_tradeoff, "error": self.p_tradeoff_error},
            "trades_off": None if self.curve is None else self.curve.trades_off,
            "curve": None if self.curve is None else self.curve.curve(),
        }

    @property
    def verdict(self) -> str:
        """Whether precision falls as recall rises, in words."""
        return stated("P(trade-off)", probability(self.p_tradeoff))

    def __repr__(self) -> str:
        return f"Band({self.verdict}; {self._about})"


def _by_quantiles(law: Any) -> Callable[[int, int], Array]:
    """Draws of a law by its quantiles, where too few tables would be kept."""

    def draw(n: int, seed: int) -> Array:
        u = np.random.default_rng(seed).uniform(size=n)
        return np.asarray(law.quantile(u, 1.0 - u)[0])

    return draw


def _between(recall: Array, reach: Array) -> Any:
    return (recall >= 0) & (recall <= 1) & (recall <= reach)
