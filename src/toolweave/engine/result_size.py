"""The size of results as JSON, before a run keeps them.

A value may contain another in many places, which costs nothing until it is written: thirty steps
that each double their input would give gigabytes.
"""

from collections import OrderedDict

from toolweave.engine.heavy_work import ITEM, LARGE, MAX_RESULT_BYTES
from toolweave.json_text import Json

# Less than what the journal reads, which has a few levels of its own.
MAX_DEPTH = 200
KNOWN = 16


class ResultSizes:
    """Measures results; large ones that were measured lately are not read again."""

    def __init__(self) -> None:
        # By identity of a value, which each entry keeps alive: its size and depth.
        self._known: OrderedDict[int, tuple[Json, int, int]] = OrderedDict()

    def of(self, value: Json) -> int | None:
        """Return the size in characters; `None` if it is too large or too deep to be kept."""
        if isinstance(value, str):
            return len(value) if len(value) <= MAX_RESULT_BYTES else None
        if not isinstance(value, dict | list):
            return ITEM
        size, depth, deepest = 0, 0, 0
        level: list[Json] = [value]
        while level:
            depth += 1
            below: list[Json] = []
            for one in level:
                if isinstance(one, str):
                    size += len(one)
                elif isinstance(one, dict | list):
                    if (known := self._known.get(id(one))) is not None:
                        size += known[1]
                        deepest = max(deepest, depth + known[2])
                        continue
                    size += ITEM * len(one) + (sum(map(len, one)) if isinstance(one, dict) else 0)
                    below.extend(one.values() if isinstance(one, dict) else one)
                if size > MAX_RESULT_BYTES:
                    return None
            level = below
            if depth > MAX_DEPTH:
                return None
        deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            return None
        if size > LARGE:
            self._remember(value, size, deepest)
        return size

    def _remember(self, value: Json, size: int, depth: int) -> None:
        self._known[id(value)] = value, size, depth
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)
