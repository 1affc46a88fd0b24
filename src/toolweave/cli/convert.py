"""`toolweave convert`: convert a workflow between dialects without loss."""

import sys
from pathlib import Path

import click

from toolweave.cli.input_file import STDIN
from toolweave.cli.terminal import json_option, print_document, print_json, say
from toolweave.cli.workflow_files import write_file
from toolweave.errors import Invalid, NotFound, Unavailable
from toolweave.problems import Problem
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName, LoadedWorkflow
from toolweave.workflow.formats.load import MAX_BYTES, convert, dump, load

SHOWN_PROBLEMS = 50


@click.command("convert")
@click.argument("file", metavar="FILE")
@click.option(
    "--to",
    required=True,
    type=click.Choice(FORMAT_NAMES),
    help="Target dialect.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write to this file instead of stdout."
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@json_option
def convert_command(
    file: str, to: FormatName, out: Path | None, force: bool, as_json: bool
) -> None:
    """Convert the workflow in FILE (`-`: standard input) to another dialect.

    Reads JSON and YAML of every dialect and detects which it is. What the target dialect cannot
    express is kept under `x-toolweave`, so that converting back restores the file. Problems are
    printed on stderr; a file that cannot be parsed is not converted.
    """
    loaded = load(_read(file), name_hint=None if file == STDIN else file)
    _refuse_unreadable(file, loaded)
    if out is not None:
        hint = "choose another name, or use `--force` to overwrite it"
        write_file(out, dump(loaded.workflow, to), force=force, hint=hint)
    if as_json:
        print_json(_report(loaded, to, out))
        return
    for problem in loaded.problems[:SHOWN_PROBLEMS]:
        _say(problem)
    if len(loaded.problems) > SHOWN_PROBLEMS:
        say(f"  … and {len(loaded.problems) - SHOWN_PROBLEMS} more", stderr=True)
    if out is None:
        print_document(dump(loaded.workflow, to))
    else:
        say(f"Converted from {loaded.format} to {to}: {out}", stderr=True)


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
    # Nothing could be parsed. A file with problems is converted anyway.
    codes = {"WORKFLOW_NOT_JSON", "WORKFLOW_UNKNOWN_DIALECT", "WORKFLOW_TOO_LARGE"}
    fatal = [problem for problem in loaded.problems if problem.code in codes]
    if fatal and not loaded.workflow.nodes:
        raise Invalid(
            fatal[0].code,
            f"{_called(file)} is not a workflow: {fatal[0].message}",
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
    """Read at most one byte more than the limit, so that a file over it is detected."""
    if file == STDIN:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with open(file, "rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotFound("FILE_NOT_FOUND", f"no such file: {file!r}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unavailable("FILE_UNREADABLE", f"{file!r} cannot be read: {reason}") from None
