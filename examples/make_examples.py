"""Make the example files: out-of-sample predictions of simple classifiers on scikit-learn's own data sets.

Every label and score is for an item that the model had not seen (stratified ten-fold cross-validation with a
fixed seed). Run it with `python examples/make_examples.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

HERE = Path(__file__).parent
Array = NDArray[Any]


def logistic() -> Any:
    """Logistic regression on standardised features."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def tree(depth: int) -> Any:
    """A shallow decision tree."""
    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def probabilities(model: Any, x: Array, y: Array) -> Array:
    """Out-of-sample probability of each class (in sorted order) for each item."""
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
    return np.asarray(cross_val_predict(model, x, y, cv=folds, method="predict_proba"))


def likeliest(p: Mapping[str, Array], y: Array) -> dict[str, Array]:
    """The label that each model gives: its likeliest class."""
    return {name: np.unique(y)[table.argmax(axis=1)] for name, table in p.items()}


def terciles(values: Array, names: tuple[str, str, str]) -> Array:
    """The name of the third of the data in which each value lies."""
    return np.array(names)[np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values)]


def frame(truth: Array, columns: Mapping[str, Array]) -> pl.DataFrame:
    """The file: id, truth, then the columns; floats keep six decimals."""
    table = pl.DataFrame({"id": np.arange(1, len(truth) + 1), "truth": truth, **columns})
    return table.with_columns(pl.selectors.float().round(6))


def breast_cancer() -> pl.DataFrame:
    """Tumours, benign or malignant. `texture` sees one feature, the mean texture, and is weak."""
    data = load_breast_cancer()
    x, truth = data.data, data.target_names[data.target]
    feature = dict(zip(data.feature_names, x.T, strict=True))
    p = {
        "logistic": probabilities(logistic(), x, truth),
        "tree": probabilities(tree(depth=3), x, truth),
        "naive_bayes": probabilities(GaussianNB(), x, truth),
        "texture": probabilities(logistic(), feature["mean texture"][:, None], truth),
    }
    malignant = {f"p_{name}": table[:, 1] for name, table in p.items()}
    size = terciles(feature["mean radius"], ("small", "medium", "large"))
    return frame(truth, {**likeliest(p, truth), **malignant, "size": size})


def digits() -> pl.DataFrame:
    """Handwritten digits. `sure_logistic` is the probability that `logistic` gives to its own answer."""
    data = load_digits()
    x, truth = data.data, data.target.astype(np.int32)
    p = {
        "neighbours": probabilities(KNeighborsClassifier(3), x, truth),
        "logistic": probabilities(logistic(), x, truth),
        "naive_bayes": probabilities(GaussianNB(), x, truth),
        "tree": probabilities(tree(depth=5), x, truth),
    }
    ink = terciles(x.sum(axis=1), ("light", "medium", "heavy"))
    return frame(truth, {**likeliest(p, truth), "sure_logistic": p["logistic"].max(axis=1), "ink": ink})


def wine() -> pl.DataFrame:
    """Wines of three growers, few items. `colour` sees one feature, the colour intensity, and is weak."""
    data = load_wine()
    x, truth = data.data, data.target_names[data.target]
    feature = dict(zip(data.feature_names, x.T, strict=True))
    p = {
        "naive_bayes": probabilities(GaussianNB(), x, truth),
        "tree": probabilities(tree(depth=3), x, truth),
        "colour": probabilities(logistic(), feature["color_intensity"][:, None], truth),
    }
    alcohol = terciles(feature["alcohol"], ("low", "middle", "high"))
    return frame(truth, {**likeliest(p, truth), "alcohol": alcohol})


def report(name: str, table: pl.DataFrame) -> None:
    """Print the accuracy of each column of labels: those that hold classes only."""
    print(f"{name}: {table.height} rows")
    classes = set(table["truth"])
    for model in table.columns[2:]:
        if set(table[model]) <= classes:
            print(f"  {model:12} accuracy {(table[model] == table['truth']).sum() / table.height:.3f}")


def main() -> None:
    """Write the three files beside this script, and say how good each model is."""
    tables = {"breast_cancer.csv": breast_cancer(), "digits.parquet": digits(), "wine.csv": wine()}
    for name, table in tables.items():
        report(name, table)
        if name.endswith(".csv"):
            table.write_csv(HERE / name)
        else:
            table.write_parquet(HERE / name)


if __name__ == "__main__":
    main()
