"""A place in the words of a text, and the fault of finding there what is not expected."""

from typing import NoReturn

from toolweave.cel.fault import Malformed
from toolweave.cel.foreign_syntax import habit
from toolweave.cel.tokens import Token, cel_tokens

_MAX_SHOWN = 80


class TokenCursor:
    """Goes through the words of a CEL text, one at a time; the last is of kind `end`."""

    def __init__(self, text: str) -> None:
        self.words = cel_tokens(text)
        self.word = self.words[0]
        self._text = text
        self._place = 0

    @property
    def after(self) -> Token:
        """The word after the one at hand, which is not the end."""
        return self.words[self._place + 1]

    def next(self) -> Token:
        """The word at hand, which is left behind."""
        word = self.word
        self._place += 1
        self.word = self.words[self._place]
        return word

    def takes(self, sign: str) -> bool:
        """Whether the word at hand is this one, which is then left behind."""
        if self.word.text != sign:
            return False
        self.next()
        return True

    def expect(self, sign: str, expected: str | None = None) -> None:
        """Leave this word behind.

        Raises:
            Malformed: another stands there.
        """
        if not self.takes(sign):
            self.refuse(expected or repr(sign))

    def refuse(self, expected: str) -> NoReturn:
        """Tell what was expected in place of the word at hand.

        Raises:
            Malformed: always.
        """
        word = self.word
        is_end = word.kind == "end"
        found = "the expression ends" if is_end else f"{word.text[:_MAX_SHOWN]!r} is found"
        message = f"{found} where {expected} is expected"
        raise Malformed(word.at, message, habit(self._text, word.at))
