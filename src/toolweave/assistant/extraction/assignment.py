"""Distribute values over parameters so that no word is used twice and the scores are highest."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolweave.json_text import Json

# Of an order of values that is not that of the parameters, and of a required one without a value.
INVERSION, MISSING = 0.05, 6.0
MAX_STEPS = 50_000


@dataclass(frozen=True, slots=True)
class Option:
    """A value for a parameter; `words` are those it uses, otherwise its place alone."""

    place: int
    score: float
    value: Json
    words: range | None = field(default=None)

    @property
    def used(self) -> frozenset[int]:
        """What no other parameter can use."""
        return frozenset(self.words if self.words is not None else (self.place,))


@dataclass(slots=True)
class _Search:
    options: Sequence[Sequence[Option]]
    required: Sequence[bool]
    best: tuple[Option | None, ...] = ()
    best_score: float = float("-inf")
    steps: int = 0
    # The most that the parameters from each place on can add.
    ahead: tuple[float, ...] = ()

    def run(self, chosen: tuple[Option | None, ...], used: frozenset[int], score: float) -> None:
        self.steps += 1
        at = len(chosen)
        if at == len(self.options):
            if score > self.best_score:
                self.best, self.best_score = chosen, score
            return
        if score + self.ahead[at] <= self.best_score:
            return
        for option in self.options[at]:
            if not used & option.used and self.steps < MAX_STEPS:
                lost = INVERSION * sum(
                    one is not None and min(one.used) > min(option.used) for one in chosen
                )
                self.run((*chosen, option), used | option.used, score + option.score - lost)
        self.run((*chosen, None), used, score - (MISSING if self.required[at] else 0.0))


def best_assignment(
    options: Sequence[Sequence[Option]], required: Sequence[bool]
) -> tuple[Option | None, ...]:
    """Return one option for each parameter, or `None`; the search is limited."""
    ordered = [sorted(one, key=lambda option: -option.score) for one in options]
    most = [
        max([one[0].score if one else 0.0, 0.0]) if not is_required or one else -MISSING
        for one, is_required in zip(ordered, required, strict=True)
    ]
    ahead = tuple(sum(most[at:]) for at in range(len(most)))
    search = _Search(ordered, required, ahead=ahead)
    search.run((), frozenset(), 0.0)
    return search.best
