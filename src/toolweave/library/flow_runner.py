"""A flow of a library, run by the engine and reported as a `FlowExecution`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from toolweave import json_text
from toolweave.clock import Clock
from toolweave.engine.engine import Engine
from toolweave.engine.execution_report import execution
from toolweave.engine.journal_report import JournalReport, report_of
from toolweave.engine.plan import Plan
from toolweave.engine.runs import RunRequest
from toolweave.errors import Denied, Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.library.flow_links import link
from toolweave.library.store import LibraryStore
from toolweave.library.template_resolution import TEMPLATE, prepare
from toolweave.library.templates import PromptTemplate, template_named
from toolweave.problems import Problem
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Workflow

TRIGGER = "library"
# The codes of an execution's error; others are reported as EXECUTION_ERROR with the cause.
FLOW_CODES = frozenset(
    {
        *("FLOW_NOT_FOUND", "VALIDATION_ERROR", "TEMPLATE_NOT_FOUND", "EXECUTION_ERROR"),
        *("CIRCULAR_DEPENDENCY", "MISSING_VARIABLES", "GITHUB_ERROR", "PARSE_ERROR"),
        *(
            "FLOW_AMBIGUOUS",
            "TEMPLATE_DENIED",
            "LIBRARY_NOT_FOUND",
            "LIBRARY_REF_NOT_FOUND",
            "LIBRARY_REF_INVALID",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class FlowRequest:
    """The flow to run, its inputs, and whether the caller may read templates."""

    library: str
    flow: str
    ref: str | None = None
    inputs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    may_read: bool = True
    trigger: str = TRIGGER


class FlowRunner:
    """Runs flows of a library on an engine."""

    def __init__(self, shelf: LibraryStore, engine: Engine, clock: Clock) -> None:
        self._shelf = shelf
        self._engine = engine
        self._clock = clock

    async def execute(self, asked: FlowRequest) -> JsonObject:
        """Run a flow to its end; failures are reported in its `FlowExecution`."""
        started = self._clock.now()
        try:
            request, about = await self.ready(asked)
            run = await self._engine.runs.start(request)
        except ToolweaveError as error:
            return self.failed(asked, error, started)
        await self._engine.runs.run_to_end(run)
        report = await report_of(self._engine.journal, run, keeps_result=True)
        return {**told(run, await self._engine.plan(run), report), **about}

    def failed(
        self, asked: FlowRequest, error: ToolweaveError, started: datetime | None = None
    ) -> JsonObject:
        """A `FlowExecution` that ended before its first node."""
        now = self._clock.now()
        started = started or now
        return {
            "flowId": asked.flow,
            "flowName": asked.flow,
            "executionId": f"{asked.flow}_{int(started.timestamp() * 1000)}",
            "initialVariables": dict(asked.inputs),
            "intermediateResults": [],
            "finalResult": None,
            "totalExecutionTimeMs": max(1, round((now - started).total_seconds() * 1000)),
            "status": "failed",
            "error": {**_error(error), "failedAt": None, "partialResults": []},
        }

    async def ready(self, asked: FlowRequest) -> tuple[RunRequest, JsonObject]:
        """Check a flow and fill in its templates; return its run and where the flow comes from.

        Raises `NotFound`: `FLOW_NOT_FOUND`, `LIBRARY_NOT_FOUND`, `LIBRARY_REF_NOT_FOUND`;
        `Invalid`: `PARSE_ERROR`, `VALIDATION_ERROR`, `CIRCULAR_DEPENDENCY`; `Unavailable`:
        `GITHUB_ERROR`.
        """
        found = await self._shelf.flow(asked.library, asked.flow, asked.ref)
        loaded = read(found.document)
        await self._check(found.entry.name, loaded)
        templates = (await self._shelf.templates(asked.library, asked.ref)).templates

        async def find(name: str) -> PromptTemplate:
            if not asked.may_read:
                raise Denied("TEMPLATE_DENIED", f"the caller may not read the template {name!r}")
            return template_named(templates, name)

        async def other(name: str) -> Workflow:
            another = await self._shelf.flow(asked.library, name, asked.ref)
            return read(another.document).workflow

        linked = await link(loaded.workflow, other)
        source = loaded
        if linked is not loaded.workflow:  # it contains flows of others
            source = LoadedWorkflow(linked, format=loaded.format)
            await self._check(found.entry.name, source)
        workflow = await prepare(linked, find)
        request = RunRequest(workflow, dict(asked.inputs), trigger=asked.trigger, source=source)
        about: JsonObject = {"library": asked.library, **found.at.as_json()}
        if found.entry.warnings:
            about["warnings"] = list(found.entry.warnings)
        return request, about

    async def _check(self, flow: str, loaded: LoadedWorkflow) -> None:
        """Check a flow as the run gate does, with the codes of a flow's execution."""
        try:
            await self._engine.runs.check(loaded)
        except Invalid as error:
            raise _invalid(flow, error.problems) from None


def told(run: str, plan: Plan, report: JournalReport) -> JsonObject:
    """Return the report of a flow's run: only the results of its templates."""
    shown = execution(run, plan, report.entries, is_whole=report.is_whole)
    templates = {
        step.id: "model" if step.node.data.get("answeredBy") == "model" else "template"
        for step in plan.steps
        if step.node.type == TEMPLATE
    }
    listed = cast("list[JsonObject]", shown["intermediateResults"])
    results: list[Json] = [
        {**one, "outputOf": of}
        for one in listed
        if (of := templates.get(str(one["nodeId"]))) is not None
    ]
    shown["intermediateResults"] = results
    error = shown.get("error")
    if isinstance(error, dict):
        shown["status"] = "partial" if results else "failed"
        shown["error"] = {**_seed_code(error), "partialResults": results}
    elif shown["status"] == "success" and not isinstance(shown["finalResult"], str):
        # A flow's result is text: that of its last template, else what reached its end.
        last = cast("JsonObject", results[-1])["output"] if results else shown["finalResult"]
        shown["finalResult"] = last if isinstance(last, str) else json_text.write(last)
    return shown


def _invalid(flow: str, errors: Sequence[Problem]) -> Invalid:
    is_circle = any(problem.code == "CIRCULAR_DEPENDENCY" for problem in errors)
    first = errors[0]
    return Invalid(
        "CIRCULAR_DEPENDENCY" if is_circle else "VALIDATION_ERROR",
        f"the flow {flow!r} cannot run: {first.pointer or '/'}: {first.message}",
        problems=errors,
        hint="fix the flow in its repository",
    )


def _error(error: ToolweaveError) -> JsonObject:
    shown: JsonObject = {"code": error.code, "message": error.message}
    if error.hint:
        shown["hint"] = error.hint
    if isinstance(error, Invalid) and error.problems:
        shown["problems"] = [problem.as_json() for problem in error.problems]
    return _seed_code(shown)


def _seed_code(error: JsonObject) -> JsonObject:
    if error.get("code") in FLOW_CODES:
        return error
    return {**error, "code": "EXECUTION_ERROR", "cause": error.get("code")}
