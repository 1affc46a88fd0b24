"""A place among the words of a foreign expression, and the operators that words stand for."""

from toolweave.workflow.formats.foreign.tree import NotReadable
from toolweave.workflow.formats.foreign.words import Word

OR, COALESCE, AND, NOT, RELATION, SUM, PRODUCT, SIGN, POWER = range(1, 10)
LEVELS = {
    **dict.fromkeys(("||", "|", "or"), OR),
    "??": COALESCE,
    **dict.fromkeys(("&&", "&", "and"), AND),
    **dict.fromkeys(("==", "===", "=", "!=", "!==", "<>", "=/=", "<", "<=", "=<"), RELATION),
    **dict.fromkeys((">", ">=", "in", "not", "is", "between", "contains", "like"), RELATION),
    **dict.fromkeys(("not in", "not contains", "startswith", "endswith"), RELATION),
    **dict.fromkeys(("matches", "not matches"), RELATION),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "/", "%", "//", "~"), PRODUCT),
    "**": POWER,
}
SPELT = {
    "=": "==",
    "<>": "!=",
    "=/=": "!=",
    "=<": "<=",
    "or": "||",
    "and": "&&",
}
_WORDS = frozenset({"or", "and", "in", "not", "is", "between", "contains", "like"})


class WordCursor:
    """Reads words one after the other; the last one is `end` and is never passed."""

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.place: int = 0

    @property
    def word(self) -> Word:
        """The next word."""
        return self.words[self.place]

    def ahead(self, by: int) -> Word:
        """A word after the next one."""
        return self.words[min(self.place + by, len(self.words) - 1)]

    def next_word(self) -> Word:
        """Read the next word."""
        word = self.word
        self.place = min(self.place + 1, len(self.words) - 1)
        return word

    def take(self, text: str) -> Word | None:
        """Read the next word if it is this one."""
        return self.next_word() if self.word.text == text else None

    def expect(self, text: str) -> Word:
        """Read the next word. Raises `NotReadable` if it is another one."""
        word = self.take(text)
        if word is None:
            raise NotReadable
        return word

    def expect_word(self, text: str) -> None:
        """As `expect`, in upper or lower case."""
        if self.next_word().text.lower() != text:
            raise NotReadable

    def sign(self) -> str:
        """The operator that the next word stands for; empty if it is none."""
        word = self.word
        if word.kind == "name":
            lower = word.text.lower()
            is_spelt = word.text in {lower, lower.upper(), lower.capitalize()}
            return lower if lower in _WORDS and is_spelt else ""
        return word.text if word.kind == "sign" else ""
