"""Prints at the end of a test run how many seeded faults were caught and fixed."""

from collections import Counter

import pytest

MARK = "faults "


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line, from what the tests recorded; so also with -n, where they run elsewhere."""
    counts: Counter[str] = Counter()
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    for report in reports:
        for key, value in getattr(report, "user_properties", ()):
            if key.startswith(MARK):
                counts[key.removeprefix(MARK)] += int(str(value))
    if not counts["all"]:
        return
    terminalreporter.section("seeded faults")
    caught, fixed = counts["caught"] / counts["all"], counts["fixed"] / max(counts["fixable"], 1)
    terminalreporter.write_line(
        f"caught {counts['caught']} of {counts['all']} ({caught:.1%}); "
        f"fixed {counts['fixed']} of {counts['fixable']} that can be ({fixed:.1%}); "
        f"errors in right workflows: {counts['alarms']} of {counts['right']}"
    )
