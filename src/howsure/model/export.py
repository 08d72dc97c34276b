"""Draws of measures for other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.settings import check_draws, check_seed


def to_arviz(p: Mapping[str, Distribution], metrics: Any, draws: int, chains: int, seed: int) -> Any:
    """Independent draws of measures as ArviZ's InferenceData (a DataTree from ArviZ 1 on), one variable a measure."""
    try:
        import arviz
    except ImportError:
        raise BadSetting("to_arviz needs ArviZ: pip install 'howsure[arviz]'") from None
    names = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else list(metrics)
    size = check_draws(draws) * check_draws(chains)
    values = {}
    for name in names:
        x = p[name].draws(size, seed=check_seed(seed))
        values[str(name)] = x.reshape(chains, draws, *x.shape[1:])
    if "posterior" in signature(arviz.from_dict).parameters:
        return arviz.from_dict(posterior=values)
    return arviz.from_dict({"posterior": values})
