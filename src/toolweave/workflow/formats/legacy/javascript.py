"""The part of JavaScript that conditions of older systems are written in, as a tree.

Expressions only, one parameter to an arrow function, no assignment and no templates: what is
outside raises `Untranslatable` with its place. Python's `and`, `or`, `not`, `True` are read too.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

from toolweave.cel.tokens import Token, tokens
from toolweave.patterns import pattern

MAX_DEPTH = 30


class Untranslatable(Exception):
    """Something that has no counterpart, and where."""

    def __init__(
        self,
        message: str,
        at: int,
        hint: str | None = None,
        *,
        code: str = "EXPRESSION_UNTRANSLATED",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at
        self.hint = hint


@dataclass(frozen=True, slots=True)
class StringLiteral:
    value: str
    at: int


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    written: str
    at: int


@dataclass(frozen=True, slots=True)
class Identifier:
    """`true`, `false`, `null`, `undefined`, or a variable."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Property:
    of: "Js"
    key: str
    is_optional: bool
    at: int


@dataclass(frozen=True, slots=True)
class IndexAccess:
    of: "Js"
    index: "Js"
    at: int


@dataclass(frozen=True, slots=True)
class Invoke:
    of: "Js"
    arguments: "tuple[Js, ...]"
    at: int


@dataclass(frozen=True, slots=True)
class Unary:
    sign: str
    of: "Js"
    at: int


@dataclass(frozen=True, slots=True)
class Binary:
    sign: str
    one: "Js"
    two: "Js"
    at: int


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: "Js"
    one: "Js"
    two: "Js"
    at: int


@dataclass(frozen=True, slots=True)
class ArrayLiteral:
    items: "tuple[Js, ...]"
    at: int


@dataclass(frozen=True, slots=True)
class ObjectLiteral:
    entries: "tuple[tuple[str, Js], ...]"
    at: int


@dataclass(frozen=True, slots=True)
class Arrow:
    parameter: str
    body: "Js"
    at: int


Js: TypeAlias = (
    StringLiteral
    | NumberLiteral
    | Identifier
    | Property
    | IndexAccess
    | Invoke
    | Unary
    | Binary
    | Conditional
    | ArrayLiteral
    | ObjectLiteral
    | Arrow
)

# How tightly each operator binds; the words of Python beside the signs.
_BINDS = {
    **dict.fromkeys(("||", "or", "??"), 2),
    **dict.fromkeys(("&&", "and"), 3),
    **dict.fromkeys(("==", "===", "!=", "!=="), 4),
    **dict.fromkeys(("<", "<=", ">", ">=", "in"), 5),
    **dict.fromkeys(("+", "-"), 6),
    **dict.fromkeys(("*", "/", "%"), 7),
}
_SPELT = {"or": "||", "and": "&&", "not": "!"}
_WORDS = {"True": "true", "False": "false", "None": "null"}
_REFUSED = {
    "=": ("an assignment cannot be translated", "compare with =="),
    "=>": ("a function is not allowed here", None),
    "**": ("** cannot be translated", None),
    "++": ("++ cannot be translated", None),
    "--": ("-- cannot be translated", None),
    ";": ("several statements cannot be translated", "keep one expression"),
    **dict.fromkeys("&|^~", ("bit operators cannot be translated", None)),
}
_KEYWORDS = frozenset(
    {"await", "class", "delete", "for", "function", "if", "instanceof", "let", "new", "return"}
    | {"const", "var", "void", "while", "yield", "throw", "lambda", "is"}
)
_ESCAPE = pattern(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\n|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_END = Token("other", "", 0)


def read_javascript(text: str) -> Js:
    """Parse one expression. Raises `Untranslatable`."""
    parser = _Parser(text)
    tree = parser.expression()
    parser.expect_end()
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = [*tokens(text), _END._replace(at=len(text))]
        self._next = 0
        self._depth = 0

    def expression(self, binding: int = 0) -> Js:
        """An expression whose operators bind more tightly than `binding`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Untranslatable("the expression is nested too deeply", self._token.at)
        found = self._postfix(self._prefix())
        while _BINDS.get(self._token.text, 0) > binding and self._token.kind != "text":
            sign = self._take()
            right = self.expression(_BINDS[sign.text])
            found = Binary(_SPELT.get(sign.text, sign.text), found, right, sign.at)
        if binding == 0 and self._token.text == "?":
            found = self._choice(found)
        self._depth -= 1
        return found

    def expect_end(self) -> None:
        """Refuse whatever follows the expression."""
        if self._token.text:
            raise self._unexpected(self._token)

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._token
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def _expect(self, sign: str) -> Token:
        if self._token.text != sign:
            raise self._unexpected(self._token)
        return self._take()

    def _unexpected(self, token: Token) -> Untranslatable:
        message, hint = _REFUSED.get(token.text, (None, None))
        if message is None:
            shown = f"{token.text[:20]!r} is not expected here"
            message = shown if token.text else "the expression ends too early"
        return Untranslatable(message, token.at, hint)

    def _choice(self, condition: Js) -> Conditional:
        at = self._take().at
        one = self.expression()
        self._expect(":")
        return Conditional(condition, one, self.expression(), at)

    def _prefix(self) -> Js:
        token = self._take()
        match token.kind, token.text:
            case "text", _:
                return StringLiteral(_unescaped(token), token.at)
            case "number", _:
                return NumberLiteral(token.text, token.at)
            case "template", _:
                hint = "join texts with +"
                raise Untranslatable("a template text cannot be translated", token.at, hint)
            case _, "(":
                return self._group()
            case _, "[":
                return ArrayLiteral(self._listed("]"), token.at)
            case _, "{":
                return self._object(token)
            case _, "!" | "-" | "+" | "not" | "typeof" as sign:
                return Unary(_SPELT.get(sign, sign), self.expression(8), token.at)
            case "name", name if name not in _KEYWORDS:
                return self._word(token)
            case _:
                raise self._unexpected(token)

    def _word(self, token: Token) -> Js:
        name = _WORDS.get(token.text, token.text)
        if self._token.text == "=>":
            at = self._take().at
            return Arrow(name, self.expression(), at)
        return Identifier(name, token.at)

    def _group(self) -> Js:
        inner = self.expression()
        self._expect(")")
        if self._token.text == "=>" and isinstance(inner, Identifier):
            at = self._take().at
            return Arrow(inner.name, self.expression(), at)
        return inner

    def _listed(self, close: str) -> tuple[Js, ...]:
        items: list[Js] = []
        while self._token.text != close:
            items.append(self.expression())
            if self._token.text != ",":
                break
            self._take()
        self._expect(close)
        return tuple(items)

    def _object(self, opened: Token) -> ObjectLiteral:
        entries: list[tuple[str, Js]] = []
        while self._token.text != "}":
            key = self._take()
            if key.kind not in ("name", "text"):
                raise self._unexpected(key)
            self._expect(":")
            name = _unescaped(key) if key.kind == "text" else key.text
            entries.append((name, self.expression()))
            if self._token.text != ",":
                break
            self._take()
        self._expect("}")
        return ObjectLiteral(tuple(entries), opened.at)

    def _postfix(self, found: Js) -> Js:
        while True:
            token = self._token
            if token.text in (".", "?."):
                self._take()
                found = self._member(found, token)
            elif token.text == "[":
                self._take()
                index = self.expression()
                self._expect("]")
                found = IndexAccess(found, index, token.at)
            elif token.text == "(":
                self._take()
                found = Invoke(found, self._listed(")"), token.at)
            else:
                return found

    def _member(self, of: Js, dot: Token) -> Property:
        key = self._take()
        if key.kind != "name":
            raise self._unexpected(key)
        return Property(of, key.text, dot.text == "?.", key.at)


def _unescaped(token: Token) -> str:
    quote = token.text[0]
    if len(token.text) < 2 or token.text[-1] != quote or quote not in "'\"":
        raise Untranslatable("a text is not closed, or of a kind that has no counterpart", token.at)
    text = _ESCAPE.sub(_character, token.text[1:-1])
    try:
        # Two halves of one character, as JavaScript writes those beyond the first plane.
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Untranslatable("a text is no valid Unicode", token.at) from None


def _character(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) == 1:
        return _ESCAPES.get(code, code)
    number = int(code.strip("ux{}"), 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"
