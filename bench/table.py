"""One table: our figure, what it is held against from the same run, their ratio, the verdict."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line; the ratio is to be at most, or at least, so much."""

    what: str
    figure: float
    floor: float | None
    unit: str
    floor_is: str = "-"
    at_most: float | None = None
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours to theirs."""
        return self.figure / self.floor if self.floor else None

    @property
    def verdict(self) -> str:
        """Whether the target is met; nothing where there is none."""
        ratio = self.ratio
        if ratio is None or (self.at_most is None and self.at_least is None):
            return ""
        is_low_enough = self.at_most is None or ratio <= self.at_most
        is_high_enough = self.at_least is None or ratio >= self.at_least
        return "holds" if is_low_enough and is_high_enough else "MISSED"

    @property
    def cells(self) -> tuple[str, ...]:
        """The line's texts."""
        bounds = (("<=", self.at_most), (">=", self.at_least))
        target = " ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)
        return (
            self.what,
            _shown(self.figure, self.unit),
            "-" if self.floor is None else _shown(self.floor, self.unit),
            self.floor_is,
            "-" if self.ratio is None else f"{self.ratio:.2f}",
            target,
            self.verdict,
        )


HEAD = ("what", "figure", "floor", "the floor is", "ratio", "target", "")


def table(rows: Iterable[Row]) -> str:
    """The report."""
    lines = [HEAD, *(row.cells for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    padded = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
    return "\n".join(padded)


def _shown(figure: float, unit: str) -> str:
    return f"{figure:,.1f} {unit.replace('us', chr(0xB5) + 's')}"
