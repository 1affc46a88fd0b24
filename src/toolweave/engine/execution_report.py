"""A run as a `FlowExecution`, and step by step for timelines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from toolweave.engine.events import (
    Finished,
    Key,
    PureStepsDone,
    Started,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepQueued,
    StepStarted,
    StepUncertain,
    StepWaiting,
    UncertainResolved,
)
from toolweave.engine.journal import JournalEntry
from toolweave.engine.plan import Plan
from toolweave.engine.state import TURN
from toolweave.engine.step_failure import error_json
from toolweave.engine.variables import variables_used
from toolweave.json_text import Json, JsonObject


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What is known of one step: its status, times and output."""

    key: Key
    status: str
    started_at: str
    finished_at: str | None = None
    value: Json = None
    attempt: int = 1
    error: JsonObject | None = None
    # The result of each part of a node that works in parts: a model's answers, its calls.
    parts: tuple[Json, ...] = ()
    # The queue whose workers it waits for.
    queue: str | None = None
    # What a tool said beside the value.
    content: list[Json] | None = None

    @property
    def took_ms(self) -> int:
        """The duration of its last attempt."""
        return _ms(self.started_at, self.finished_at) if self.finished_at else 0


def records(entries: Sequence[JournalEntry]) -> list[StepRecord]:
    """Return every step of a run in the order they started."""
    found: dict[Key, StepRecord] = {}
    for entry in entries:
        for record in _seen(entry, found):
            found[record.key] = record
    return list(found.values())


def spent(entries: Sequence[JournalEntry]) -> JsonObject | None:
    """Return the tokens all models of a run used, and the cost where it is known."""
    total: dict[str, float] = {}
    for entry in entries:
        event = entry.event
        if not isinstance(event, StepWaiting) or not event.adds:
            continue
        usage = event.memory.get("usage") if isinstance(event.memory, dict) else None
        for name, number in usage.items() if isinstance(usage, dict) else ():
            if isinstance(number, int | float):
                total[name] = total.get(name, 0) + number
    return {**total} if total else None


def _over(found: dict[Key, StepRecord], at: str) -> Iterator[StepRecord]:
    """Return steps that were unfinished when the run ended."""
    for record in list(found.values()):
        if record.status in {"running", "waiting", "retrying", "uncertain"}:
            yield replace(record, status="cancelled", finished_at=record.finished_at or at)


def execution(
    run_id: str, plan: Plan, entries: Sequence[JournalEntry], *, is_whole: bool = True
) -> JsonObject:
    """A finished run as a `FlowExecution`; `runId`, `content` and `finalContent` are additions.

    Without its long values the variables that steps used are not known.
    """
    name = plan.workflow.name
    started = next(entry for entry in entries if isinstance(entry.event, Started))
    last = entries[-1]
    finished = last.event if isinstance(last.event, Finished) else None
    began = datetime.fromisoformat(started.at)
    assert isinstance(started.event, Started)
    used = variables_used(run_id, plan, entries) if is_whole else {}
    shown: JsonObject = {
        "flowId": name,
        "flowName": name,
        "executionId": f"{name}_{int(began.timestamp() * 1000)}",
        "runId": run_id,
        "initialVariables": started.event.inputs,
        "intermediateResults": [
            _result(record, plan, used.get(record.key, {}))
            for record in records(entries)
            if record.status == "success"
        ],
        "totalExecutionTimeMs": _ms(started.at, last.at),
        "status": finished.status if finished else "running",
        "finalResult": finished.result if finished and finished.status == "success" else None,
    }
    if finished and finished.content:
        shown["finalContent"] = finished.content
    usage = spent(entries)
    if usage is not None:
        shown["usage"] = usage
    if finished and finished.error:
        partial = {"partialResults": shown["intermediateResults"]}
        shown["error"] = _error(finished.error, plan) | partial
    return shown


def record_in(
    entries: Iterable[JournalEntry], key: Key, before: StepRecord | None
) -> StepRecord | None:
    """Return one step after these events, which follow the ones that gave `before`."""
    found = {} if before is None else {key: before}
    for entry in entries:
        if getattr(entry.event, "key", key) == key:
            found |= {one.key: one for one in _seen(entry, found) if one.key == key}
    return found.get(key)


def _seen(entry: JournalEntry, found: dict[Key, StepRecord]) -> Iterator[StepRecord]:
    """Return the records that an entry creates or changes."""
    event, at = entry.event, entry.at
    match event:
        case PureStepsDone(steps, values):
            for key, number, *_ in steps:
                if number != TURN:
                    value = values[int(str(number))]
                    yield StepRecord(str(key), "success", at, at, value)
        case StepStarted():
            yield _begun(event, at, found.get(event.key))
        case StepFinished(key, value):
            said = event.content
            yield replace(found[key], status="success", finished_at=at, value=value, content=said)
        case StepWaiting(key):
            # A step that gathers branches waits without having started.
            before = found.get(key, StepRecord(key, "waiting", at))
            record = replace(before, status="waiting", value=event.question)
            parts = (*record.parts, event.memory) if event.adds else record.parts
            yield replace(record, parts=parts)
        case StepFailed(key):
            error = error_json(event)
            status = "failed" if event.retry_at is None else "retrying"
            before = found.get(key, StepRecord(key, status, at))
            yield replace(before, status=status, finished_at=at, error=error)
        case StepCancelled(key):
            yield replace(found[key], status="cancelled", finished_at=at)
        case Finished():
            yield from _over(found, at)
        case _:
            yield from _stalled(entry, found)


def _begun(event: StepStarted, at: str, before: StepRecord | None) -> StepRecord:
    """Return a step that begins; its time is counted from its first part."""
    if before is None:
        return StepRecord(event.key, "running", at, attempt=event.attempt)
    has_begun = event.attempt == 1 and before.queue is None
    began = before.started_at if has_begun else at
    return StepRecord(event.key, "running", began, attempt=event.attempt, parts=before.parts)


def _stalled(entry: JournalEntry, found: dict[Key, StepRecord]) -> Iterator[StepRecord]:
    """Return a step that waits for a worker, has an unknown result, or was decided about."""
    match entry.event:
        case StepUncertain(key):
            yield replace(found[key], status="uncertain")
        case StepQueued(key, queue):
            before = found.get(key, StepRecord(key, "waiting", entry.at))
            yield replace(before, status="waiting", value=None, queue=queue)
        case UncertainResolved(key, choice):
            status = {"skip": "skipped", "fail": "failed"}.get(choice, "running")
            yield replace(found[key], status=status, finished_at=entry.at)
        case _:
            return


def _result(record: StepRecord, plan: Plan, variables: JsonObject) -> JsonObject:
    step = plan.by_id.get(record.key.rpartition("/")[2])
    model = _answered_by(record)
    return {
        # Formats.md: the result says whether a model answered; without one it is the filled text.
        **({"answeredBy": model} if model else {}),
        "nodeId": record.key,
        "templateName": step.template_name if step else record.key,
        "inputVariables": variables,
        "output": record.value,
        **({"content": record.content} if record.content else {}),
        "executionTimeMs": record.took_ms,
        "timestamp": record.finished_at,
    }


def _answered_by(record: StepRecord) -> str | None:
    answers = [one for one in record.parts if isinstance(one, dict) and one.get("kind") == "model"]
    return str(answers[-1].get("model")) if answers else None


def _error(error: JsonObject, plan: Plan) -> JsonObject:
    shown: JsonObject = {name: value for name, value in error.items() if value is not None}
    key = error.get("failedAt")
    if not isinstance(key, str):
        return shown  # it failed before any node ran
    step = plan.by_id.get(key.rpartition("/")[2])
    name = step.template_name if step else key
    return {**shown, "failedAt": {"nodeId": key, "templateName": name}}


def _ms(start: str, end: str) -> int:
    took = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    # The format requires a positive number.
    return max(1, round(took.total_seconds() * 1000))
