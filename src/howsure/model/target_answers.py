"""Systems on the same items, asked of a target: joint patterns within each truth row, rows by the target's shares.

The rows of a Dirichlet are independent of their totals, so the joint patterns of a row keep their law, and one draw of
the share of positives serves all systems. Measures of one truth row are as they were tested, and as exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.metric import Metric
from howsure.forms import carries_over
from howsure.kernels import draws as drawing
from howsure.model.answers import NAMES, Answers, Array, Cells
from howsure.model.joint_answers import FEW, cell_draws, listed
from howsure.model.target_share import TargetModel
from howsure.routes import values

if TYPE_CHECKING:
    from howsure.kernels.law import Law
    from howsure.kernels.paired_quotients import PairedQuotients


@dataclass(frozen=True, eq=False)
class TargetAnswers(Answers):
    """Patterns of truth and answers; the share of positives is that of the target."""

    as_tested = False
    target: TargetModel = field(default_factory=lambda: TargetModel({}), compare=False)

    def exact_difference(self, metric: Metric) -> Law | None:
        """Of measures of one truth row."""
        return super().exact_difference(metric) if carries_over(metric.reading.form) else None

    def paired_laws(self, metric: Metric) -> list[PairedQuotients | None]:
        """None: both are drawn."""
        del metric
        return []

    def chances(self, metric: Metric) -> Array | None:
        """Of measures of one truth row."""
        return super().chances(metric) if carries_over(metric.reading.form) else None

    def pair_logs(self, shapes: Array, n: int, seed: int, scales: Array | None, j: int) -> Array:
        """Logs of draws of the joint patterns of one table, each row with its share of the target."""
        logs = super().pair_logs(shapes, n, seed, scales, j)
        return _in_target(logs, np.array([y for y, _, _ in self.pairs]), self.target.class_shares(j, n, seed))

    def joint_draws(self, metrics: Sequence[Metric], n: int, seed: int) -> list[Array]:
        """Draws of each measure of every system, (n, systems), all from the same patterns and shares."""
        shares = self.target.class_shares(0, n, seed)
        if self.says.shape[1] > FEW:
            return self._by_parts(metrics, n, seed, np.exp(shares))
        truth, says, shapes, scales = listed(self)
        logs = _in_target(drawing.log_shares(shapes, n, seed, 0, scales), truth, shares)
        columns = []
        for k in range(says.shape[1]):
            cells: Cells = {}
            for (y, said), name in NAMES.items():
                mine = logs[(truth == y) & (says[:, k] == said)]
                cells[name] = np.logaddexp.reduce(mine) if len(mine) else np.full(n, -np.inf)
            plain = {c: np.exp(x) for c, x in cells.items()}
            columns.append([values(m, plain, cells) for m in metrics])
        return [np.stack(parts, axis=1) for parts in zip(*columns, strict=True)]

    def _by_parts(self, metrics: Sequence[Metric], n: int, seed: int, shares: Array) -> list[Array]:
        """The same of many systems, some draws at a time."""
        drawn: list[list[Array]] = []
        start = 0
        for cells in cell_draws(self, n, seed):
            size = len(cells["tp"])
            yes, no = (x[start : start + size, None] for x in shares)
            start += size
            with np.errstate(divide="ignore", invalid="ignore"):
                up, down = yes / (cells["tp"] + cells["fn"]), no / (cells["fp"] + cells["tn"])
                by = {"tp": up, "fn": up, "fp": down, "tn": down}
                made = {c: cells[c] * x for c, x in by.items()}
                drawn.append([np.asarray(m.formula(**made)) for m in metrics])
        return [np.concatenate(parts) for parts in zip(*drawn, strict=True)]


def _in_target(logs: Array, truth: NDArray[np.int64], shares: Array) -> Array:
    """Logs of patterns, (patterns, draws), with the rows' totals those of the target: yes, no."""
    out = np.empty_like(logs)
    for y, own in ((1, shares[0]), (0, shares[1])):
        here = truth == y
        if here.any():
            out[here] = logs[here] - np.logaddexp.reduce(logs[here], axis=0) + own
    return out
