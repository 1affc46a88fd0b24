"""`toolweave workflows`: the stored workflows of this home."""

from dataclasses import dataclass, replace
from importlib import import_module

import click

from toolweave.authoring.environment import known_offline
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_document, print_json, print_table, say, tell
from toolweave.cli.workflow_files import read_file
from toolweave.errors import Conflict, Invalid
from toolweave.home import workflow_store
from toolweave.problems import Problem
from toolweave.settings import from_environment
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName
from toolweave.workflow.formats.load import dump, load
from toolweave.workflow.ids import slug
from toolweave.workflow.report import examine_loaded
from toolweave.workflow.store import Revision, Stored, WorkflowStore
from toolweave.workflow.stored_form import to_store
from toolweave.workflow.workflow_json import WorkflowRecord


@click.command("list")
@json_option
def list_workflows(as_json: bool) -> None:
    """List the workflows of this home."""

    async def work() -> list[_Checked]:
        async with current_home() as home:
            known = await known_offline(home)
            return [_checked(one, known) for one in await home.workflows.list()]

    found = run(work)
    if as_json:
        print_json([one.as_dict() for one in found])
    elif found:
        rows = [(one.stored.name, str(one.node_count), one.fault) for one in found]
        print_table(("workflow", "nodes", "problem"), rows)
    else:
        say("No stored workflows. `toolweave workflows save FILE` stores one.")


@click.command()
@click.argument("name")
@click.option("--to", "dialect", type=click.Choice(FORMAT_NAMES), help="Write it in this dialect.")
@click.option("--version", type=click.IntRange(min=1), help="Print this saved version.")
@json_option
def show(name: str, dialect: FormatName | None, version: int | None, as_json: bool) -> None:
    """Print a workflow; with --json, include its revision."""

    async def work() -> _Checked:
        async with current_home() as home:
            known = await known_offline(home)
            if version is None:
                return _checked(await home.workflows.load(name), known)
            # Its records take longer to load than a list of workflows.
            history = import_module("toolweave.publishing.versions").VersionHistory(home)
            found = await history.show(name, version)
            revision = Revision(found.record.revision)
            return _checked(Stored(found.loaded, revision, slug(name)), known)

    checked = run(work)
    text = dump(checked.stored.workflow, dialect or "toolweave")
    if as_json:
        print_json({**checked.as_dict(), "text": text})
    else:
        print_document(text)


@click.command()
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

    async def work() -> _Checked:
        async with current_home() as home:
            store, known = home.workflows, await known_offline(home)
            before = await _stored_as(store, workflow.name) if force else None
            completed = to_store(
                workflow, known.now, known.tools_of, before=before and before.workflow
            )
            try:
                await store.save(completed, over=before and before.revision)
            except Conflict as error:
                hint = "choose another --name, or replace it with --force"
                raise Conflict(error.code, error.message, hint=hint) from None
            return _checked(await store.load(workflow.name), known)

    checked = run(work)
    stored = checked.stored
    tell(
        as_json,
        checked.as_dict(),
        f"Stored {stored.name!r}. `toolweave run {stored.slug}` runs it.",
    )


@click.command()
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


async def _stored_as(store: WorkflowStore, name: str) -> Stored | None:
    """The workflow that a name refers to."""
    place = slug(name)
    return next((one for one in await store.list() if one.slug == place), None)


def _store() -> WorkflowStore:
    return workflow_store(from_environment())


@dataclass(frozen=True, slots=True)
class _Checked:
    stored: Stored
    problems: tuple[Problem, ...]

    @property
    def node_count(self) -> int:
        return len(self.stored.workflow.nodes)

    @property
    def fault(self) -> str | None:
        """The first error."""
        return next((one.message for one in self.problems if one.severity == "error"), None)

    def as_dict(self) -> dict[str, object]:
        return {
            **WorkflowRecord.of(self.stored).as_json(),
            "nodes": self.node_count,
            "problems": [problem.as_json() for problem in self.problems],
        }


def _checked(stored: Stored, known: KnownEnvironment) -> _Checked:
    return _Checked(stored, examine_loaded(stored.loaded, known).problems)
