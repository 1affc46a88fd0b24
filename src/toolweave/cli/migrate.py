"""`toolweave migrate`: adapt workflows to changed tools."""

from dataclasses import dataclass
from pathlib import Path

import click

from toolweave.app.studio import open_studio
from toolweave.cli.input_file import names_file
from toolweave.cli.prompts import confirm
from toolweave.cli.record import folder_option
from toolweave.cli.sanitize import visible
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.cli.workflow_files import WorkflowFile, read_file
from toolweave.drift.migration_planner import MigrationPlanner, PlannedMigration
from toolweave.drift.tool_drift import ToolDrift
from toolweave.errors import Invalid
from toolweave.home import Home
from toolweave.problems import how_many
from toolweave.recording.files import RecordingFolder
from toolweave.recording.migration.records import MigrationRecord
from toolweave.recording.replay import open_replayer
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import load
from toolweave.workflow.store import Stored


@dataclass(frozen=True, slots=True)
class MigrationRequest:
    """Which workflows, and what may be applied."""

    name: str | None
    server: str | None
    yes: bool
    likely: bool
    check: bool
    recordings: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class _Target:
    name: str
    loaded: LoadedWorkflow
    file: WorkflowFile | None = None
    stored: Stored | None = None

    async def save(self, home: Home, plan: PlannedMigration) -> None:
        """Write the migrated workflow over the version that it was made from."""
        workflow, dialect = plan.proposal.workflow, self.loaded.format
        if self.file is not None:
            self.file.replace(self.file.dumped(workflow, dialect))
        elif self.stored is not None:
            await home.workflows.save(
                workflow, over=self.stored.revision, at=self.stored.name, dialect=dialect
            )


@click.command()
@click.argument("workflow", required=False, metavar="[WORKFLOW|FILE]")
@click.option("--all", "is_all", is_flag=True, help="Migrate all stored workflows.")
@click.option("--server", help="Only changes of this server.")
@click.option("--yes", is_flag=True, help="Apply what is certain without asking.")
@click.option("--likely", is_flag=True, help="With --yes: apply what is only likely, too.")
@click.option("--recordings", is_flag=True, help="Also adapt the recordings that prove a change.")
@click.option("--check", is_flag=True, help="Change nothing; exit code 1 if anything has to.")
@folder_option
@json_option
def migrate(
    workflow: str | None,
    is_all: bool,
    server: str | None,
    yes: bool,
    likely: bool,
    recordings: bool,
    check: bool,
    folder: Path,
    as_json: bool,
) -> int:
    """Adapt workflows to tools that changed since they were approved.

    Proposes a patch with a reason for every change, and replays recordings of the workflow with it.
    Nothing is changed without a yes. A change is certain only if there is one way to read it; look
    at the likely ones. Exit code 1 if something is left to do.
    """
    if is_all == (workflow is not None):
        raise click.UsageError("give one WORKFLOW or FILE, or --all")
    request = MigrationRequest(workflow, server, yes, likely, check, recordings, as_json)

    async def work() -> list[MigrationRecord]:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_replayer(home.settings.home) as replayer,
        ):
            if server is not None:
                await home.registry.get(server)
            drift = ToolDrift(home, studio.gate, RecordingFolder(folder))
            planner = MigrationPlanner(drift, replayer, server)
            targets = await _targets(home, request)
            done = [await _migrated(home, planner, target, request) for target in targets]
            for warning in drift.warnings:
                say((f"warning: {warning}", "yellow"), stderr=True)
            return done

    done = run(work)
    if as_json:
        print_json(done)
    elif not done:
        say("There are no stored workflows.")
    return 1 if any(one.state not in ("fits", "applied") for one in done) else 0


async def _targets(home: Home, request: MigrationRequest) -> list[_Target]:
    if request.name is None:
        return [_Target(one.name, one.loaded, stored=one) for one in await home.workflows.list()]
    if names_file(request.name):
        file = read_file(request.name)
        loaded = load(file.data, name_hint=file.name)
        errors = [one for one in loaded.problems if one.severity == "error"]
        if errors:
            message = f"{request.name!r} cannot be read as a workflow: {how_many(errors)}"
            raise Invalid(errors[0].code, message, problems=errors)
        return [_Target(request.name, loaded, file=file)]
    stored = await home.workflows.load(request.name)
    return [_Target(stored.name, stored.loaded, stored=stored)]


async def _migrated(
    home: Home, planner: MigrationPlanner, target: _Target, request: MigrationRequest
) -> MigrationRecord:
    plan = await planner.plan(target.name, target.loaded)
    if not request.as_json:
        _show(plan)
    state = await _applied(home, plan, target, request) if plan.is_needed else "fits"
    if state == "applied" and request.recordings:
        names = await planner.adapt_recordings(plan)
        if names and not request.as_json:
            say(f"Adapted the recordings: {', '.join(names)}.", indent=2)
    record = MigrationRecord.read(target.name, plan.proposal, plan.proof, state)
    if plan.errors:
        message = "; ".join(f"{one.pointer}: {one.message}" for one in plan.errors)
        return record.model_copy(update={"message": message})
    return record


async def _applied(
    home: Home, plan: PlannedMigration, target: _Target, request: MigrationRequest
) -> str:
    if not plan.can_apply:
        return "open"
    if request.check:
        return "proposed"
    if request.yes:
        is_agreed = plan.is_certain or request.likely
    else:
        is_agreed = not request.as_json and await confirm(f"Change {target.name!r}?")
    if not is_agreed:
        if not request.as_json:
            more = "; add --likely to apply it" if request.yes else ""
            say(f"Not changed{more}.", indent=2)
        return "proposed"
    await target.save(home, plan)
    if not request.as_json:
        say(f"Changed {target.name!r}.", indent=2)
    return "applied"


def _show(plan: PlannedMigration) -> None:
    if not plan.is_needed:
        say(f"{plan.name}: fits the tools as they are.")
        return
    proposal = plan.proposal
    say((plan.name, "bold"), f"  {'breaks' if proposal.verdict == 'breaks' else 'may change'}")
    for change in proposal.changes:
        style = "green" if change.certainty == "certain" else "yellow"
        say((f"{change.certainty}  ", style), _line(change.pointer, change.reason), indent=2)
    for point in proposal.open_points:
        say(("unknown  ", "red"), _line(point.pointer, point.reason), indent=2)
    for problem in plan.errors:
        say(("invalid  ", "red"), _line(problem.pointer, problem.message), indent=2)
    if proposal.can_apply:
        say(plan.proof.text, indent=2)


def _line(pointer: str, reason: str) -> str:
    return f"{pointer or '/'}: {visible(reason, one_line=True)}"
