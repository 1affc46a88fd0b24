"""What is wrong with a document, as data: lists of problems, each with a place and a fix.

Checks yield problems and never raise; a door that must refuse raises `Invalid(problems=…)`.
"""

from collections.abc import Iterable, Sized
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One validation problem: a code, an RFC 6901 pointer, a message and a hint."""

    code: str
    pointer: str
    message: str
    hint: str | None = None
    severity: Severity = "error"
    # RFC 6902 operations that fix it, if the fix is known. Any: they are JSON to be sent on.
    patch: tuple[dict[str, Any], ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """The shape of `validate --json`: hint and patch only where there is one."""
        body: dict[str, Any] = {
            "code": self.code,
            "severity": self.severity,
            "pointer": self.pointer,
            "message": self.message,
        }
        if self.hint is not None:
            body["hint"] = self.hint
        if self.patch is not None:
            body["patch"] = list(self.patch)
        return body


def pointer(*steps: str | int) -> str:
    """An RFC 6901 JSON pointer: `pointer("a/b", 0)` is `/a~1b/0`; no steps is the document."""
    text = "/".join(map(str, steps))
    if "~" not in text and text.count("/") == len(steps) - 1:
        return "/" + text  # nothing to escape, as nearly always
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def quantity(count: int, noun: str) -> str:
    """`1 tool`, `3 tools`."""
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def how_many(problems: Sized) -> str:
    """`1 problem`, `3 problems`."""
    return quantity(len(problems), "problem")


def did_you_mean(wrong: str, known: Iterable[str]) -> str | None:
    """`did you mean 'list'?` for a close spelling among `known`, else nothing."""
    by_folded = {name.casefold(): name for name in known}
    close = get_close_matches(wrong.casefold(), by_folded, n=1, cutoff=0.6)
    return f"did you mean {by_folded[close[0]]!r}?" if close else None
