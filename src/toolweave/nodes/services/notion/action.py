"""EXTERNAL_ACTION.NOTION: read and write Notion pages and databases by instruction."""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.resources.model import configured_model
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._client import calling, waiting
from toolweave.nodes.services.notion.api import NOTION
from toolweave.nodes.services.notion.instruction import NotionConversation
from toolweave.nodes.services.notion.operations import NotionWork, is_structured, read_plan


class Notion:
    """Plans the Notion API calls an instruction needs and makes them."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="NOTION",
        summary="Read and write Notion pages and databases as an instruction in plain words says.",
        effect="once",
        configurations=(
            Field(
                "notion_token",
                "string",
                "Token of a Notion integration that may see the pages, as a vault reference.",
                required=True,
                sensitive=True,
            ),
            Field(
                "operation_type",
                "string",
                "What the instruction is about: a database, a page, or both.",
                "database",
                options=("database", "page", "both"),
            ),
            Field(
                "database_id",
                "string",
                "Database to work in, when known: 32 hex digits from its address.",
            ),
            Field(
                "page_id", "string", "Page to work on, when known: 32 hex digits from its address."
            ),
        ),
        inputs=(
            Field(
                "instruction",
                "string",
                "What to do, in one or two sentences: Add a task 'Renew certificate', due Friday.",
                required=True,
                multiline=True,
            ),
            Field(
                "context",
                "object",
                'Data the instruction speaks of: {"task": "Renew it", "due": "2026-03-06"}.',
            ),
        ),
        outputs=(
            Field("success", "boolean", "Whether the instruction was carried out."),
            Field("resource_id", "string", "Id of the page or database made or changed."),
            Field("resource_url", "string", "Web address of that page or database."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field(
                "ai_execution", "object", "The plan and the calls made: rounds, completed, plan."
            ),
            Field(
                "discovered_resources",
                "object",
                "Databases and pages found on the way, name to id.",
            ),
        ),
        tags=("notion", "notes", "database", "productivity"),
        keywords=terms("notion, page, database, wiki, notes, task, document, knowledge, workspace"),
        guidance=(
            "Give the id when it is known; else name the page or database in the instruction and "
            "it is searched for. Put long text and field values in context, not in the instruction."
        ),
        examples=(
            Example(
                "Add a task",
                "Adds a row to a known database.",
                {
                    "notion_token": "${vault:notion-token}",
                    "operation_type": "database",
                    "database_id": "668d797c76fa49349b05ad288df2d136",
                },
                {
                    "instruction": "Add a task with this name, due date and priority.",
                    "context": {
                        "name": "Renew the TLS certificate",
                        "due": "2026-03-06",
                        "priority": "High",
                    },
                },
            ),
            Example(
                "Write meeting notes",
                "Finds the database by name and adds a page to it.",
                {"notion_token": "${vault:notion-token}", "operation_type": "both"},
                {
                    "instruction": "Add a page for this meeting to the database 'Team meetings'.",
                    "context": {
                        "title": "Planning, week 10",
                        "people": ["Ada", "Grace"],
                        "decisions": ["Ship search on Tuesday"],
                    },
                },
            ),
            Example(
                "Append to a page",
                "Adds a paragraph below what a page holds.",
                {
                    "notion_token": "${vault:notion-token}",
                    "operation_type": "page",
                    "page_id": "59833787-2cf9-4fdf-8782-e53db20768a5",
                },
                {
                    "instruction": "Append the text as a paragraph under the heading 'Log'.",
                    "context": {"text": "Backup restored in 14 minutes."},
                },
            ),
            Example(
                "Close finished tasks",
                "Changes every row that meets a condition.",
                {
                    "notion_token": "${vault:notion-token}",
                    "database_id": "668d797c76fa49349b05ad288df2d136",
                },
                {"instruction": "Set Status to Done for all tasks whose pull request is merged."},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Carry out the instruction: by a model, or as it is written where it is JSON."""
        given = context.given
        notion = await calling(context, NOTION, given.text("notion_token"))
        work = NotionWork(notion, given.text("database_id"), given.text("page_id"))
        model = (
            None
            if is_structured(given.text("instruction"))
            else await configured_model(context.resources.model)
        )
        if model is None:
            return await waiting(context, notion, lambda: _follow(context, work))
        conversation = NotionConversation(context, work, model)
        wait = await conversation.go_on()
        return _outcome(work, conversation.told) if wait is None else wait


async def _follow(context: NodeContext, work: NotionWork) -> Outcome:
    given = context.given
    plan = read_plan(given.text("instruction"), given.record("context"))
    for name, wanted in plan:
        await work.do(name, wanted)
    steps: list[Json] = [{"name": name, "arguments": wanted} for name, wanted in plan]
    return _outcome(work, {"rounds": 0, "completed": work.completed, "plan": steps})


def _outcome(work: NotionWork, told: JsonObject) -> Outcome:
    return Outcome(
        {
            "success": True,
            "resource_id": work.result.get("id") or "",
            "resource_url": work.result.get("url") or "",
            "error_message": "",
            "ai_execution": told,
            "discovered_resources": work.discovered,
        }
    )


node = Notion()
