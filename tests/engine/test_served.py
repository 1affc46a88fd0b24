"""Commands beside a real `toolweave serve` of the same home: it holds the runs, they steer.

They run in this process, which is another one than the service's; one test, as it starts two.
"""

import json
from pathlib import Path

import anyio
from tests.cli.driving import DEADLINE_S, Commands
from tests.engine.test_lost_lease import rows, wait_for
from tests.triggers.hosting import hosting, node, trigger
from tests.triggers.test_process import deliver, serving

from servers.runners.eventually import eventually
from toolweave.testing.server import ScriptedServer, a_tool, never

OPTIONS = [{"label": "yes", "description": "Go on."}, {"label": "no", "description": "Stop."}]
ASK = node("ask", "askUserQuestion", questionText="Go on?", options=OPTIONS, multiSelect=True)
STUCK = node("stuck", "mcp", serverId="mine", toolName="stuck", parameters=[], parameterValues={})


async def prepare(home: Path) -> None:
    """A webhook whose run has a call without an end beside a question; a workflow that asks."""
    async with hosting(home) as host:
        hook = trigger("WEBHOOK", webhook_path="/orders")
        edges = ["when > stuck", "when > ask", "ask > after"]
        await host.enable("Both", hook, STUCK, ASK, node("after"), edges=edges)
        await host.store("Asks", node("begin", "start"), ASK, node("after"))


def computed(home: Path) -> set[str]:
    """The pure steps that were journaled."""
    bodies = rows(home, "SELECT body FROM journal WHERE kind = 'computed'")
    return {step[0] for (body,) in bodies for step in json.loads(body)["steps"]}


def test_commands_beside_a_service_steer_the_runs_it_holds(tmp_path: Path) -> None:
    tw = Commands(tmp_path, tmp_path)
    server = ScriptedServer(tmp_path / "server", a_tool("stuck"))
    server.on_call("stuck", [never()])
    tw.add("mine", server)
    anyio.run(prepare, tw.state)
    # The call is ended by a person here, never by its deadline.
    with serving(tw.state, TOOLWEAVE_CALL_DEADLINE_S="600") as (url, service):
        run = deliver(url, 1)
        assert run is not None
        eventually(lambda: bool(server.heard("tools/call")))
        waits = "SELECT kind FROM journal WHERE kind = 'step_waiting'"
        wait_for(tw.state, waits, [("step_waiting",)])
        with tw.process("runs", "watch", run, "--json") as watch:
            try:
                # An answer reaches the run while its other branch is in a call.
                tw.ok("runs", "answer", run, "ask", "--reply", "yes")
                eventually(lambda: "after" in computed(tw.state))
                assert rows(tw.state, "SELECT status FROM runs") == [("running",)]
                assert server.heard("notifications/cancelled") == []
                # A cancellation reaches the call itself.
                assert tw.ok("runs", "cancel", run, "--json").json["id"] == run
                wait_for(tw.state, "SELECT status FROM runs", [("cancelled",)])
                eventually(lambda: bool(server.heard("notifications/cancelled")))
                seen, _ = watch.communicate(timeout=DEADLINE_S)
            finally:
                watch.kill()
        lines = [json.loads(line) for line in seen.splitlines()]
        assert [line["type"] for line in lines].count("result") == 1
        assert lines[-1]["status"] == "cancelled"
        # A run by name is begun by the command, and goes on in the service.
        tw.ok("run", "Asks", "--json")
        (waiting,) = tw.ok("runs", "list", "--status", "waiting", "--json").json
        tw.ok("runs", "answer", waiting["id"], "ask", "--reply", "yes")
        ended = "SELECT status FROM runs ORDER BY status"
        wait_for(tw.state, ended, [("cancelled",), ("success",)])
        holders = rows(tw.state, "SELECT holder FROM runs")
        assert len(holders) == 2
        assert all(f"/{service.pid}/" in holder for (holder,) in holders)
