"""Prints at the end of a test run how many requirements of each seed have a test."""

from pathlib import Path

import pytest
from tests.seeds.marks import scan
from tests.seeds.proof import summary
from tests.seeds.requirements import REQUIREMENTS

TESTS = Path(__file__).parents[1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line per seed, one for what is left. Runs in the controller only, so also with -n."""
    terminalreporter.section("requirements of the seeds")
    for line in summary(REQUIREMENTS, scan(TESTS)):
        terminalreporter.write_line(line)
