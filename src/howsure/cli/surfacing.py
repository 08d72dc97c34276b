"""The command `howsure surface`: texts to axes, values and the fixed measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from howsure.cli import parse
from howsure.cli.options import FORMAT, OUT, Command, option
from howsure.cli.output import show
from howsure.cli.solving import pairs
from howsure.errors import BadSetting

_VALUES = "0.1,0.5 | 0.1:0.9:5"
_MOST = 1_000_000


@click.command("surface", cls=Command)
@click.argument("values", nargs=-1, metavar="NAME=VALUE...")
@option("--z", default="phi", show_default=True, metavar="NAME", help="The measure that is shown.")
@option("--x", metavar="NAME", help="The measure of the columns; precision by default.")
@option("--y", metavar="NAME", help="The measure of the rows; recall by default, fallout with --break-even.")
@option("--break-even", is_flag=True, help="Columns are recall = precision; no fixed measure is needed.")
@option("--x-values", metavar=_VALUES, help="Values of x: a list, or first:last:number.")
@option("--y-values", metavar=_VALUES, help="Values of y: a list, or first:last:number.")
@option("--size", type=int, help="Points per side; 101, or 21 if each must be solved on its own.")
@FORMAT
@OUT
def surface(
    values: tuple[str, ...],
    z: str,
    x: str | None,
    y: str | None,
    break_even: bool,
    x_values: str | None,
    y_values: str | None,
    size: int | None,
    kind: str,
    out: Path | None,
) -> None:
    """A measure over two others at a fixed third, such as: howsure surface --z phi --x precision --y recall fallout=.01

    Names are those of howsure metrics; counts such as tp need n=VALUE too. The table shows up to 11 x 11 of the values,
    JSON and CSV have all.
    """
    from howsure import relations

    fixed = pairs(values, False, "surface")
    how: dict[str, Any] = {"x_values": _list(x_values), "y_values": _list(y_values), "size": size}
    how["n"] = fixed.pop("n", None)
    if break_even:
        if x is not None or fixed:
            raise BadSetting(
                f"--break-even already sets x: leave out {f'--x {x}' if x else ', '.join(fixed)}, and give only --y"
            )
        found = relations.break_even(z, y or "fallout", **how)
    else:
        found = relations.surface(z, x or "precision", y or "recall", fixed, **how)
    show(found, kind, out)


def _list(text: str | None) -> list[float] | None:
    """0.1,0.5 or 0.1:0.9:5 as numbers."""
    if text is None:
        return None
    try:
        if ":" not in text:
            return [parse.number(part) for part in text.split(",")]
        first, last, number = text.split(":")
        steps = int(number) - 1
        low, high = parse.number(first), parse.number(last)
        if not 1 <= steps < _MOST:
            raise ValueError
        return [low + (high - low) * i / steps for i in range(steps + 1)]
    except ValueError:
        raise BadSetting(
            f"values are a list (0.1,0.5) or first:last:number (0.1:0.9:5), at most {_MOST:,} of them; got {text!r}"
        ) from None
