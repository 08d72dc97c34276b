"""Routes: which kernel computes a metric under a model of the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.catalogue import Metric
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Form, Linear, PhiOrKappa, Rising, Square, TwoRates

if TYPE_CHECKING:
    from howsure.distributions.contour import GammaQuotient
    from howsure.distributions.protocol import Law


# -- cell models
#
# Models of the cells of a table: the shapes of their law, and draws of them.
#
# Flat: cell probabilities are Dirichlet. Two-level (Zhang, Wang & Zhao 2015): each truth row is, and so are the class
# shares.

Shapes = dict[str, Array]


@dataclass(frozen=True)
class Model:
    """Shapes of the four cells; `shares` are the shapes of the class shares when they are not the row sums.

    `scales` tell what a unit of each cell weighs, and of each class share, where items have weights that differ.
    """

    cells: Shapes
    shares: tuple[Array, Array] | None = None
    scales: Shapes | None = None
    share_scales: tuple[Array, Array] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.cells["tp"])

    def size(self) -> int:
        """The number of tables."""
        return int(np.prod(self.shape, dtype=int))

    def picked(self, tables: Mask | Index) -> Model:
        """Some tables of a batch with one axis."""

        def own(x: Array) -> Array:
            return np.broadcast_to(x, self.shape)[tables]

        def cells(x: Shapes | None) -> Shapes | None:
            return None if x is None else {c: own(values) for c, values in x.items()}

        def pair(x: tuple[Array, Array] | None) -> tuple[Array, Array] | None:
            return None if x is None else (own(x[0]), own(x[1]))

        return replace(
            self,
            cells=cells(self.cells) or {},
            shares=pair(self.shares),
            scales=cells(self.scales),
            share_scales=pair(self.share_scales),
        )

    def distinct(self) -> tuple[list[int], Index]:
        """The first of all equal tables, and the place of each table among these."""
        parts = [*self.cells.values(), *(self.shares or ()), *(self.scales or {}).values(), *(self.share_scales or ())]
        rows = np.stack([np.broadcast_to(x, self.shape).ravel() for x in parts], axis=1)
        _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first.tolist(), place.reshape(-1)

    def equals_before(self) -> list[int]:
        """How many tables before each table are equal to it."""
        first, place = self.distinct()
        seen, before = [0] * len(first), []
        for k in place.tolist():
            before.append(seen[k])
            seen[k] += 1
        return before

    def tables(self, n: int, seed: int) -> Iterator[tuple[Shapes, Shapes | None]]:
        """n draws of every table of the batch, all independent."""
        for j, before in enumerate(self.equals_before()):
            yield self.table(j, n, seed, before)

    def table(self, j: int, n: int, seed: int, place: int = 0, rows: int = 0) -> tuple[Shapes, Shapes | None]:
        """n draws of the cell probabilities of one table of the batch, and their logs when small shapes need them.

        Equal tables have equal draws; other places give independent ones. Another number of `rows` gives independent
        ones within the truth rows, at the same class shares, where these are known apart.
        """
        from howsure.distributions import sampling

        cells = np.array([np.broadcast_to(self.cells[c], self.shape).ravel()[j] for c in CELLS])
        scale = None
        if self.scales is not None:
            scale = np.array([np.broadcast_to(self.scales[c], self.shape).ravel()[j] for c in CELLS])
        if self.by_rows:
            yes, no = self.class_shares(j, n, seed, place)
            one, two, own = [0, 2], [3, 1], seed + rows
            row = sampling.log_shares(cells[one], n, own + 1_000_003, place, None if scale is None else scale[one])
            other = sampling.log_shares(cells[two], n, own + 2_000_003, place, None if scale is None else scale[two])
            joined = np.stack([yes + row[0], no + other[1], yes + row[1], no + other[0]])
            plain, logs = np.exp(joined), joined
        else:
            plain, logs = sampling.shares(cells, n, seed, place, scale)  # type: ignore[assignment]
        named = dict(zip(CELLS, plain, strict=True))
        return named, None if logs is None else dict(zip(CELLS, logs, strict=True))

    @property
    def by_rows(self) -> bool:
        """Whether the class shares are known apart from the truth rows."""
        return self.shares is not None

    def class_shares(self, j: int, n: int, seed: int, place: int = 0) -> Array:
        """Logs of n draws of the class shares of one table, yes and no."""
        from howsure.distributions import sampling

        shapes = np.array([float(np.ravel(x)[j]) for x in self.shares or ()])
        by = None if self.share_scales is None else np.array([float(np.ravel(x)[j]) for x in self.share_scales])
        return sampling.log_shares(shapes, n, seed, place, by)


@dataclass(frozen=True)
class Mixed:
    """Strata with posteriors of their own, put together by their shares of the population."""

    strata: Model
    shares: tuple[float, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    def size(self) -> int:
        """One table."""
        return 1

    def table(self, j: int, n: int, seed: int) -> tuple[Shapes, Shapes | None]:
        """n draws of the cell probabilities of the population."""
        del j
        parts = [self.strata.table(h, n, seed, h)[0] for h in range(self.strata.size())]
        mixed = {c: sum(w * part[c] for w, part in zip(self.shares, parts, strict=True)) for c in CELLS}
        return {c: np.asarray(x) for c, x in mixed.items()}, None


# -- routes
#
# From (form, model) to a law: the table of routes, and the draws that are left where there is none.
#
# Flat model: cell probabilities are Dirichlet, so cells are normalised independent Gammas. Two-level model (Zhang,
# Wang & Zhao 2015): each truth row is Dirichlet and so are the class shares; rates within rows are the same Betas,
# everything across rows needs draws.

Routed = tuple["Law", str]  # a law and the name of its route

FEW = 64  # tables of a batch, whose laws of four weighted groups are made one by one
TINY = 0.02  # below, a measure of tp, fp and fn jumps across any grid of nodes, and is sampled
NEARLY_EMPTY, HUGE = 5.0, 1e9  # next to counts like these no product rule sees a nearly empty cell


def exact_law(metric: Metric, model: Model) -> tuple[Law | None, str]:
    """The law by the form of the metric and the model, or None where draws are left for some table."""
    if not _within_reach(metric.reading.form, model).all():
        return None, "sampled"
    law, route, served = exact_part(metric, model)
    return (law, route) if served.all() else (None, "sampled")


def exact_part(metric: Metric, model: Model) -> tuple[Law | None, str, Mask]:
    """The law of the tables that have an exact one, and which these are: all, or some of a batch of one axis."""
    form = metric.reading.form
    served = _within_reach(form, model)
    every = bool(served.all())
    law, route = None, "sampled"
    if every or (served.ndim == 1 and served.any()):
        law, route = outside(_route(form, model if every else model.picked(served)), metric.reading.outer)
    found = None if law is None else (law, route, served)
    if law is not None and isinstance(form, PhiOrKappa):
        found = _trusted(law, route, served)
    return found or (None, "sampled", np.zeros(model.shape, dtype=bool))


def _trusted(law: Law, route: str, served: Mask) -> tuple[Law, str, Mask] | None:
    """The law of the tables that its rules can tell, where there are any."""
    from howsure.distributions.agreement import AgreementLaw

    assert isinstance(law, AgreementLaw)  # noqa: S101 - narrows the type
    good = ~law.lost
    if good.all():
        return law, route, served
    if served.ndim != 1 or not good.any():
        return None
    kept = served.copy()
    kept[served] = good
    return law.rows(good, law.shape), route, kept


def _within_reach(form: Form, model: Model) -> Mask:
    """Tables whose cells are not too small for the rules of this form."""
    if isinstance(form, Rising):
        large = np.min([model.cells[c] >= TINY for c in ("tp", "fp", "fn")], axis=0)
        return np.array(np.broadcast_to(large, model.shape), dtype=bool)
    if isinstance(form, PhiOrKappa):
        table = np.stack(np.broadcast_arrays(*(model.cells[c] for c in CELLS)))
        least, most = table.min(axis=0), table.max(axis=0)
        one_cell = np.sum(table < 1.0, axis=0) == 3  # all mass beyond 0 lies next to it: not worth a trial
        return np.asarray((least >= TINY) & ~((least < NEARLY_EMPTY) & (most > HUGE)) & ~one_cell)
    return np.ones(model.shape, dtype=bool)


def outside(made: Routed | None, outer: str) -> tuple[Law | None, str]:
    """The law of a monotone function of what has this one."""
    if made is None or not outer:
        return (None, "sampled") if made is None else made
    from howsure.distributions.continuous import WithMoments
    from howsure.distributions.integral import Transformed

    law, route = made
    return (Transformed(law, outer), route) if isinstance(law, WithMoments) else (None, "sampled")


def _route(form: Form, model: Model) -> Routed | None:
    flat = model.shares is None
    if isinstance(form, Linear):
        if flat:
            return _linear_law(form, model.cells, model.scales)
        return _two_level_linear(form, model)
    if isinstance(form, TwoRates) and (flat or form.chart == "rows"):
        return rates_law(form, model.cells, model.scales)
    if isinstance(form, Rising) and flat:
        return _rising_law(form, model.cells, model.scales)
    if isinstance(form, PhiOrKappa) and flat and model.scales is None:
        return _agreement_law(form, model.cells)
    return None


def _agreement_law(form: PhiOrKappa, cells: Shapes) -> Routed:
    """phi and kappa, by product rules over the shares of a table."""
    from howsure.distributions.agreement import AgreementLaw

    tp, fp, fn, tn = (cells[c] for c in CELLS)
    return AgreementLaw(form.kind, (tp, fp, fn, tn)), "quadrature"


def _linear_law(form: Linear, cells: Shapes, scales: Shapes | None = None) -> Routed | None:
    """Cells with equal coefficients add to one Gamma; two groups are closed, three and four take an integral."""
    if scales is not None:
        used = [k for k in zip(CELLS, form.top, form.bottom, strict=True) if (k[1] or k[2]) and np.any(cells[k[0]])]
        return weighed_groups_law([((u, v), cells[c], scales[c]) for c, u, v in used])
    groups: dict[tuple[float, float], Array] = {}
    for c, top, bottom in zip(CELLS, form.top, form.bottom, strict=True):
        if top or bottom:
            own = groups.get((top, bottom))
            groups[top, bottom] = np.asarray(cells[c] if own is None else own + cells[c], dtype=float)
    return linear_groups_law({k: v for k, v in groups.items() if v.any()})


def weighed_groups_law(parts: Sequence[tuple[tuple[float, float], Array, Array]]) -> Routed | None:
    """The same of ((top, bottom), shape, scale): parts alike in both add to one Gamma, and so no scale may be left.

    Four and more take the contour, table by table of a small batch; those of a larger one are left to draws.
    """
    groups: list[tuple[tuple[float, float], Array, Array]] = []
    for pair, shape, scale in parts:
        at = next((i for i, g in enumerate(groups) if g[0] == pair and np.array_equal(g[2], scale)), None)
        if at is None:
            groups.append((pair, np.asarray(shape, dtype=float), np.asarray(scale, dtype=float)))
        else:
            groups[at] = (pair, groups[at][1] + shape, scale)
    pairs, shapes, scales = zip(*groups, strict=True)
    if all(np.array_equal(x, scales[0]) for x in scales):
        return linear_groups_law(dict(zip(pairs, shapes, strict=True)))
    if len(groups) == 2:
        from howsure.distributions.moebius import Moebius

        ((u1, v1), a, s), ((u2, v2), b, r) = groups if _rises(*pairs) else groups[::-1]
        return Moebius(a, b, u1, v1, u2, v2, s / r), "closed form"
    if len(groups) > 3 and len(shapes[0].shape) < 2 and shapes[0].size <= FEW and all(v for _, v in pairs):
        from howsure.distributions.stacked import stacked

        tables = range(shapes[0].size)
        single = [[(k, np.ravel(a)[j], np.ravel(s)[j]) for k, a, s in groups] for j in tables]
        return stacked([_contour_law(parts) for parts in single], shapes[0].shape), "quadrature"
    if len(groups) == 3:
        from howsure.distributions.integral import Integral
        from howsure.distributions.linear_quotient import LinearQuotient

        top, bottom = tuple(k[0] for k in pairs), tuple(k[1] for k in pairs)
        return Integral(LinearQuotient(shapes, top, bottom, scales)), "quadrature"
    return None


def linear_groups_law(groups: dict[tuple[float, float], Array]) -> Routed | None:
    """The law of Σ top·G / Σ bottom·G over groups {(top, bottom): shape}: two are closed, three or four an integral."""
    if len(groups) == 2:
        from howsure.distributions.moebius import Moebius

        ((u1, v1), a), ((u2, v2), b) = groups.items()
        if u1 * v2 < u2 * v1:
            u1, v1, a, u2, v2, b = u2, v2, b, u1, v1, a
        return Moebius(np.asarray(a), np.asarray(b), u1, v1, u2, v2), "closed form"
    if len(groups) in (3, 4):
        from howsure.distributions.integral import Integral
        from howsure.distributions.linear_quotient import LinearQuotient

        tops, bottoms = tuple(k[0] for k in groups), tuple(k[1] for k in groups)
        return Integral(LinearQuotient(tuple(groups.values()), tops, bottoms)), "quadrature"
    return None


def _contour_law(groups: Sequence[tuple[tuple[float, float], Array, Array]]) -> GammaQuotient:
    """The law of a single table, from ((top, bottom), shape, scale)."""
    from howsure.distributions.contour import GammaQuotient

    both = np.array([k for k, _, _ in groups]) * np.array([float(s) for _, _, s in groups])[:, None]
    return GammaQuotient(both[:, 0], both[:, 1], np.array([float(a) for _, a, _ in groups]))


def _rises(one: tuple[float, float], two: tuple[float, float]) -> bool:
    return one[0] * two[1] >= two[0] * one[1]


def _two_level_linear(form: Linear, model: Model) -> Routed | None:
    """Rates within one truth row, and the class shares, are Beta in the two-level model too."""
    used = {c for c, t, b in zip(CELLS, form.top, form.bottom, strict=True) if t or b}
    if used in ({"tp", "fn"}, {"fp", "tn"}):
        return _linear_law(form, model.cells, model.scales)
    across = None if model.scales is not None or model.share_scales is not None else _across_rows(form, model)
    if across is not None:
        return across
    rows = {k: (form.top[k[0]], form.top[k[1]]) for k in ((0, 2), (1, 3))}
    if len(set(form.bottom)) == 1 and all(a == b for a, b in rows.values()):
        assert model.shares is not None  # noqa: S101 - narrows the type
        zero = np.zeros(model.shape)
        by = (
            None
            if model.share_scales is None
            else dict(zip(("tp", "fp", "fn", "tn"), 2 * model.share_scales, strict=True))
        )
        return _linear_law(form, {"tp": model.shares[0], "fn": zero, "fp": model.shares[1], "tn": zero}, by)
    return None


def _across_rows(form: Linear, model: Model) -> Routed | None:
    """Precision, npv and their complements: a share of answers of one kind, from both truth rows."""
    pairs = {("tp", "fp"): ("fn", "tn"), ("fn", "tn"): ("tp", "fp")}
    for (yes, no), others in pairs.items():
        at = {c: (t, b) for c, t, b in zip(CELLS, form.top, form.bottom, strict=True)}
        if any(any(at[c]) for c in others) or {at[yes], at[no]} != {(1.0, 1.0), (0.0, 1.0)}:
            continue
        assert model.shares is not None  # noqa: S101 - narrows the type
        from howsure.distributions.mellin import AcrossRows

        share, cells = model.shares, model.cells
        if any(np.any(x < TINY) for x in (*share, *cells.values())):
            return None
        one = AcrossRows(share, (cells[yes], cells[others[0]]), (cells[no], cells[others[1]]))
        if at[yes] != (1.0, 1.0):
            one = AcrossRows(share[::-1], one.lower_row, one.upper_row)
        return one, "quadrature"
    return None


def rates_law(form: TwoRates, cells: Shapes, scales: Shapes | None) -> Routed:
    """Turn both rates so that the measure rises in them."""
    from howsure.distributions.integral import Integral
    from howsure.distributions.two_betas import Bilinear

    u = ("tp", "fn") if form.chart == "rows" else ("tp", "fp")
    v = ("tn", "fp") if form.chart == "rows" else ("tn", "fn")
    top, bottom = form.top, form.bottom
    if not form.up[0]:
        u, top, bottom = u[::-1], top[::-1], bottom[::-1]
    if not form.up[1]:
        v = v[::-1]
        top, bottom = (tuple(row[::-1] for row in part) for part in (top, bottom))  # type: ignore[assignment]
    inner, outer = ((cells[x[0]], cells[x[1]]) for x in (u, v))
    odds = None if scales is None else (scales[u[0]] / scales[u[1]], scales[v[0]] / scales[v[1]])
    return Integral(Bilinear(inner, outer, top, bottom, odds)), "quadrature"


def _rising_law(form: Rising, cells: Shapes, scales: Shapes | None) -> Routed:
    from howsure.distributions.integral import Integral
    from howsure.distributions.two_betas import Ray

    inner = (cells["tp"], cells["fp"] + cells["fn"])
    by = None if scales is None else (scales["tp"], scales["fp"], scales["fn"])
    return Integral(Ray(inner, (cells["fp"], cells["fn"]), form.top, form.bottom, by)), "quadrature"


def _agreement_values(form: PhiOrKappa, cells: Shapes, logs: Shapes | None) -> Array:
    from howsure.distributions.agreement_rules import at_logs

    known = {c: np.log(x) for c, x in cells.items()} if logs is None else logs
    return at_logs(form.kind, *(known[c] for c in CELLS))


def values(metric: Metric, cells: Shapes, logs: Shapes | None) -> Array:
    """The measure at drawn cells; where cells underflow to 0/0, from the shares it really depends on."""
    from howsure.distributions.sampling import together

    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        form, outer = metric.reading.form, metric.reading.outer
        if isinstance(form, PhiOrKappa):
            return _agreement_values(form, cells, logs)
        value = np.asarray(metric.formula(**cells))
        if logs is None:
            return value
        if isinstance(form, TwoRates):
            rates = _rates_at_logs(form, logs, outer)
            value = np.where(np.isnan(rates), value, rates)
        lost = np.isnan(value) | (np.isinf(value) & bool(np.isfinite(metric.bounds).all()))
        if not lost.any():
            return value
        part = {c: x[lost] for c, x in logs.items()}
        pairs: tuple[tuple[str, ...], ...] = ()
        if isinstance(form, TwoRates):
            pairs = (("tp", "fn"), ("tn", "fp")) if form.chart == "rows" else (("tp", "fp"), ("tn", "fn"))
        elif isinstance(form, Linear):
            used = tuple(c for c, t, b in zip(CELLS, form.top, form.bottom, strict=True) if t or b)
            pairs = (used, tuple(c for c in CELLS if c not in used))
        for names in pairs:
            if names:
                part |= dict(zip(names, (np.log(x) for x in together(*(part[c] for c in names))), strict=True))
        if isinstance(form, Rising):
            from howsure.distributions.two_betas import Ray

            ray = Ray((np.ones(()), np.ones(())), (np.ones(()), np.ones(())), form.top, form.bottom)
            found = ray.at_logs(*(part[c] for c in ("tp", "fp", "fn")))
            value[lost] = {"": found, "sqrt": np.sqrt(found), "log": np.log(found)}[outer]
            return value
        # what still underflows counts as tiny: the limit of a vanishing margin
        value[lost] = metric.formula(**{c: np.exp(np.maximum(x, -340.0)) for c, x in part.items()})
        return value


def _rates_at_logs(form: TwoRates, logs: Shapes, outer: str) -> Array:
    """A bilinear quotient of two rates from the logs of cells: right where the rates underflow, or meet at 1."""
    u, v = (("tp", "fn"), ("tn", "fp")) if form.chart == "rows" else (("tp", "fp"), ("tn", "fn"))
    both = [np.logaddexp(logs[x[0]], logs[x[1]]) for x in (u, v)]
    us, vs = ((logs[x[1]] - all_of, logs[x[0]] - all_of) for x, all_of in zip((u, v), both, strict=True))

    def part(square: Square) -> tuple[Array, Array]:
        terms = [(square[i][j], us[i] + vs[j]) for i in (0, 1) for j in (0, 1) if square[i][j]]
        largest = np.maximum.reduce([x for _, x in terms])
        return np.asarray(sum(w * np.exp(x - largest) for w, x in terms)), largest

    (top, top_log), (bottom, bottom_log) = part(form.top), part(form.bottom)
    size = top_log - bottom_log
    if outer == "log":
        return np.asarray(np.log(top / bottom) + size)
    return np.sqrt(top / bottom) * np.exp(0.5 * size) if outer == "sqrt" else top / bottom * np.exp(size)
