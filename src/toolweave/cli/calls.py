"""`toolweave calls`: list tool calls, and stop those that are running."""

import anyio
import click

from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.errors import NotFound
from toolweave.servers.call_list import CallList, CallRow

STOP_DEADLINE_S = 5.0
POLL_S = 0.1


@click.group(cls=HelpfulGroup)
def calls() -> None:
    """List tool calls of this home, and stop those that are running."""


@calls.command("list")
@click.option("--server", help="Only past calls of this server.")
@click.option("--active", "only_active", is_flag=True, help="Only calls that are running.")
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=20, show_default=True, help="Past calls."
)
@json_option
def list_calls(server: str | None, only_active: bool, limit: int, as_json: bool) -> None:
    """List active calls, then past ones, newest first."""

    async def work() -> list[CallRow]:
        async with current_home() as home:
            listed = CallList(home.database, home.clock)
            past = [] if only_active else await listed.past(limit, server)
            return [*reversed(await listed.active()), *past]

    found = run(work)
    if as_json:
        print_json([call.as_json() for call in found])
    elif found:
        columns = ("call", "submitted", "server", "tool", "status", "took", "source", "error")
        print_table(columns, [_row(call) for call in found])
    else:
        say("No tool calls yet.")


@calls.command("stop")
@click.argument("call", required=False)
@json_option
def stop_calls(call: str | None, as_json: bool) -> int:
    """Stop all running tool calls of this home, or the CALL with this id.

    Calls of other commands and of the studio are stopped too. Exits with 1 if one goes on.
    """

    async def work() -> tuple[list[str], list[str]]:
        async with current_home() as home:
            listed = CallList(home.database, home.clock)
            wanted = [one.id for one in await listed.active()]
            if call is not None:
                if call not in wanted:
                    raise NotFound(
                        "CALL_NOT_FOUND",
                        f"no active call has the id {call!r}",
                        hint="`toolweave calls list --active` shows them",
                    )
                wanted = [call]
            if wanted:
                await listed.request_stop(call)
            return await _stopped(listed, wanted)

    stopped, left = run(work)
    if as_json:
        print_json({"stopped": stopped, "running": left})
    elif not stopped and not left:
        say("No tool call is running.")
    else:
        say(f"Stopped {len(stopped)} of {len(stopped) + len(left)} calls.")
    return 1 if left else 0


async def _stopped(listed: CallList, wanted: list[str]) -> tuple[list[str], list[str]]:
    """Wait until the calls have ended; return those that did and those that did not."""
    left = wanted
    with anyio.move_on_after(STOP_DEADLINE_S):
        while left:
            await anyio.sleep(POLL_S)
            active = {one.id for one in await listed.active()}
            left = [one for one in wanted if one in active]
    return [one for one in wanted if one not in left], left


def _row(call: CallRow) -> tuple[str | None, ...]:
    took = f"{call.took_ms:.0f} ms" if call.took_ms is not None else None
    return (
        call.id,
        call.submitted_at,
        call.server,
        call.tool,
        call.status,
        took,
        call.source,
        call.error_code,
    )
