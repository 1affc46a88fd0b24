"""The variables each step of a run used, as text: `inputVariables` of a flow execution.

Derived from the journal step by step, so that a step sees only what was there when it ran.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from toolweave.catalog.node import RunFacts
from toolweave.engine.events import Event, Key, PureStepsDone, StepFinished
from toolweave.engine.frames import StepFrame
from toolweave.engine.journal import JournalEntry
from toolweave.engine.plan import Plan
from toolweave.engine.state import TURN, RunState
from toolweave.engine.step_input import Binder
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.named_values import named_value
from toolweave.workflow.prompt_templates import Braces, as_single, read_prompt

# Nodes with a text of their own: its field, the braces of its placeholders, the field of values.
_TEXTS: dict[str, tuple[str, Braces, str]] = {
    "template": ("template", "single", "variableValues"),
    "prompt": ("prompt", "double", "variables"),
}


def variables_used(run: str, plan: Plan, entries: Sequence[JournalEntry]) -> dict[Key, JsonObject]:
    """Return them by step, in the order of the journal; steps without variables have none."""
    if not entries:
        return {}
    state = RunState(plan)
    facts = RunFacts(run, plan.workflow.name, datetime.fromisoformat(entries[0].at))
    binder = Binder(state, facts)
    found: dict[Key, JsonObject] = {}
    for entry in entries:
        for key, event in one_by_one(entry.event):
            place = state.places.get(key) if key else None
            if key and place is not None:
                found[key] = _used(binder, place)
            state.apply(event)
    return found


def one_by_one(event: Event) -> Iterator[tuple[Key | None, Event]]:
    """Yield the steps that end with an event, each as a separate event."""
    match event:
        case PureStepsDone(steps, values):
            for step in steps:
                is_turn = step[1] == TURN
                yield None if is_turn else str(step[0]), PureStepsDone([step], values)
        case StepFinished(key):
            yield key, event
        case _:
            yield None, event


def _used(binder: Binder, place: StepFrame) -> JsonObject:
    step = place.step
    if step.is_loop:
        return {}
    try:
        if step.node.type in _TEXTS:
            return _named(binder, place)
        if not step.prepared.has_templates:
            return _texts(step.prepared.inputs or _parameters(step.prepared.config))
        given = binder.given(place)
        return _texts(given.inputs or _parameters(given.config))
    except ToolweaveError:
        return {}  # it was skipped, or its workflow is parsed differently today


def _named(binder: Binder, place: StepFrame) -> JsonObject:
    given = binder.given(place)
    field, braces, own = _TEXTS[place.step.node.type]
    text = given.config.get(field)
    if braces == "single" and isinstance(text, str):
        text = as_single(text)
    placeholders = read_prompt(text, braces).placeholders if isinstance(text, str) else ()
    values = {
        placeholder.content: named_value(placeholder.content, given.names, given.config.get(own))
        for placeholder in placeholders
    }
    return _texts({name: value for name, (is_known, value) in values.items() if is_known})


def _parameters(config: JsonObject) -> JsonObject:
    values = config.get("parameterValues")
    return values if isinstance(values, dict) else {}


def _texts(values: JsonObject) -> JsonObject:
    return {name: _text(value) for name, value in values.items()}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
