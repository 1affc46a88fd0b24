"""`toolweave publish`, `unpublish` and `published`: workflows as tools for MCP clients."""

from pathlib import Path
from typing import cast, get_args

import click

from toolweave.authoring.environment import known_offline
from toolweave.cli.backtest import file_of, judged, show_backtest
from toolweave.cli.completion_values import workflow_names
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.errors import Conflict
from toolweave.home import Home
from toolweave.json_text import Json
from toolweave.publishing.service import PublicationRequest, other_names, publish, unpublish
from toolweave.publishing.store import IfLeft, Publication, PublicationRecord, PublishedStore, Tasks
from toolweave.recording.backtest_records import BacktestRequest
from toolweave.recording.files import FOLDER
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.ids import slug
from toolweave.workflow.store import WorkflowStore
from toolweave.workflow.stored_form import to_store


@click.command("publish")
@click.argument("name", metavar="NAME|FILE", shell_complete=workflow_names)
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
@click.option("--only", is_flag=True, help="Remove the workflow's earlier tool names.")
@click.option(
    "--backtest",
    "is_backtested",
    is_flag=True,
    help="First compare it with its recorded runs, and publish only if none differs.",
)
@click.option(
    "--accept-differences", is_flag=True, help="With --backtest: publish even if runs differ."
)
@json_option
def publish_workflow(
    name: str,
    tool: str | None,
    description: str | None,
    if_left: str | None,
    tasks: str | None,
    replace: bool,
    only: bool,
    is_backtested: bool,
    accept_differences: bool,
    as_json: bool,
) -> None:
    """Publish the current version of a stored workflow as a tool; repeat after changes.

    A FILE is stored in the home first. Under a new name, the earlier ones stay until --only or
    `toolweave unpublish` removes them.
    """
    given = file_of(name)
    wanted = cast("IfLeft | None", if_left), cast("Tasks | None", tasks)

    async def work() -> tuple[Publication, list[str]]:
        async with current_home() as home:
            if is_backtested or accept_differences:
                changed = given or (await home.workflows.load(name)).loaded
                await _require_same(home, changed, accepts=accept_differences, as_json=as_json)
            known = await known_offline(home)
            stored = name
            if given is not None:
                stored = await _saved(home.workflows, given, known, is_replacing=replace)
            wish = PublicationRequest(stored, tool, description, *wanted, only)
            made = await publish(home, known, wish)
            return made, await other_names(home, made)

    made, others = run(work)
    tell(
        as_json,
        PublicationRecord.of(made).as_json() | {"alsoPublishedAs": list[Json](others)},
        f"Published {made.workflow!r} as the tool {made.tool!r}." + _also(others),
    )


def _also(others: list[str]) -> str:
    if not others:
        return ""
    names = ", ".join(map(repr, others))
    return f"\nIt is still available as {names}; --only or `toolweave unpublish TOOL` removes that."


async def _require_same(
    home: Home, loaded: LoadedWorkflow, *, accepts: bool, as_json: bool
) -> None:
    """Show what a backtest finds. Raises `Conflict`: `BACKTEST_DIFFERS`."""
    report = await judged(home, BacktestRequest(loaded, folder=Path(FOLDER)))
    if not as_json:
        show_backtest(report)
    if report.of("differs") and not accepts:
        raise Conflict(
            "BACKTEST_DIFFERS",
            f"{loaded.workflow.name!r} is not published: {report.summary}",
            hint="--accept-differences publishes it anyway",
        )


@click.command("unpublish")
@click.argument("name")
@json_option
def unpublish_workflow(name: str, as_json: bool) -> None:
    """Unpublish a tool, or a workflow under all its names; active runs continue."""
    removed = in_home(lambda home: unpublish(home, name))
    names = [one.tool for one in removed]
    tell(
        as_json,
        {"unpublished": list[Json](names), "workflow": removed[0].workflow},
        "\n".join(f"{name!r} is unpublished." for name in names),
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
    store: WorkflowStore, loaded: LoadedWorkflow, known: KnownEnvironment, *, is_replacing: bool
) -> str:
    """Store a workflow in the home; return its name."""
    there = {one.slug: one for one in await store.list()}.get(slug(loaded.workflow.name))
    before = there.workflow if there is not None else None
    workflow = to_store(loaded.workflow, known.now, known.tools_of, before=before)
    if workflow is not before:
        try:
            await store.save(workflow, over=there.revision if there and is_replacing else None)
        except Conflict as error:
            hint = "replace it with --replace, or give the file another name"
            raise Conflict(error.code, error.message, hint=hint) from None
    return workflow.name


def _state(one: Publication, revisions: dict[str, str]) -> str:
    if one.slug not in revisions:
        return "file gone"
    if revisions[one.slug] != one.revision:
        return "changed since"
    return "current" if one.replaced_by is None else f"now {one.replaced_by}"
