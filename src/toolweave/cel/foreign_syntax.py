"""Hints for syntax of other languages that CEL does not have."""

from toolweave.cel.tokens import tokens

_HABITS = {
    "===": "CEL compares with ==",
    "!==": "CEL compares with !=",
    "=": "CEL compares with ==",
    "and": "CEL writes && for and",
    "or": "CEL writes || for or",
    "not": "CEL writes ! for not",
    "&": "CEL writes && for and",
    "|": "CEL writes || for or",
    "is": "CEL compares with ==",
    "?.": "CEL writes .? for a member that may be missing",
    "??": "CEL writes .orValue(x) after a member with .?",
    "=>": "CEL writes list.map(x, …) without an arrow",
    "$…": "a name cannot begin with $",
    "`…": "CEL has no template strings; join strings with +",
}
# Operators that CEL never has.
_SIGNS = frozenset({"===", "!==", "?.", "??", "=>"})


def habit(text: str, offset: int) -> str | None:
    """Return a hint if the syntax at or before `offset` is another language's."""
    words = list(tokens(text))
    at_fault = [word for word in words if word.at <= offset < word.end]
    before = [word for word in words if word.end <= offset][-1:]
    signs = [word for word in words if word.text in _SIGNS]
    for word in (*at_fault, *before, *signs):
        if hint := _HABITS.get(word.text) or _HABITS.get(f"{word.text[0]}…"):
            return hint
    return None
