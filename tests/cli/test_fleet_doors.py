"""The doors of a fleet: any `serve` takes webhooks and tool calls, shows events of all workers."""

import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest
from tests.cli.driving import PROGRAM, Commands
from tests.engine.temporal_server import TemporalServer
from tests.storage.postgres import Postgres
from tests.triggers.hosting import catalog, node, trigger, workflow

from mcp_server.messages import envelope, request

pytestmark = pytest.mark.xdist_group("postgres")

ORDERS = workflow(
    "Orders",
    trigger("WEBHOOK", webhook_path="/orders"),
    catalog("later", "FLOW.DELAY", duration_seconds=1),
    node("end"),
)
GREET = workflow("greet", trigger("MANUAL"), node("end"))
SLOW = workflow(
    "slow", trigger("MANUAL"), catalog("later", "FLOW.DELAY", duration_seconds=3_600), node("end")
)
CALL = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "greet",
}


@contextmanager
def started(tw: Commands, settings: Mapping[str, str], *words: str) -> Generator[tuple[int, str]]:
    """A process in a home of its own, and the first line that it writes."""
    tw.home.mkdir()
    log, environ = tw.home / "log", {**tw.environ, **settings}
    with (
        log.open("wb") as stderr,
        subprocess.Popen([*PROGRAM, *words], env=environ, stderr=stderr) as process,
    ):
        try:
            while "\n" not in (said := log.read_text()):
                assert process.poll() is None, said
                time.sleep(0.05)
            yield process.pid, said
        finally:
            process.kill()


@contextmanager
def serving(tw: Commands, settings: Mapping[str, str]) -> Generator[httpx2.Client]:
    """A client of a service that executes no run itself."""
    elsewhere = {**settings, "TOOLWEAVE_QUEUES": "nothing"}
    with started(tw, elsewhere, "serve", "--port", "0", "--no-browser") as (_, line):
        key = (tw.state / "studio.key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=line.split()[2], headers=headers, timeout=60) as client:
            yield client


def events_of(client: httpx2.Client, run: str) -> list[tuple[str, str]]:
    """The kinds and the data of all events of a run, followed to its end."""
    kinds: list[str] = []
    found: list[tuple[str, str]] = []
    with client.stream("GET", f"/api/v1/runs/{run}/events") as events:
        for line in events.iter_lines():
            word, _, rest = line.partition(": ")
            if word == "event":
                kinds.append(rest)
            elif word == "data":
                found.append((kinds[-1], rest))
    return found


def terminate(server: TemporalServer, run: str) -> None:
    """As an operator of Temporal does it."""
    program = str(Path(sys.executable).with_name("temporal"))
    words = ("--address", server.target, "--workflow-id", run, "--reason", "too expensive")
    subprocess.run((program, "workflow", "terminate", *words), check=True, timeout=60)


def test_any_service_takes_webhooks_and_tool_calls_and_shows_events_of_any_worker(
    tmp_path: Path, postgres: Postgres, temporal: TemporalServer
) -> None:
    homes = [Commands(tmp_path / name, tmp_path) for name in ("worker", "one", "other")]
    settings = {
        "TOOLWEAVE_DATABASE": (database := postgres.new_database()),
        "TOOLWEAVE_BACKEND": temporal.address(lease_s=2, queue="doors"),
        "TOOLWEAVE_VAULT_KEY": "a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=",
    }
    with ExitStack() as stack:
        worker, _ = stack.enter_context(started(homes[0], settings, "worker"))
        one, other = (stack.enter_context(serving(home, settings)) for home in homes[1:])
        for door in (one, other):  # as deployed: all homes have the same workflows
            for name, document in (("Orders", ORDERS), ("greet", GREET)):
                saved = door.put(f"/api/v1/workflows/{name}", json={"document": document})
                saved.raise_for_status()
        one.post("/api/v1/triggers/Orders/enable", json={}).raise_for_status()
        one.put("/api/v1/published/greet", json={}).raise_for_status()

        # That it is enabled, the other service knows by the database, and soon.
        until = time.monotonic() + 60
        while (taken := other.post("/hooks/orders", json={"order": 7})).status_code == 404:
            assert time.monotonic() < until
            time.sleep(0.1)
        run = taken.json()["run_id"]
        kinds = [kind for kind, _ in events_of(one, run)]
        assert (kinds[0], kinds[-1]) == ("started", "finished")
        assert "step_waiting" in kinds

        message = request("tools/call", envelope(name="greet", arguments={}))
        called = other.post("/mcp", json=message, headers=CALL)
        assert '"isError":false' in called.text, called.text

        begun = other.post("/api/v1/runs", json={"document": SLOW, "inputs": {}})
        run = begun.raise_for_status().json()["id"]
        terminate(temporal, run)
        events = dict(events_of(one, run))
        assert "Temporal (terminated: too expensive)" in events["cancel_asked"]
        assert '"cancelled"' in events["finished"]

        with psycopg.connect(database) as connection:
            finished = "SELECT status, holder FROM runs WHERE status = 'success'"
            rows = connection.execute(finished).fetchall()
        assert [status for status, _ in rows] == ["success", "success"]
        assert {str(holder).split("/")[1] for _, holder in rows} == {str(worker)}
