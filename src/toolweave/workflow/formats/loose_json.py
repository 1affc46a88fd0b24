"""Reads JSON as models and people write it: comments, trailing commas, other quotes, bare keys.

Only what can mean one thing is read; everything else raises `Ambiguous`. Not YAML, and not what
surrounds the value (`surroundings`).
"""

import math
import re
from dataclasses import dataclass, field

from toolweave.json_text import Json
from toolweave.patterns import pattern

MAX_DEPTH = 100
_MOST_MISSING_ENDS = 3
_SPACE = " \t\r\n\u00a0\u2007\u202f\u200b\u2060\ufeff"
_NAME = pattern(r"[A-Za-z_$][\w$]*")
_NUMBER = pattern(
    r"[+-]?(?:0[xX][0-9A-Fa-f]{1,12}"
    r"|(?:[1-9]\d{0,2}(?:_\d{3}){1,5}|0{0,3}[1-9]\d{0,17}|0)(?:\.\d*)?(?:[eE][+-]?\d+)?"
    r"|\.\d+(?:[eE][+-]?\d+)?)"
)
_STRICT_NUMBER = pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
# `86,400` as a member: a comma before digits begins no other member.
_GROUPED = pattern(r"-?[1-9]\d{0,2}(?:,\d{3}){1,5}(?=[ \t\r\n]*[,}])")
# Signs as keyboards for Chinese and Japanese write them.
_WIDE = {ord(one) + 0xFEE0: one for one in ":,{}[];="}
_WORDS: dict[str, Json] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "nil": None,
    "TRUE": True,
    "FALSE": False,
    "NULL": None,
}
_STRICT_WORDS = frozenset({"true", "false", "null"})
_CLOSED_BY = {
    '"': '"',
    "'": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}",
    "\N{LEFT SINGLE QUOTATION MARK}": "\N{RIGHT SINGLE QUOTATION MARK}",
    "\N{DOUBLE LOW-9 QUOTATION MARK}": "\N{LEFT DOUBLE QUOTATION MARK}",
    "`": "`",
    "«": "»",
    "\u2039": "\u203a",
    "「": "」",
    "\N{FULLWIDTH QUOTATION MARK}": "\N{FULLWIDTH QUOTATION MARK}",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}",
}
_OTHER_END = {"}": "]", "]": "}"}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# Signs that Markdown has a backslash before.
_MARKDOWN = "_*[]<>#`~|"
_ESCAPED = frozenset("\"'\\/`")
# Classes of characters in patterns, which JSON does not have as escapes, and what is beside them.
_CLASSES = frozenset("dDwWsS")
_PATTERN_ESCAPES = _CLASSES | frozenset(".()[]{}+*?|^$-")
_ESCAPE = pattern(r"\\(.)", re.DOTALL)
_TEXT_BEFORE = {
    '"': pattern(r'(?:[^"\\]|\\.)*', re.DOTALL),
    "'": pattern(r"(?:[^'\\]|\\.)*", re.DOTALL),
}
_FACTOR = pattern(r"[ \t]*\*[ \t]*([1-9]\d{0,8})(?![\w.])")
_MAX_PRODUCT = 2**53
REPEATED_KEY = "keys that are written twice with the same value"
_HEX = pattern(r"[0-9A-Fa-f]{4}")
_QUOTES = "quotes that are not '\"'"


class Ambiguous(Exception):
    """The text cannot be read in exactly one way."""


@dataclass(slots=True)
class Loose:
    """A value that was read, where it ended, and what is not JSON in it."""

    value: Json
    end: int
    oddities: list[str] = field(default_factory=list[str])


def read_loose(text: str, start: int = 0) -> Loose:
    """The object or list that starts at `start`."""
    reader = _Reader(text, start)
    value = reader.value(0)
    # Behind the nodes of a workflow come its edges, which are lost then.
    is_cut = reader.missing_ends > 1 and isinstance(value, dict) and [*value][-1:] == ["nodes"]
    if is_cut:
        raise Ambiguous("the text ends too early")
    return Loose(value, reader.at, list(dict.fromkeys(reader.oddities)))


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at
        self.oddities: list[str] = []
        self.missing_ends = 0
        self._has_wrong_end = False

    def value(self, depth: int) -> Json:
        self._skip()
        first = self._look()
        if first == "+" and self._text[self.at + 1 : self.at + 2] in {"{", "["}:
            self.oddities.append("marks of a change")
            self.at += 1
            first = self._look()
        if first in _CLOSED_BY:
            return self._joined()
        if first == "{" or first == "[":
            if depth > MAX_DEPTH:
                raise Ambiguous("nested too deep")
            self.at += 1
            return self._object(depth) if first == "{" else self._list(depth)
        if found := _NAME.match(self._text, self.at):
            return self._word(found.group())
        return self._number()

    def _object(self, depth: int) -> Json:
        members: dict[str, Json] = {}
        while not self._is_closed("}", bool(members)):
            name = self._key()
            self._skip()
            self._colon()
            value = self._grouped() or self.value(depth + 1)
            if name in members:
                before = members[name]
                # A whole object that is there twice is more than a slip; `1 == True` in Python.
                if isinstance(value, dict | list) or (type(before), before) != (type(value), value):
                    raise Ambiguous(f"the key {name!r} appears twice in one object")
                self.oddities.append(REPEATED_KEY)
            members[name] = value
            self._separate("}", is_object=True)
        return members

    def _list(self, depth: int) -> Json:
        items: list[Json] = []
        while not self._is_closed("]", bool(items)):
            items.append(self.value(depth + 1))
            self._separate("]", is_object=False)
        return items

    def _is_closed(self, sign: str, has_content: bool) -> bool:
        self._skip()
        if self._look() == sign or (has_content and self._is_wrong_end(sign)):
            self.at += 1
            return True
        if self._peek():
            return False
        # A few missing signs at the very end are certain; with more, parts may be missing too.
        is_cut = self.missing_ends == _MOST_MISSING_ENDS
        if is_cut or self._has_wrong_end or not has_content:
            raise Ambiguous("the text ends too early")
        self.missing_ends += 1
        self.oddities.append(f"a missing {sign!r} at the end")
        return True

    def _is_wrong_end(self, sign: str) -> bool:
        """Whether one bracket is of the other kind; what follows shows whether it was meant so."""
        if self._look() != _OTHER_END[sign] or self._has_wrong_end:
            return False
        self._has_wrong_end = True
        self.oddities.append(f"a bracket in place of {sign!r}")
        return True

    def _separate(self, end: str, *, is_object: bool) -> None:
        """Read the comma after a member; a missing one only where nothing else is possible."""
        before = self._text[self.at - 1 : self.at].translate(_WIDE)
        self._skip()
        sign = self._look()
        if sign == "," or (sign == ";" and is_object):
            self.at += 1
            self._skip()
            if sign == ";":
                self.oddities.append("semicolons")
            self._spare_commas(before, is_object=is_object)
            if self._look() == end:
                self.oddities.append("a trailing comma")
        elif sign and sign not in (end, _OTHER_END[end]):
            is_certain = self._starts_member() if is_object else (before, sign) == ("}", "{")
            if not is_certain:
                raise Ambiguous(f"unexpected {sign!r}")
            self.oddities.append("a missing comma")

    def _spare_commas(self, before: str, *, is_object: bool) -> None:
        """Skip commas after a comma, except where an item of a list may be left out."""
        while self._peek() == ",":
            if not is_object and before not in ("}", "]"):
                raise Ambiguous("an item of a list may be missing")
            self.oddities.append("a comma too many")
            self.at += 1
            self._skip()

    def _starts_member(self) -> bool:
        if self._peek() not in _CLOSED_BY:
            return False
        start, odd = self.at, len(self.oddities)
        try:
            self._string()
            self._skip()
            return self._look() in {":", "="}
        except Ambiguous:
            return False
        finally:
            self.at = start
            del self.oddities[odd:]

    def _key(self) -> str:
        if self._peek() in _CLOSED_BY:
            return self._string()
        found = _NAME.match(self._text, self.at)
        if not found:
            raise Ambiguous("expected a key")
        self.at = found.end()
        self.oddities.append("keys without quotes")
        return found.group()

    def _word(self, word: str) -> Json:
        if word not in _WORDS:
            raise Ambiguous(f"unexpected {word[:40]!r}")
        if word not in _STRICT_WORDS:
            self.oddities.append("literals of another language")
        self.at += len(word)
        return _WORDS[word]

    def _number(self) -> Json:
        found = _NUMBER.match(self._text, self.at)
        after = self._text[found.end() : found.end() + 1] if found else ""
        if not found or after.isalnum() or (after and after in "._+-"):
            raise Ambiguous("expected a value")
        self.at = found.end()
        text = found.group()
        if not _STRICT_NUMBER.fullmatch(text):
            self.oddities.append("numbers that are not JSON")
        if "x" in text.lower():
            return int(text, 16)
        if any(sign in text for sign in ".eE"):
            if math.isinf(number := float(text)):
                raise Ambiguous("a number is too large")
            return number
        return self._product(int(text.replace("_", "")))

    def _grouped(self) -> int | None:
        """A whole number with commas between thousands, which only a member can have."""
        self._skip()
        if (found := _GROUPED.match(self._text, self.at)) is None:
            return None
        self.at = found.end()
        self.oddities.append("commas in numbers")
        return int(found[0].replace(",", ""))

    def _product(self, number: int) -> int:
        """A whole number, or several with `*` between them: `7 * 24 * 3600`."""
        while (found := _FACTOR.match(self._text, self.at)) is not None:
            number *= int(found[1])
            if abs(number) > _MAX_PRODUCT:
                raise Ambiguous("a number is too large")
            self.at = found.end()
            self.oddities.append("calculated numbers")
        return number

    def _joined(self) -> str:
        """A text, or several with `+` between them."""
        text = self._string()
        while True:
            at = self.at
            self._skip()
            if self._peek() != "+":
                self.at = at
                return text
            self.at += 1
            self._skip()
            if self._peek() not in _CLOSED_BY:
                raise Ambiguous("a text is joined with something else")
            self.oddities.append("joined texts")
            text += self._string()

    def _string(self) -> str:
        if self._text.startswith('"""', self.at):
            return self._block()
        opening = self._peek()
        closing = _CLOSED_BY[opening]
        self.at += 1
        escapes = _PATTERN_ESCAPES if self._has_character_class(closing) else frozenset[str]()
        parts: list[str] = []
        while (sign := self._peek()) != closing:
            if not sign:
                raise Ambiguous("a text is not closed")
            self.at += 1
            if sign == "$" and opening == "`" and self._peek() == "{":
                raise Ambiguous("a template literal has code in it")
            if sign == "\\" and self._peek() in escapes:
                parts.append(sign + self._peek())
                self.at += 1
                self.oddities.append("single backslashes of a pattern")
            else:
                parts.append(self._escape() if sign == "\\" else sign)
            if sign in "\r\n\t":
                self.oddities.append("line breaks or tabs in a text")
        self.at += 1
        if opening != '"':
            self.oddities.append(_QUOTES)
        return "".join(parts)

    def _has_character_class(self, closing: str) -> bool:
        r"""Whether a text is a pattern with single backslashes, such as `^\d+\s*$`.

        Where an escape of JSON is beside it, `\b` may be a word boundary and `\n` part of a path.
        """
        found = (
            _TEXT_BEFORE[closing].match(self._text, self.at) if closing in _TEXT_BEFORE else None
        )
        escaped = set(_ESCAPE.findall(found[0])) if found is not None else set[str]()
        return not escaped.isdisjoint(_CLASSES) and escaped.isdisjoint({*_ESCAPES, "u"})

    def _block(self) -> str:
        """A text between three quotes, as it is."""
        end = self._text.find('"""', self.at + 3)
        if end < 0 or "\\" in self._text[self.at : end]:
            raise Ambiguous("a text between three quotes is not closed, or has escapes")
        text = self._text[self.at + 3 : end]
        self.at = end + 3
        self.oddities.append("texts between three quotes")
        return text

    def _escape(self) -> str:
        sign = self._peek()
        self.at += 1
        if sign in _ESCAPED and sign:
            return sign
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if sign and sign in _MARKDOWN:
            self.oddities.append("escapes of Markdown")
            return sign
        digits = _HEX.match(self._text, self.at) if sign == "u" else None
        if digits is None:
            raise Ambiguous("an unknown escape in a text")
        self.at = digits.end()
        high = int(digits.group(), 16)
        if not 0xD800 <= high < 0xE000:
            return chr(high)
        low = _HEX.match(self._text, self.at + 2)
        if self._text[self.at : self.at + 2] != "\\u" or low is None or high >= 0xDC00:
            raise Ambiguous("half of a character in a text")
        self.at = low.end()
        try:
            return bytes.fromhex(digits.group() + low.group()).decode("utf-16-be")
        except UnicodeDecodeError:
            raise Ambiguous("half of a character in a text") from None

    def _skip(self) -> None:
        text = self._text
        while self.at < len(text):
            if text[self.at] in _SPACE:
                if text[self.at] not in " \t\r\n":
                    self.oddities.append("invisible characters")
                self.at += 1
            elif text.startswith(("//", "#"), self.at):
                self._comment(text.find("\n", self.at), 0)
            elif text.startswith("/*", self.at):
                self._comment(text.find("*/", self.at + 2), 2)
            else:
                return

    def _comment(self, end: int, size: int) -> None:
        if end < 0 and size:
            raise Ambiguous("a comment is not closed")
        self.oddities.append("comments")
        self.at = len(self._text) if end < 0 else end + size

    def _colon(self) -> None:
        """Read `:`, or the sign that other languages have between a key and its value."""
        for sign in ("=>", "=", ":="):
            if self._text.startswith(sign, self.at):
                self.at += len(sign)
                self.oddities.append(f"{sign!r} in place of ':'")
                return
        if self._look() == ":":
            self.at += 1
        elif self._peek() in _CLOSED_BY or self._peek() in {"{", "["}:
            self.oddities.append("a missing colon")
        else:
            raise Ambiguous("expected ':'")

    def _peek(self) -> str:
        return self._text[self.at : self.at + 1]

    def _look(self) -> str:
        """The next sign outside of texts; wide ones as their usual form."""
        raw = self._peek()
        sign = raw.translate(_WIDE)
        if sign != raw:
            self.oddities.append("wide signs")
        return sign
