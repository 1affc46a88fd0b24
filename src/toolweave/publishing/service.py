"""Workflows as tools: published from the store, and the list of them as it is now.

What is published stands in the database, so that every process of the home has the same list. A
copy of it lies in the home as a file, for the first answer of `toolweave mcp`.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from toolweave import json_text
from toolweave.clock import timestamp
from toolweave.engine.plan import NEVER_RUN
from toolweave.errors import Invalid, ToolweaveError
from toolweave.home import Home, workflow_store
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.problems import Problem
from toolweave.publishing.cached_list import FILE
from toolweave.publishing.store import (
    MAX_DESCRIPTION,
    IfLeft,
    Publication,
    PublishedStore,
    Tasks,
    check_tool_name,
    tool_name,
)
from toolweave.publishing.tool_annotations import annotations_of
from toolweave.storage.damaged_rows import UNREADABLE
from toolweave.storage.files import replace_private
from toolweave.tasks import background
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Workflow
from toolweave.workflow.report import examine_loaded
from toolweave.workflow.signature import signature
from toolweave.workflow.store import Stored
from toolweave.workflow.studio_data import without_studio_data

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
HANDLE: JsonObject = {
    "run_id": {
        "type": "string",
        "description": "Set for a run that is still running; see run_status",
    },
    "status": {"type": "string"},
    "asks": {"type": "array", "items": {"type": "object"}},
    "next": {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class PublicationRequest:
    """How a workflow is to be published; what is not said stays, or is made of the workflow."""

    name: str
    tool: str | None = None
    description: str | None = None
    if_left: IfLeft | None = None
    tasks: Tasks | None = None
    # Whether earlier tool names of the workflow are removed.
    only: bool = False


async def publish(home: Home, known: KnownEnvironment, wish: PublicationRequest) -> Publication:
    """Make a stored workflow a tool, as it is now; it is checked against what is `known`.

    Raises `NotFound`: `WORKFLOW_NOT_FOUND`; `Invalid`: `WORKFLOW_INVALID` with everything that is
    wrong, `TOOL_NAME_INVALID`; `Conflict`: `TOOL_NAME_TAKEN`.
    """
    stored = await workflow_store(home.settings).load(wish.name)
    await anyio.to_thread.run_sync(_require_valid, stored, known)
    made = await anyio.to_thread.run_sync(signature, stored.workflow, known)
    publications = PublishedStore(home.database)
    names = await publications.of_workflow(stored.slug)
    before = names[0] if names else None
    tool = wish.tool or (before.tool if before else tool_name(stored.slug))
    check_tool_name(tool)
    one = Publication(
        tool=tool,
        slug=stored.slug,
        workflow=stored.name,
        description=_description(wish, before, stored),
        revision=stored.revision,
        document=json_text.write(convert(without_studio_data(stored.workflow), "toolweave")),
        input_schema=made.inputs,
        output_schema=_with_handle(made.output) if _may_last(stored.workflow) else made.output,
        if_left=wish.if_left or (before.if_left if before else "cancel"),
        tasks=wish.tasks or (before.tasks if before else "auto"),
        published_at=timestamp(home.clock.now()),
        annotations=annotations_of(stored.workflow, known),
    )
    _require_sound(one)
    await publications.put(one, only=wish.only)
    await keep_copy(home)
    return one


@dataclass(frozen=True, slots=True)
class ToolDraft:
    """The tool that a workflow would be, and every error that keeps it from being one."""

    tool: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject | None
    problems: tuple[Problem, ...]


def draft(loaded: LoadedWorkflow, known: KnownEnvironment) -> ToolDraft:
    """What a workflow would be as a tool, published as it is; nothing is published."""
    workflow = loaded.workflow
    made = signature(workflow, known)
    errors = [one for one in examine_loaded(loaded, known).problems if one.severity == "error"]
    lasts = _may_last(workflow)
    return ToolDraft(
        _tool_for(workflow),
        (workflow.description or f"Runs the workflow {workflow.name!r}.")[:MAX_DESCRIPTION],
        made.inputs,
        _with_handle(made.output) if lasts else made.output,
        tuple(errors),
    )


def _tool_for(workflow: Workflow) -> str:
    try:
        return tool_name(slug(workflow.name))
    except Invalid:
        return "workflow"  # it has no name yet


async def other_names(home: Home, one: Publication) -> list[str]:
    """The names under which the same workflow can also be called."""
    found = await PublishedStore(home.database).of_workflow(one.slug)
    return [each.tool for each in found if each.tool != one.tool]


async def unpublish(home: Home, name: str) -> Sequence[Publication]:
    """Take back one tool by its name, or all of a workflow by the workflow's.

    Raises `NotFound`: `NOT_PUBLISHED`.
    """
    removed = await PublishedStore(home.database).remove(name)
    await keep_copy(home)
    return removed


async def keep_copy(home: Home) -> None:
    """Write the list for the first response of `toolweave mcp`; a failure only delays it."""
    try:
        found = await PublishedStore(home.database).list()
    except ToolweaveError:
        logger.exception("the copy of the published tools could not be written")
        return
    await anyio.to_thread.run_sync(_keep, home.settings.home / FILE, found)


def _keep(path: Path, found: Sequence[Publication]) -> None:
    text = json_text.write(list[Json](one.definition for one in found))
    try:
        if not found and not path.exists():
            return
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        replace_private(path, text)
    except OSError:
        logger.warning(
            "the copy of the published tools could not be written"
        )  # read from the database


@dataclass(frozen=True, slots=True)
class PublishedTool:
    """A tool that can be called: its workflow read, its schema ready."""

    publication: Publication
    version: str
    loaded: LoadedWorkflow
    tool: Tool

    @property
    def workflow(self) -> Workflow:
        """The workflow that a call runs."""
        return self.loaded.workflow


class Published:
    """What is published now; a look at the database tells whether that is still so."""

    def __init__(self, home: Home | None) -> None:
        self._home = home
        self._publications = PublishedStore(home.database) if home else None
        self._tools: dict[str, PublishedTool] = {}
        # Also of those that cannot be read.
        self._versions: dict[str, str] = {}
        self._is_failing = False
        self._news = anyio.Event()

    async def tools(self) -> list[PublishedTool]:
        """All of them, by name."""
        await self.refresh()
        return list(self._tools.values())

    async def get(self, name: str) -> PublishedTool | None:
        """The tool of this name, as it is published at this moment."""
        if self._publications is None:
            return None
        version = await self._publications.version(name)
        known = self._tools.get(name)
        if version is not None and (known is None or known.version != version):
            await self.refresh()
            known = self._tools.get(name)
        return None if version is None else known

    def known(self, name: str) -> PublishedTool | None:
        """The same as of the last look."""
        return self._tools.get(name)

    def nudge(self) -> None:
        """Notify clients at once that something was published here."""
        self._news.set()

    async def of_workflow(self, name: str) -> PublishedTool | None:
        """The tool that a workflow is, by the workflow's name; earlier names run the same."""
        found = [one for one in await self.tools() if one.publication.workflow == name]
        return next((one for one in found if one.publication.replaced_by is None), None)

    async def refresh(self) -> bool:
        """Look again; whether anything changed."""
        if self._publications is None:
            return False
        try:
            versions = await self._publications.versions()
            if versions == self._versions:
                return False
            self._tools = {
                one.tool: tool
                for one in await self._publications.list()
                if (tool := self._try_to_read(one)) is not None
            }
            self._versions = versions
        except ToolweaveError:
            if not self._is_failing:
                logger.exception("published tools not refreshed")
            self._is_failing = True
            return False
        self._is_failing = False
        return True

    async def follow(
        self,
        on_change: Callable[[], Awaitable[None]],
        known: Sequence[PublishedTool] | None = None,
    ) -> None:
        """Keep up with other processes until cancelled, calling `on_change` each time.

        `known` is what clients have been shown already, else it is what there is now.
        """
        told = _versions(await self.tools() if known is None else known)
        while self._home is not None:
            self._news = anyio.Event()
            if (now := _versions(await self.tools())) != told:
                told = now
                await keep_copy(self._home)
                await on_change()
            async with background() as tasks:
                tasks.start_soon(self._sleep)
                await self._news.wait()

    async def _sleep(self) -> None:
        assert self._home is not None
        await self._home.clock.sleep(LOOK_EVERY_S)
        self._news.set()

    def _try_to_read(self, one: Publication) -> PublishedTool | None:
        """Leave out a tool that cannot be read, so that the others are there."""
        try:
            return self._read(one)
        except UNREADABLE as error:
            extra = {"tool": one.tool, "error": type(error).__name__}
            logger.warning("a published tool cannot be read", extra=extra)
            return None

    def _read(self, one: Publication) -> PublishedTool:
        version = f"{one.published_at} {one.revision}"
        known = self._tools.get(one.tool)
        if known is not None and known.version == version:
            return known
        loaded = read(json_text.read(one.document))
        return PublishedTool(one, version, loaded, read_tool("toolweave", one.definition))


def _versions(tools: Sequence[PublishedTool]) -> list[str]:
    """What shows whether a client has the list as it is."""
    return [f"{one.publication.tool} {one.version}" for one in tools]


def _require_valid(stored: Stored, known: KnownEnvironment) -> None:
    report = examine_loaded(stored.loaded, known)
    if not report.is_valid:
        errors = [problem for problem in report.problems if problem.severity == "error"]
        raise Invalid(
            "WORKFLOW_INVALID",
            f"workflow {stored.name!r} cannot be published: it has errors ({len(errors)})",
            problems=errors,
            hint="fix the listed problems; those with a patch can be fixed automatically",
        )


def _require_sound(one: Publication) -> None:
    """A schema written in the file may be wrong itself."""
    errors = [
        Problem(problem.code, "/inputSchema" + problem.pointer, problem.message, problem.hint)
        for problem in read_tool("toolweave", one.definition).problems
        if problem.severity == "error"
    ]
    if errors:
        message = f"workflow {one.workflow!r} declares an invalid schema"
        raise Invalid("WORKFLOW_INVALID", message, problems=errors)


def _may_last(workflow: Workflow) -> bool:
    """Whether a run may take longer than a call waits: if anything in it does more than compute."""
    kinds = NodeRegistry()
    found = [kinds.of(node) for node in workflow.nodes if node.type not in NEVER_RUN]
    return any(kind is None or kind.effectful is not None for kind in found)


def _with_handle(schema: JsonObject | None) -> JsonObject | None:
    """What a call gives that does not wait for the end: the run's id, and what it asks."""
    if schema is None:
        return None
    properties = schema.get("properties")
    own = properties if isinstance(properties, dict) else {}
    rest = {name: value for name, value in schema.items() if name != "required"}
    return {**rest, "properties": {**HANDLE, **own}}


def _description(wish: PublicationRequest, before: Publication | None, stored: Stored) -> str:
    if wish.description is not None:
        return wish.description[:MAX_DESCRIPTION]
    told = stored.workflow.description or (before.description if before else "")
    return (told or f"Runs the workflow {stored.name!r}.")[:MAX_DESCRIPTION]
