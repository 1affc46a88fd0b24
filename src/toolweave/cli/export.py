"""`toolweave export`: write a workflow as files for a coding agent."""

from importlib import import_module
from pathlib import Path

import click

from toolweave.authoring.environment import Tools, approved_tools
from toolweave.cli.input_file import names_file
from toolweave.cli.sanitize import visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.cli.workflow_files import read_file
from toolweave.clock import SystemClock
from toolweave.errors import Invalid, NotFound
from toolweave.export import discover
from toolweave.export.convert import checked_export
from toolweave.export.exporter import Export
from toolweave.export.folder import FileChangePlan, State, changes, write
from toolweave.json_text import JsonObject
from toolweave.nodes.spec_cache import cached_specs
from toolweave.problems import Problem, how_many
from toolweave.settings import from_environment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import load
from toolweave.workflow.model import Workflow

_DONE: dict[State, str] = {"new": "wrote", "same": "unchanged"}
TARGETS = tuple(exporter.name for exporter in discover())


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--to", "target", required=True, type=click.Choice(TARGETS), help="What to export to."
)
@click.option(
    "--out",
    default=".",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Project directory to write to.",
)
@click.option(
    "--force", is_flag=True, help="Overwrite files that were edited or not written by toolweave."
)
@click.option("--dry-run", is_flag=True, help="Show the changes without writing.")
@click.option(
    "--mcp-json", is_flag=True, help="Add the servers that it calls to the project's `.mcp.json`."
)
@click.option(
    "--check",
    is_flag=True,
    help="Only report what the target does not support, and exported files that are out of date.",
)
@click.option(
    "--thin", is_flag=True, help="Write an entry that calls the published tool, not its steps."
)
@json_option
def export(
    file: str,
    target: str,
    out: Path,
    force: bool,
    dry_run: bool,
    mcp_json: bool,
    check: bool,
    thin: bool,
    as_json: bool,
) -> None:
    """Write a workflow as a skill, command, prompt or diagram.

    FILE is a workflow of any dialect, `-` for standard input, or the name of a stored workflow.
    Secrets are never written. `toolweave import` restores the workflow from the exported files,
    except from those of `--thin`: they only call the tool that the workflow is published as.
    """
    loaded = _load(file)
    made = _thin(loaded.workflow, target) if thin else _whole(loaded.workflow, target)
    planned = changes(made, out)
    servers: list[FileChangePlan] = []
    stale: list[Problem] = []
    if check:
        stale = [one for change in planned if (one := change.staleness)]
        stale += _missing(loaded.workflow, out, planned, thin=thin) if mcp_json else []
    elif mcp_json:
        servers = [_mcp_json(loaded.workflow, out, thin=thin)]
    if not (check or dry_run):
        write(planned, out, force=force)
        write(servers, out)
    planned += servers
    if as_json:
        shown = [] if check else planned
        print_json(_report(made, shown, loaded, stale, written=not (check or dry_run)))
    else:
        for change in [] if check else planned:
            _show(change, dry_run=dry_run)
        for problem in (*made.problems, *stale):
            _warn(problem, loaded)
        if check and not made.problems:
            say(f"Nothing is lost for {target!r}.")
    if stale:
        click.get_current_context().exit(1)


def _whole(workflow: Workflow, target: str) -> Export:
    return checked_export(
        workflow,
        target,
        specs=cached_specs(from_environment().home),
        now=SystemClock().now(),
        tools=_tools(workflow).get,
    )


def _thin(workflow: Workflow, target: str) -> Export:
    """The entry that calls the published tool, by a module that loads what publishing needs."""
    made: Export = import_module("toolweave.cli.published_export").export_call(workflow, target)
    return made


def _mcp_json(workflow: Workflow, out: Path, *, thin: bool) -> FileChangePlan:
    """The change of `.mcp.json`, by a module that loads what servers need."""
    module = import_module("toolweave.cli.mcp_config")
    change: FileChangePlan = module.own_change(out) if thin else module.change_of(workflow, out)
    return change


def _missing(
    workflow: Workflow, out: Path, planned: list[FileChangePlan], *, thin: bool
) -> list[Problem]:
    """What `.mcp.json` lacks for the exported files; what others wrote there does not count."""
    try:
        change = _mcp_json(workflow, out, thin=thin)
    except (Invalid, NotFound) as error:
        return [Problem(error.code, "", error.message, error.hint)]
    is_exported = any(one.state != "new" for one in planned)
    if change.state == "same" or (change.state == "new" and not is_exported):
        return []
    message = f"{change.file.path!r} lacks servers that the workflow calls"
    hint = "export again with `--mcp-json`; `--dry-run` shows the changes"
    return [change.problem or Problem("EXPORT_STALE", "", message, hint)]


def _tools(workflow: Workflow) -> Tools:
    """The approved tools; a workflow without MCP nodes needs none."""

    async def approved() -> Tools:
        async with current_home() as home:
            return await approved_tools(home)

    flows = [workflow, *workflow.subflows]
    has_tools = any(node.type == "mcp" for flow in flows for node in flow.nodes)
    return run(approved) if has_tools else {}


def _load(name: str) -> LoadedWorkflow:
    if names_file(name):
        file = read_file(name)
        loaded = load(file.data, name_hint=file.name)
    else:
        loaded = run(lambda: _stored(name))
    errors = [problem for problem in loaded.problems if problem.severity == "error"]
    if errors:
        raise Invalid(
            errors[0].code,
            f"{name!r} cannot be exported: {how_many(errors)}",
            problems=errors,
            hint="run `toolweave validate` for details; `--fix` repairs what it can",
        )
    return loaded


async def _stored(name: str) -> LoadedWorkflow:
    async with current_home() as home:
        try:
            return (await home.workflows.load(name)).loaded
        except NotFound as error:
            message = f"no file or stored workflow is called {name!r}"
            raise NotFound(error.code, message, hint=error.hint) from None


def _show(change: FileChangePlan, *, dry_run: bool) -> None:
    if not dry_run:
        say(f"{_DONE.get(change.state, 'updated')} {change.file.path}")
        return
    if change.state == "same":
        say(f"{change.file.path} would not change")
        return
    if problem := change.problem:
        say(f"! {problem.message}  [{problem.code}]", stderr=True)
    click.echo(visible(change.diff()), nl=False)


def _warn(problem: Problem, loaded: LoadedWorkflow) -> None:
    place = loaded.places.original(problem.pointer)
    at = f"{place}: " if place else ""
    say(f"! {at}{problem.message}  [{problem.code}]", stderr=True)


def _report(
    made: Export,
    planned: list[FileChangePlan],
    loaded: LoadedWorkflow,
    stale: list[Problem],
    *,
    written: bool,
) -> JsonObject:
    return {
        "target": made.target,
        "written": written,
        "files": [
            {"path": change.file.path, "state": change.state, "diff": change.diff()}
            for change in planned
        ],
        "problems": [
            problem.as_json() | {"pointer": loaded.places.original(problem.pointer)}
            for problem in (*made.problems, *stale, *filter(None, (one.problem for one in planned)))
        ],
    }
