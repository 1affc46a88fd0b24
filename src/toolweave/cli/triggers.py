"""`toolweave triggers`: list, enable, disable and pause the triggers of stored workflows."""

from collections.abc import Sequence

import click

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.triggers.activation import ActivationRecord, ActivationResult, TriggerActivation
from toolweave.triggers.listing import trigger_lines

EXIT_CODES = {"success": 0, "waiting": 0, "running": 0}
node_option = click.option("--node", metavar="ID", help="Only this trigger of the workflow.")


@click.group(cls=HelpfulGroup)
def triggers() -> None:
    """Enable and disable the triggers of stored workflows.

    Schedules, webhooks, watched files, mail and failed runs start workflows while `toolweave
    serve` is running.
    """


@triggers.command("list")
@click.option("--all", "shows_all", is_flag=True, help="Include disabled triggers.")
@json_option
def list_triggers(shows_all: bool, as_json: bool) -> None:
    """List the enabled triggers."""
    if shows_all:
        _list_all(as_json)
        return
    found = in_home(lambda home: TriggerActivation(home).list())
    if as_json:
        print_json([ActivationRecord.of(one) for one in found])
    elif found:
        _show(found)
    else:
        say("No trigger is enabled. `toolweave triggers enable NAME` enables those of a workflow.")


@triggers.command()
@click.argument("name")
@node_option
@json_option
def enable(name: str, node: str | None, as_json: bool) -> None:
    """Enable the triggers of a workflow, in its current version.

    Later edits take effect when you enable it again.
    """
    found = in_home(lambda home: TriggerActivation(home).enable(name, node))
    _tell(found, as_json)
    if not as_json:
        say("They start runs while `toolweave serve` is running.")


@triggers.command()
@click.argument("name")
@json_option
def disable(name: str, as_json: bool) -> None:
    """Disable the triggers of a workflow; active runs continue."""
    in_home(lambda home: TriggerActivation(home).disable(name))
    tell(as_json, {"workflow": name, "enabled": False}, f"Disabled the triggers of {name!r}.")


@triggers.command()
@click.argument("name")
@node_option
@json_option
def pause(name: str, node: str | None, as_json: bool) -> None:
    """Pause the triggers of a workflow: they start no runs until resumed.

    They stay paused when the studio restarts and when you enable the workflow again.
    """

    async def work() -> Sequence[ActivationResult]:
        async with current_home() as home:
            return await TriggerActivation(home).pause(name, node)

    _tell(run(work), as_json)


@triggers.command()
@click.argument("name")
@node_option
@json_option
def resume(name: str, node: str | None, as_json: bool) -> None:
    """Resume paused triggers; events during the pause are skipped."""

    async def work() -> Sequence[ActivationResult]:
        async with current_home() as home:
            return await TriggerActivation(home).resume(name, node)

    _tell(run(work), as_json)


@triggers.command("run-now")
@click.argument("name")
@node_option
@json_option
def run_now(name: str, node: str | None, as_json: bool) -> int:
    """Run a workflow now, as if its trigger had fired."""

    async def work() -> tuple[str, str]:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_engine(studio) as engine,
        ):
            started = await engine.runs.start(await TriggerActivation(home).manual_run(name, node))
            return started, (await engine.runs.run_to_end(started)).status

    started, status = run(work)
    tell(as_json, {"run": started, "status": status}, f"{started}  {status}")
    return EXIT_CODES.get(status, 1)


def _list_all(as_json: bool) -> None:
    found = in_home(trigger_lines)
    if as_json:
        print_json(found)
    elif found:
        print_table(
            ("workflow", "node", "kind", "state", "next", "hook", "problem"),
            [
                (
                    one.workflow,
                    one.node,
                    one.kind,
                    one.state,
                    one.next_times[0] if one.next_times else None,
                    " ".join(one.hook.paths) if one.hook else None,
                    one.reason,
                )
                for one in found
            ],
        )
    else:
        say("No stored workflow has a trigger.")


def _tell(found: Sequence[ActivationResult], as_json: bool) -> None:
    if as_json:
        print_json([ActivationRecord.of(one) for one in found])
    else:
        _show(found)


def _show(found: Sequence[ActivationResult]) -> None:
    print_table(
        ("workflow", "node", "kind", "next", "hook", "last", "state"),
        [
            (
                one.workflow,
                one.node,
                one.kind,
                one.next_at,
                " ".join(f"/hooks{path}" for path in one.hooks) or None,
                one.fired_at,
                _state(one),
            )
            for one in found
        ],
    )


def _state(one: ActivationResult) -> str:
    if one.is_deleted:
        return "disabled: the workflow was deleted"
    if one.paused_at:
        return f"paused since {one.paused_at}"
    if one.failure:
        return one.failure
    return "on" if one.is_current else "on; edited since, enable again to use the new version"
