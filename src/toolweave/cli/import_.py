"""`toolweave import`: the workflow back from what `toolweave export` wrote."""

from dataclasses import replace
from pathlib import Path

import click

from toolweave.cli.rooms import run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.errors import Conflict, Unavailable
from toolweave.export.importing import Imported, import_path
from toolweave.json_text import JsonObject
from toolweave.settings import from_environment
from toolweave.storage.files import make_private_folder
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.workflow.formats.load import convert, dump
from toolweave.workflow.model import Workflow
from toolweave.workflow.store import WorkflowStore

FOLDER = "workflows"


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="A new file for it.")
@click.option("--save", "name", help="Keep it among your workflows under this name.")
@json_option
def import_(path: Path, out: Path | None, name: str | None, as_json: bool) -> None:
    """Make a workflow again from an export.

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
        _write(out, dump(workflow, "toolweave"))
    if as_json:
        print_json(_report(found, workflow, out, name))
        return
    for problem in found.loaded.problems:
        say(f"! {problem.pointer or '/'}: {problem.message}  [{problem.code}]", stderr=True)
    if name is None and out is None:
        click.echo(dump(workflow, "toolweave"), nl=False)
        return
    say(f"Imported {workflow.name!r} from {str(found.path)!r} as {name or str(out)!r}.")


async def _save(workflow: Workflow) -> None:
    folder = from_environment().home / FOLDER
    make_private_folder(folder)
    await WorkflowStore(WorkflowFiles(folder)).save(workflow, over=None)


def _write(out: Path, text: str) -> None:
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise Conflict(
            "IMPORT_FILE_EXISTS",
            f"{str(out)!r} is there already; nothing is written",
            hint="choose another name, or remove the file",
        ) from None
    except OSError as error:
        raise Unavailable(
            "IMPORT_FILE_UNWRITABLE", f"{str(out)!r} cannot be written: {error.strerror}"
        ) from None


def _report(found: Imported, workflow: Workflow, out: Path | None, name: str | None) -> JsonObject:
    report: JsonObject = {
        "from": str(found.path),
        "problems": [problem.as_json() for problem in found.loaded.problems],
    }
    if out is not None:
        return report | {"out": str(out)}
    if name is not None:
        return report | {"saved": name}
    return report | {"workflow": convert(workflow, "toolweave")}
