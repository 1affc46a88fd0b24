"""Corrects small syntax errors in expressions. Not a check."""

from toolweave.cel.language import compile_text
from toolweave.cel.templates import read_template
from toolweave.cel.tokens import tokens

# Operators of other languages with exactly one CEL equivalent.
_OURS = {
    "===": "==",
    "!==": "!=",
    "=": "==",
    "&": "&&",
    "|": "||",
    "and": "&&",
    "or": "||",
    "not": "!",
    "is": "==",
    "True": "true",
    "False": "false",
    "None": "null",
}


def without_habits(text: str) -> str | None:
    """Return the expression with CEL operators; None if it still cannot be parsed."""
    pieces: list[str] = []
    end = 0
    for word in tokens(text):
        if word.text in _OURS:
            pieces += (text[end : word.at], _OURS[word.text])
            end = word.end
    repaired = "".join((*pieces, text[end:]))
    return repaired if pieces and compile_text(repaired).is_usable else None


def closed(text: str) -> str | None:
    """Close the last placeholder at the end of the text, if the result can be parsed."""
    repaired = f"{text.rstrip().rstrip('}').rstrip()} }}}}"
    template = read_template(repaired)
    is_read = all(
        compile_text(placeholder.content).is_usable for placeholder in template.placeholders
    )
    return repaired if template.placeholders and not template.faults and is_read else None
