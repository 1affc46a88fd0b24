"""Invisible characters: control, bidirectional, zero-width and tag characters.

A description is kept unchanged, so the person who approves it must be warned.
"""

import unicodedata
from collections.abc import Iterable, Iterator

from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer

MAX_REPORTED = 20

# Emoji are built with joiners (U+200D) and variation selectors (U+FE0F); a joiner between two
# symbols hides nothing.
_HIDDEN = pattern(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0"
    "\ufff0-\ufffb\ud800-\udfff\ue000-\uf8ff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
    "|(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])"
)


# Letters of other scripts that look like Latin ones: Cyrillic, Greek, and rare Latin ones.
_LOOKALIKES = str.maketrans(
    "\u0430\u0432\u0441\u0501\u0435\u04bb\u0456\u0458\u043a\u04cf"
    "\u043c\u043e\u0440\u051b\u0433\u0455\u0442\u0475\u051d\u0445\u0443"
    "\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1"
    "\u03c4\u03c5\u03c7\u03b3\u0131\u0251\u0261",
    "abcdehijkl" + "mopqrstvwxy" + "abenikvop" + "tuxyiag",
)


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """Return a different name of `others` that a person would read as `name`."""
    folded, seen = name.casefold(), as_seen(name)
    return next((one for one in others if one.casefold() != folded and as_seen(one) == seen), None)


def as_seen(name: str) -> str:
    """Return the same text for names that people read as the same."""
    shown = "".join(one for one in unicodedata.normalize("NFKC", name) if one.isprintable())
    return shown.casefold().translate(_LOOKALIKES)


def hidden_characters(text: str) -> list[str]:
    """Return the distinct invisible characters of `text`, by code point and name."""
    return [
        f"U+{ord(character):04X} {unicodedata.name(character, 'unnamed')}"
        for character in dict.fromkeys(match[0] for match in _HIDDEN.finditer(text))
    ]


def suspicious_texts(value: Json) -> Iterator[Problem]:
    """Yield a warning for each text or key in `value` with invisible characters."""
    waiting: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    while waiting:
        steps, item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(((*steps, key), below) for key, below in reversed(item.items()))
            texts = [((*steps, key), key) for key in item]
        elif isinstance(item, list):
            waiting.extend(((*steps, index), below) for index, below in enumerate(item))
            continue
        else:
            texts = [(steps, item)] if isinstance(item, str) else []
        for place, text in texts:
            if found := hidden_characters(text):
                yield _suspicious(place, found)


def _suspicious(place: tuple[str | int, ...], found: list[str]) -> Problem:
    return Problem(
        "TOOL_TEXT_SUSPICIOUS",
        pointer(*place),
        f"the text contains invisible characters: {', '.join(found[:5])}",
        hint="review the text with these characters shown before approving the tool",
        severity="warning",
    )
