"""CEL's grammar: from a text to its tree, or to the one fault that stops the reading.

Only parentheses and their like recurse, to a bound; chains of operators, members and signs do not.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from toolweave.cel.cursor import TokenCursor
from toolweave.cel.fault import Malformed, SyntaxProblem, fault_at
from toolweave.cel.literals import read_number, read_text
from toolweave.cel.macros import LOOPS, has, let, loop
from toolweave.cel.syntax import (
    NAMESPACES,
    FunctionCall,
    ListLiteral,
    Literal,
    MapEntry,
    MapLiteral,
    Member,
    Name,
    Term,
    parts_of,
)
from toolweave.cel.tokens import KEYWORDS, RESERVED, Token
from toolweave.patterns import pattern

MAX_CHARS = 10_000
# Of brackets in one another, which take up to six of Python's thousand frames each.
MAX_NESTING = 50
# Of the tree, which chains of operators and members make deep as well.
MAX_DEPTH = 100

_LEVELS = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("in", "==", "!=", "<", "<=", ">", ">="), 3),
    **dict.fromkeys("+-", 4),
    **dict.fromkeys("*/%", 5),
}
_FUNCTIONS = {sign: "@in" if sign == "in" else f"_{sign}_" for sign in _LEVELS}
_CONSTANTS = {"true": True, "false": False, "null": None}
_REFUSED = frozenset({"optMap", "optFlatMap"})
_QUOTED_NAME = pattern(r"`[A-Za-z0-9_.\-/ ]+`", re.ASCII)
_SPLIT = "split it, or build a text from several {{ … }}"


class Parsed(NamedTuple):
    """The tree of a text, or what is wrong with it."""

    term: Term | None
    faults: tuple[SyntaxProblem, ...] = ()


def parse(text: str) -> Parsed:
    """The tree of an expression."""
    try:
        return Parsed(_parsed(text))
    except Malformed as found:
        fault = fault_at(text, found.at, found.code, found.message, found.hint)
        return Parsed(None, (fault,))


def _parsed(text: str) -> Term:
    if len(text) > MAX_CHARS:
        raise Malformed(0, f"{len(text)} characters; an expression has at most {MAX_CHARS}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Malformed(error.start, "no valid Unicode character") from None
    cursor = TokenCursor(text)
    if cursor.word.kind == "end":
        raise Malformed(0, "the expression is empty")
    term = _Parser(cursor).whole()
    if len(cursor.words) > MAX_DEPTH:
        _bound(term)
    return term


def _bound(term: Term) -> None:
    """Refuse a tree that chains of operators or members made too deep."""
    level = [term]
    for _ in range(MAX_DEPTH):
        level = [part for one in level for part in parts_of(one)]
    if level:
        message = f"the expression is too long a chain; {MAX_DEPTH} links are read"
        raise Malformed(level[0].at, message, _SPLIT)


class _Parser:
    def __init__(self, cursor: TokenCursor) -> None:
        self._at = cursor
        self._nesting = 0

    def whole(self) -> Term:
        term = self._expression()
        if self._at.word.kind != "end":
            self._at.refuse("an operator or the end")
        return term

    def _expression(self) -> Term:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            message = f"the expression is nested too deeply; {MAX_NESTING} levels are read"
            raise Malformed(self._at.word.at, message, _SPLIT)
        choices: list[tuple[Term, Term, int]] = []
        term = self._operators()
        while self._at.word.text == "?":
            at = self._at.next().at
            choices.append((term, self._operators(), at))
            self._at.expect(":")
            term = self._operators()
        for condition, chosen, at in reversed(choices):
            term = FunctionCall("_?_:_", (condition, chosen, term), at)
        self._nesting -= 1
        return term

    def _operators(self) -> Term:
        """Operands with binary operators between them, by precedence and from the left."""
        operands = [self._operand()]
        waiting: list[Token] = []
        while True:
            level = _LEVELS.get(self._at.word.text, 0)
            while waiting and _LEVELS[waiting[-1].text] >= level:
                right = operands.pop()
                operands[-1] = _joined(waiting.pop(), operands[-1], right)
            if not level:
                return operands[0]
            waiting.append(self._at.next())
            operands.append(self._operand())

    def _operand(self) -> Term:
        sign, at, times = self._at.word.text, self._at.word.at, 0
        while self._at.word.text == sign and sign in ("!", "-") and not self._is_signed(times):
            self._at.next()
            times += 1
        term = self._members(self._primary())
        # As in Google's parser, two signs are none.
        return FunctionCall(f"{sign}_", (term,), at) if times % 2 else term

    def _is_signed(self, times: int = 0) -> bool:
        """Whether a number with its sign follows; it is the sign of a number only by itself."""
        after = self._at.after
        is_number = after.kind == "number" and after.text[-1] not in "uU"
        return self._at.word.text == "-" and times == 0 and is_number

    def _members(self, term: Term) -> Term:
        while True:
            word = self._at.word
            if word.text == ".":
                term = self._member(term)
            elif word.text == "[":
                self._at.next()
                function = "_[?_]" if self._at.takes("?") else "_[_]"
                term = FunctionCall(function, (term, self._expression()), word.at)
                self._at.expect("]", "an operator or ']'")
            elif word.text == "{":
                self._refuse_message(term)
            else:
                return term

    def _refuse_message(self, term: Term) -> NoReturn:
        """`a.b.C{…}` would build a protobuf message; there are none here."""
        names: list[str] = []
        while isinstance(term, Member):
            names.append(term.key)
            term = term.of
        if not isinstance(term, Name):
            self._at.refuse("an operator or the end")
        message = f"{'.'.join([term.name, *reversed(names)])!r} cannot be built here"
        hint = "write a map: {'key': value}"
        raise Malformed(term.at, message, hint, "EXPRESSION_UNSUPPORTED")

    def _member(self, of: Term) -> Term:
        at = self._at.next().at
        is_optional = self._at.takes("?")
        word = self._at.word
        if word.kind == "template" and _QUOTED_NAME.fullmatch(word.text):
            key = self._at.next().text[1:-1]
        elif word.kind == "name" and word.text not in KEYWORDS:
            key = self._at.next().text
            if self._at.word.text == "(" and not is_optional:
                return self._method(of, word)
        else:
            self._at.refuse("the name of a member")
        if is_optional:
            return FunctionCall("_?._", (of, Literal(key, word.at)), at)
        return Member(of, key, False, at)

    def _method(self, of: Term, word: Token) -> Term:
        at = self._at.word.at
        if word.text in _REFUSED:
            raise Malformed(word.at, f"{word.text} is not available", "write has(x) ? … : …")
        arguments = self._arguments()
        if isinstance(of, Name) and of.name in NAMESPACES:
            function = f"{of.name}.{word.text}"
            return (
                let(arguments, at)
                if function == "cel.bind"
                else FunctionCall(function, arguments, at)
            )
        if word.text in LOOPS:
            return loop(LOOPS[word.text], of, arguments, at)
        return FunctionCall(word.text, (of, *arguments), at, is_method=True)

    def _arguments(self) -> tuple[Term, ...]:
        self._at.next()
        found: list[Term] = []
        if self._at.takes(")"):
            return ()
        found.append(self._expression())
        while self._at.takes(","):
            found.append(self._expression())
        self._at.expect(")", "an operator, ',' or ')'")
        return tuple(found)

    def _primary(self) -> Term:
        word = self._at.word
        match word.kind, word.text:
            case "number" | "text", _:
                return self._constant(word.at)
            case "name", "true" | "false" | "null":
                return Literal(_CONSTANTS[self._at.next().text], word.at)
            case "name", _:
                return self._name()
            case _, "(":
                self._at.next()
                term = self._expression()
                self._at.expect(")", "an operator or ')'")
                return term
            case _, "[":
                return self._list()
            case _, "{":
                return self._map()
            case _, "-" if self._is_signed():
                self._at.next()
                return self._constant(word.at, "-")
            case _, "." if self._at.after.kind == "name":
                self._at.next()
                return self._name(is_outermost=True)
            case _:
                self._at.refuse("a value")

    def _constant(self, at: int, sign: str = "") -> Literal:
        word = self._at.next()
        try:
            is_text = word.kind == "text"
            return Literal(read_text(word.text) if is_text else read_number(sign + word.text), at)
        except Malformed as wrong:
            wrong.at += word.at
            raise

    def _name(self, *, is_outermost: bool = False) -> Term:
        word = self._at.word
        if word.text == "in":
            self._at.refuse("a value")
        if word.text in RESERVED:
            message = f"{word.text!r} is a word that CEL keeps for itself, and no name"
            raise Malformed(word.at, message, "as a key it is written in brackets: x['if']")
        self._at.next()
        if self._at.word.text != "(":
            return Name(word.text, word.at, is_outermost)
        at = self._at.word.at
        arguments = self._arguments()
        return has(arguments, at) if word.text == "has" else FunctionCall(word.text, arguments, at)

    def _separated(self, close: str) -> Iterator[None]:
        """Stops before each element up to `close`; the last may have a comma behind it."""
        self._at.next()
        if self._at.takes(","):
            self._at.expect(close)
            return
        while not self._at.takes(close):
            yield
            if not self._at.takes(","):
                self._at.expect(close, f"an operator, ',' or {close!r}")
                return

    def _list(self) -> ListLiteral:
        at = self._at.word.at
        items: list[Term] = []
        optional: set[int] = set()
        for _ in self._separated("]"):
            if self._at.takes("?"):
                optional.add(len(items))
            items.append(self._expression())
        return ListLiteral(tuple(items), frozenset(optional), at)

    def _map(self) -> MapLiteral:
        at = self._at.word.at
        entries: list[MapEntry] = []
        for _ in self._separated("}"):
            is_optional = self._at.takes("?")
            key = self._expression()
            self._at.expect(":")
            entries.append(MapEntry(key, self._expression(), is_optional))
        return MapLiteral(tuple(entries), at)


def _joined(sign: Token, left: Term, right: Term) -> FunctionCall:
    function = _FUNCTIONS[sign.text]
    if sign.text in ("&&", "||") and isinstance(left, FunctionCall) and left.function == function:
        return FunctionCall(function, (*left.arguments, right), left.at)
    return FunctionCall(function, (left, right), sign.at)
