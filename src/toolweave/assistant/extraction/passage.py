"""A word sequence of a request as the value of a parameter."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """The words `begin` to `end` as a value."""

    text: str
    begin: int
    end: int
    score: float = 0.0
    # Whether something beside the passage speaks of the parameter.
    has_sign: bool = False

    def overlaps(self, other: "Passage") -> bool:
        """Whether they share a word."""
        return self.begin < other.end and other.begin < self.end
