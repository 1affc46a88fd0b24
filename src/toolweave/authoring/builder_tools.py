"""The tools of the workflow builder: those that an author has over MCP, and one that proposes.

None of them saves, runs, publishes or calls anything. The proposal stays in memory until a person
accepts it.
"""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

import anyio.to_thread

from toolweave.authoring.authoring import Authoring
from toolweave.catalog.budget import fit_list
from toolweave.catalog.tool_definitions import QUESTIONS, strict
from toolweave.catalog.tool_service import ToolService
from toolweave.codes.remedies import remedy
from toolweave.codes.table import CODES
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import Problem, did_you_mean
from toolweave.templates.gallery import template_answer
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Content, ProgressListener, Tool, ToolCall, ToolResult
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, load, read, understand
from toolweave.workflow.mcp_completion import completed_nodes
from toolweave.workflow.model import Node, Workflow

SERVER = "toolweave"
ANSWER_TOKENS = 2_000
# What the editor keeps in a node; a model that leaves it out does not delete it.
EDITOR_DATA = ("parameters", "toolDescription", "validationStatus", "outputPorts")
_OBJECT: JsonObject = {"type": "object"}
_TEXT: JsonObject = {"type": "string"}
_TOKENS: JsonObject = {"type": "integer"}


def _tool(name: str, description: str, /, *required: str, **properties: Json) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": dict[str, Json](properties)}
    if required:
        schema["required"] = list[Json](required)
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS: tuple[JsonObject, ...] = (
    *QUESTIONS,
    _tool(
        "get_template",
        "A template by name, or templates by query",
        name=_TEXT,
        query=_TEXT,
    ),
    _tool(
        "validate_workflow",
        "Check a workflow; problems have a hint and often a JSON Patch that fixes them",
        "workflow",
        workflow=_OBJECT,
        max_tokens=_TOKENS,
    ),
    _tool("explain_problem", "Explain the code of a problem", "code", code=_TEXT),
    _tool(
        "propose_workflow",
        "Propose the whole changed workflow to the person, who accepts or refuses it. It is "
        "checked first: correct what is wrong and propose again",
        "workflow",
        "summary",
        workflow=_OBJECT,
        summary={"type": "string", "description": "What changes, in one sentence"},
    ),
)


@dataclass(frozen=True, slots=True)
class WorkflowProposal:
    """A changed workflow that was checked, but not applied."""

    workflow: Workflow
    problems: tuple[Problem, ...]
    summary: str

    @property
    def is_valid(self) -> bool:
        """Whether there are no errors."""
        return all(problem.severity != "error" for problem in self.problems)


def explain(code: str) -> JsonObject:
    """What a code means and what to do. Raises `NotFound`: `CODE_UNKNOWN`."""
    if code not in CODES:
        hint = did_you_mean(code, CODES) or "give the code of a problem, as FIELD_REQUIRED"
        raise NotFound("CODE_UNKNOWN", f"unknown code {code[:100]!r}", hint=hint)
    what = remedy(code) or "see the hint of the problem"
    return {"code": code, "meaning": CODES[code], "next": what}


async def read_document(document: Json) -> LoadedWorkflow:
    """A document, read in a thread: it may be large. Some models and clients send it as a text."""
    if isinstance(document, str):
        return await anyio.to_thread.run_sync(load, document)
    return await anyio.to_thread.run_sync(understand, document)


class BuilderTools:
    """Answers the calls of a model that builds a workflow; a `ToolCaller` without a server."""

    def __init__(self, authoring: Authoring, catalog: ToolService, current: Workflow) -> None:
        self._authoring = authoring
        self._catalog = catalog
        self._current = current
        self.proposal: WorkflowProposal | None = None
        self.tools: tuple[Tool, ...] = tuple(read_tool(SERVER, tool) for tool in TOOLS)
        self._checked = {str(tool["name"]): read_tool(SERVER, strict(tool)) for tool in TOOLS}
        self._handlers: dict[str, Callable[[JsonObject], Coroutine[Any, Any, ToolResult]]] = {
            "get_template": self._template,
            "validate_workflow": self._validate,
            "explain_problem": self._explain,
            "propose_workflow": self._propose,
        }

    async def call(
        self, call: ToolCall, *, on_progress: ProgressListener | None = None
    ) -> ToolResult:
        """Answer one call; what is wrong with it is an answer too."""
        del on_progress
        handler = self._handlers.get(call.tool)
        if handler is None:
            answer = self._catalog.call(call.tool, call.arguments, once=True)
            return _result(answer["structuredContent"], is_error=bool(answer["isError"]))
        problems = check_arguments(self._checked[call.tool], call.arguments)
        if any(problem.severity == "error" for problem in problems):
            raise Invalid("REQUEST_INVALID", f"wrong arguments of {call.tool}", problems=problems)
        return await handler(call.arguments)

    async def _template(self, arguments: JsonObject) -> ToolResult:
        name, query = arguments.get("name"), arguments.get("query")
        return _result(template_answer(str(name or ""), str(query or ""), ANSWER_TOKENS))

    async def _explain(self, arguments: JsonObject) -> ToolResult:
        return _result(explain(str(arguments["code"]).strip()))

    async def _validate(self, arguments: JsonObject) -> ToolResult:
        loaded = await read_document(arguments["workflow"])
        report = (await self._authoring.examine(loaded)).report
        return _result(_fitted({"valid": report.is_valid}, report.problems))

    async def _propose(self, arguments: JsonObject) -> ToolResult:
        loaded = await read_document(arguments["workflow"])
        report, _ = await self._authoring.repair(loaded)
        known = await self._authoring.tools.known()
        kept = with_editor_data(report.fixed.workflow, self._current)
        completed = completed_nodes(kept, known.now, known.tools_of)
        checked = await anyio.to_thread.run_sync(lambda: read(convert(completed, "toolweave")))
        problems = (await self._authoring.examine(checked)).report.problems
        summary = str(arguments["summary"])[:1_000]
        self.proposal = WorkflowProposal(checked.workflow, tuple(problems), summary)
        if self.proposal.is_valid:
            return _result(_fitted({"valid": True, "next": "shown to the person"}, problems))
        return _result(_fitted({"valid": False}, problems), is_error=True)


def without_editor_data(workflow: Workflow) -> Workflow:
    """The workflow as a model is shown it: positions, pinned data and schemas cost tokens."""
    nodes = tuple(
        replace(
            node,
            position=None,
            data={key: value for key, value in node.data.items() if key not in EDITOR_DATA},
        )
        for node in workflow.nodes
    )
    return replace(workflow, nodes=nodes, metadata={})


def with_editor_data(workflow: Workflow, before: Workflow) -> Workflow:
    """The workflow of a model with what it was not shown, taken from the one it started from."""
    known = {node.id: node for node in before.nodes}
    nodes = tuple(
        _with_kept(node, known[node.id]) if node.id in known else node for node in workflow.nodes
    )
    return replace(
        workflow,
        id=before.id,
        schema_version=before.schema_version,
        nodes=nodes,
        metadata={**before.metadata, **workflow.metadata},
        created_at=before.created_at,
        updated_at=before.updated_at,
        kept={**before.kept, **workflow.kept},
    )


def _with_kept(node: Node, before: Node) -> Node:
    is_same = (node.type, node.data.get("toolName")) == (before.type, before.data.get("toolName"))
    kept = {key: before.data[key] for key in EDITOR_DATA if key in before.data} if is_same else {}
    return replace(
        node,
        position=node.position or before.position,
        extras={**before.extras, **node.extras},
        data={**kept, **node.data},
    )


def _fitted(frame: JsonObject, problems: Sequence[Problem]) -> JsonObject:
    ordered = sorted(problems, key=lambda problem: problem.severity != "error")
    return fit_list(
        [problem.as_json() for problem in ordered],
        ANSWER_TOKENS,
        key="problems",
        again="fix these, then validate again",
        details=("patch", "hint"),
        frame=frame,
    )


def _result(answer: Json, *, is_error: bool = False) -> ToolResult:
    return ToolResult((Content("text", write(answer)),), is_error=is_error)
