"""`toolweave publish`, `unpublish` and `published`: workflows as tools for MCP clients."""

from pathlib import Path
from typing import cast, get_args

import click

from toolweave.authoring.authoring import require_workflow
from toolweave.authoring.environment import known_offline
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.cli.workflow_files import read_file
from toolweave.publishing.service import PublicationRequest, publish, unpublish
from toolweave.publishing.store import IfLeft, Publication, PublicationRecord, PublishedStore, Tasks
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import load
from toolweave.workflow.ids import slug
from toolweave.workflow.store import WorkflowStore
from toolweave.workflow.stored_form import to_store


@click.command("publish")
@click.argument("name", metavar="NAME|FILE")
@click.option("--as", "tool", metavar="TOOL", help="The tool's name; default: derived from NAME.")
@click.option("--description", help="Description for clients; default: the workflow's own.")
@click.option(
    "--if-left",
    type=click.Choice(get_args(IfLeft)),
    help="What happens to a run when its caller disconnects; default: `cancel`.",
)
@click.option(
    "--tasks",
    type=click.Choice(get_args(Tasks)),
    help="When clients with task support get a task; default: `auto`, for long runs.",
)
@click.option("--replace", is_flag=True, help="Replace the stored workflow with FILE.")
@json_option
def publish_workflow(
    name: str,
    tool: str | None,
    description: str | None,
    if_left: str | None,
    tasks: str | None,
    replace: bool,
    as_json: bool,
) -> None:
    """Publish the current version of a stored workflow as a tool; repeat after changes.

    A FILE is stored in the home first.
    """
    is_file = Path(name).is_file()
    wanted = cast("IfLeft | None", if_left), cast("Tasks | None", tasks)

    async def work() -> Publication:
        async with current_home() as home:
            known = await known_offline(home)
            stored = name
            if is_file:
                stored = await _saved(home.workflows, name, known, is_replacing=replace)
            wish = PublicationRequest(stored, tool, description, *wanted)
            return await publish(home, known, wish)

    made = run(work)
    tell(
        as_json,
        PublicationRecord.of(made),
        f"Published {made.workflow!r} as the tool {made.tool!r}.",
    )


@click.command("unpublish")
@click.argument("name")
@json_option
def unpublish_workflow(name: str, as_json: bool) -> None:
    """Unpublish a tool by its name or its workflow's; active runs continue."""
    removed = in_home(lambda home: unpublish(home, name))
    tell(
        as_json,
        {"unpublished": removed.tool, "workflow": removed.workflow},
        f"{removed.tool!r} is unpublished.",
    )


@click.command("published")
@json_option
def list_published(as_json: bool) -> None:
    """List published workflows and whether they changed since."""

    async def work() -> tuple[list[Publication], dict[str, str]]:
        async with current_home() as home:
            found = await PublishedStore(home.database).list()
            stored = await home.workflows.list()
            return found, {one.slug: one.revision for one in stored}

    found, revisions = run(work)
    if as_json:
        print_json(
            [
                PublicationRecord.of(one).as_json() | {"state": _state(one, revisions)}
                for one in found
            ]
        )
    elif found:
        rows = [
            (one.tool, one.workflow, _state(one, revisions), one.published_at, one.description)
            for one in found
        ]
        print_table(("tool", "workflow", "state", "published", "description"), rows)
    else:
        say("No published workflows. `toolweave publish NAME` publishes one.")


async def _saved(
    store: WorkflowStore, path: str, known: KnownEnvironment, *, is_replacing: bool
) -> str:
    """Store a file in the home; return the workflow's name."""
    given = read_file(path)
    loaded = require_workflow(load(given.data, name_hint=given.name))
    there = {one.slug: one for one in await store.list()}.get(slug(loaded.workflow.name))
    before = there.workflow if there is not None else None
    workflow = to_store(loaded.workflow, known.now, known.tools_of, before=before)
    if workflow is not before:
        await store.save(workflow, over=there.revision if there and is_replacing else None)
    return workflow.name


def _state(one: Publication, revisions: dict[str, str]) -> str:
    if one.slug not in revisions:
        return "file gone"
    return "current" if revisions[one.slug] == one.revision else "changed since"
