"""`toolweave workflows`: the stored workflows of this home."""

from dataclasses import replace

import click

from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.cli.workflow_files import read_file
from toolweave.errors import Conflict, Invalid
from toolweave.home import workflow_store
from toolweave.settings import from_environment
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName
from toolweave.workflow.formats.load import dump, load
from toolweave.workflow.ids import slug
from toolweave.workflow.store import Revision, Stored, WorkflowStore
from toolweave.workflow.workflow_json import WorkflowRecord


@click.group(cls=HelpfulGroup)
def workflows() -> None:
    """Manage stored workflows; `toolweave run NAME` runs one.

    A NAME is the name of a workflow, or of its file without the extension.
    """


@workflows.command("list")
@json_option
def list_workflows(as_json: bool) -> None:
    """List the workflows of this home."""
    found = run(_store().list)
    if as_json:
        print_json([_as_dict(one) for one in found])
    elif found:
        rows = [(one.name, str(len(one.workflow.nodes)), _faults(one) or None) for one in found]
        print_table(("workflow", "nodes", "problem"), rows)
    else:
        say("No stored workflows. `toolweave workflows save FILE` stores one.")


@workflows.command()
@click.argument("name")
@click.option("--to", "dialect", type=click.Choice(FORMAT_NAMES), help="Write it in this dialect.")
@json_option
def show(name: str, dialect: FormatName | None, as_json: bool) -> None:
    """Print a workflow; with --json, include its revision."""
    stored = run(lambda: _store().load(name))
    text = dump(stored.workflow, dialect or "toolweave")
    if as_json:
        print_json({**_as_dict(stored), "text": text})
    else:
        click.echo(text, nl=not text.endswith("\n"))


@workflows.command()
@click.argument("file", metavar="FILE")
@click.option("--name", help="Store it under this name; default: its own name.")
@click.option("--force", is_flag=True, help="Replace an existing workflow.")
@json_option
def save(file: str, name: str | None, force: bool, as_json: bool) -> None:
    """Store a workflow file of any dialect; `-` is standard input.

    It may still have errors: `toolweave validate` lists them; it does not run until they are fixed.
    """
    given = read_file(file)
    loaded = load(given.data, name_hint=given.name)
    errors = [problem for problem in loaded.problems if problem.severity == "error"]
    if errors and not loaded.workflow.nodes:
        message = f"{file!r} is not a workflow: {errors[0].message}"
        raise Invalid(errors[0].code, message, problems=errors)
    workflow = replace(loaded.workflow, name=name) if name else loaded.workflow

    async def work() -> Stored:
        store = _store()
        over = await _revision(store, workflow.name) if force else None
        try:
            await store.save(workflow, over=over)
        except Conflict as error:
            hint = "choose another --name, or replace it with --force"
            raise Conflict(error.code, error.message, hint=hint) from None
        return await store.load(workflow.name)

    stored = run(work)
    tell(
        as_json, _as_dict(stored), f"Stored {stored.name!r}. `toolweave run {stored.slug}` runs it."
    )


@workflows.command()
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Delete a stored workflow and stop its triggers; its runs are kept."""

    async def work() -> Stored:
        store = _store()
        stored = await store.load(name)
        await store.delete(name, over=stored.revision)
        return stored

    stored = run(work)
    tell(
        as_json,
        {"name": stored.name, "slug": stored.slug, "removed": True},
        f"Removed {stored.name!r}.",
    )


async def _revision(store: WorkflowStore, name: str) -> Revision | None:
    """The revision of the workflow that a name refers to."""
    place = slug(name)
    return next((one.revision for one in await store.list() if one.slug == place), None)


def _store() -> WorkflowStore:
    return workflow_store(from_environment())


def _faults(stored: Stored) -> str:
    errors = [one.message for one in stored.loaded.problems if one.severity == "error"]
    return errors[0] if errors else ""


def _as_dict(stored: Stored) -> dict[str, object]:
    return {
        **WorkflowRecord.of(stored).as_json(),
        "nodes": len(stored.workflow.nodes),
        "problems": [problem.as_json() for problem in stored.loaded.problems],
    }
