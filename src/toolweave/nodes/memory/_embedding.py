"""Vectors of texts, made on this machine without a model: hashed words, word pairs, trigrams.

Every word, every pair of neighbours and every three letters of a word is a feature. A hash says
which place of the vector it counts at and with which sign; a feature that comes n times counts
1 + ln n. Same text, same vector, on every machine. Texts are near when they share words or parts
of words, not when they mean the same in other words: for that a model is needed.
"""

import hashlib
import math
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from toolweave.errors import Invalid
from toolweave.patterns import pattern

# A string: `array` cannot be subscripted when it is read, before Python 3.12.
Vector: TypeAlias = "array[float]"

LOCAL = "local/hashed-ngrams-1"
MAX_CHARACTERS = 100_000
_WORD = pattern(r"\w+")
# A pair says more than a word, but is rarer; letters forgive endings and slips of the pen.
_PAIR_WEIGHT = 0.5
_LETTERS_WEIGHT = 0.35


def embed(text: str, dimension: int) -> Vector:
    """The vector of `text`, of length 1; of length 0 where it has no word."""
    if len(text) > MAX_CHARACTERS:
        raise Invalid(
            "MEMORY_VALUE_INVALID",
            f"a text has {len(text)} characters; at most {MAX_CHARACTERS} get a vector",
            hint="split it into passages and store each as an item",
        )
    counts = Counter(_features(text))
    vector = [0.0] * dimension
    for (feature, weight), count in counts.items():
        digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        sign = 1.0 if number >> 63 else -1.0
        vector[number % dimension] += sign * weight * (1 + math.log(count))
    return normal(vector)


def normal(vector: list[float]) -> Vector:
    """`vector` made 1 long; zeros stay zeros."""
    length = math.sqrt(math.fsum(one * one for one in vector))
    return array("f", (one / length for one in vector) if length else vector)


def _features(text: str) -> Iterator[tuple[str, float]]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    before = None
    for word in words:
        yield word, 1.0
        if before is not None:
            yield f"{before} {word}", _PAIR_WEIGHT
        before = word
        padded = f"^{word[:64]}$"
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], _LETTERS_WEIGHT
