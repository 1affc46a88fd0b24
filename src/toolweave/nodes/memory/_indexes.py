"""Vectors of a space side by side in memory, to be compared with one; numpy is used where it is."""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from operator import mul
from typing import Any

from toolweave.catalog.resources.stores import VectorIndex
from toolweave.nodes.memory._embedding import Vector
from toolweave.settings import MIB

MAX_KEPT_BYTES = 256 * MIB


def nearest(index: VectorIndex, vector: Vector, threshold: float) -> list[tuple[float, int]]:
    """Return the similarity and position of every entry above `threshold`, the nearest first."""
    found = _compare()(index, vector, threshold)
    # Ties are ordered by id, so that the result is the same every time.
    return sorted(found, key=lambda hit: (-hit[0], index.ids[hit[1]]))


class Indexes:
    """Indexes used last, as many as fit."""

    def __init__(
        self, kept: OrderedDict[str, VectorIndex], max_bytes: int = MAX_KEPT_BYTES
    ) -> None:
        self._max_bytes = max_bytes
        self._kept = kept

    def get(self, space: str, version: int) -> VectorIndex | None:
        """What was read at this version, if it is still at hand."""
        index = self._kept.get(space)
        if index is None or index.version != version:
            return None
        self._kept.move_to_end(space)
        return index

    def keep(self, space: str, index: VectorIndex) -> None:
        """Have it at hand next time, and let go of what was not used for longest."""
        self._kept[space] = index
        self._kept.move_to_end(space)
        while self._kept and sum(len(one.vectors) for one in self._kept.values()) > self._max_bytes:
            self._kept.popitem(last=False)


Compare = Callable[[VectorIndex, Vector, float], "Sequence[tuple[float, int]]"]


@cache
def _compare() -> Compare:
    # By name and only when needed: most processes never compare a vector.
    try:
        numpy = import_module("numpy")
    except ImportError:
        return in_python
    return lambda index, vector, threshold: in_numpy(numpy, index, vector, threshold)


def in_python(index: VectorIndex, vector: Vector, threshold: float) -> Sequence[tuple[float, int]]:
    """Similarities by plain arithmetic, over the places where `vector` is not 0."""
    places = [place for place, one in enumerate(vector) if one]
    if not places or not index.ids:
        return []
    weights = [vector[place] for place in places]
    rows = array("f", index.vectors)
    found: list[tuple[float, int]] = []
    for number in range(len(index.ids)):
        row = rows[number * index.dimension : (number + 1) * index.dimension]
        score = sum(map(mul, map(row.__getitem__, places), weights))
        if score >= threshold:
            found.append((min(score, 1.0), number))
    return found


# Any: numpy is an extra, so there may be no types of it.
def in_numpy(
    numpy: Any, index: VectorIndex, vector: Vector, threshold: float
) -> Sequence[tuple[float, int]]:
    """Similarities by one product of matrix and vector."""
    if not index.ids:
        return []
    rows = numpy.frombuffer(index.vectors, dtype="f4").reshape(-1, index.dimension)
    scores = rows @ numpy.frombuffer(vector, dtype="f4")
    places = numpy.nonzero(scores >= threshold)[0]
    return [(min(float(scores[place]), 1.0), int(place)) for place in places]
