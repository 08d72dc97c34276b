"""Posterior: the law of the cell probabilities after the data, and a mapping from metric to Distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure import priors
from howsure.catalogue import Metric, metrics, parse
from howsure.catalogue.multiclass import of_right_and_wrong
from howsure.distribution import Distribution, Note, check_draws, check_seed
from howsure.errors import BadSetting, HowsureError, NeedsPositive, listing
from howsure.expressions import CELLS, Expression
from howsure.forms import Linear
from howsure.kernels.classes import measured
from howsure.model import anyof, chance, classes
from howsure.model.export import to_arviz
from howsure.priors import Prior
from howsure.routes import Mixed, Model, Shapes, exact_law, values
from howsure.table import Tally

Array = NDArray[np.float64]

END_ERROR = 2.67  # standard error of a normal law's 2.5% point, times √n, in standard deviations
GROWN = 10**12  # between the seeds of draws that are added to others
MOST_DRAWS = 2_000_000
MOST_NUMBERS = 40_000_000  # kept at a time for a batch
MOST_CLASS_NUMBERS = 60_000_000  # drawn for a measure of many classes
MOST_CLASS_DRAWS = 400_000


@dataclass(frozen=True)
class Posterior(Mapping[str, Distribution]):
    """What is known of the cells after the data; maps a metric's name to its Distribution.

    >>> p = Posterior(Tally.binary(tp=80, fp=20, fn=30, tn=870), priors.make("even"))
    >>> p["f1"]
    f1 0.759 [0.691, 0.819] 95% equal-tailed, closed form
    """

    tally: Tally
    prior: Prior
    tolerance: float = 0.02
    seed: int = 0
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def source(self) -> Tally:
        """The data."""
        return self.tally

    @property
    def prior_document(self) -> dict[str, Any]:
        """Name and total weight of the prior."""
        t = self.tally
        return {"name": self.prior.name, "total": self.prior.total(max(2, len(t.labels)), t.outcome)}

    def measure(self, name: Any) -> Metric:
        """The metric of a name."""
        return parse(name)

    def point(self, metric: Any) -> Array:
        """The score of the counts themselves; NaN where it is undefined.

        Averages take an undefined class for 0 at any number of classes, two included.
        """
        asked = parse(metric)
        view = self.view(asked)
        if view.kind == "items":
            values = anyof.item_values(self.tally, _of_item(view.metric))
            return np.asarray((values * self.tally.counts).sum() / self.tally.counts.sum())
        two = view.kind == "square" and asked.over_classes
        if view.kind not in ("classes", "added") and not two:
            return np.asarray(view.metric.score(self._counts(view)), dtype=float)
        formula = asked.formula if two else self._over_classes(view.metric)
        with np.errstate(all="ignore"):
            cells = self.tally.by_class(lost=bool(asked.average) or two)
            return np.asarray(formula(**{c: x.astype(float) for c, x in cells.items()}))

    def empty_cell(self, metric: Any) -> NDArray[np.bool_]:
        """Which tables have an empty cell but no empty margin, where a measure looks at four cells."""
        view = self.view(parse(metric))
        if view.kind not in ("square", "class"):
            return np.zeros((), dtype=bool)
        tp, fp, fn, tn = (np.asarray(self._counts(view)[c]) for c in CELLS)
        some = (tp == 0) | (fp == 0) | (fn == 0) | (tn == 0)
        return np.asarray(some & (tp + fp > 0) & (tp + fn > 0) & (fp + tn > 0) & (fn + tn > 0))

    def against_chance(self, metric: Any, at: chance.Places = None) -> tuple[Array, Array, Array] | None:
        """What random guessing at the same margins gives, P(better than that at the margins of each draw), its error.

        None where there is no such thing: prevalence and bias, outcomes, items with many labels. `at` are indices into
        the batch, for those tables only.

        >>> p = Posterior(Tally.binary(tp=80, fp=20, fn=30, tn=870), priors.make("even"))
        >>> [round(float(x), 9) for x in p.against_chance("precision")]
        [0.11, 1.0, 0.0]
        """
        asked = parse(metric)
        value, found = chance.score(self, asked), chance.above(self, asked, at)
        return None if value is None or found is None else (value if at is None else value[at], *found)

    def update(self, tally: Tally) -> Posterior:
        """The posterior after more data; the order of updates does not matter (Goutte & Gaussier, note in 3)."""
        if not isinstance(tally, Tally):
            raise BadSetting(f"update takes a Tally; got {type(tally).__name__}.")
        return replace(self, tally=self.tally + tally, _cache={})

    def system(self, name: str) -> Posterior:
        """The posterior of one system's table."""
        key = ("system", name)
        if key not in self._cache:
            self._cache[key] = replace(self, tally=self.tally.system(name), _cache={})
        return self._cache[key]  # type: ignore[no-any-return]

    # -- mapping

    def __getitem__(self, metric: Any) -> Distribution:
        key = metric if isinstance(metric, str) else str(metric)
        if isinstance(metric, str) and key in self._cache:
            return self._cache[key]  # type: ignore[no-any-return]
        found = self._distribution(parse(metric), key)
        if isinstance(metric, str):
            self._cache[key] = found
        return found

    def __contains__(self, metric: object) -> bool:
        if len(self.tally.systems) != 1:
            return False
        try:
            view = self.view(parse(metric))  # type: ignore[arg-type]
            if view.kind == "outcome":
                self._model(view)
        except HowsureError:
            return False
        return True

    def get(self, metric: str, default: Any = None) -> Any:
        """The Distribution of a metric, or the default where there is none."""
        return self[metric] if metric in self else default  # noqa: SIM401 - this is get

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}

    def __iter__(self) -> Iterator[str]:
        return (str(m) for m in metrics() if str(m) in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Posterior({self.tally!r}, prior={self.prior.name!r})"

    __hash__ = None  # type: ignore[assignment]

    # -- models

    def view(self, metric: Metric) -> View:
        """What a metric looks at: a 2x2 table, right and wrong answers, or all classes at once."""
        t, k = self.tally, len(self.tally.labels)
        if metric.any_of and t.sets is None:
            raise BadSetting(f"{metric} is for items with many labels (Tally.multilabel); these have one class each.")
        if t.outcome:
            return View("outcome", metric)
        if metric == parse("rate"):
            raise BadSetting("rate is for outcomes (hits of trials); for a table of classes ask for accuracy.")
        if t.sets is not None:
            return self._label_view(metric)
        if k == 2 and metric.over_classes:
            metric = metric.of_two()
        elif metric.of_classes(k) is not None and not self._right_or_wrong(metric):
            if k < 2:
                raise BadSetting(f"{metric} needs two classes or more; only {listing(t.labels)} occurs. Give labels=.")
            return View("classes", metric)
        elif metric.average == "micro":
            return View("right-wrong", of_right_and_wrong(metric, k))
        if metric.label is None and metric.agreement and k != 2:
            return View("right-wrong", metric)
        label = metric.label if metric.label is not None else t.positive
        if label is None and not metric.needs_positive and k == 2:
            label = t.labels[1]
        if label is None:
            raise NeedsPositive(_need(metric, t))
        place = t.find(label)
        if self.prior.two_level and k > 2 and t.sets is None:
            return View("class", metric, place)
        return View("square", metric, place)

    def _label_view(self, metric: Metric) -> View:
        """What a metric looks at when items have any number of labels."""
        t = self.tally
        if metric.label is not None:
            return View("square", metric, t.find(metric.label))
        if metric.name in ("accuracy", "error-rate", "subset-accuracy"):
            return View("right-wrong", metric)
        if metric.average == "samples" or (metric.name == "hamming-loss" and not t.independent):
            return View("items", metric)
        if metric.average == "micro" and not t.independent and self.prior.name == "even":
            base = metric.base
            if base is not None and _is_quotient(base):
                return View("added", metric)
        if metric.over_classes:
            return View("classes", metric)
        raise NeedsPositive(_need_label(metric, t))

    def _right_or_wrong(self, metric: Metric) -> bool:
        """Whether a measure of all classes depends on the number of right answers alone, and has a law of its own."""
        return (metric.agreement or metric.average == "micro") and not self.prior.two_level

    def _square(self, place: int) -> Tally:
        """The 2x2 table of a class against the rest."""
        t = self.tally
        same = len(t.labels) == 2 and t.positive == t.labels[place] and t.sets is None
        return t if same else t.versus_rest(t.labels[place])

    def _model(self, view: View) -> Model:
        """The shapes of the cells this metric looks at."""
        if view.kind == "outcome":
            return self._outcome_model(view.metric)
        if view.kind == "right-wrong":
            return self._agreement_model()
        return self._class_model(view.place) if view.kind == "class" else self._binary_model(view.place)

    def _outcome_model(self, metric: Metric) -> Model:
        if not _only_hits(metric) and not metric.agreement:
            raise BadSetting(f"this tally holds outcomes, hits and misses; ask for rate, not {metric}.")
        counts = self.tally.named(effective=True)
        hit, miss = self.prior.outcome()
        zero = np.zeros(self.tally.shape)
        cells = {"tp": counts["tp"] + hit, "fn": counts["fn"] + miss, "fp": zero, "tn": zero}
        if not _only_hits(metric):  # right and wrong answers, as accuracy names them
            cells = {**cells, "fp": cells["fn"], "fn": cells["fp"]}
        return Model(cells)

    def _agreement_model(self) -> Model:
        right, wrong = self.tally.right_wrong()
        w_right, w_wrong = self.prior.right_wrong(len(self.tally.labels))
        zero = np.zeros(self.tally.shape)
        return Model({"tp": right + w_right, "fn": wrong + w_wrong, "fp": zero, "tn": zero})

    def _binary_model(self, place: int) -> Model:
        counts = self._square(place).named(effective=True)
        weights = self.prior.binary(place, len(self.tally.labels), self._positive_place)
        cells = {c: np.asarray(counts[c] + weights[c], dtype=float) for c in CELLS}
        if not self.prior.two_level:
            return Model(cells)
        assert self.prior.between is not None  # noqa: S101 - narrows the type
        yes = counts["tp"] + counts["fn"] + self.prior.between
        no = counts["fp"] + counts["tn"] + self.prior.between
        return Model(cells, (np.asarray(yes), np.asarray(no)))

    def _class_model(self, place: int) -> Model:
        """A class of a two-level model of many: its own row is a Beta, and so is its share; the rest is mixed."""
        counts = self._square(place).named(effective=True)
        k, inside, outside = len(self.tally.labels), self.prior.within or 0.0, self.prior.between or 0.0
        own = {"tp": counts["tp"] + inside, "fn": counts["fn"] + (k - 1) * inside}
        yes = counts["tp"] + counts["fn"] + outside
        no = counts["fp"] + counts["tn"] + (k - 1) * outside
        mixed = np.full(self.tally.shape, np.nan)
        return Model({**own, "fp": mixed, "tn": mixed}, (np.asarray(yes), np.asarray(no)))

    @property
    def _positive_place(self) -> int:
        t = self.tally
        return 1 if t.positive is None else t.find(t.positive)

    def _counts(self, view: View) -> Shapes:
        """The raw counts that the metric's point score is computed from."""
        t = self.tally
        if view.kind == "outcome":
            return t.named()
        if view.kind != "right-wrong":
            return self._square(view.place).named()
        right, wrong = t.right_wrong(effective=False)
        zero = np.zeros_like(right)
        return {"tp": right, "fn": wrong, "fp": zero, "tn": zero}

    # -- distributions

    def _distribution(self, metric: Metric, shown: str) -> Distribution:
        view = self.view(metric)
        if self.tally.strata is not None and view.kind not in ("square", "right-wrong", "outcome"):
            raise BadSetting(
                f"a stratified sample has measures of two classes or of right answers; {metric} is neither."
            )
        if view.kind == "classes":
            return self._of_all_classes(view.metric, shown)
        law, route, sampler = self._item_law(view) if view.kind in ("items", "added") else self._law(view)
        if law is None:
            law = self._sampled_law(metric, sampler)
        return Distribution(shown, law, route, sampler, metric.unbounded, self._notes())

    def _law(self, view: View) -> tuple[Any, str, Any]:
        """The exact law where there is one, and the sampler of a 2x2 table, of outcomes, or of a class among many."""
        if self.tally.strata is not None:
            return None, "sampled", self._of_strata(view)
        model = self._model(view)
        law, route = exact_law(view.metric, model)
        if view.kind == "class" and _mixed(view.metric):
            law, route = None, "sampled"
        if view.kind != "class":
            return law, route, Sampler(self, view.metric, model, view.kind)
        one = classes.of_class(view.metric.formula, view.place)
        return law, route, classes.ClassSampler(self.tally, self.prior, one, False, view.metric.bounds)

    def _of_strata(self, view: View) -> Sampler:
        """Draws of the population's cells: those of the strata, by their shares."""
        assert self.tally.strata is not None  # noqa: S101 - narrows the type
        parts, shares = self.tally.strata
        inner = replace(self, tally=parts, _cache={})
        return Sampler(self, view.metric, Mixed(inner._model(view), shares), view.kind)

    def _item_law(self, view: View) -> tuple[Any, str, Any]:
        """Means over items, and sums over the labels of all items: exact under whole-item resampling."""
        t, m = self.tally, view.metric
        if view.kind == "added":
            law, route = anyof.added_up(t, m)
            return law, route, lambda n, seed: anyof.together(t, m, "added", n, seed)[:, 0]
        values = anyof.item_values(t, _of_item(m))
        weights = anyof.end_weights(self.prior, m, len(t.labels))
        law, route = anyof.mean_of_items(values, t.effective, m.bounds, weights)
        return law, route, lambda n, seed: anyof.together(t, _of_item(m), "items", n, seed, weights)[:, 0]

    def _of_all_classes(self, metric: Metric, shown: str) -> Distribution:
        """A measure of all classes at once, by draws."""
        sampler, middle = self._class_sampler(metric)
        law = self._sampled_law(metric, sampler)
        if middle is not None:
            shift = classes.move_to(law.draws, middle, metric.bounds)
            sampler = replace(sampler, shift=shift)
            law = replace(law, draws=classes.moved(law.draws, shift, metric.bounds))
        if self.prior.two_level and (metric.name == "accuracy" or _is_accuracy(metric, len(self.tally.labels))):
            law = replace(law, known_mean=self._closed_accuracy())
        return Distribution(
            shown, law, "sampled", sampler, metric.unbounded, (*self._notes(), *self._class_notes(metric))
        )

    def _class_sampler(self, metric: Metric) -> tuple[classes.ClassSampler, Array | None]:
        """The draws of a measure of all classes and, under the pooled prior, where their mean is to be."""
        formula = self._over_classes(metric)
        measure = classes.formula(formula, *metric.bounds)
        lost = bool(metric.average)
        made = classes.ClassSampler(
            self.tally, self.prior, measure, metric.classes_count_alike, metric.bounds, lost=lost
        )
        return made, classes.centres(self.tally, measure, lost) if self._shifted(metric) else None

    def _over_classes(self, metric: Metric) -> Expression:
        """The formula of all classes, or of all labels."""
        formula = metric.formula if self.tally.sets is not None else metric.of_classes(len(self.tally.labels))
        assert formula is not None  # noqa: S101 - narrows the type
        return formula

    def _shifted(self, metric: Metric) -> bool:
        """Whether draws are moved to the measure of the mean table: not those of a ratio, whose mean may not exist."""
        return classes.pooled(self.tally, self.prior, metric.classes_count_alike) and bool(
            np.isfinite(metric.bounds).all()
        )

    def joint_draws(self, metric: Metric, n: int, seed: int) -> Array:
        """Draws of a measure of all classes for the systems of a joint tally, (n, systems)."""
        kind = self.view(metric).kind
        if kind in ("items", "added"):
            weights = anyof.end_weights(self.prior, metric, len(self.tally.labels)) if kind == "items" else (1.0, 1.0)
            return anyof.together(self.tally, _of_item(metric) if kind == "items" else metric, kind, n, seed, weights)
        formula = self._over_classes(metric)
        measure = classes.formula(formula, *metric.bounds)
        lost = bool(metric.average)
        drawn = classes.plan(self.tally, self.prior, metric.classes_count_alike, lost=lost)
        x = measured(drawn, n, seed, measure, classes.silent)
        if not self._shifted(metric):
            return x
        for same in self._alike():
            middle = classes.centres(self.tally.system(self.tally.systems[same[0]]), measure, lost)
            shift = classes.move_to(x[:, same].reshape(-1), middle, metric.bounds)
            x[:, same] = classes.moved(x[:, same], shift, metric.bounds)
        return x

    def _alike(self) -> list[list[int]]:
        """Groups of systems with the same answers, whose draws are mostly ties and are moved together."""
        answers = self.tally.cells[self.tally.counts > 0][:, 1:]
        _, same = np.unique(answers, axis=1, return_inverse=True)
        return [np.flatnonzero(same.reshape(-1) == g).tolist() for g in range(int(same.max()) + 1)]

    def item_difference(self, metric: Metric) -> tuple[Any, str]:
        """The law of the difference of two systems in a mean over the same items."""
        weights = anyof.end_weights(self.prior, metric, len(self.tally.labels))
        return anyof.mean_difference(self.tally, _of_item(metric), metric.bounds, weights)

    def _closed_accuracy(self) -> Array:
        """The mean accuracy of the two-level model, Σ E[share]·E[recall]: closed."""
        t, k = self.tally, len(self.tally.labels)
        inside, outside = self.prior.within or 0.0, self.prior.between or 0.0
        cells = t.by_class(effective=True)
        size = cells["tp"] + cells["fn"]
        share = (size + outside) / (size.sum(axis=0) + k * outside)
        return np.asarray((share * (cells["tp"] + inside) / (size + k * inside)).sum(axis=0))

    def _class_notes(self, metric: Metric) -> tuple[Note, ...]:
        """What empty and rare classes do to a measure of all classes."""
        t, k = self.tally, len(self.tally.labels)
        cells = t.by_class()
        notes = []
        flat = {c: x.reshape(k, -1).sum(axis=1) for c, x in cells.items()}
        for what, here in (("true item", flat["tp"] + flat["fn"]), ("answer", flat["tp"] + flat["fp"])):
            empty = [t.labels[i] for i in np.flatnonzero(here == 0).tolist()]
            if empty:
                notes.append(Note("empty-class", _EMPTY.format(listing(empty), what)))
        return (*notes, *self._coverage_note(metric))

    def _coverage_note(self, metric: Metric) -> tuple[Note, ...]:
        """What intervals of this measure covered in simulated tests of such tables, where it was too little."""
        t, name = self.tally, metric.name
        if t.shape or self.prior.name != "even" or name in ("macro-recall", "balanced-accuracy"):
            return ()
        if metric.average == "weighted" and len(t.labels) >= 100:
            name = "weighted-f1"
        elif not metric.classes_count_alike:
            return ()
        if name not in _HELD["many"]:
            name = "macro-precision"  # other averages were not studied: this is the worst of those that were
        spans = {why: _HELD[why].get(name) for why in classes.doubts(t)}
        found = [(*span, why) for why, span in spans.items() if span is not None]
        if not found:
            return ()
        low, high, why = min(found)
        return (Note("coverage", _COVERAGE.format(_WHY[why], name, low, high)),)

    def _notes(self) -> tuple[Note, ...]:
        notes = [Note(code, text) for code, text in self.tally.notes]
        if self.tally.weighted:
            notes.append(Note("weighted", _WEIGHTED))
        if self.tally.strata is not None:
            notes.append(Note("strata", _STRATA.format(len(self.tally.strata[1]))))
        if self.tally.sets is not None:
            notes.append(Note("labels", _APART if self.tally.independent else _TOGETHER))
        if not self.tally.shape and not self.tally.counts.any():
            notes.append(Note("no-data", "the table is empty: these are the prior's own numbers"))
        return tuple(notes)

    def _table(
        self, metric: Metric, model: Model | Mixed, kind: str, j: int, n: int, seed: int
    ) -> tuple[Shapes, Shapes | None]:
        """Draws of the cells of one table; those of a single table are kept for the metrics that share them."""
        if model.shape or seed >= GROWN:
            return model.table(j, n, seed)
        key = ("draws", metric.label, kind, kind == "outcome" and not _only_hits(metric))
        kept = self._cache.get(key)
        if kept is None or kept[0] != (n, seed):
            kept = self._cache[key] = ((n, seed), model.table(j, n, seed))
        return kept[1]

    def _sampled_law(self, metric: Metric, sampler: Callable[[int, int], Array]) -> Any:
        """As many draws as keep equal-tailed ends within the tolerance, three standard errors counted."""
        from howsure.kernels.sampled import Sampled

        tables = max(1, int(np.prod(self.tally.shape, dtype=int)))
        most = max(10_000, min(MOST_DRAWS, MOST_NUMBERS // tables))
        if isinstance(sampler, classes.ClassSampler):
            least = 10_000 if tables <= 100 else 1_000
            most = min(most, MOST_CLASS_DRAWS)
            most = max(min(most, least), min(most, MOST_CLASS_NUMBERS // sampler.cost))
        n = min(most, int(np.ceil((3 * END_ERROR / self.tolerance) ** 2)))
        draws, turn = sampler(n, self.seed), 0
        while True:
            low, high = metric.bounds  # found on a grid for such formulas: the draws may know better
            law = Sampled(np.sort(draws, axis=0), min(low, float(draws.min())), max(high, float(draws.max())))
            with np.errstate(divide="ignore", invalid="ignore"):
                worst = max(float(np.max(law.quantile_error(p) / law.std())) for p in (0.025, 0.975))
            if worst <= self.tolerance * 1.05 or n >= most or not np.isfinite(worst):
                return law
            more = int(min(most, n * max(1.1, 1.1 * (worst / self.tolerance) ** 2))) - n
            turn += 1
            draws, n = np.concatenate([draws, sampler(more, self.seed + turn * GROWN)]), n + more

    def draws(self, n: int, *, seed: int = 0) -> dict[str, Array]:
        """n joint draws of the cell probabilities tp, fp, fn, tn (outcomes: tp, fn), each of shape (n, *batch).

        Of many classes without a positive one: the cells of each class against the rest, (n, classes).

        Independent posteriors need different seeds: with the same one their draws go together.
        """
        check_draws(n)
        check_seed(seed)
        t = self.tally
        if len(t.systems) > 1:
            raise BadSetting(f"draws are of one system's cells: take posterior.system({t.systems[0]!r}).")
        if not t.outcome and len(t.labels) < 2:
            raise BadSetting(f"draws need two classes or more; only {listing(t.labels)} occurs. Give labels=.")
        if not t.outcome and len(t.labels) > 2 and t.positive is None:
            return self._class_draws(int(n), seed)
        view = self.view(parse("rate" if t.outcome else "phi" if len(t.labels) == 2 else "lr-plus"))
        model = self._model(view)
        tables = [model.table(j, int(n), seed)[0] for j in range(model.size())]
        used = ("tp", "fn") if t.outcome else CELLS
        return {c: np.stack([x[c] for x in tables], axis=-1).reshape(n, *model.shape) for c in used}

    def to_arviz(self, metrics: Any = None, *, draws: int = 1000, chains: int = 4, seed: int = 0) -> Any:
        """Independent draws of measures as ArviZ's InferenceData, with dimensions chain and draw (extra `arviz`)."""
        return to_arviz(self, list(self) if metrics is None else metrics, draws, chains, seed)

    def _class_draws(self, n: int, seed: int) -> dict[str, Array]:
        if self.tally.shape:
            raise BadSetting("draws of many classes take a single table, not a batch.")
        drawn = [x.cells(0) for x in classes.plan(self.tally, self.prior, False).draws(n, seed)]
        cells = {c: np.concatenate([x[c] for x in drawn], axis=1).T for c in CELLS}
        total = sum(cells.values())
        return {c: np.asarray(x / total) for c, x in cells.items()}


@dataclass(frozen=True)
class View:
    """What a metric looks at, the metric in that light, and the place of its class."""

    kind: str  # outcome, square, right-wrong, classes, or class (of a two-level model of many)
    metric: Metric
    place: int = 0


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws of one measure of a posterior."""

    posterior: Posterior
    metric: Metric
    model: Model | Mixed
    kind: str

    def __call__(self, n: int, seed: int) -> Array:
        m, p = self.model, self.posterior
        columns = [values(self.metric, *p._table(self.metric, m, self.kind, j, n, seed)) for j in range(m.size())]
        return np.stack(columns, axis=-1).reshape(n, *m.shape)


def _only_hits(metric: Metric) -> bool:
    """Whether it is the rate, or a user's own formula of tp and fn alone."""
    if metric == parse("rate"):
        return True
    return metric not in metrics() and {str(x.value) for x in metric.formula.walk() if x.op == "cell"} <= {"tp", "fn"}


def _of_item(metric: Metric) -> Metric:
    """The measure of one item's own labels."""
    return metric if metric.base is not None else replace(parse("error-rate"), multiclass=None)


def _need_label(metric: Metric, t: Tally) -> str:
    return (
        f"{metric} of {len(t.labels)} labels needs a label, or an average: ask for {metric}:{t.labels[0]} or "
        f"macro-{metric}."
    )


def _is_quotient(metric: Metric) -> bool:
    """Whether it is a linear quotient with something below the line wherever there is something above."""
    form = metric.reading.form
    return (
        isinstance(form, Linear)
        and not metric.reading.outer
        and all(b or not a for a, b in zip(form.top, form.bottom, strict=True))
    )


def _mixed(metric: Metric) -> bool:
    """Whether it looks at negative items by their answers: mixed over the rows of a two-level model of many classes."""
    form = metric.reading.form
    if not isinstance(form, Linear) or metric.reading.outer:
        return True
    rows = all(form.top[a] == form.top[b] and form.bottom[a] == form.bottom[b] for a, b in ((0, 2), (1, 3)))
    return not (rows or not any((form.top[1], form.top[3], form.bottom[1], form.bottom[3])))


def _is_accuracy(metric: Metric, k: int) -> bool:
    """Whether a micro average is the share of right answers."""
    if metric.average != "micro":
        return False
    form = of_right_and_wrong(metric, k).reading.form
    return isinstance(form, Linear) and (form.top[0], form.bottom[0], form.top[2], form.bottom[2]) == (1, 1, 0, 1)


_STRATA = "a sample of {} strata: each has a posterior of its own, and they are put together by their population sizes"
_TOGETHER = "labels of one item stay together: whole items are resampled"
_APART = "labels are taken as independent, each with a table of its own (Zhang, Wang & Zhao 2015)"
_EMPTY = "class {} has no {}: its numbers are the prior's, and it counts as a class in every average"
_COVERAGE = (
    "{}: 95% intervals of {} held the true value in {} to {}% of simulated tests of this kind (docs/coverage.md)"
)
_WHY = {
    "many": "many classes with few items",
    "rare": "half of the classes are rare beside the number of mistakes",
    "never": "a class that is never right",
}
_HELD = {  # lowest and highest case of docs/coverage.md, in percent
    "many": {"macro-f1": (90, 99), "macro-precision": (30, 99), "f1-of-means": (76, 99), "informedness": (78, 96),
             "markedness": (78, 96), "weighted-f1": (80, 96)},
    "rare": {"macro-f1": (46, 100), "macro-precision": (12, 99), "f1-of-means": (32, 100), "informedness": (71, 99),
             "markedness": (1, 99)},
    "never": {"macro-precision": (20, 95), "f1-of-means": (68, 99), "informedness": (73, 96), "markedness": (25, 97)},
}  # fmt: skip
_WEIGHTED = (
    "weighted items: the posterior uses counts times the sum of weights over the sum of squared weights "
    "(Kish's effective sample size)"
)


def _need(metric: Metric, t: Tally) -> str:
    if len(t.labels) == 2:
        a, b = t.labels
        return (
            f"{metric} needs a positive class: {a!r} or {b!r}. Give positive=, or ask for {metric}:{b} "
            f"(or {metric}:{a})."
        )
    return (
        f"{metric} of {len(t.labels)} classes needs a class: ask for {metric}:{t.labels[0]} "
        f"(classes: {listing(t.labels)})."
    )


def of_table(tally: Tally, prior: Any, tolerance: float, seed: int) -> Posterior:
    """The posterior of a tally under a prior, or after an earlier Posterior."""
    if isinstance(prior, Posterior):
        return replace(prior.update(tally), tolerance=tolerance, seed=seed)
    return Posterior(tally, priors.make(prior), tolerance, seed)
