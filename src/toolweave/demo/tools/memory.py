"""Tools with an effect, so that repeats can be counted: `remember`, `recall`, `counter`."""

from typing import Annotated

from mcp import types
from pydantic import Field

from toolweave.demo.tool import (
    Answer,
    DemoCall,
    DemoModel,
    DemoTool,
    error_result,
    structured_result,
    text_result,
)
from toolweave.problems import did_you_mean

Key = Annotated[str, Field(description="The name it is kept under.", min_length=1, max_length=200)]

_NOTES_AT_MOST = 1000


class RememberArguments(DemoModel):
    """What `remember` takes."""

    key: Key
    value: Annotated[str, Field(description="What to keep.", max_length=10_000)]


async def _remember(arguments: RememberArguments, call: DemoCall) -> Answer:
    notes = call.store.notes
    if arguments.key not in notes and len(notes) >= _NOTES_AT_MOST:
        return error_result(f"{_NOTES_AT_MOST} notes are kept already; use a key that exists")
    notes[arguments.key] = arguments.value
    return text_result(f"Remembered {arguments.key!r}.")


class RecallArguments(DemoModel):
    """What `recall` takes."""

    key: Key


async def _recall(arguments: RecallArguments, call: DemoCall) -> Answer:
    notes = call.store.notes
    if arguments.key in notes:
        return text_result(notes[arguments.key])
    hint = did_you_mean(arguments.key, notes) or "use `remember` first"
    return error_result(f"nothing is kept under {arguments.key!r}; {hint}")


class CounterArguments(DemoModel):
    """What `counter` takes."""

    name: Annotated[str, Field(description="Which counter.", min_length=1, max_length=200)] = (
        "default"
    )


class Count(DemoModel):
    """What `counter` gives."""

    name: str
    count: Annotated[int, Field(ge=1)]


async def _counter(arguments: CounterArguments, call: DemoCall) -> Answer:
    counts = call.store.counts
    if arguments.name not in counts and len(counts) >= _NOTES_AT_MOST:
        return error_result(f"{_NOTES_AT_MOST} counters run already; use a name that exists")
    count = call.store.count(arguments.name)
    return structured_result(Count(name=arguments.name, count=count), str(count))


TOOLS = (
    DemoTool(
        name="remember",
        title="Remember",
        description="Keep a text under a key until the server stops; a text already there is "
        "replaced. `recall` reads it.",
        takes=RememberArguments,
        run=_remember,
        annotations=types.ToolAnnotations(
            read_only_hint=False,
            destructive_hint=True,  # it replaces what was there
            idempotent_hint=True,
            open_world_hint=False,
        ),
    ),
    DemoTool(
        name="recall",
        title="Recall",
        description="Return the text that `remember` keeps under a key; an error if there is none.",
        takes=RecallArguments,
        run=_recall,
    ),
    DemoTool(
        name="counter",
        title="Count up",
        description="Add one to a named counter and return the new count. Every call has an "
        "effect: call it twice and it counts two.",
        takes=CounterArguments,
        gives=Count,
        run=_counter,
        annotations=types.ToolAnnotations(
            read_only_hint=False,
            destructive_hint=False,
            idempotent_hint=False,
            open_world_hint=False,
        ),
    ),
)
