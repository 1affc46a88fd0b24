"""Words of workflows in other languages, so that a node is found by them.

Each line of `translations.txt` is one meaning: English words of the catalog, then stems in German,
French, Spanish and Portuguese, then Japanese and Chinese. A stem stands for every word that begins
with it; Japanese and Chinese are not separated into words, so theirs are found anywhere in a text.
Made from the catalog's vocabulary: data to edit by meaning, not by query.
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

# Words that say nothing, in the four languages that are written in Latin letters.
_IDLE = frozenset(
    re.findall(
        r"\w+",
        "der die das den dem des ein eine einen einem einer und oder in im an am auf aus bei mit "
        "nach von vom zu zum zur fur uber ich du er sie es wir ihr mich mir uns alle allen als "
        "auch dann ist sind wird werden soll sollen will kann muss sich nicht noch bis "
        "le la les l un une des du de d et ou en au aux dans sur avec pour par qui que quand je "
        "tu il elle on nous vous mon ma mes son sa ses ce cette ces est sont dois doit puis ne "
        "pas el los las unos unas y o al con para por quien cuando yo mi mis su sus este esta es "
        "son debe no hay una lo se me os as um uma uns umas e do da dos das na nos nas ao com "
        "quem quando eu meu minha seu sua esse essa ser deve nao ha",
    )
)

_STEM = 4


def _lines() -> list[str]:
    file = Path(__file__).with_name("translations.txt")
    return file.read_text(encoding="utf-8").strip().split("\n")


def is_idle(word: str) -> bool:
    """Whether a word of another language says nothing."""
    return _folded(word) in _IDLE


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in plain if not unicodedata.combining(one)).replace("ß", "ss")


def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    stems: dict[str, dict[str, None]] = {}
    parts: dict[str, dict[str, None]] = {}
    for line in _lines():
        english, *latin, japanese, chinese = line.split("|")
        meaning = dict.fromkeys(english.split())
        for stem in " ".join(latin).split():
            stems.setdefault(_folded(stem).replace("-", ""), {}).update(meaning)
        for part in f"{japanese} {chinese}".split():
            parts.setdefault(part, {}).update(meaning)
    return (
        {stem: tuple(words) for stem, words in stems.items()},
        {part: tuple(words) for part, words in parts.items() if not part.isascii()},
    )


_STEMS, _PARTS = _tables()
_LONGEST = max(map(len, _STEMS))


def of_word(word: str) -> tuple[str, ...]:
    """The English words for a word of another language; none where it is not known."""
    folded = _folded(word)
    for length in range(min(len(folded), _LONGEST), 1, -1):
        found = _STEMS.get(folded[:length])
        # A short word must be the whole word.
        if found is not None and (length >= _STEM or length == len(folded)):
            return found
    return ()


def in_text(text: str) -> Iterator[str]:
    """The English words for what a text without spaces between words says."""
    if text.isascii() or not any(one > "\u2e7f" for one in text):
        return
    for part, words in _PARTS.items():
        if part in text:
            yield from words
