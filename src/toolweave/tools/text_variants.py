"""Other writings of a text that is refused; the caller takes the only one that is not refused.

Each says the same as the text: without what is around it, with other signs, in another case, or
with a word that means the same. Pure.
"""

import re
from collections.abc import Iterator

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
_LISTED = pattern(r"(?:expected|use|one of|choose)\s+(?:one of\s+)?(.+)")
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
    yield text.strip(_AROUND)
    plain = text.strip(_AROUND)
    yield from meant(plain, _listed(said))
    yield plain.rstrip(",;:!")
    yield plain.lstrip("$@#:%")
    yield _COMMENT.sub("", text)
    if ":" not in plain:
        yield plain.replace("\\", "/")
    yield _REPEATED.sub(r"\1", plain)
    yield plain.lower()
    yield plain.upper()
    yield _NAMED.sub(lambda match: f":{next(one for one in match.groups() if one)}", text)
    yield _NUMBERED.sub("?", text)


def _listed(said: str) -> list[str]:
    """The words after `expected one of` or `use` in a message."""
    found = _LISTED.search(said)
    if found is None:
        return []
    words = re.split(r",\s*|\s+or\s+|\s+and\s+", found[1])
    return [one for word in words if _ITEM.fullmatch(one := word.strip(" .;'\"`"))]
