"""What a model chose for a node of a run, taken from the run's journal into the workflow."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolweave.authoring.environment import known_offline, node_in
from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal import Journal
from toolweave.errors import Conflict, Invalid
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject, write
from toolweave.nodes.model_tools import skills_of
from toolweave.problems import Problem
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.locked_choices import ModelChoice, freeze
from toolweave.workflow.model import Workflow
from toolweave.workflow.modes import text_at
from toolweave.workflow.report import examine_loaded


@dataclass(frozen=True, slots=True)
class LockedWorkflow:
    """A workflow with a node frozen, the calls that are in it now, and all that is odd."""

    workflow: Workflow
    chosen: tuple[ModelChoice, ...]
    problems: tuple[Problem, ...]


async def freeze_node(home: Home, run: str, node: str, loaded: LoadedWorkflow) -> LockedWorkflow:
    """Freeze a node of `loaded` to what was chosen for it in a run.

    Raises `NotFound`: there is no such node, or the tool is gone; `Conflict`: `STEP_NOT_REACHED`
    where the run never came to it; `Invalid`: `FREEZE_IMPOSSIBLE`, or the workflow has faults it
    had not before.
    """
    workflow = loaded.workflow
    found = node_in(workflow, node)
    record = await _record(home, run, node)
    known = await known_offline(home)
    server = text_at(found.data, "serverId")
    tools = list((known.pinned(server) if known.pinned else None) or ())
    chosen = tuple(_chosen(record, tools))
    told = _told(record)
    frozen = freeze(workflow, node, chosen, tools, now=home.clock.now(), told=told)
    return LockedWorkflow(frozen, chosen, _checked(loaded, frozen, known))


async def _record(home: Home, run: str, node: str) -> StepRecord:
    entries = await Journal(home.database, home.clock).read(run)
    # In a loop a node has one step for each turn; the last one that worked is meant.
    mine = [one for one in records(entries) if one.key.rpartition("/")[2] == node]
    done = [one for one in mine if one.status == "success" and one.parts]
    if not done:
        raise Conflict(
            "STEP_NOT_REACHED",
            f"run {run!r} has no finished step of node {node!r} for which a model chose",
            hint=f"`toolweave runs show {run}` shows what happened",
        )
    return done[-1]


def _chosen(record: StepRecord, tools: Sequence[Tool]) -> list[ModelChoice]:
    # A model calls some tools otherwise, for not every provider takes every name.
    offered = {one.offer.name: tool.name for one, tool in zip(skills_of(tools), tools, strict=True)}
    return [
        ModelChoice(
            offered.get(str(part["name"]), str(part["name"])),
            _object(part.get("arguments")),
            str(part.get("text", "")),
        )
        for part in map(_object, record.parts)
        if part.get("kind") == "tool" and not part.get("is_error")
    ]


def _told(record: StepRecord) -> str:
    """Everything the model was told before its first call, as one text."""
    first = _object(record.parts[0]) if record.parts else {}
    return write(first.get("said"))


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _checked(
    loaded: LoadedWorkflow, frozen: Workflow, known: KnownEnvironment
) -> tuple[Problem, ...]:
    before = {one.code for one in examine_loaded(loaded, known).problems}
    after = examine_loaded(read(convert(frozen, loaded.format)), known).problems
    errors = [one for one in after if one.severity == "error" and one.code not in before]
    if errors:
        raise Invalid(
            "WORKFLOW_INVALID",
            f"frozen, the workflow would have {len(errors)} new problems: {errors[0].message}",
            problems=errors,
            hint="first change what reads the node's answer; it has another shape when locked",
        )
    return tuple(after)
