"""Corrects misspelt names, only where the correction is certain.

Suggestions in a hint may be wrong (`problems.did_you_mean`); a patch may not.
"""

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

from toolweave.tools.opposites import are_opposite

# Limits the lookups in a file full of wrong names: comparing all with all takes too long.
MAX_LOOKED_UP = 20
MAX_LENGTH = 200
MAX_COMPARED = 5


def closest(wrong: str, known: Iterable[str]) -> str | None:
    """Return the only known name with the same letters or one or two edits away."""
    return Spelling(known).closest(wrong)


class Spelling:
    """Known names by their normalized form."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known: dict[str, list[str]] | None = None
        self._names = known
        self._left = MAX_LOOKED_UP
        self._found: dict[str, str | None] = {}

    @property
    def is_spent(self) -> bool:
        """Whether the limit of lookups is reached."""
        return self._left <= 0

    def meant(self, wrong: str) -> str | None:
        """Return what `wrong` means; None if unclear or the limit is reached."""
        if wrong not in self._found:
            if self.is_spent:
                return None
            self._left -= 1
            self._found[wrong] = self.closest(wrong)
        return self._found[wrong]

    def closest(self, wrong: str) -> str | None:
        """Return what `wrong` means, without counting the lookup."""
        return _only(self.nearest(wrong))

    def nearest(self, wrong: str) -> list[str]:
        """Return the known names that are as near as any; several if it is unclear."""
        known, given = self._by_letters(), _letters(wrong[: MAX_LENGTH + 1])
        if not given or len(wrong) > MAX_LENGTH:
            return []
        if given in known:
            return known[given]
        if len(given) < 3:
            return []
        allowed = 1 if len(given) < 8 else 2
        near = process.extract(
            given, list(known), scorer=OSA.distance, score_cutoff=allowed, limit=MAX_COMPARED
        )
        # `node-1` is not a misspelling of `node-2`.
        fitting = [
            (far, name)
            for name, far, _ in near
            if _digits(name) == _digits(given)
            and not any(are_opposite(wrong, one) for one in known[name])
        ]
        return [one for far, name in fitting if far == fitting[0][0] for one in known[name]]

    def _by_letters(self) -> dict[str, list[str]]:
        if self._known is None:
            self._known = {}
            for name in dict.fromkeys(self._names):
                self._known.setdefault(_letters(name), []).append(name)
        return self._known


def _letters(name: str) -> str:
    return "".join(one for one in name.casefold() if one.isalnum())


def _digits(text: str) -> str:
    return "".join(one for one in text if one.isdecimal())


def _only(names: list[str]) -> str | None:
    return names[0] if len(names) == 1 else None
