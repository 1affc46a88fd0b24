"""Which texts fit a query best: by words (TF-IDF, BM25), by likeness of vectors, or by both."""

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from toolweave.nodes.memory._embedding import MAX_CHARACTERS, embed
from toolweave.patterns import pattern

Scoring = Literal["tf_idf", "bm25", "hybrid"]
_WORD = pattern(r"\w+")
# The usual weights of BM25.
_K, _B = 1.2, 0.75
DIMENSION = 256


def ranked(query: str, texts: Sequence[str], scoring: Scoring) -> list[tuple[int, float]]:
    """Places of texts that have to do with a query, the best first, scored from 0 to 1."""
    by_words = _by_words(query, texts, is_bm25=scoring != "tf_idf")
    is_hybrid = scoring == "hybrid"
    scores = _mixed(by_words, _by_likeness(query, texts)) if is_hybrid else by_words
    best = max(scores.values(), default=0.0)
    found = [(place, score / best) for place, score in scores.items() if score > 0]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def words_of(text: str) -> list[str]:
    """The words of a text, in one case and form; a plural's `s` is left out."""
    found = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found]


def _by_words(query: str, texts: Sequence[str], *, is_bm25: bool) -> dict[int, float]:
    wanted = set(words_of(query))
    counts = [Counter(words_of(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(lengths) if any(lengths) else 1.0
    scores: dict[int, float] = {}
    for word in wanted:
        having = [place for place, count in enumerate(counts) if word in count]
        rarity = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for place in having:
            count = counts[place][word]
            share = lengths[place] / average
            weight = (
                count * (_K + 1) / (count + _K * (1 - _B + _B * share))
                if is_bm25
                else count / lengths[place]
            )
            scores[place] = scores.get(place, 0.0) + rarity * weight
    return scores


def _by_likeness(query: str, texts: Sequence[str]) -> dict[int, float]:
    asked = embed(query[:MAX_CHARACTERS], DIMENSION)
    found: dict[int, float] = {}
    for place, text in enumerate(texts):
        other = embed(text[:MAX_CHARACTERS], DIMENSION)
        found[place] = math.fsum(one * two for one, two in zip(asked, other, strict=True))
    return found


def _mixed(words: dict[int, float], likeness: dict[int, float]) -> dict[int, float]:
    """Words count most; likeness forgives endings and slips, but noise is no likeness."""
    best = max(words.values(), default=0.0)
    return {
        place: 0.7 * (words.get(place, 0.0) / best if best else 0.0) + 0.3 * score
        for place, score in likeness.items()
        if place in words or score >= 0.25
    }
