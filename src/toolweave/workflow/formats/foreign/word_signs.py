"""Operators that other languages write as words: `eq`, `-ge`, `is greater than`, `starts with`."""

from typing import NamedTuple


class Word(NamedTuple):
    """One word."""

    kind: str
    text: str


# OData, shells, PowerShell, SQL and plain English, by the sign that they mean.
_SIGNS: dict[str, tuple[str, ...]] = {
    "==": (
        *("eq", "- eq", "- ceq", "equals", "equals to", "is equal to", "equal to", "is equal"),
        *("is the same as", "is exactly"),
    ),
    "!=": (
        *("ne", "- ne", "neq", "- cne", "not equals", "is not equal to", "does not equal"),
        *("not equal to", "is different from", "notequals", "isnt"),
    ),
    ">": (
        *("gt", "- gt", "is greater than", "greater than", "is more than", "more than"),
        *("is larger than", "larger than", "is bigger than", "bigger than", "exceeds"),
        *("is above", "is over", "is after"),
    ),
    ">=": (
        *("ge", "- ge", "gte", "is greater than or equal to", "greater than or equal to"),
        *("is at least", "at least", "greater or equal", "is not less than", "greater or equal to"),
    ),
    "<": (
        *("lt", "- lt", "is less than", "less than", "is fewer than", "fewer than"),
        *("is smaller than", "smaller than", "is below", "is under", "is before"),
    ),
    "<=": (
        *("le", "- le", "lte", "is less than or equal to", "less than or equal to"),
        *("is at most", "at most", "less or equal", "is not greater than", "less or equal to"),
    ),
    "and": ("- and",),
    "or": ("- or",),
    "%": ("mod",),
    "in": ("- in", "is in", "is one of", "is any of", "one of", "any of"),
    "not in": (
        "- notin",
        "is not in",
        "is not one of",
        "is none of",
        "isnt in",
        "! in",
        "notin",
        "not_in",
    ),
    "contains": ("- contains", "includes", "- ccontains"),
    "not contains": (
        "! contains",
        "- notcontains",
        "does not contain",
        "not contains",
        "does not include",
    ),
    "startswith": ("startswith", "starts with", "begins with", "starts_with", "beginswith"),
    "endswith": ("endswith", "ends with", "ends_with"),
    "matches": ("=~", "~=", "- match", "matches", "rlike", "regexp", "similar to"),
    "not matches": ("!~", "- notmatch", "does not match", "not matches", "not rlike"),
}
_BY_WORDS: dict[tuple[str, ...], str] = {
    tuple(words.split(" ")): sign for sign, listed in _SIGNS.items() for words in listed
}
_LONGEST = max(map(len, _BY_WORDS))
# Words after which a value begins, so that what follows is no operator.
_NO_VALUES = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "then", "when", "case", "return", "between"}
    | {"like", "contains", "elif", "elseif", "lambda", "for", "typeof"}
)


def ends_value(word: Word) -> bool:
    """Whether a value may end with this word."""
    if word.kind == "name":
        return word.text.lower() not in _NO_VALUES
    return word.kind in {"number", "text", "template", "regex"} or word.text in {")", "]", "}"}


def with_signs(words: list[Word]) -> list[Word]:
    """The words with one sign in place of the words for it, where an operator is expected."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        size, sign = _sign_at(words, at) if found and ends_value(found[-1]) else (0, "")
        if size:
            found.append(Word("sign", sign))
            at += size
        else:
            found.append(words[at])
            at += 1
    return found


def _sign_at(words: list[Word], at: int) -> tuple[int, str]:
    """The longest run of words that means a sign and has a value after it."""
    given = tuple(one.text.lower().replace("'", "") for one in words[at : at + _LONGEST])
    for size in range(len(given), 0, -1):
        sign = _BY_WORDS.get(given[:size])
        if sign is not None and at + size < len(words) and _starts_value(words[at + size]):
            return size, sign
    return 0, ""


def _starts_value(word: Word) -> bool:
    if word.kind == "name":
        return word.text.lower() not in _NO_VALUES - {"not", "typeof"}
    return word.kind in {"number", "text", "template", "regex"} or word.text in {
        *("(", "[", "{", "-", "!", ".")
    }
