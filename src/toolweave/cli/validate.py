"""`toolweave validate`: report all problems of workflow files, and repair them."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import click

from toolweave.authoring.environment import known_built_in
from toolweave.cli.input_file import STDIN
from toolweave.cli.known_tools import known_tools
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import Part, is_terminal, json_option, print_json, say, visible
from toolweave.cli.workflow_files import WorkflowFile, read_file
from toolweave.errors import ToolweaveError
from toolweave.problems import Problem
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import convert, load
from toolweave.workflow.mode_status import live_status, with_status
from toolweave.workflow.model import Workflow
from toolweave.workflow.report import Report, examine_loaded

SHOWN_PROBLEMS = 100
_MARKS: dict[str, Part] = {"error": ("error  ", "red"), "warning": ("warning", "yellow")}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--live", is_flag=True, help="Fetch the current tools from the servers of MCP nodes.")
@click.option("--fix", "is_fixing", is_flag=True, help="Repair the files where possible.")
@json_option
def validate(files: tuple[str, ...], live: bool, is_fixing: bool, as_json: bool) -> int:
    """Check workflows of any dialect; `-` reads standard input."""
    given = [read_file(name) for name in files]
    reports, reasons = _examined(given, live=live)
    for name, reason in reasons.items():
        say(f"! server {name!r}: {reason}", stderr=True)
    told: list[dict[str, Any]] = []
    is_valid = True
    for file, report in zip(given, reports, strict=True):
        # A repaired file from a pipe goes to stdout, so the report goes to stderr.
        beside = is_fixing and file.name == STDIN
        shown = _fixed(file, report, as_json=as_json, beside=beside) if is_fixing else report
        is_valid = is_valid and shown.is_valid
        told.append({"file": file.name, **shown.as_json()})
        if live:
            told[-1]["statuses"] = _statuses(shown)
        if beside and as_json and shown.is_workflow:
            told[-1]["document"] = convert(shown.loaded.workflow, shown.loaded.format)
        if not as_json:
            _show(file, shown, told[-1].get("statuses", {}), beside=beside)
    if as_json:
        print_json(told[0] if len(told) == 1 else told)
    return 0 if is_valid else 1


def _examined(files: Sequence[WorkflowFile], *, live: bool) -> tuple[list[Report], dict[str, str]]:
    loaded = [load(file.data, name_hint=file.name) for file in files]

    async def work() -> tuple[KnownEnvironment, dict[str, str]]:
        try:
            async with current_home() as home:
                return await known_tools(home, [one.workflow for one in loaded], live=live)
        except ToolweaveError as error:
            if live:
                raise
            say(f"! only built-in nodes are available: {error.message}", stderr=True)
            return known_built_in(), {}

    known, reasons = run(work)
    return [examine_loaded(one, known) for one in loaded], reasons


def _fixed(file: WorkflowFile, report: Report, *, as_json: bool, beside: bool) -> Report:
    """Repair the file, print the changes, and check it again."""
    fixed = report.fixed if report.is_workflow else None
    workflow = _with_statuses(fixed.workflow, report.known) if fixed else report.loaded.workflow
    if fixed is None or (not fixed.repaired and workflow == report.loaded.workflow):
        if beside and not as_json:
            shown = visible(file.data.decode(errors="replace")) if is_terminal() else file.data
            click.echo(shown, nl=False)
        return report
    text = file.dumped(workflow, report.loaded.format)
    if not as_json:
        before = file.data.decode(errors="replace").splitlines(keepends=True)
        after = text.splitlines(keepends=True)
        changes = difflib.unified_diff(before, after, file.name, f"{file.name} (fixed)")
        say("".join(changes), stderr=beside)
    if not (beside and as_json):
        file.replace(text)
    return examine_loaded(load(text, name_hint=file.name), report.known)


def _statuses(report: Report) -> dict[str, str]:
    tools = report.known.tools
    if tools is None:
        return {}
    return {
        node.id: live_status(node, tools).status
        for node in report.loaded.workflow.nodes
        if node.type == "mcp"
    }


def _with_statuses(workflow: Workflow, known: KnownEnvironment) -> Workflow:
    tools = known.tools
    if tools is None:
        return workflow
    nodes = tuple(
        with_status(node, live_status(node, tools).status) if node.type == "mcp" else node
        for node in workflow.nodes
    )
    return replace(workflow, nodes=nodes)


def _show(file: WorkflowFile, report: Report, statuses: dict[str, str], *, beside: bool) -> None:
    tell = partial(say, stderr=beside)
    errors = sum(problem.severity == "error" for problem in report.problems)
    warnings = len(report.problems) - errors
    verdict: Part = ("valid", "green") if report.is_valid else (_counted(errors, "error"), "red")
    notes = f", {_counted(warnings, 'warning')}" if warnings else ""
    tell(verdict, f"  {file.name}  ({report.loaded.format}{notes})")
    for problem in report.problems[:SHOWN_PROBLEMS]:
        _show_problem(problem, beside=beside)
    if len(report.problems) > SHOWN_PROBLEMS:
        tell(f"… and {len(report.problems) - SHOWN_PROBLEMS} more; --json shows all", indent=2)
    for node, status in statuses.items():
        if status != "valid":
            tell(f"node {node!r}: {status}", indent=2)
    if any(problem.patch for problem in report.problems):
        tell("`toolweave validate --fix` repairs problems marked with +.", indent=2)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _show_problem(problem: Problem, *, beside: bool) -> None:
    tell = partial(say, stderr=beside)
    mark = _MARKS[problem.severity]
    fixable = " +" if problem.patch else ""
    tell(mark, f" {problem.pointer or '/'}: {problem.message}  [{problem.code}]{fixable}", indent=2)
    if problem.hint:
        tell(f"hint: {problem.hint}", indent=10)
