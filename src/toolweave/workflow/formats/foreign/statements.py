"""Functions and statements around an expression: `const x = …; return …`, `if (a) return b`."""

from toolweave.workflow.formats.foreign.parser import ForeignParser
from toolweave.workflow.formats.foreign.tree import (
    Choice,
    Function,
    Group,
    LocalValue,
    NotReadable,
    Tree,
)
from toolweave.workflow.formats.foreign.word_cursor import OR

_DECLARING = frozenset({"const", "let", "var"})


def read_foreign(text: str) -> Tree:
    """The tree of a text. Raises `NotReadable`."""
    return _StatementParser(text).whole()


class _StatementParser(ForeignParser):
    def whole(self) -> Tree:
        """The tree of the whole text."""
        if self._starts_statement():
            tree = self._statements()
        else:
            self.take("return")
            is_condition = self.word.text == "if" and self.ahead(1).text == "("
            is_condition = is_condition and not self._is_chosen()
            if is_condition:
                self.next_word()  # a condition as a statement without one
            tree = self._wrapper() or self.expression()
            tree = tree.inner if isinstance(tree, Group) and is_condition else tree
            self.take(";")
        if self.word.kind != "end":
            raise NotReadable
        return tree

    def block(self) -> Tree:
        """`{ const x = …; return …; }`."""
        self.expect("{")
        tree = self._statements()
        self.expect("}")
        return tree

    def _starts_statement(self) -> bool:
        words = [one.text for one in self.words]
        if "return" not in words[1:]:
            return False
        is_set = self.word.kind == "name" and self.ahead(1).text == "="
        return self.word.text in {*_DECLARING, "if"} or is_set

    def _statements(self) -> Tree:
        if self.take("return"):
            value = self.expression()
            self.take(";")
            return value
        if self.take("if"):
            return self._decision()
        if self.word.text in _DECLARING:
            self.next_word()
        name = self.next_word()
        if name.kind != "name":
            raise NotReadable
        self.expect("=")
        value = self.expression()
        self.take(";")
        return LocalValue(name.text, value, self._statements())

    def _decision(self) -> Tree:
        asked = self._operations(OR)
        condition = asked.inner if isinstance(asked, Group) else asked
        is_plain = self.take(":") is not None or self.word.text != "{"
        one = self._statements() if is_plain else self.block()
        if self.take("else"):
            is_block = self.word.text == "{"
            self.take(":")
            return Choice(condition, one, self.block() if is_block else self._statements())
        return Choice(condition, one, self._statements())

    def _wrapper(self) -> Tree | None:
        """`function (x) { … }`, `def f(x): …`, `() => …`."""
        if self.word.text == "(" and self.ahead(1).text == ")" and self.ahead(2).text == "=>":
            self.place += 3
            return Function("", self._body())
        is_python = self.word.text == "def"
        if self.word.text not in {"function", "def"}:
            return None
        self.next_word()
        if self.word.kind == "name":
            self.next_word()
        self.expect("(")
        parameter = self.next_word()
        self.expect(")")
        if parameter.kind != "name":
            raise NotReadable
        if is_python:
            self.expect(":")
            return Function(parameter.text, self._statements())
        return Function(parameter.text, self.block())

    def _body(self) -> Tree:
        return self.block() if self.word.text == "{" else self.expression()

    def _is_chosen(self) -> bool:
        """Whether the brackets after `if` hold a condition and two values, or `then` follows."""
        depth, commas = 0, 0
        for word in self.words[self.place + 1 :]:
            depth += (word.text in {"(", "[", "{"}) - (word.text in {")", "]", "}"})
            commas += depth == 1 and word.text == ","
            if depth == 0 and word.text.lower() == "then":
                return True
        return commas == 2
