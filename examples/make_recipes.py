"""Make the tables of diagnostic studies in examples/recipes, with numbers of our own making.

Run it with `python examples/make_recipes.py`.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent / "recipes"


def main() -> None:
    """Write a 2x2 table as papers print it, index test by rows, and one row of counts for each of four studies."""
    HERE.mkdir(exist_ok=True)
    (HERE / "stard.csv").write_text("test,disease,no disease\ndisease,81,9\nno disease,19,191\n", encoding="utf-8")
    studies = {"Aalen": (45, 5, 9, 120), "Berg": (30, 2, 4, 60), "Coll": (88, 22, 17, 310), "Dorn": (12, 0, 3, 41)}
    lines = ["study,TP,FP,FN,TN", *(f"{name},{','.join(map(str, cells))}" for name, cells in studies.items())]
    (HERE / "stard_studies.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
