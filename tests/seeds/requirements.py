"""Every requirement of the five seeds, and which issues have been built. Data only.

A test says what it proves with `@pytest.mark.requirement("001:FR-008")`; `test_requirements.py`
holds both ways: no requirement of a done issue without a test, no mark without a requirement.
"""

from collections.abc import Mapping

from tests.seeds import seed_000, seed_001, seed_002, seed_003, seed_004
from tests.seeds.requirement import Issue, Requirement

_SEEDS = (seed_000, seed_001, seed_002, seed_003, seed_004)

REQUIREMENTS: tuple[Requirement, ...] = tuple(
    Requirement(
        id=id,
        seed=id.partition(":")[0],
        text=text,
        issue=issue,
        settled=seed.SETTLED.get(id),
        message=seed.MESSAGES.get(id),
        internal=seed.INTERNAL.get(id),
    )
    for seed in _SEEDS
    for issue, texts in seed.REQUIREMENTS.items()
    for id, text in texts.items()
)

# The issues that are built: each of their requirements must have a test.
DONE_ISSUES: tuple[Issue, ...] = (
    "Ground",
    "Catalog",
    "Workflows",
    "Engine",
    "Models",
    "Library",
    "Studio",
)

# Exceptions inside a done issue, each with its reason. One that has a test after all fails.
GAPS: Mapping[str, str] = {}
