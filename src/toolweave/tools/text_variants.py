"""Other writings of a text that is refused; the caller takes the only one that is not refused.

Each says the same as the text: without what is around it, with other signs, in another case, or
with a word that means the same. Pure.
"""

import re
from collections.abc import Iterator

from rapidfuzz.distance import OSA

from toolweave.patterns import pattern
from toolweave.tools.meaning import meant

MAX_LENGTH = 2_000
MAX_VARIANTS = 40
_AROUND = "'\"`<>[](){} \t\r\n"
_COMMENT = pattern(r"\s+(?:#|//|--).*$", re.DOTALL)
# Between other characters: a text of nothing else may mean several of them.
_REPEATED = pattern(r"(?<=[^@,;])([@,;])\1+(?=[^@,;])")
# Placeholders of other database drivers.
_NAMED = pattern(r"%\((\w+)\)s|'\s*:(\w+)\s*'")
_NUMBERED = pattern(r"%s|'\s*\?\s*'")
# Before the address of a database, for Java; after its scheme, for Python.
_DRIVER = pattern(r"^jdbc:(?=\w+://)|(?<=^postgresql)\+\w+(?=://)|(?<=^postgres)\+\w+(?=://)")
_LISTED = pattern(r"(?:expected|use|one of|choose)\s+(?:one of\s+)?(.+)")
# `MAX(price) AS highest`
_CALL = pattern(r"([A-Za-z_]\w*)\s*\(([^()]*)\)(?:\s+(?:as\s+)?\w+)?", re.IGNORECASE)
_FIRST_WORD = pattern(r"\s*([A-Za-z]{3,})\b")
_STATEMENTS = ("select", "insert", "update", "delete", "with", "create", "replace", "values")
_ITEM = pattern(r"[A-Za-z0-9][\w./-]*")


def variants(text: str, said: str = "") -> Iterator[str]:
    """Return other writings; `said` is the message, which may list what is accepted."""
    if len(text) > MAX_LENGTH:
        return
    seen = {text}
    for one in _variants(text, said):
        if one and one not in seen and len(seen) < MAX_VARIANTS:
            seen.add(one)
            yield one


def _variants(text: str, said: str) -> Iterator[str]:
    yield text.strip()
    plain = text.strip()
    # A quote at one end only may belong to the text.
    if plain and (plain[0] in _AROUND) == (plain[-1] in _AROUND):
        plain = plain.strip(_AROUND)
    yield plain
    listed = _listed(said)
    yield from meant(plain, listed) or meant(plain.lstrip("$@#:%"), listed)
    if (call := _CALL.fullmatch(plain)) is not None:
        for name in (*meant(call[1], listed), call[1].lower()):
            yield f"{name}({call[2].strip()})"
    yield plain.rstrip(",;:!")
    yield plain.lstrip("$@#:%")
    yield _COMMENT.sub("", text)
    if ":" not in plain:
        yield plain.replace("\\", "/")
    yield _DRIVER.sub("", text)
    yield _REPEATED.sub(r"\1", plain)
    yield plain.lower()
    yield plain.upper()
    yield _NAMED.sub(lambda match: f":{next(one for one in match.groups() if one)}", text)
    yield _NUMBERED.sub("?", text)
    if (word := _FIRST_WORD.match(text)) and (right := _near(word[1].lower())) is not None:
        yield text[: word.start(1)] + right + text[word.end(1) :]


def _near(word: str) -> str | None:
    """The statement of SQL that a word misspells."""
    if word in _STATEMENTS:
        return None
    far = {one: OSA.distance(word, one) for one in _STATEMENTS}
    best = min(far, key=lambda one: far[one])
    return best if far[best] <= 2 and list(far.values()).count(far[best]) == 1 else None


def _listed(said: str) -> list[str]:
    """The words after `expected one of` or `use` in a message."""
    found = _LISTED.search(said)
    if found is None:
        return []
    words = re.split(r",\s*|\s+or\s+|\s+and\s+", found[1])
    return [one for word in words if _ITEM.fullmatch(one := word.strip(" .;'\"`"))]
