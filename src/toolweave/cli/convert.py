"""`toolweave convert`: a workflow of any dialect, written in another, without loss."""

import sys
from pathlib import Path

import click

from toolweave.cli.terminal import is_terminal, json_option, print_json, say
from toolweave.cli.workflow_files import STDIN, write_file
from toolweave.errors import Invalid, NotFound, Unavailable
from toolweave.problems import Problem
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName, LoadedWorkflow
from toolweave.workflow.formats.load import MAX_BYTES, convert, dump, load
from toolweave.workflow.model import Workflow

SHOWN_PROBLEMS = 50


@click.command("convert")
@click.argument("file", metavar="FILE")
@click.option(
    "--to",
    required=True,
    type=click.Choice(FORMAT_NAMES),
    help="The dialect to write.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file, not to stdout.")
@click.option("--force", is_flag=True, help="Write over a file that is there already.")
@json_option
def convert_command(
    file: str, to: FormatName, out: Path | None, force: bool, as_json: bool
) -> None:
    """Write the workflow in FILE (`-`: standard input) in another dialect.

    JSON and YAML of every dialect are read; what it is, its content tells. What the other dialect
    has no words for is kept in the new file under `x-toolweave`, so that converting back gives the
    same file again. Problems are told on stderr; a file that cannot be read at all is not
    converted.
    """
    loaded = load(_read(file), name_hint=None if file == STDIN else file)
    _refuse_unreadable(file, loaded)
    if out is not None:
        hint = "choose another name, or `--force` to write over it"
        write_file(out, dump(loaded.workflow, to), force=force, hint=hint)
    if as_json:
        print_json(_report(loaded, to, out))
        return
    for problem in loaded.problems[:SHOWN_PROBLEMS]:
        _say(problem)
    if len(loaded.problems) > SHOWN_PROBLEMS:
        say(f"  … and {len(loaded.problems) - SHOWN_PROBLEMS} more", stderr=True)
    if out is None:
        _print(loaded.workflow, to)
    else:
        say(f"Converted from {loaded.format} to {to}: {out}", stderr=True)


def _print(workflow: Workflow, to: FormatName) -> None:
    if is_terminal():
        print_json(convert(workflow, to))
    else:  # to the byte, for a file
        click.echo(dump(workflow, to), nl=False)


def _report(loaded: LoadedWorkflow, to: FormatName, out: Path | None) -> dict[str, object]:
    report: dict[str, object] = {
        "from": loaded.format,
        "to": to,
        "problems": [problem.as_json() for problem in loaded.problems],
    }
    if out is None:
        return report | {"document": convert(loaded.workflow, to)}
    return report | {"out": str(out)}


def _refuse_unreadable(file: str, loaded: LoadedWorkflow) -> None:
    # Nothing was understood of it; a file with faults in it is converted all the same.
    codes = {"WORKFLOW_NOT_JSON", "WORKFLOW_UNKNOWN_DIALECT", "WORKFLOW_TOO_LARGE"}
    fatal = [problem for problem in loaded.problems if problem.code in codes]
    if fatal and not loaded.workflow.nodes:
        raise Invalid(
            fatal[0].code,
            f"{_called(file)} is no workflow: {fatal[0].message}",
            problems=fatal,
            hint=fatal[0].hint,
        )


def _called(file: str) -> str:
    return "standard input" if file == STDIN else repr(file)


def _say(problem: Problem) -> None:
    mark = ("error", "red") if problem.severity == "error" else ("warning", "yellow")
    place = problem.pointer or "/"
    say(mark, f" {place}: {problem.message}  [{problem.code}]", stderr=True)


def _read(file: str) -> bytes:
    """At most one byte more than is read as a workflow, so that too much is seen to be too much."""
    if file == STDIN:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with open(file, "rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotFound("FILE_NOT_FOUND", f"there is no file {file!r}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unavailable("FILE_UNREADABLE", f"{file!r} cannot be read: {reason}") from None
