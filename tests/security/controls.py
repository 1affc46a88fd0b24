"""The `control` fixture: a test that shows a refusal also shows the same action being accepted.

    control("a small amount is accepted", small.status_code == 202)
    assert large.status_code == 422

Without the first line the second might hold for another reason: a typing error in the request, a
key without scopes. `tests/security/test_controls.py` requires a control of every security test.
"""

from collections.abc import Generator

import pytest


class Control:
    """The positive controls that a test showed."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def __call__(self, what: str, holds: object) -> None:
        """Fail unless `holds`; `what` says what was accepted."""
        assert holds, f"the positive control failed: {what}"
        self.shown.append(what)


@pytest.fixture
def control() -> Generator[Control]:
    made = Control()
    yield made
    assert made.shown, "the test showed no positive control"
