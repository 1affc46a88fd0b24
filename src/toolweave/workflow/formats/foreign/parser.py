"""Reads expressions of JavaScript, Python, Jinja, SQL and their like, and CEL, as one tree.

Where the languages disagree on precedence, `not` binds as in Python and `|` as in Jinja.
"""

from toolweave.cel.paths import quoted
from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.joined_texts import template_parts, text_parts, unescaped
from toolweave.workflow.formats.foreign.tree import (
    AppliedFilter,
    Call,
    Choice,
    Constant,
    Entries,
    FieldAccess,
    ForeignName,
    Function,
    Group,
    ItemAccess,
    Items,
    Joined,
    Loop,
    NotReadable,
    Operation,
    Sign,
    Slice,
    Spread,
    Tree,
)
from toolweave.workflow.formats.foreign.vocabulary import FILTERS
from toolweave.workflow.formats.foreign.word_cursor import (
    AND,
    LEVELS,
    NOT,
    OR,
    RELATION,
    SPELT,
    SUM,
    WordCursor,
)
from toolweave.workflow.formats.foreign.words import Word, words_of

_MAX_DEPTH = 30
_LIKE = pattern(r"(%?)([^%_\\]+)(%?)")
_CONSTANTS = (
    {"true": "true", "false": "false"}
    | dict.fromkeys(("null", "none", "nil"), "null")
    | {"undefined": "undefined"}
)
_STATEMENTS = frozenset({"return", "const", "let", "var", "if"})
_STATES = frozenset({"defined", "undefined", "empty"})
# Operators that CEL writes as methods.
_AS_METHODS = {
    "startswith": "startsWith",
    "endswith": "endsWith",
    "matches": "matches",
    "not matches": "matches",
    "not contains": "contains",
}
_CHOOSING = frozenset({"if", "iif", "ifelse"})


def _like(value: Tree, wanted: Tree) -> Tree:
    """The comparison of SQL with a pattern that has `%` only at its ends."""
    text = wanted.text if isinstance(wanted, Constant) else None
    match = _LIKE.fullmatch(text or "")
    if match is None:
        raise NotReadable
    inside = Constant(quoted(match[2]), match[2])
    match match[1], match[3]:
        case "%", "%":
            method = "contains"
        case "%", _:
            method = "endsWith"
        case _, "%":
            method = "startsWith"
        case _:
            return Operation((value, inside), ("==",))
    return Call(FieldAccess(value, method, is_optional=False), (inside,))


def _number(text: str) -> str:
    """A number without the separators and the suffixes of other languages."""
    is_hex = text[:2].lower() == "0x"
    return text if is_hex else text.replace("_", "").rstrip("nLlfFdD")


def _called(of: Tree, arguments: tuple[Tree, ...]) -> Tree:
    """A call; `if(a, b, c)` of spreadsheets is a choice."""
    is_choice = isinstance(of, ForeignName) and of.name.lower() in _CHOOSING
    if is_choice and len(arguments) == 3:
        return Choice(*arguments)
    return Call(of, arguments)


class ForeignParser(WordCursor):
    """Reads expressions."""

    def __init__(self, text: str) -> None:
        super().__init__(words_of(text))
        self._depth = 0

    def block(self) -> Tree:
        """The body of a function in braces. Raises `NotReadable` unless statements are read."""
        raise NotReadable

    def expression(self) -> Tree:
        """Read an expression."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise NotReadable
        found = self._function() or self._spelt_choice() or self._choice(self._operations(OR))
        self._depth -= 1
        return found

    def _spelt_choice(self) -> Choice | None:
        """`if a then b else c end`, `CASE WHEN a THEN b ELSE c END`."""
        word = self.word.text.lower()
        is_case = word == "case" and self.ahead(1).text.lower() == "when"
        is_if = word == "if" and any(one.text.lower() == "then" for one in self.words)
        if not is_case and not is_if:
            return None
        self.place += 1 + is_case
        found = self._cases({"when"} if is_case else {"elif", "elseif", "elsif"})
        if self.word.text.lower() == "end":
            self.next_word()
        return found

    def _cases(self, others: set[str]) -> Choice:
        condition = self._operations(OR)
        self.expect_word("then")
        one = self.expression()
        if self.word.text.lower() in others:
            self.next_word()
            return Choice(condition, one, self._cases(others))
        self.expect_word("else")
        return Choice(condition, one, self.expression())

    def _function(self) -> Function | None:
        word, after = self.word, self.ahead(1)
        if word.text == "lambda" and after.kind == "name" and self.ahead(2).text == ":":
            self.place += 3
            parameter = after.text
        elif word.kind == "name" and after.text in {"=>", "->"}:
            self.place += 2
            parameter = word.text
        elif word.text == "(" and after.kind == "name" and self.ahead(2).text == ")":
            if self.ahead(3).text not in {"=>", "->"}:
                return None
            self.place += 4
            parameter = after.text
        else:
            return None
        is_block = self.word.text == "{" and self.ahead(1).text in _STATEMENTS
        return Function(parameter, self.block() if is_block else self.expression())

    def _choice(self, found: Tree) -> Tree:
        if self.take("?"):
            one = self.expression()
            self.expect(":")
            two = self.expression()
            return Choice(found, one, two)
        if self.word.text == "if":
            self.next_word()
            condition = self._operations(OR)
            if not self.take("else"):
                raise NotReadable
            two = self.expression()
            return Choice(condition, found, two)
        return found

    def _operations(self, level: int) -> Tree:
        """Operands joined by signs of at least this level, from the left."""
        found = self._operand()
        while True:
            sign = self.sign()
            found_level = LEVELS.get(sign, 0)
            if found_level < level or not found_level:
                return found
            if found_level == RELATION:
                found = self._relation(found)
                continue
            self.next_word()
            right = self._operations(found_level + 1)
            sign = SPELT.get(sign, sign)
            found = Operation((found, right), (sign,))

    def _relation(self, first: Tree) -> Tree:
        operands, signs = [first], list[str]()
        while LEVELS.get(self.sign(), 0) == RELATION:
            sign = self._relating()
            if sign == "between":
                low = self._operations(SUM)
                if self.sign() not in {"and", "&&"}:
                    raise NotReadable
                self.next_word()
                high = self._operations(SUM)
                return Operation((first, low, high), ("between",))
            if sign in {"like", "not like"}:
                found = _like(first, self._operations(SUM))
                return found if sign == "like" else Sign("!", Group(found))
            if sign in {"is", "is not"} and self.word.text.lower() in _STATES:
                word = self.next_word()
                state = Constant(word.text.lower())
                return Operation((first, state), (sign,))
            if sign in _AS_METHODS:
                method = FieldAccess(first, _AS_METHODS[sign], is_optional=False)
                found = Call(method, (self._operations(SUM),))
                return Sign("!", found) if sign.startswith("not ") else found
            operands.append(self._operations(SUM))
            signs.append(sign)
        return Operation(tuple(operands), tuple(signs))

    def _relating(self) -> str:
        sign = self.sign()
        self.next_word()
        if sign == "not":
            negated = self.sign()
            if negated not in {"in", "like"}:
                raise NotReadable
            self.next_word()
            return f"not {negated}"
        if sign == "is" and self.sign() == "not":
            self.next_word()
            return "is not"
        return SPELT.get(sign, sign)

    def _operand(self) -> Tree:
        word = self.word
        if self.sign() == "not":
            self.next_word()
            of = self._operations(NOT)
            return Sign("not", of)
        if word.text in {"!", "-", "typeof"}:
            self.next_word()
            of = self._operand()
            return Sign(word.text, of)
        return self._postfix(self._primary())

    def _primary(self) -> Tree:
        word = self.next_word()
        match word.kind:
            case "number":
                return Constant(_number(word.text))
            case "regex":
                return Constant(quoted(word.text), word.text, is_regex=True)
            case "text":
                return self._text(word)
            case "template":
                return Joined(template_parts(word.text))
            case "name":
                constant = _CONSTANTS.get(word.text.lower())
                if constant is not None and not self._is_called():
                    return Constant(constant)
                return ForeignName(word.text)
            case _:
                return self._bracketed(word)

    def _is_called(self) -> bool:
        return self.word.text in {"(", ".", "["}

    def _text(self, word: Word) -> Tree:
        prefix = word.text[: word.text.index(word.text[-1])].lower()
        if "f" in prefix:
            return Joined(text_parts(word.text[len(prefix) :]), is_python=True)
        if prefix in {"", "u"}:
            inside = unescaped(word.text[len(prefix) :])
            cel = word.text if not prefix else quoted(inside)
            return Constant(cel, inside)
        return Constant(word.text)

    def _bracketed(self, opened: Word) -> Tree:
        match opened.text:
            case "(":
                return self._group()
            case "[":
                return self._list()
            case "{":
                return self._map()
            case "." if self.word.kind == "name":
                word = self.next_word()
                return ForeignName(word.text)
            case "@" if self.word.kind == "name":
                return self._primary()
            case _:
                raise NotReadable

    def _group(self) -> Tree:
        """`(a)`, or `(a, b)`, which is a list in SQL and Python."""
        items = [self.expression()]
        while self.take(","):
            if self.word.text != ")":
                items.append(self.expression())
            else:
                self.expect(")")
                return Items(tuple(items))
        self.expect(")")
        return Items(tuple(items)) if len(items) > 1 else Group(items[0])

    def _list(self) -> Tree:
        items: list[Tree] = []
        while self.word.text != "]":
            is_spread = self.take("...") is not None
            item = self.expression()
            items.append(Spread(item) if is_spread else item)
            if self.word.text == "for" and len(items) == 1:
                loop = self._loop(items[0])
                self.expect("]")
                return loop
            if not self.take(","):
                break
        self.expect("]")
        return Items(tuple(items))

    def _loop(self, body: Tree) -> Loop:
        self.expect("for")
        variable = self.next_word()
        if variable.kind != "name" or self.sign() != "in":
            raise NotReadable
        self.next_word()
        over = self._operations(OR)
        keep = self._operations(OR) if self.take("if") else None
        return Loop(body, variable.text, over, keep)

    def _map(self) -> Tree:
        entries: list[tuple[Tree, Tree]] = []
        while self.word.text != "}":
            key = self._primary()
            if not entries and isinstance(key, Constant) and self.word.text in {",", "}"}:
                return self._set(key)
            if isinstance(key, ForeignName):
                key = Constant(quoted(key.name), key.name)
            self.expect(":")
            entries.append((key, self.expression()))
            if not self.take(","):
                break
        self.expect("}")
        return Entries(tuple(entries))

    def _set(self, first: Tree) -> Tree:
        """`{'a', 'b'}` of Python, after its first item."""
        items = [first]
        while self.take(",") and self.word.text != "}":
            items.append(self.expression())
        self.expect("}")
        return Items(tuple(items))

    def _postfix(self, found: Tree) -> Tree:
        while True:
            word = self.word
            if word.text in {".", "?.", ".?"}:
                self.next_word()
                found = self._field(found, is_optional=word.text != ".")
            elif word.text in {"[", "?.[", "?["}:
                self.next_word()
                found = self._item(found, is_optional=word.text != "[")
            elif word.text == "(":
                self.next_word()
                arguments, named = self._arguments()
                self.expect(")")
                found = Call(found, arguments, named) if named else _called(found, arguments)
            elif word.text == "|" and self._is_filter():
                found = self._filter(found)
            else:
                return found

    def _field(self, of: Tree, *, is_optional: bool) -> Tree:
        key = self.next_word()
        if key.kind == "number" and key.text.isdigit():
            index = Constant(key.text)
            return ItemAccess(of, index, is_optional)
        if key.text == "*":
            return ItemAccess(of, None, is_optional)
        if key.kind != "name":
            raise NotReadable
        return FieldAccess(of, key.text, is_optional)

    def _item(self, of: Tree, *, is_optional: bool) -> Tree:
        is_optional = self.take("?") is not None or is_optional
        is_each = self.take("*") is not None or self.word.text == "]"
        if not is_each and self.word.text == ":":
            return self._slice(of, None)
        index = None if is_each else self.expression()
        if index is not None and self.word.text == ":":
            return self._slice(of, index)
        self.expect("]")
        return ItemAccess(of, index, is_optional)

    def _slice(self, of: Tree, start: Tree | None) -> Slice:
        self.expect(":")
        end = None if self.word.text == "]" else self.expression()
        self.expect("]")
        return Slice(of, start, end)

    def _arguments(self) -> tuple[tuple[Tree, ...], tuple[tuple[str, Tree], ...]]:
        found: list[Tree] = []
        named: list[tuple[str, Tree]] = []
        while self.word.text != ")":
            if self.word.kind == "name" and self.ahead(1).text == "=":
                key = self.next_word().text
                self.next_word()
                named.append((key, self.expression()))
                if not self.take(","):
                    break
                continue
            is_spread = self.take("...") is not None
            one = self.expression()
            if self.word.text == "for" and not found:
                one = self._loop(one)
            found.append(Spread(one) if is_spread else one)
            if not self.take(","):
                break
        return tuple(found), tuple(named)

    def _is_filter(self) -> bool:
        """Whether `|` is followed by a filter rather than by an operand of `||`."""
        name, after = self.ahead(1), self.ahead(2)
        return name.kind == "name" and name.text.lower() in FILTERS and after.text not in {".", "["}

    def _filter(self, of: Tree) -> AppliedFilter:
        self.expect("|")
        name = self.next_word()
        found: list[Tree] = []
        named: list[tuple[str, Tree]] = []
        close = ")" if self.take("(") else None
        if close or self.take(":"):
            while self.word.text != close:
                if self.word.kind == "name" and self.ahead(1).text in {"=", ":"}:
                    key = self.next_word().text
                    self.next_word()
                    named.append((key, self._operations(OR)))
                else:
                    found.append(self._operations(AND))
                if not self.take(","):
                    break
            if close:
                self.expect(close)
        return AppliedFilter(of, name.text.lower(), tuple(found), tuple(named))
