"""What a replay did otherwise than the recorded run: its result, its steps, its requests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from toolweave.engine.execution_report import StepRecord, records
from toolweave.json_text import Json, JsonObject
from toolweave.recording.entries import MatchRules, StepLine
from toolweave.recording.from_run import RunSteps, result_of
from toolweave.recording.migration.changed_tool import ChangedTool, TypedChange
from toolweave.recording.recording import Recording
from toolweave.recording.replay import ReplayedRun
from toolweave.recording.value_difference import ValueDifference, value_differences
from toolweave.tools.difference import difference
from toolweave.workflow.formats.load import convert

RESULT = "result"
MAX_CHANGES = 5
_ENDED = frozenset({"success", "failed"})


@dataclass(frozen=True, slots=True)
class StepDifference:
    """A step, or the result, with what is different about it."""

    key: str
    what: Literal["changed", "missing", "new", "refused"]
    message: str = ""
    values: tuple[ValueDifference, ...] = ()

    def as_json(self) -> JsonObject:
        """Return the difference for programs."""
        shown: JsonObject = {"step": self.key, "what": self.what}
        if self.message:
            shown["message"] = self.message
        if self.values:
            shown["values"] = [one.as_json() for one in self.values]
        return shown


@dataclass(frozen=True, slots=True)
class ReplayComparison:
    """All differences of a replay, in the order of the recorded steps; the result comes last."""

    differences: tuple[StepDifference, ...] = ()
    # Recorded calls and requests that were not made.
    unused: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether the replay did what was recorded."""
        return not self.differences


def compare(recording: Recording, replayed: ReplayedRun) -> ReplayComparison:
    """Compare a replay with its recording."""
    found = {one.key: one for one in records(replayed.entries) if one.status in _ENDED}
    refused = {one.step: one.error for one in replayed.playback.refusals}
    volatile = _volatile_steps(recording)
    differences = [
        StepDifference(step, "refused", f"{error.code}: {error.message}")
        for step, error in refused.items()
    ]
    for line in recording.steps:
        if line.key not in refused:
            differences += _of_step(line, found.get(line.key), volatile.get(line.node, ()))
    known = {line.key for line in recording.steps} | refused.keys()
    differences += [StepDifference(key, "new") for key in found if key not in known]
    differences += _of_result(recording, replayed)
    return ReplayComparison(tuple(differences), tuple(replayed.playback.unused))


def _of_step(
    line: StepLine, found: StepRecord | None, volatile: Sequence[str]
) -> Iterator[StepDifference]:
    if found is None:
        yield StepDifference(line.key, "missing", "the step was not reached")
    elif line.status != found.status or (line.error is not None and found.error is not None):
        before, now = _ending(line.status, line.error), _ending(found.status, found.error)
        if before != now:
            yield StepDifference(line.key, "changed", f"expected {before}, got {now}")
    else:
        values = _without(value_differences(line.output, found.value), volatile)
        if values:
            yield StepDifference(line.key, "changed", values=values)


def _ending(status: str, error: Mapping[str, Json] | None) -> str:
    return status if error is None else f"{error.get('code')}: {error.get('message')}"


def _of_result(recording: Recording, replayed: ReplayedRun) -> Iterator[StepDifference]:
    expected, found = recording.result, result_of(replayed.entries)
    if expected is None:
        return
    if expected.status != found.status:
        message = f"expected {expected.status}, got {found.status}"
        yield StepDifference(RESULT, "changed", message)
    elif not recording.header.match.volatile:
        # With volatile parts the steps are compared, not what was made of them.
        values = tuple(value_differences(expected.result, found.result))
        if values:
            yield StepDifference(RESULT, "changed", values=values)


def _volatile_steps(recording: Recording) -> dict[str, tuple[str, ...]]:
    """Return the volatile pointers of each node, by its own rule or that of a tool it calls."""
    rules: MatchRules = recording.header.match
    by_tool: dict[str, set[str]] = {}
    for call in recording.calls:
        by_tool.setdefault(call.tool, set()).add((call.step or "").rpartition("/")[2])
    found: dict[str, tuple[str, ...]] = {}
    for rule in rules.volatile:
        nodes = {rule.step} if rule.step else by_tool.get(rule.tool or "", set())
        for node in nodes:
            found[node] = (*found.get(node, ()), *rule.result)
    return found


def _without(
    values: Sequence[ValueDifference], volatile: Sequence[str]
) -> tuple[ValueDifference, ...]:
    return tuple(
        one
        for one in values
        if not any(one.pointer == at or one.pointer.startswith(f"{at}/") for at in volatile)
    )


def tool_changes(
    recording: Recording, pinned: Mapping[str, Mapping[str, tuple[str, JsonObject]]]
) -> list[str]:
    """Return how the approved definitions of called tools differ from the recorded ones.

    `pinned`: the hash and definition of each approved tool by server; other servers are not judged.
    """
    called = {(call.server, call.tool) for call in recording.calls}
    lines: list[str] = []
    for line in recording.tools:
        name = str(line.definition.get("name"))
        if (line.server, name) not in called or line.server not in pinned:
            continue
        digest, definition = pinned[line.server].get(name, ("", None))
        if digest != line.hash:
            kind = difference(line.definition, definition).kind
            typed = ChangedTool(line.server, name, line.definition, definition).changes
            details = "; ".join(_change_text(one) for one in typed[:MAX_CHANGES])
            lines.append(f"{line.server}/{name}: {kind}{f' ({details})' if details else ''}")
    return lines


def _change_text(change: TypedChange) -> str:
    side = "result " if change.side == "output" else ""
    place = f" {side}{change.parameter}" if change.parameter else ""
    return f"{change.kind.replace('_', ' ')}{place}: {change.message}"


def accepted(recording: Recording, replayed: ReplayedRun) -> Recording:
    """Return the recording with the steps, workflow and result of a replay as its expectation."""
    before = {line.key: line for line in recording.steps}
    exchanged = {line.key for line in recording.steps if line.replay == "boundary"}
    steps = RunSteps(replayed.run, replayed.plan, exchanged).read(replayed.entries)
    lines = tuple(_keeping(line, before.get(line.key)) for line in steps)
    document = convert(replayed.plan.workflow, "toolweave")
    workflow = None
    if recording.workflow is not None:
        workflow = recording.workflow.model_copy(update={"document": document})
    result = result_of(replayed.entries)
    return replace(recording, workflow=workflow, steps=lines, result=result)


def _keeping(line: StepLine, before: StepLine | None) -> StepLine:
    """Keep what a replay does not know of a step: how it is replayed, and when it ran."""
    if before is None:
        return line
    kept: dict[str, object] = {"replay": before.replay, "at_ms": before.at_ms}
    if before.request is not None:
        kept["request"] = line.request if line.replay == "outcome" else before.request
    return line.model_copy(update=kept)
