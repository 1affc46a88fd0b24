"""The record of one seed requirement, and the issues that build them in order."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Issue = Literal["Ground", "Catalog", "Workflows", "Engine", "Models", "Library", "Studio"]
ISSUES: tuple[Issue, ...] = get_args(Issue)

# What a seed file states: for each issue, the ids it builds with our wording of each.
BySubject: TypeAlias = dict[Issue, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing a seed asks for, in our words, and the subject of the issue that builds it."""

    id: str
    seed: str
    text: str
    issue: Issue
    # How a design file settles it where that differs from the seed's letter.
    settled: str | None = None
    # The exact text the seed prescribes, where it does.
    message: str | None = None
    # Why no door can show it, for the few that only a test inside the program proves.
    internal: str | None = None
