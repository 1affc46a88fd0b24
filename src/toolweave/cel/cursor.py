"""A position in the tokens of a text, and errors for unexpected tokens."""

from typing import NoReturn

from toolweave.cel.fault import Malformed
from toolweave.cel.tokens import Token, cel_tokens, tokens

_MAX_SHOWN = 80

# Syntax of other languages -> the hint.
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


class TokenCursor:
    """Steps through the tokens of a CEL text; the last is of kind `end`."""

    def __init__(self, text: str) -> None:
        self.words = cel_tokens(text)
        self.word = self.words[0]
        self._text = text
        self._place = 0

    @property
    def after(self) -> Token:
        """The token after the current one."""
        return self.words[self._place + 1]

    def next(self) -> Token:
        """Return the current token and advance."""
        word = self.word
        self._place += 1
        self.word = self.words[self._place]
        return word

    def takes(self, sign: str) -> bool:
        """Advance if the current token is this one; return whether it was."""
        if self.word.text != sign:
            return False
        self.next()
        return True

    def expect(self, sign: str, expected: str | None = None) -> None:
        """Advance past this token. Raises `Malformed`: the current token is another one."""
        if not self.takes(sign):
            self.refuse(expected or repr(sign))

    def refuse(self, expected: str) -> NoReturn:
        """Report what was expected instead of the current token. Raises `Malformed`: always."""
        word = self.word
        is_end = word.kind == "end"
        found = "the expression ends" if is_end else f"{word.text[:_MAX_SHOWN]!r} is found"
        message = f"{found} where {expected} is expected"
        raise Malformed(word.at, message, _habit(self._text, word.at))


def _habit(text: str, offset: int) -> str | None:
    """Return a hint if the syntax at or before `offset` is another language's."""
    words = list(tokens(text))
    at_fault = [word for word in words if word.at <= offset < word.end]
    before = [word for word in words if word.end <= offset][-1:]
    signs = [word for word in words if word.text in _SIGNS]
    for word in (*at_fault, *before, *signs):
        if hint := _HABITS.get(word.text) or _HABITS.get(f"{word.text[0]}…"):
            return hint
    return None
