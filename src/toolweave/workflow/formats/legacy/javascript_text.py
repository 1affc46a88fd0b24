"""A text of JavaScript as CEL. Loaded with the first text that is not CEL already."""

from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.workflow.formats.legacy.from_javascript import JavaScriptTranslator
from toolweave.workflow.formats.legacy.javascript import Untranslatable, read_javascript


def as_cel(text: str, *, is_condition: bool) -> tuple[str | None, tuple[SyntaxProblem, ...]]:
    """The CEL for a text and what is doubtful about it, or nothing and the reason."""
    writer = JavaScriptTranslator()
    try:
        tree = read_javascript(text)
        found = writer.condition(tree) if is_condition else writer.written(tree)
    except Untranslatable as reason:
        return None, (fault_at(text, reason.at, reason.code, reason.message, reason.hint),)
    doubts = (
        fault_at(text, at, "EXPRESSION_TRUTH", message, severity="warning")
        for at, message in writer.doubts
    )
    return found.text, tuple(doubts)
