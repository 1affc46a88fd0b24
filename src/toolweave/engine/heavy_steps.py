"""Heavy steps: computed in another process (`step_pool.py`), else in a thread.

In a thread are the nodes that another process cannot find by name, and data that is no JSON.
"""

import logging
from dataclasses import dataclass
from typing import cast

import anyio.to_thread

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.cel.budget import WorkBudget, limited_to
from toolweave.engine.events import LoopOpened, StepFailed
from toolweave.engine.frames import LoopState, StepFrame
from toolweave.engine.heavy_work import (
    LESS_DATA,
    HeavyFailure,
    HeavyResult,
    HeavyWork,
    Purpose,
    name_of,
)
from toolweave.engine.step_failure import failure_of
from toolweave.engine.step_input import Binder, StepNames
from toolweave.engine.step_pool import StepPool
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem

logger = logging.getLogger(__name__)

# The work that all expressions of a heavy step may do together: about half a second.
STEP_WORK = 5_000_000


@dataclass(frozen=True, slots=True)
class HeavyStep:
    """A step to compute apart; with `loop`, only whether that loop continues."""

    place: StepFrame
    loop: LoopState | None = None


async def computed_apart(
    heavy: HeavyStep, binder: Binder, pool: StepPool
) -> Outcome | LoopOpened | StepFailed | NodeInput | bool:
    """What came of a step, within the whole budget of one.

    Of a loop that had begun: whether it continues; its input, if that was not known any more.
    """
    place = heavy.place
    purpose = _purpose(heavy, binder)
    found = await _sent(heavy, purpose, binder, pool)
    if found is None:
        return await anyio.to_thread.run_sync(_in_thread, heavy, purpose, binder, limiter=pool.lane)
    if isinstance(found, HeavyFailure):
        if found.traceback is not None:
            logger.error("step failed\n%s", found.traceback, extra={"step": place.key})
        return StepFailed(
            place.key, found.code, found.message, hint=found.hint, problems=found.problems
        )
    given = binder.take_bound(place, *found.bound) if found.bound is not None else None
    match purpose:
        case "compute":
            return Outcome(found.value, found.ports)
        case "items":
            assert found.value is None or isinstance(found.value, list)
            return LoopOpened(place.key, found.value)
        case "continue":
            return found.value is True
        case "bind":
            assert given is not None
            return given


async def bound_apart(place: StepFrame, binder: Binder, pool: StepPool) -> NodeInput:
    """The input of a step with effects. Raises `NODE_INPUT_INVALID`."""
    found = None
    if not place.step.attached:
        found = await _sent(HeavyStep(place), "bind", binder, pool)
    if isinstance(found, HeavyFailure):
        raise Invalid(found.code, found.message, hint=found.hint, problems=_problems(found))
    if found is not None and found.bound is not None:
        return binder.take_bound(place, *found.bound)
    return await anyio.to_thread.run_sync(_given, place, binder, limiter=pool.lane)


def _problems(failure: HeavyFailure) -> tuple[Problem, ...]:
    listed = cast("list[JsonObject]", failure.problems or [])
    return tuple(
        Problem(
            str(one["code"]),
            str(one["pointer"]),
            str(one["message"]),
            hint=str(one["hint"]) if one.get("hint") else None,
        )
        for one in listed
    )


def _purpose(heavy: HeavyStep, binder: Binder) -> Purpose:
    if heavy.loop is not None:
        return "continue" if binder.knows_loop(heavy.place.key) else "bind"
    return "items" if heavy.place.step.is_loop else "compute"


async def _sent(
    heavy: HeavyStep, purpose: Purpose, binder: Binder, pool: StepPool
) -> HeavyResult | HeavyFailure | None:
    place, loop = heavy.place, heavy.loop
    step = place.step
    # Without a specification, the templates of a node are filled without its code.
    needs_code = purpose != "bind" or step.kind.spec is not None
    code = name_of(step.kind.code) if needs_code else None
    if needs_code and code is None:
        return None
    incoming = binder.incoming(place)
    names = StepNames(binder, place, incoming)
    given = binder.of_loop(place) if purpose == "continue" else None
    work = HeavyWork(
        purpose,
        step.id,
        code,
        step.node.type,
        step.node.data,
        incoming,
        names.first_output(),
        STEP_WORK,
        bound=(given.config, given.inputs) if given is not None else None,
        done=loop.begun if loop is not None else 0,
        last=last_of(loop, given) if loop is not None and given is not None else None,
    )
    return await pool.compute(work, names, step.timeout_s)


def _in_thread(
    heavy: HeavyStep, purpose: Purpose, binder: Binder
) -> Outcome | LoopOpened | StepFailed | NodeInput | bool:
    place = heavy.place
    with limited_to(WorkBudget(STEP_WORK)) as budget:
        found = _computed(heavy, purpose, binder)
    if budget.is_spent and not isinstance(found, StepFailed):
        # Some nodes leave a placeholder without a value as it is: here it has one.
        message = f"the expressions of node {place.step.id!r} take too many steps together"
        return StepFailed(place.key, "EXPRESSION_LIMIT", message, hint=LESS_DATA)
    return found


def _computed(
    heavy: HeavyStep, purpose: Purpose, binder: Binder
) -> Outcome | LoopOpened | StepFailed | NodeInput | bool:
    place, kind = heavy.place, heavy.place.step.kind
    try:
        if kind.loop is None:
            assert kind.pure is not None
            return kind.pure.compute(binder.given(place))
        given = binder.of_loop(place)
        if heavy.loop is None:
            return LoopOpened(place.key, kind.loop.items(given))
        return has_next(heavy.loop, given) if purpose == "continue" else given
    except ToolweaveError as error:
        return failure_of(place.key, error)
    except Exception:
        return unforeseen(place)


def _given(place: StepFrame, binder: Binder) -> NodeInput:
    with limited_to(WorkBudget(STEP_WORK)):
        return binder.given(place)


def has_next(loop: LoopState, given: NodeInput) -> bool:
    """Whether a loop begins another iteration."""
    if loop.items is not None:
        return loop.begun < len(loop.items)
    code = loop.place.step.kind.loop
    assert code is not None
    if len(loop.turns) < loop.begun:
        return False  # the condition sees the last iteration
    return code.continues(given, loop.begun, last_of(loop, given))


def last_of(loop: LoopState, given: NodeInput) -> Json:
    """What the last iteration gave; before the first one, the data of the loop."""
    return loop.last[0] if loop.last else given.value("data")


def unforeseen(place: StepFrame) -> StepFailed:
    """Return a bug in a node's code as the failure of its step only."""
    logger.exception("step failed", extra={"step": place.key})
    message = f"node {place.step.id!r} failed unexpectedly; see the log for details"
    return StepFailed(place.key, "INTERNAL", message)
