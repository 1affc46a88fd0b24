"""`toolweave schedules`: which workflows start by themselves, and switching that on and off."""

from collections.abc import Sequence

import click

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.triggers.activation import ActivationResult, TriggerActivation
from toolweave.triggers.listing import TriggerLine, trigger_lines

EXIT_CODES = {"success": 0, "waiting": 0, "running": 0}
node_option = click.option("--node", metavar="ID", help="Only this trigger of the workflow.")


@click.group(cls=HelpfulGroup)
def schedules() -> None:
    """Switch the triggers of stored workflows on and off.

    Schedules, webhooks, watched files, mails and failed runs start workflows while `toolweave
    serve` runs.
    """


@schedules.command("list")
@click.option("--all", "shows_all", is_flag=True, help="Those that are off, too.")
@json_option
def list_schedules(shows_all: bool, as_json: bool) -> None:
    """List the triggers that are on."""
    if shows_all:
        _list_all(as_json)
        return

    async def work() -> Sequence[ActivationResult]:
        async with home() as rooms:
            return await TriggerActivation(rooms).list()

    found = run(work)
    if as_json:
        print_json([_as_dict(one) for one in found])
    elif found:
        _show(found)
    else:
        say("No trigger is on. `toolweave schedules enable NAME` switches those of a workflow on.")


@schedules.command()
@click.argument("name")
@node_option
@json_option
def enable(name: str, node: str | None, as_json: bool) -> None:
    """Switch the triggers of a workflow on, as it is now.

    Later edits take effect when it is enabled again.
    """

    async def work() -> Sequence[ActivationResult]:
        async with home() as rooms:
            return await TriggerActivation(rooms).enable(name, node)

    found = run(work)
    if as_json:
        print_json([_as_dict(one) for one in found])
    else:
        _show(found)
        say("They start runs while `toolweave serve` runs.")


@schedules.command()
@click.argument("name")
@json_option
def disable(name: str, as_json: bool) -> None:
    """Switch the triggers of a workflow off; runs under way go on."""

    async def work() -> None:
        async with home() as rooms:
            await TriggerActivation(rooms).disable(name)

    run(work)
    if as_json:
        print_json({"workflow": name, "enabled": False})
    else:
        say(f"The triggers of {name!r} are off.")


@schedules.command()
@click.argument("name")
@node_option
@json_option
def pause(name: str, node: str | None, as_json: bool) -> None:
    """Let the triggers of a workflow start nothing until they are resumed.

    They stay paused when the studio starts again, and when the workflow is enabled again.
    """

    async def work() -> Sequence[ActivationResult]:
        async with home() as rooms:
            return await TriggerActivation(rooms).pause(name, node)

    _tell(run(work), as_json)


@schedules.command()
@click.argument("name")
@node_option
@json_option
def resume(name: str, node: str | None, as_json: bool) -> None:
    """Let paused triggers go on; what came up meanwhile is not made up for."""

    async def work() -> Sequence[ActivationResult]:
        async with home() as rooms:
            return await TriggerActivation(rooms).resume(name, node)

    _tell(run(work), as_json)


@schedules.command("run-now")
@click.argument("name")
@node_option
@json_option
def run_now(name: str, node: str | None, as_json: bool) -> int:
    """Run a workflow at once, as if its trigger had fired."""

    async def work() -> tuple[str, str]:
        async with home() as rooms, open_studio(rooms) as studio, open_engine(studio) as engine:
            started = await engine.runs.start(await TriggerActivation(rooms).manual_run(name, node))
            return started, (await engine.runs.run_to_end(started)).status

    started, status = run(work)
    if as_json:
        print_json({"run": started, "status": status})
    else:
        say(f"{started}  {status}")
    return EXIT_CODES.get(status, 1)


def _list_all(as_json: bool) -> None:
    async def work() -> list[TriggerLine]:
        async with home() as rooms:
            return await trigger_lines(rooms)

    found = run(work)
    if as_json:
        print_json([one.as_json() for one in found])
    elif found:
        print_table(
            ("workflow", "node", "kind", "state", "next", "hook", "what is wrong"),
            [
                (
                    one.workflow,
                    one.node,
                    one.kind,
                    one.state,
                    one.next_times[0] if one.next_times else None,
                    " ".join(f"/hooks{path}" for path in one.hook.paths) if one.hook else None,
                    one.reason,
                )
                for one in found
            ],
        )
    else:
        say("No stored workflow has a trigger.")


def _tell(found: Sequence[ActivationResult], as_json: bool) -> None:
    if as_json:
        print_json([_as_dict(one) for one in found])
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
        return "off: the workflow was deleted"
    if one.paused_at:
        return f"paused since {one.paused_at}"
    if one.failure:
        return one.failure
    return "on" if one.is_current else "on; edited since, enable it again to use the new version"


def _as_dict(one: ActivationResult) -> dict[str, object]:
    return {
        "workflow": one.workflow,
        "node": one.node,
        "kind": one.kind,
        "isCurrent": one.is_current,
        "isDeleted": one.is_deleted,
        "nextAt": one.next_at,
        "hooks": [f"/hooks{path}" for path in one.hooks],
        "firedAt": one.fired_at,
        "failure": one.failure,
        "pausedAt": one.paused_at,
    }
