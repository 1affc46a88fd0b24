"""What a run that starts in the middle of another takes over from it."""

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import cast

from toolweave import json_text
from toolweave.engine.events import Event, Key, PureStepsDone, Started
from toolweave.engine.frames import StepFrame
from toolweave.engine.plan import Plan
from toolweave.engine.state import RunState
from toolweave.engine.steps import PlannedStep
from toolweave.errors import Conflict, NotFound
from toolweave.json_text import JsonObject
from toolweave.problems import did_you_mean
from toolweave.workflow.formats.load import convert
from toolweave.workflow.formats.toolweave import SUBFLOWS
from toolweave.workflow.studio_data import PinnedOutput

MAX_SHOWN = 2_000
# Types of nodes that always ask a person.
ASKING = frozenset({"HUMAN_IN_THE_LOOP", "askUserQuestion"})


def history_before(
    state: RunState,
    nodes: Iterable[str],
    plan: Plan,
    pins: Mapping[str, PinnedOutput] | None = None,
) -> tuple[Event, ...]:
    """Return how every step ended except `nodes` and those after them in `plan`, the new workflow.

    Nodes missing from `plan` are left out; new nodes run, and so do those after them. Pinned nodes
    are left out too: the new run takes their pins.

    Raises `NODE_ID_UNKNOWN`; `STEP_NOT_REACHED` for a node in the body of a loop.
    """
    behind = {index for node in nodes for index in _behind(plan, _step(plan, node).index)}
    kept = {
        step.id for step in plan.steps if step.index not in behind and step.id not in (pins or ())
    }
    known = {
        key: event
        for key, place in state.places.items()
        if place.frame is state.top and place.step.id in kept
        for event in _known(state, key, place)
    }
    return tuple(_in_order(plan, known))


def approvals_to_repeat(
    state: RunState, node: str, plan: Plan, edits: JsonObject, asked: Container[str]
) -> list[str]:
    """The steps that a fork at `node` keeps where a person answered what it changes.

    `asked` are nodes known to have asked a person. An answer is bound to a hash of everything
    behind its step, and of what is executed again and leads there beside it.
    """
    again = _behind(plan, _step(plan, node).index)
    earlier = _changes(state)
    found: dict[str, None] = {}
    for step in plan.steps:
        if step.node.type not in ASKING and step.id not in asked:
            continue
        while step.loop is not None:
            step = plan.steps[step.loop]
        place = state.places.get(step.id)
        if step.index in again or place is None or not any(_known(state, step.id, place)):
            continue  # it asks anyway
        beside = {plan.steps[index].id for index in _beside(plan, step.index) & again}
        before, now = (state.plan, earlier), (plan, edits)
        if bound_hash(step.id, beside, *before) != bound_hash(step.id, beside, *now):
            found[step.id] = None
    return [*found]


def bound_hash(node: str, beside: Container[str], plan: Plan, edits: JsonObject) -> str | None:
    """A hash of a node, everything behind it and the nodes `beside`, with edited inputs."""
    step = plan.by_id.get(node)
    if step is None:
        return None
    follows = _behind(plan, step.index, with_back=True)
    steps = [one for one in plan.steps if one.index in follows or one.id in beside]
    # What is attached to an agent is no step.
    bound_ids = {part.id for one in steps for part in (one, *one.attached)}
    document = cast("JsonObject", convert(plan.workflow, "toolweave"))
    nodes, edges = (cast("list[JsonObject]", document[name]) for name in ("nodes", "connections"))
    bound: JsonObject = {
        "nodes": [one for one in nodes if one["id"] in bound_ids],
        "edges": [one for one in edges if one["from"] in bound_ids],
        "subflows": document.get(SUBFLOWS),
        "edits": {key: value for key, value in edits.items() if key in bound_ids},
    }
    return hashlib.sha256(json_text.canonical(bound)).hexdigest()


def edits_before(state: RunState, plan: Plan, node: str) -> JsonObject:
    """The edited inputs of an earlier run that a fork at `node` of it keeps.

    Those of steps that are not `node` or behind it, and of `node` if it was not executed yet.
    """
    edits = (state.started.edits if state.started else None) or {}
    behind = {plan.steps[index].id for index in _behind(plan, _step(plan, node).index)}
    place = state.places.get(node)
    if place is None or not any(_known(state, node, place)):
        behind -= {node}
    return {key: value for key, value in edits.items() if key not in behind}


def with_edits(question: JsonObject | None, state: RunState) -> JsonObject | None:
    """Add to a question of a forked run what was edited in steps that are still to come."""
    edits = (state.started.edits if state.started else None) or {}
    lines = [
        f"Edited for this run: the input of {key!r} is {json_text.write(value)[:MAX_SHOWN]}"
        for key, value in edits.items()
        if key not in state.places
    ]
    if question is None or not lines:
        return question
    return {**question, "text": "\n".join([str(question.get("text", "")), *lines])}


def _changes(state: RunState) -> JsonObject:
    """What a run used in place of inputs and outputs of its steps."""
    if (started := state.started) is None:
        return {}
    return {**(started.edits or {}), **(started.pins or {})}


def _in_order(plan: Plan, known: dict[Key, Event]) -> Iterator[Event]:
    """Return the ends of steps in the order of `plan`; the new run knows no other steps."""
    state = RunState(plan)
    state.apply(Started(None))
    waiting = dict(known)
    while reached := [key for key in waiting if key in state.places]:
        for key in reached:
            event = waiting.pop(key)
            state.apply(event)
            yield event


def _step(plan: Plan, node: str) -> PlannedStep:
    step = plan.by_id.get(node)
    if step is None:
        hint = did_you_mean(node, plan.by_id)
        raise NotFound("NODE_ID_UNKNOWN", f"the workflow has no node {node!r}", hint=hint)
    if step.loop is not None:
        raise Conflict(
            "STEP_NOT_REACHED",
            f"node {node!r} is in the body of a loop, where a run cannot start",
            hint=f"start at the loop: {plan.steps[step.loop].id!r}",
        )
    return step


def _known(state: RunState, key: Key, place: StepFrame) -> Iterator[Event]:
    """Return how a step of an earlier run ended, if it did."""
    outcome = place.frame.outcomes.get(place.step.index)
    if outcome is not None:
        yield PureStepsDone([[key, 0, *outcome.ports]], [outcome.value])
    elif key in state.failures:
        yield state.failures[key]


def _behind(plan: Plan, start: int, *, with_back: bool = False) -> set[int]:
    """A step and those that follow it; `with_back` also those that it can lead back to."""
    behind: set[int] = set()
    waiting = [start]
    while waiting:
        index = waiting.pop()
        if index not in behind:
            behind.add(index)
            step = plan.steps[index]
            links = (*step.outgoing, *step.back) if with_back else step.outgoing
            waiting.extend(link.target for link in links)
            waiting.extend(step.gated)
    return behind


def _beside(plan: Plan, start: int) -> set[int]:
    """Steps that lead to those behind a step, but neither to it nor from it."""
    before: dict[int, list[int]] = {}
    for step in plan.steps:
        for target in (*(link.target for link in step.outgoing), *step.gated):
            before.setdefault(target, []).append(step.index)

    def leading_to(targets: Iterable[int]) -> set[int]:
        found: set[int] = set()
        waiting = [*targets]
        while waiting:
            for index in before.get(waiting.pop(), ()):
                if index not in found:
                    found.add(index)
                    waiting.append(index)
        return found

    behind = _behind(plan, start)
    return leading_to(behind - {start}) - behind - leading_to([start])
