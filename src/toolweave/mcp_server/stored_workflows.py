"""Tools that read and change the workflows of the home, and find templates for new ones.

A workflow stays in the dialect and order that its author wrote, so that the pointers of
`validate_workflow` and of a patch mean the same place.
"""

from collections.abc import Sequence
from contextlib import suppress

from anyio.to_thread import run_sync

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow
from toolweave.authoring.builder_tools import read_document
from toolweave.catalog.budget import fit_list, tokens
from toolweave.errors import Conflict, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.tool_call import Answer, ToolRequest, structured_result
from toolweave.problems import Problem
from toolweave.templates.gallery import template_answer
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import apply_given_patch
from toolweave.workflow.store import Revision, Stored
from toolweave.workflow.workflow_json import WorkflowRecord

ANSWER_TOKENS = 2_000
DOCUMENT_TOKENS = 8_000
# Both versions of a workflow would cost more than all the rest of the answer.
_DOCUMENTS = frozenset({"theirs", "yours"})


class StoredWorkflowTools:
    """Reads and changes the stored workflows."""

    def __init__(self, context: McpContext) -> None:
        self._context = context

    async def call(self, asked: ToolRequest) -> Answer:
        """Call one of the tools."""
        studio = await self._context.studio()
        try:
            match asked.name:
                case "get_template":
                    return structured_result(
                        template_answer(asked.text("name"), asked.text("query"), ANSWER_TOKENS)
                    )
                case "list_workflows":
                    return structured_result(await _listed(studio, asked))
                case "get_workflow":
                    return structured_result(await _shown(studio, asked))
                case "save_workflow":
                    return await _saved(studio, asked)
                case _:
                    return await _patched(studio, asked)
        except Conflict as error:
            facts = {name: fact for name, fact in error.facts.items() if name not in _DOCUMENTS}
            hint = f"{error.hint}; get_workflow shows it" if error.hint else None
            raise Conflict(error.code, error.message, hint=hint, facts=facts) from None


def fit_problems(frame: JsonObject, problems: Sequence[Problem], asked: ToolRequest) -> JsonObject:
    """Add the problems, errors first, within the budget."""
    ordered = sorted(problems, key=lambda problem: problem.severity != "error")
    return fit_list(
        [problem.as_json() for problem in ordered],
        budget_of(asked, ANSWER_TOKENS),
        key="problems",
        again="fix these, then validate again",
        details=("patch", "hint"),
        frame=frame,
    )


def budget_of(asked: ToolRequest, default: int) -> int:
    """The budget that a call states, else the default one."""
    given = asked.arguments.get("max_tokens")
    return given if isinstance(given, int) else default


async def _listed(studio: RunningStudio, asked: ToolRequest) -> JsonObject:
    published = {one.publication.slug: one.publication for one in await studio.published.tools()}
    entries: list[JsonObject] = []
    for stored in await studio.home.workflows.list():
        entry: JsonObject = {"name": stored.name, "revision": stored.revision}
        if stored.workflow.description:
            entry["description"] = stored.workflow.description[:200]
        if stored.slug in published:
            entry["tool"] = published[stored.slug].tool
        entries.append(entry)
    return fit_list(
        entries,
        budget_of(asked, ANSWER_TOKENS),
        key="workflows",
        again="get_workflow with a name, or list_workflows with more max_tokens",
        details=("description", "revision"),
    )


async def _shown(studio: RunningStudio, asked: ToolRequest) -> JsonObject:
    stored = await studio.home.workflows.load(asked.text("name"))
    document = await run_sync(document_of, stored)
    shown: JsonObject = {
        "name": stored.name,
        "revision": stored.revision,
        "format": stored.loaded.format,
        "workflow": document,
    }
    if tokens(shown) <= (limit := budget_of(asked, DOCUMENT_TOKENS)):
        return shown
    nodes = stored.workflow.nodes
    again = f"get_workflow with max_tokens {tokens(shown)}"
    counts: JsonObject = {"shortened": len(nodes), "left_out": 0, "get_the_rest": again}
    listed = fit_list(
        [{"id": node.id, "type": node.ref or node.type, "name": node.name} for node in nodes],
        limit - tokens(counts),
        key="nodes",
        again=again,
        details=("name",),
        frame={name: value for name, value in shown.items() if name != "workflow"},
    )
    return counts | listed


def document_of(stored: Stored) -> Json:
    """The document as its author wrote it."""
    return convert(stored.workflow, stored.loaded.format)


async def _saved(studio: RunningStudio, asked: ToolRequest) -> Answer:
    loaded = require_workflow(await read_document(asked.arguments["workflow"]))
    revision = asked.arguments.get("revision")
    over = Revision(revision) if isinstance(revision, str) else None
    before = None
    if over is not None:
        with suppress(NotFound):  # the store says what is wrong with the revision
            before = await studio.home.workflows.load(loaded.workflow.name)
    await _store(studio, loaded, over, before, asked)
    return await _report(studio, loaded.workflow.name, asked)


async def _store(
    studio: RunningStudio,
    loaded: LoadedWorkflow,
    over: Revision | None,
    before: Stored | None,
    asked: ToolRequest,
) -> None:
    workflow = loaded.workflow
    if loaded.format in ("toolweave", "ccwf"):
        old = before.workflow if before is not None else None
        workflow = await studio.authoring.to_store(workflow, before=old)
    at = before.name if before is not None else None
    author = asked.caller.person
    await studio.home.workflows.save(
        workflow, over=over, at=at, dialect=loaded.format, author=author
    )


async def _patched(studio: RunningStudio, asked: ToolRequest) -> Answer:
    stored = await studio.home.workflows.load(asked.text("name"))
    operations = asked.arguments["patch"]
    assert isinstance(operations, list)
    changes = [one for one in operations if isinstance(one, dict)]
    document = await run_sync(lambda: apply_given_patch(document_of(stored), changes))
    loaded = require_workflow(await read_document(document))
    await _store(studio, loaded, Revision(asked.text("revision")), stored, asked)
    return await _report(studio, loaded.workflow.name, asked)


async def _report(studio: RunningStudio, name: str, asked: ToolRequest) -> Answer:
    """The saved workflow and its problems, with pointers into the saved document."""
    stored = await studio.home.workflows.load(name)
    report = (await studio.authoring.examine(stored.loaded)).report
    frame: JsonObject = {**WorkflowRecord.of(stored).as_json(), "valid": report.is_valid}
    return structured_result(fit_problems(frame, report.problems, asked))
