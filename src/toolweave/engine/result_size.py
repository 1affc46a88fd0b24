"""The size of a run's results as JSON, before it keeps them.

A value may contain another in many places, which costs nothing until it is written: thirty steps
that each double their input would give gigabytes.
"""

from collections import OrderedDict

from toolweave.engine.events import StepFailed
from toolweave.engine.frames import StepFrame
from toolweave.engine.heavy_work import ITEM, LARGE, LESS_DATA, MAX_RESULT_BYTES
from toolweave.json_text import Json

MIB = 1024 * 1024
# Of a step with effects, whose answers have limits of their own.
MAX_ANSWER_BYTES = 4 * MAX_RESULT_BYTES
# All large results of a run while one process executes it: a reader of a run reads all of it.
MAX_KEPT_BYTES = 128 * MIB
# Less than what the journal reads, which has a few levels of its own.
MAX_DEPTH = 200
KNOWN = 16


class ResultSizes:
    """Measures the results of one run; large ones that were measured lately are not read again."""

    def __init__(self) -> None:
        # By identity of a value, which each entry keeps alive: its size and depth.
        self._known: OrderedDict[int, tuple[Json, int, int]] = OrderedDict()
        self._kept = 0

    def of(self, value: Json, most: int = MAX_RESULT_BYTES) -> int | None:
        """Return the size in characters; `None` if it is too large or too deep to be kept."""
        found = self._measured(value, most)
        if found is None:
            return None
        size, new, depth = found
        if size > LARGE:
            self._kept += new
            self._known[id(value)] = value, size, depth
            if len(self._known) > KNOWN:
                self._known.popitem(last=False)
        return size if self._kept <= MAX_KEPT_BYTES else None

    def of_answer(self, value: Json) -> int | None:
        """Return the same of a step with effects, or of a run."""
        return self.of(value, MAX_ANSWER_BYTES)

    def _measured(self, value: Json, most: int) -> tuple[int, int, int] | None:
        """Return the size, how much of it was not known, and the depth."""
        new, known, depth, deepest = 0, 0, 0, 0
        level: list[Json] = [value]
        while level:
            depth += 1
            below: list[Json] = []
            for one in level:
                if isinstance(one, str):
                    new += len(one)
                elif isinstance(one, dict | list):
                    if (found := self._known.get(id(one))) is not None:
                        known += found[1]
                        deepest = max(deepest, depth + found[2] - 1)
                    else:
                        new += _taken_apart(one, below)
                if new + known > most:
                    return None
            level = below
            if max(depth, deepest) > MAX_DEPTH:
                return None
        return new + known, new, max(depth, deepest)


def result_too_large(place: StepFrame) -> StepFailed:
    """Return the failure of a step whose result cannot be kept."""
    message = (
        f"node {place.step.id!r} gives more than {MAX_RESULT_BYTES // MIB} MB of JSON, or nested"
        f" more than {MAX_DEPTH} deep, or the run has more than {MAX_KEPT_BYTES // MIB} MB"
    )
    return StepFailed(place.key, "STEP_OUTPUT_LIMIT", message, hint=LESS_DATA)


def _taken_apart(value: "dict[str, Json] | list[Json]", below: list[Json]) -> int:
    """Add what a container contains to `below`; return what its own characters take."""
    if isinstance(value, list):
        below.extend(value)
        return ITEM * len(value)
    below.extend(value.values())
    return ITEM * len(value) + sum(map(len, value))
