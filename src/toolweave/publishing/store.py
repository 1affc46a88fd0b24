"""Workflows that are tools, as they were when they were published: one table.

Later edits of a file wait until it is published again, so that nobody's half-done work goes live.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolweave import json_text
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.json_record import JsonRecord
from toolweave.json_text import JsonObject
from toolweave.problems import did_you_mean
from toolweave.publishing.app_page import app_meta
from toolweave.publishing.tool_icon import family_of, icon
from toolweave.storage.damaged_rows import readable
from toolweave.storage.database import Database, Row

# With a server's name before it, no client's limit of 64 is reached.
MAX_TOOL_NAME = 48
MAX_DESCRIPTION = 1_000
TOOL_NAME = rf"[A-Za-z][A-Za-z0-9_-]{{0,{MAX_TOOL_NAME - 1}}}"
_COLUMNS = (
    "tool, slug, workflow, description, revision, document, input_schema, output_schema, "
    "if_left, tasks, published_at, annotations, replaced_by"
)
_INSERT = f"INSERT INTO published_tools ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# Our own tools; a test holds this against the menu of the MCP server.
RESERVED = frozenset(
    {
        *("get_node_types", "get_node_details", "search_nodes"),
        *("run_status", "run_result", "run_respond", "run_cancel"),
        *("list_workflows", "get_workflow", "save_workflow", "patch_workflow", "get_template"),
        *("validate_workflow", "run_workflow", "publish_workflow", "explain_problem"),
        *("test_node", "explain_run"),
        *("flows_list", "flows_show", "flows_execute", "prompts_list", "prompts_get"),
        "get_variable_sets",
        *("app_workflow", "app_start", "app_run", "app_answer", "app_rerun", "app_cancel"),
    }
)

# What to do with a run whose caller disconnected.
IfLeft = Literal["cancel", "continue"]
# When callers that know tasks get a handle: if it takes long, at once; or nobody else may call.
Tasks = Literal["auto", "always", "only"]


@dataclass(frozen=True, slots=True)
class Publication:
    """A workflow as a tool; `document` is its text in our own dialect."""

    tool: str
    slug: str
    workflow: str
    description: str
    revision: str
    document: str
    input_schema: JsonObject
    output_schema: JsonObject | None
    if_left: IfLeft
    tasks: Tasks
    published_at: str
    # The hints of MCP about its effects.
    annotations: JsonObject | None = None
    # The current name, if this is an earlier one of the workflow.
    replaced_by: str | None = None

    @property
    def definition(self) -> JsonObject:
        """Its entry of `tools/list`."""
        shown: JsonObject = {
            "name": self.tool,
            "title": self.workflow,
            "description": self.description,
            "icons": [icon(family_of(self.document))],
            "inputSchema": self.input_schema,
        }
        if self.output_schema is not None:
            shown["outputSchema"] = self.output_schema
        if self.annotations is not None:
            shown["annotations"] = self.annotations
        facts: JsonObject = {"toolweave/workflow": self.slug, "toolweave/revision": self.revision}
        return {**shown, "_meta": {**facts, **app_meta(self.tool)}}


class PublicationRecord(JsonRecord):
    """A published workflow."""

    tool: str
    workflow: str
    description: str
    revision: str
    published_at: str
    if_left: IfLeft
    tasks: Tasks
    # Any: schemas.
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    annotations: dict[str, Any] | None
    replaced_by: str | None


class PublishedStore:
    """The table of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> list[Publication]:
        """All of them, by the names of their tools."""
        sql = f"SELECT {_COLUMNS} FROM published_tools ORDER BY tool"
        return readable("published_tools", await self._database.rows(sql), _publication)

    async def versions(self) -> dict[str, str]:
        """What changes whenever one is published again, by tool."""
        sql = "SELECT tool, published_at, revision FROM published_tools ORDER BY tool"
        return {tool: f"{at} {revision}" for tool, at, revision in await self._database.rows(sql)}

    async def version(self, tool: str) -> str | None:
        """The same of one tool; nothing where there is no such tool."""
        sql = "SELECT published_at, revision FROM published_tools WHERE tool = ?"
        row = await self._database.row(sql, tool)
        return None if row is None else f"{row[0]} {row[1]}"

    async def of_workflow(self, slug: str) -> Sequence[Publication]:
        """The tools that a workflow is: its current name, then earlier ones."""
        found = [one for one in await self.list() if one.slug == slug]
        return sorted(found, key=lambda one: one.replaced_by is not None)

    async def put(self, publication: Publication, *, only: bool = False) -> None:
        """Publish; earlier names of the workflow run the same, or with `only` are removed.

        Raises `Conflict`: `TOOL_NAME_TAKEN`.
        """
        one = publication
        async with self._database.transaction() as transaction:
            sql = "SELECT tool, workflow, slug FROM published_tools WHERE tool = ? OR slug = ?"
            rows = await transaction.rows(sql, one.tool, one.slug)
            for tool, workflow, slug in rows:
                if tool == one.tool and slug != one.slug:
                    raise taken(one.tool, f"workflow {workflow!r} is published under it")
            await transaction.execute("DELETE FROM published_tools WHERE slug = ?", one.slug)
            earlier = [] if only else [tool for tool, *_ in rows if tool != one.tool]
            for each in (one, *(replace(one, tool=t, replaced_by=one.tool) for t in earlier)):
                await transaction.execute(_INSERT, *_values(each))

    async def remove(self, name: str) -> Sequence[Publication]:
        """Unpublish one name of a tool, or a workflow under all its names.

        Raises `NotFound`: `NOT_PUBLISHED`.
        """
        found = await self.list()
        removed = [one for one in found if one.tool == name]
        removed = removed or [one for one in found if name in {one.workflow, one.slug}]
        if not removed:
            raise not_published(name, found)
        async with self._database.transaction() as transaction:
            for one in removed:
                sql = "DELETE FROM published_tools WHERE tool = ?"
                await transaction.execute(sql, one.tool)
            # An earlier name becomes the current one when that is removed.
            gone = {one.tool for one in removed}
            left = [one for one in found if one.tool not in gone and one.replaced_by in gone]
            for one in left:
                current = None if one is left[0] else left[0].tool
                sql = "UPDATE published_tools SET replaced_by = ? WHERE tool = ?"
                await transaction.execute(sql, current, one.tool)
        return removed


def tool_name(name: str) -> str:
    """The name of a tool made of a workflow's slug: letters, digits and underscores."""
    plain = name.replace("-", "_")[:MAX_TOOL_NAME].rstrip("_")
    return plain if plain[:1].isalpha() else f"run_{plain}"[:MAX_TOOL_NAME]


def check_tool_name(name: str) -> None:
    """Go on only with a name that every client takes."""
    if not re.fullmatch(TOOL_NAME, name):
        raise Invalid(
            "TOOL_NAME_INVALID",
            f"invalid tool name {name[:100]!r}",
            hint=f"use a letter, then letters, digits, _ and -; at most {MAX_TOOL_NAME} characters",
        )
    if name in RESERVED:
        raise taken(name, "it is one of Toolweave's own tools")


def taken(name: str, reason: str) -> Conflict:
    """That a name is another's."""
    hint = "publish under another name: --as NAME"
    return Conflict("TOOL_NAME_TAKEN", f"the tool name {name!r} is taken: {reason}", hint=hint)


def not_published(name: str, found: Iterable[Publication]) -> NotFound:
    """That nothing is published under a name."""
    known = [text for one in found for text in (one.tool, one.workflow)]
    return NotFound(
        "NOT_PUBLISHED",
        f"nothing is published as {name[:100]!r}",
        hint=did_you_mean(name, known) or "`toolweave published` lists published workflows",
    )


def _values(one: Publication) -> tuple[str | None, ...]:
    return (
        *(one.tool, one.slug, one.workflow, one.description, one.revision, one.document),
        json_text.write(one.input_schema),
        None if one.output_schema is None else json_text.write(one.output_schema),
        *(one.if_left, one.tasks, one.published_at),
        None if one.annotations is None else json_text.write(one.annotations),
        one.replaced_by,
    )


def _publication(row: Row) -> Publication:
    *first, inputs, output, if_left, tasks, published_at, annotations, replaced_by = row
    return Publication(
        *first,
        input_schema=_object(inputs),
        output_schema=None if output is None else _object(output),
        if_left=if_left,
        tasks=tasks,
        published_at=published_at,
        annotations=None if annotations is None else _object(annotations),
        replaced_by=replaced_by,
    )


def _object(text: str) -> JsonObject:
    found = json_text.read(text)
    if not isinstance(found, dict):
        raise TypeError(text)
    return found
