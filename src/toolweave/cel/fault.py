"""Syntax problems of an expression or template, with their position."""

from dataclasses import dataclass

from toolweave.problems import Problem, Severity


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """One problem of a text: a code, its offset, line and column, and a hint."""

    code: str
    message: str
    offset: int
    line: int
    column: int
    hint: str | None = None
    severity: Severity = "error"

    def problem(self, pointer: str) -> Problem:
        """The fault as a problem of the document that holds the text at `pointer`."""
        place = (
            f"column {self.column}" if self.line == 1 else f"line {self.line}, column {self.column}"
        )
        return Problem(
            self.code, pointer, f"{self.message} ({place})", self.hint, severity=self.severity
        )


def fault_at(
    text: str,
    offset: int,
    code: str,
    message: str,
    hint: str | None = None,
    severity: Severity = "error",
) -> SyntaxProblem:
    """A fault of `text` at a character, counted from 0; lines and columns count from 1."""
    place = max(0, min(offset, len(text)))
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    return SyntaxProblem(code, message, place, line, column, hint, severity)


class Malformed(Exception):
    """A text that cannot be parsed: where, why, and a hint."""

    def __init__(
        self, at: int, message: str, hint: str | None = None, code: str = "EXPRESSION_INVALID"
    ) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.hint = hint
        self.code = code
