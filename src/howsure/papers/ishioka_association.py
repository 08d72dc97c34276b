"""Ishioka 3.1 and 3.2: the table from recall, precision and fallout; phi and ρ over them; the break-even point."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, Final

import numpy as np
from scipy import special

import howsure as hs
from howsure.arrays import Array
from howsure.papers.ishioka_measures import PAPER, counts, on_many
from howsure.papers.item import Agreement, Finding, Register, apart, claim, close, equals, result, rounds
from howsure.papers.oracles import many, point, worked

item = Register("ishioka", PAPER)

SIDE: Final = np.linspace(0.05, 0.95, 19)
FALLOUTS: Final = {"a": 0.01, "b": 0.1, "c": 0.2}
BETAS: Final = {"a": 0.5, "b": 1.0, "c": 2.0}
ACROSS: Final = (0.05, 0.50, 0.95)  # precisions of the examples, at recall 0.4


@lru_cache
def grid(name: str, a: float) -> Array:
    """A measure by precision (columns) and recall (rows) at a fallout."""
    return hs.relations.surface(name, x_values=SIDE, y_values=SIDE, fallout=a).values


def closed(p: Any, r: Any, a: Any) -> tuple[Any, Any, Any, Any]:
    """Eqs 7 to 9 and 11 with n = 1: f11, f12, f21, f22."""
    f11 = 1 / (1 / p + 1 / r - 1 + (1 / p - 1) * (1 / a - 1))
    f21 = f11 * (1 / p - 1)
    return f11, f11 * (1 / r - 1), f21, f21 * (1 / a - 1)


# -- 3: indices ---------------------------------------------------------------------------------------------------


@item("3-tetrachoric", "section 3", "Tetrachoric correlation",
      "the correlation of two normal variables before each was cut in two; needs a program such as 116.f",
      "On the worked table; the integral is over one variable, of its density times the other's tail.")  # fmt: skip
def tetrachoric() -> Finding:
    """The quadrant that the correlation gives back is the share of tp."""
    t = worked()
    rho = hs.relations.associate(t).tetrachoric
    h, k = (-special.ndtri(point(t, m)) for m in ("prevalence", "bias"))
    u, w = np.polynomial.legendre.leggauss(120)
    x = h + 5.5 * (u + 1)
    inner = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * special.ndtr((rho * x - k) / np.sqrt(1 - rho * rho))
    back = float(np.sum(5.5 * w * inner))
    check = close(back, t.tp / t.n)
    text = f"ρ = {rho:.6f}; P(both above their cuts) = {back:.6f}, tp/n {apart(check)}"
    return result(text, [claim(check.holds)], rho=rho)


@item("eq-6", "eq. 6", "Phi", "φ = (f11·f22 - f21·f12)/√(f1.·f.2·f.1·f.2)", "f2. for the first f.2: all four margins.")
def phi() -> Finding:
    """Both denominators against the correlation of two columns of zeros and ones."""
    t = many()
    f11, f12, f21, f22 = counts(t)
    top = f11 * f22 - f21 * f12
    rows, columns = (f11 + f12, f21 + f22), (f11 + f21, f12 + f22)
    printed = top / np.sqrt(rows[0] * columns[1] * columns[0] * columns[1])
    read = top / np.sqrt(rows[0] * rows[1] * columns[0] * columns[1])
    some = [_pearson(*(int(x[i]) for x in (f11, f12, f21, f22))) for i in range(20)]
    corrected = [close(read, point(t, "phi")), close(read[:20], some)]
    text = f"corrected {on_many(*corrected)}; worked table {point(worked(), 'phi'):.4f}"
    return result(text, [close(printed, point(t, "phi"))], corrected, phi=point(worked(), "phi"))


def _pearson(f11: int, f12: int, f21: int, f22: int) -> float:
    truth = np.repeat([1.0, 1.0, 0.0, 0.0], [f11, f12, f21, f22])
    answer = np.repeat([1.0, 0.0, 1.0, 0.0], [f11, f12, f21, f22])
    return float(np.corrcoef(truth, answer)[0, 1])


# -- 3.1: the table from three rates ------------------------------------------------------------------------------


def _rates(t: hs.Tally) -> tuple[Any, Any, Any]:
    return point(t, "precision"), point(t, "recall"), point(t, "fallout")


def _cell(index: int) -> Finding:
    """A cell from f11 and the rates, at many tables and at the worked one."""
    values = []
    for t in (many(), worked()):
        p, r, a = _rates(t)
        f11, factor = counts(t)[0], (1.0, 1 / r - 1, 1 / p - 1, (1 / p - 1) * (1 / a - 1))[index]
        values.append((counts(t)[index], f11 * factor))
    checks = [equals(cell, printed, 1e-9) for cell, printed in values]
    cell, printed = values[1]
    return result(f"{on_many(checks[0])}; worked table {cell:g}, by the print {printed:.10g}", checks)


for _place, _name, _index, _printed in (
    ("eq-7", "f21", 2, "f21 = f11(1/p - 1)"),
    ("eq-8", "f12", 1, "f12 = f11(1/r - 1)"),
    ("eq-9", "f22", 3, "f22 = f11(1/p - 1)(1/a - 1)"),
):
    item(_place, _place.replace("-", ". "), f"{_name} from f11", _printed)(partial(_cell, _index))


@item("eq-10", "eq. 10", "The size", "n = f11 + f12 + f21 + f22")
def size() -> Finding:
    """The sum of the cells."""
    check = equals(many().n, sum(counts(many())))
    return result(f"{on_many(check)}; worked table {worked().n}", [check])


@item("eq-11", "eq. 11", "f11 from the rates and n", "f11 = n/{1/p + 1/r - 1 + (1/p - 1)(1/a - 1)}",
      "No code of its own: solve eliminates any set of measures.")  # fmt: skip
def f11() -> Finding:
    """The closed form at many tables, and what solve gives for the same values."""
    t = many()
    shares = closed(*_rates(many()))
    checks = [equals(f / t.n, x) for x, f in zip(shares, counts(t), strict=True)]
    solved = hs.solve(precision=0.8, recall=80 / 110, fallout=20 / 890, n=1000).tables[0]
    printed = 1000 * closed(0.8, 80 / 110, 20 / 890)[0]
    checks.append(equals(solved["tp"], printed, 1e-9))
    text = f"p 80/100, r 80/110, a 20/890, n 1000: {solved['tp']:g} by solve, {printed:g} by eq. 11"
    return result(f"{text}; {on_many(*checks[:-1])}", checks)


@item("eq-12", "eq. 12", "f11 as a function of recall", "f11 = n/(1/r + c)")
def eq_12() -> Finding:
    """c = 1/p - 1 + (1/p - 1)(1/a - 1) = (1/p - 1)/a does not hold r."""
    p, r, a = _rates(many())
    t = many()
    check = equals(counts(t)[0] / t.n, 1 / (1 / r + (1 / p - 1) / a))
    return result(f"c = (1/p - 1)/a, {on_many(check)}", [check])


def _share(p: Any, r: Any, a: float) -> Array:
    """f11/n over precision (columns) and recall (rows): recall times the prevalence that the three rates give."""
    found = hs.relations.surface("prevalence", x_values=p, y_values=r, fallout=a).values
    return np.asarray(r)[:, None] * found


@item("eq-13", "eq. 13", "f11 rises with recall", "∂f11/∂r = n/(1 + cr)² > 0; it rises with p as well",
      "c = (1/p - 1)/a, as in eq. 12.")  # fmt: skip
def eq_13() -> Finding:
    """Slopes of f11/n by central differences over the grids of figs 1 to 3."""
    h, checks, least = 1e-5, [], np.inf
    for a in FALLOUTS.values():
        by_r = (_share(SIDE, SIDE + h, a) - _share(SIDE, SIDE - h, a)) / (2 * h)
        by_p = (_share(SIDE + h, SIDE, a) - _share(SIDE - h, SIDE, a)) / (2 * h)
        c = (1 / SIDE - 1) / a
        checks.append(equals(by_r, 1 / (1 + c * SIDE[:, None]) ** 2, 1e-6))
        least = min(least, float(by_r.min()), float(by_p.min()))
    far = max(x.gap for x in checks)
    text = f"1,083 slopes of f11/n by differences: within {far:.0e} of the print; the least, by r or p, is {least:.1g}"
    return result(text, [*checks, claim(least > 0)], least=least)


# -- figures 1 to 3 and the numbers beside them -------------------------------------------------------------------


def _figure_1(a: float) -> Finding:
    """ρ over precision and recall: farther from 0 than phi on both sides of it."""
    rho, phi = grid("tetrachoric", a), grid("phi", a)
    off = np.abs(SIDE - a) > 1e-9  # where recall is the fallout both are 0
    law = [close(np.sign(rho - phi)[off], np.sign(SIDE - a)[off, np.newaxis])]
    printed = [claim((rho > phi).all())] if a <= 0.1 else law
    mean = float(np.mean(rho - phi))
    text = f"ρ from {rho.min():.3f} to {rho.max():.3f} on {rho.size} points; ρ - φ is {mean:.3f} on average"
    if a > SIDE[0]:
        text += f", {float((rho - phi).min()):.3f} at the least"
    return result(text, printed, law, precision=SIDE, recall=SIDE, rho=rho, mean_difference=mean)


def _figure_2(a: float) -> Finding:
    """φ over precision and recall, against the corrected eq. 14."""
    got, check = grid("phi", a), close(grid("phi", a), corrected_14(SIDE, SIDE[:, None], a))
    text = f"φ from {got.min():.3f} to {got.max():.3f} on {got.size} points; eq. 14, corrected: {apart(check)}"
    return result(text, [check], precision=SIDE, recall=SIDE, phi=got)


def _figure_3(beta: float) -> Finding:
    """F_β over precision and recall, the same at every fallout; β and 1/β are mirrors of each other."""
    name, mirror = f"f{beta:g}", f"f{1 / beta:g}"
    got = grid(name, 0.01)
    checks = [close(got, grid(name, 0.2)), close(got, grid(mirror, 0.01).T)]
    stated = [] if beta == 1 else [claim(checks[1].holds)]
    text = (
        f"F_{beta:g} from {got.min():.3f} to {got.max():.3f}; F_{1 / beta:g} with r and p exchanged: {apart(*checks)}"
    )
    return result(text, [*checks, *stated], precision=SIDE, recall=SIDE, f=got)


for _part, _a in FALLOUTS.items():
    _printed = "for a ≤ 0.1 ρ is much larger than φ" if _a <= 0.1 else "ρ by precision and recall; no numbers"
    item(f"fig-1{_part}", f"fig. 1 ({_part})", f"ρ at fallout {_a:g}", _printed,
         "ρ is above φ where recall is above fallout; where it is below, both are negative, and ρ is the lower one.")(
        partial(_figure_1, _a))  # fmt: skip
for _part, _a in FALLOUTS.items():
    item(f"fig-2{_part}", f"fig. 2 ({_part})", f"φ at fallout {_a:g}",
         "φ by precision and recall; no numbers",
         "The surface is also eq. 14, corrected (ishioka-eq-14).")(partial(_figure_2, _a))  # fmt: skip
for _part, _beta in BETAS.items():
    item(f"fig-3{_part}", f"fig. 3 ({_part})", f"F at β = {_beta:g}",
         "F by precision and recall; no numbers" if _beta == 1
         else "(a) and (c) are the same with r and p exchanged")(partial(_figure_3, _beta))  # fmt: skip


def across(name: str, a: float) -> Array:
    """A measure at recall 0.4 and precision 0.05, 0.50, 0.95."""
    return np.asarray(hs.relations.surface(name, x_values=ACROSS, y_values=0.4, fallout=a).values[0])


def _row(values: Array) -> str:
    return " → ".join(f"{x:.6f}" for x in values)


def _differences(got: Array, printed: tuple[str, ...]) -> list[Agreement]:
    return [rounds(float(x), text, what=f"p = {p:g}") for x, text, p in zip(got, printed, ACROSS, strict=True)]


@item("3.1-rho-phi", "section 3.1", "ρ - φ at recall 0.4", "0.503 → 0.381 → 0.346 for p 0.05 → 0.50 → 0.95",
      "The paper does not print the fallout; of those in fig. 1 it is 0.01, that of part (a).")  # fmt: skip
def rho_minus_phi() -> Finding:
    """By two surfaces."""
    got = across("tetrachoric", 0.01) - across("phi", 0.01)
    return result(_row(got), _differences(got, ("0.503", "0.381", "0.346")), difference_by_p=got)


@item("3.1-phi-f1", "section 3.1", "φ - F1 at a = 0.01, r = 0.4", "-0.050 → 0.009 → 0.031 for p 0.05 → 0.50 → 0.95",
      "The sign is reversed: these are F1 - φ.")  # fmt: skip
def phi_minus_f1() -> Finding:
    """As printed and reversed."""
    got, printed = across("phi", 0.01) - across("f1", 0.01), ("-0.050", "0.009", "0.031")
    text = f"φ - F1: {_row(got)}; F1 - φ: {_row(-got)}"
    return result(text, _differences(got, printed), _differences(-got, printed), difference_by_p=got)


@item("3.1-phi-f2", "section 3.1", "φ - F2 at a = 0.2, r = 0.4", "0.159 → 0.094 → 0.276 for p 0.05 → 0.5 → 0.95",
      "These are |ρ - F1|.")  # fmt: skip
def phi_minus_f2() -> Finding:
    """As printed, and the absolute difference of ρ and F1."""
    got, other = across("phi", 0.2) - across("f2", 0.2), np.abs(across("tetrachoric", 0.2) - across("f1", 0.2))
    printed = ("0.159", "0.094", "0.276")
    text = f"φ - F2: {_row(got)}; |ρ - F1|: {_row(other)}"
    return result(text, _differences(got, printed), _differences(other, printed), difference_by_p=got, rho_f1=other)


@item("3.1-similar", "section 3.1", "φ and F1 are alike", "φ and F (especially β = 1) are similar when a ≤ 0.1",
      "Mean |φ - F| over the grid. F1 is the nearest of the three, but it is near at small fallouts only.")  # fmt: skip
def similar() -> Finding:
    """Mean distances of φ and F_β; β = 1 nearest at each fallout up to 0.1, and growing with the fallout."""
    found = {
        f"{a:g}": {f"f{b:g}": float(np.abs(grid("phi", a) - grid(f"f{b:g}", a)).mean()) for b in BETAS.values()}
        for a in FALLOUTS.values()
    }
    nearest = [min(found[a], key=found[a].__getitem__) == "f1" for a in ("0.01", "0.1")]
    f1 = [found[a]["f1"] for a in ("0.01", "0.1", "0.2")]
    text = f"mean |φ - F1| at a 0.01, 0.1, 0.2: {f1[0]:.3f}, {f1[1]:.3f}, {f1[2]:.3f}"
    return result(text, [claim(all(nearest)), claim(f1[0] < f1[1] < f1[2])], mean_distance=found)


# -- 3.2: the break-even point ------------------------------------------------------------------------------------

EVEN: Final = np.linspace(0.01, 0.99, 99)
EVEN_FALLOUTS: Final = np.linspace(0.01, 0.2, 20)


def corrected_14(p: Any, r: Any, a: Any) -> Any:
    """Eq. 14 as it must read."""
    return (r - a) * np.sqrt((1 - p) / (r * (a * (1 / r - 1) + (1 / p - 1) * (1 - a))))


@item("eq-14", "eq. 14", "φ from recall, precision and fallout", "φ = (r-a)√{(1-p)/(r{a + (1/p-1)(1-a)})}",
      "a(1/r-1) for a: φ = (r-a)√{(1-p)/(r[a(1/r-1) + (1/p-1)(1-a)])}.")  # fmt: skip
def eq_14() -> Finding:
    """Both forms at many tables."""
    p, r, a = _rates(many())
    want = point(many(), "phi")
    printed = (r - a) * np.sqrt((1 - p) / (r * (a + (1 / p - 1) * (1 - a))))
    corrected = close(corrected_14(p, r, a), want)
    return result(f"corrected {on_many(corrected)}", [close(printed, want)], [corrected])


@item("3.2-approximate", "section 3.2", "φ at the break-even point", "for a ≪ 1, φ ≈ r",
      "Exactly φ = r - a, and informedness = markedness = φ: at r = p, fp = fn.")  # fmt: skip
def at_break_even() -> Finding:
    """φ, informedness and markedness along r = p."""
    want = EVEN - EVEN_FALLOUTS[:, None]
    names = ("phi", "informedness", "markedness")
    even = [hs.relations.break_even(m, x_values=EVEN, y_values=EVEN_FALLOUTS).values for m in names]
    checks = [close(x, want) for x in even]
    near = float(np.abs(even[0][0] - EVEN).max())
    text = f"at a = 0.01 φ is within {near:.3f} of r; r - a for φ, informedness and markedness: {apart(*checks)}"
    return result(text, [*checks, claim(near <= 0.01 + 1e-12)])


@item("fig-4", "fig. 4", "Break-even point and ρ", "ρ is above the break-even point at all coordinates",
      "Not where the break-even point v is near the fallout: ρ is 0 at v = a, negative below. What holds: ρ is above "
      "v for a ≤ 0.1 and v ≥ 2a. Above a = 0.1 it is below v near 1 as well.")  # fmt: skip
def figure_4() -> Finding:
    """ρ along r = p = v for fallouts 0.01 to 0.2."""
    rho = hs.relations.break_even("tetrachoric", x_values=EVEN, y_values=EVEN_FALLOUTS).values
    a = EVEN_FALLOUTS[:, None]
    above = rho > EVEN
    where = (a <= 0.1 + 1e-9) & (2 * a - 1e-9 <= EVEN)
    text = (
        f"ρ above v at {above.mean():.1%} of {above.size} points; at {above[where].mean():.1%} of those with a ≤ 0.1 "
        "and v ≥ 2a"
    )
    return result(
        text, [claim(above.all())], [claim(above[where].all())], break_even=EVEN, fallout=EVEN_FALLOUTS, rho=rho
    )


@item("fig-5", "fig. 5", "Break-even point and φ", "φ is almost equivalent to the break-even point: the plane x = z",
      "A plane indeed, but z = x - y: it lies below x = z by the fallout.")  # fmt: skip
def figure_5() -> Finding:
    """φ along r = p = v for fallouts 0.01 to 0.2."""
    phi = hs.relations.break_even("phi", x_values=EVEN, y_values=EVEN_FALLOUTS).values
    plane = close(phi, EVEN - EVEN_FALLOUTS[:, None])
    usual = EVEN_FALLOUTS <= 0.1 + 1e-9  # the range of fallouts that the paper is about
    near, gap = float((EVEN - phi)[usual].max()), float((EVEN - phi).max())
    text = f"z = x - y: {apart(plane)}; below x = z by up to {near:.2f} for a ≤ 0.1, {gap:.2f} for a ≤ 0.2"
    return result(text, [plane, claim(near <= 0.1 + 1e-12)], break_even=EVEN, fallout=EVEN_FALLOUTS, phi=phi)
