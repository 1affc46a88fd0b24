"""`toolweave import`: restore a workflow from what `toolweave export` wrote."""

from dataclasses import replace
from pathlib import Path

import click

from toolweave.authoring.environment import approved_tools
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_document, print_json, say
from toolweave.cli.workflow_files import write_file
from toolweave.export.reimport import ReimportedWorkflow, import_path
from toolweave.json_text import JsonObject
from toolweave.workflow.formats.load import convert, dump
from toolweave.workflow.model import Workflow
from toolweave.workflow.stored_form import to_store


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this new file."
)
@click.option("--save", "name", help="Store it in this home under this name.")
@json_option
def import_(path: Path, out: Path | None, name: str | None, as_json: bool) -> None:
    """Restore a workflow from an export.

    PATH is a file that `toolweave export` wrote, or the folder it wrote into. Without --out
    and --save the workflow is printed.
    """
    if out is not None and name is not None:
        raise click.UsageError("give --out or --save, not both")
    found = import_path(path)
    workflow = found.loaded.workflow
    if name is not None:
        workflow = replace(workflow, name=name)
        run(lambda: _save(workflow))
    elif out is not None:
        write_file(out, dump(workflow, "toolweave"))
    if as_json:
        print_json(_report(found, workflow, out, name))
        return
    for problem in found.loaded.problems:
        say(f"! {problem.pointer or '/'}: {problem.message}  [{problem.code}]", stderr=True)
    if name is None and out is None:
        print_document(dump(workflow, "toolweave"))
        return
    say(f"Imported {workflow.name!r} from {str(found.path)!r} as {name or str(out)!r}.")


async def _save(workflow: Workflow) -> None:
    async with current_home() as home:
        tools = await approved_tools(home)
        stored = to_store(workflow, home.clock.now(), tools.get)
        await home.workflows.save(stored, over=None)


def _report(
    found: ReimportedWorkflow, workflow: Workflow, out: Path | None, name: str | None
) -> JsonObject:
    report: JsonObject = {
        "from": str(found.path),
        "problems": [problem.as_json() for problem in found.loaded.problems],
    }
    if out is not None:
        return report | {"out": str(out)}
    if name is not None:
        return report | {"saved": name}
    return report | {"workflow": convert(workflow, "toolweave")}
