"""The size of a run's results as JSON, before it keeps them.

A value may contain another in many places, which costs nothing until it is written: thirty steps
that each double their input would give gigabytes.
"""

from collections import OrderedDict
from typing import TypeAlias

import anyio
import anyio.to_thread

from toolweave.engine.events import StepFailed
from toolweave.engine.frames import StepFrame
from toolweave.engine.heavy_work import ITEM, LARGE, LESS_DATA, MAX_RESULT_BYTES
from toolweave.json_text import Json
from toolweave.tools.size import FEW, lone_members

MIB = 1024 * 1024
# Of a step with effects, whose answers have limits of their own.
MAX_ANSWER_BYTES = 4 * MAX_RESULT_BYTES
# All large results of a run while one process executes it: a reader of a run reads all of it.
MAX_KEPT_BYTES = 128 * MIB
# Less than what the journal reads, which has a few levels of its own.
MAX_DEPTH = 200
KNOWN = 16
# How deep in a result a value may be that the next step passes on, such as `{"data": …}`.
PASSED_LEVELS = 2

_CONTAINERS = (dict, list)

# The size of a value, how much of it was not known, and its depth; None if it cannot be kept.
_Measured: TypeAlias = tuple[int, int, int] | None


class ResultSizes:
    """Measures the results of one run; large ones that were measured lately are not read again."""

    def __init__(self) -> None:
        # By identity of a value, which each entry keeps alive: its size and depth.
        self._known: OrderedDict[int, tuple[Json, int, int]] = OrderedDict()
        self._kept = 0
        # By identity as well, until their size is asked for.
        self._ahead: dict[int, tuple[Json, _Measured]] = {}

    async def measure_ahead(
        self, value: Json, lane: anyio.CapacityLimiter, most: int = MAX_RESULT_BYTES
    ) -> None:
        """Measure a large value in a thread, so that asking for its size takes no time."""
        found = self._measured(value, LARGE)
        if found is None:
            found = await anyio.to_thread.run_sync(self._with_members, value, most, limiter=lane)
        self._ahead[id(value)] = value, found

    def of(self, value: Json, most: int = MAX_RESULT_BYTES) -> int | None:
        """Return the size in characters; `None` if it is too large or too deep to be kept."""
        if self._ahead and id(value) in self._ahead:
            _, found = self._ahead.pop(id(value))
        else:
            found = self._measured(value, most)
            if found is not None and found[0] > LARGE:
                self._remember_members(value, most, PASSED_LEVELS)
        if found is None:
            return None
        size, new, depth = found
        if size > LARGE:
            self._kept += new
            self._remember(value, size, depth)
        return size if self._kept <= MAX_KEPT_BYTES else None

    def of_answer(self, value: Json) -> int | None:
        """Return the same of a step with effects, or of a run."""
        return self.of(value, MAX_ANSWER_BYTES)

    def _remember(self, value: Json, size: int, depth: int) -> None:
        self._known[id(value)] = value, size, depth
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)

    def _measured(self, value: Json, most: int) -> _Measured:
        new, known, depth, deepest = 0, 0, 0, 0
        sizes = self._known
        level: list[Json] = [value]
        while level and depth < MAX_DEPTH:
            depth += 1
            # A long level of one kind of values costs no step of Python for each.
            if len(level) > FEW and (inside := self._inside(level, most - new - known)) is not None:
                level, keys = inside
                new += ITEM * len(level) + keys
                continue
            below: list[Json] = []
            for one in level:
                if isinstance(one, str):
                    new += len(one)
                elif isinstance(one, _CONTAINERS):
                    if sizes and (found := sizes.get(id(one))) is not None:
                        known += found[1]
                        deepest = max(deepest, depth + found[2] - 1)
                    elif isinstance(one, list):
                        new += ITEM * len(one)
                        below += one
                    else:
                        new += ITEM * len(one) + sum(map(len, one))
                        below += one.values()
                    if new + known > most:
                        return None
            level = below
        if level or new + known > most or deepest > MAX_DEPTH:
            return None
        return new + known, new, max(depth, deepest)

    def _inside(self, level: list[Json], left: int) -> tuple[list[Json], int] | None:
        """Return what `lone_members` does, unless one of the values was measured lately."""
        if self._known and not self._known.keys().isdisjoint(map(id, level)):
            return None
        return lone_members(level, left // ITEM)

    def _with_members(self, value: Json, most: int, levels: int = PASSED_LEVELS) -> _Measured:
        """Measure a value; remember its large members, as the next step may pass on one of them."""
        found = self._measured(value, most)
        if found is not None and found[0] > LARGE:
            self._remember_members(value, most, levels)
        return found

    def _remember_members(self, value: Json, most: int, levels: int) -> None:
        is_new = levels > 0 and id(value) not in self._known
        if is_new and isinstance(value, dict) and len(value) < KNOWN:
            for one in value.values():
                inner = self._with_members(one, most, levels - 1)
                if inner is not None and inner[0] > LARGE and isinstance(one, dict | list):
                    self._remember(one, inner[0], inner[2])


def result_too_large(place: StepFrame) -> StepFailed:
    """Return the failure of a step whose result cannot be kept."""
    message = (
        f"node {place.step.id!r} gives more than {MAX_RESULT_BYTES // MIB} MB of JSON, or nested"
        f" more than {MAX_DEPTH} deep, or the run has more than {MAX_KEPT_BYTES // MIB} MB"
    )
    return StepFailed(place.key, "STEP_OUTPUT_LIMIT", message, hint=LESS_DATA)
