"""Test results as JUnit XML, for CI systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr


@dataclass(frozen=True, slots=True)
class JunitCase:
    """One recording as a test case; `failure` says what is different, line by line."""

    name: str
    seconds: float
    failure: str | None = None


def junit_xml(cases: Sequence[JunitCase]) -> str:
    """Return a report of all test cases."""
    failures = sum(case.failure is not None for case in cases)
    took = sum(case.seconds for case in cases)
    head = f'tests="{len(cases)}" failures="{failures}" time="{took:.3f}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuite name="toolweave" {head}>']
    for case in cases:
        opening = f'<testcase name={quoteattr(_legal(case.name))} time="{case.seconds:.3f}"'
        if case.failure is None:
            lines.append(f"  {opening}/>")
        else:
            first = quoteattr(_legal(case.failure.partition("\n")[0]))
            body = escape(_legal(case.failure))
            lines.append(f"  {opening}><failure message={first}>{body}</failure></testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def _legal(text: str) -> str:
    """XML has no place for most control characters, not even escaped."""
    return "".join(char if char in "\n\t" or char.isprintable() else "�" for char in text)
