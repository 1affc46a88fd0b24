"""A home made before the rooms were renamed opens and runs with today's code.

`old_home` was made by the commands of commit 3d289f0; its database is kept as SQL. The clock of the
commands is set back to the day after, because the question in it has a deadline.
"""

import shutil
import sqlite3
import sys
from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from cli.driving import Commands
from mcp_server.doors import Door
from rest.process import Served, served
from toolweave.clock import SystemClock
from toolweave.home import open_home
from toolweave.settings import Settings

OLD_HOME = Path(__file__).parent / "old_home"
KEY = "tw_wh6zJL_QZL8sKZkwjXpyhL9b58ITkEiswBq_mXef4xA"
FINISHED = "31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f"
WAITING = "e8eb5228-b027-4ddf-9de2-0fe9839fa11c"
THE_DAY_AFTER = datetime(2026, 11, 17, 12, tzinfo=UTC)


def copy_old_home(target: Path) -> None:
    """Copy the home and load its database."""
    shutil.copytree(OLD_HOME, target)
    script = target / "toolweave.sql"
    with sqlite3.connect(target / "toolweave.db") as database:
        database.executescript(script.read_text("utf-8"))
    database.close()
    script.unlink()
    (target / "vault.key").chmod(0o600)


@pytest.fixture
def tw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """The command line in a copy of the old home."""
    commands = Commands(tmp_path / "home", tmp_path / "project")
    commands.project.mkdir()
    copy_old_home(commands.state)
    monkeypatch.chdir(commands.project)
    # The server's command is `python3`: the one that runs this test.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    shift = THE_DAY_AFTER - datetime.now(UTC)

    def shifted(_: SystemClock) -> datetime:
        return datetime.now(UTC) + shift

    monkeypatch.setattr(SystemClock, "now", shifted)
    return commands


def test_old_runs_are_listed_and_shown(tw: Commands) -> None:
    runs = {run["id"]: run["status"] for run in tw.ok("runs", "list", "--json").json}
    assert runs == {FINISHED: "success", WAITING: "waiting"}
    assert "Take a coat to Lisbon." in tw.ok("runs", "show", FINISHED).out
    assert "Release 1.2" in tw.ok("inbox", "list").out


def test_the_waiting_run_is_answered_and_finishes(tw: Commands) -> None:
    (question,) = tw.ok("inbox", "list", "--json").json
    tw.ok("inbox", "answer", question["id"], "--approve", "--as", "ada")
    run = tw.ok("runs", "show", WAITING, "--json").json
    assert run["status"] == "success"
    values = {step["key"]: step["value"] for step in run["steps"]}
    assert values["ship"]["text"] == "Release 1.2 ships."


def test_a_stored_workflow_calls_the_approved_server(tw: Commands) -> None:
    assert "Take a coat to Lisbon." in tw.ok("run", "trip", "--input", "city=Lisbon").out


def test_servers_triggers_models_and_workflows_are_as_they_were(tw: Commands) -> None:
    (server,) = tw.ok("servers", "list", "--json").json
    assert (server["name"], server["state"]) == ("demo", "ready")
    (trigger,) = tw.ok("schedules", "list", "--json").json
    assert (trigger["workflow"], trigger["node"]) == ("nightly", "clock")
    assert trigger["isCurrent"]
    assert trigger["nextAt"]
    assert trigger["pausedAt"] is None
    (model,) = tw.ok("models", "list", "--json").json
    assert (model["name"], model["isDefault"]) == ("local", True)
    workflows = tw.ok("workflows", "list", "--json").json
    assert {workflow["name"] for workflow in workflows} == {"nightly", "review", "trip"}


def test_a_stored_secret_is_read_with_the_key_file(tw: Commands) -> None:
    async def read() -> str:
        async with open_home(Settings(home=tw.state), environ={}) as home:
            return await home.vault.get("api-token")

    assert anyio.run(read) == "s3cret-of-then"


@pytest.fixture
def server(tw: Commands) -> Generator[Served]:
    with served(tw.state) as running:
        yield replace(running, key=KEY)


@pytest.mark.anyio
async def test_the_old_key_lists_and_calls_the_published_tool(server: Served) -> None:
    with anyio.fail_after(60):
        async with Door("http", "auto", server.home, server).client() as client:
            tools = (await client.list_tools()).tools
            assert "plan_trip" in {tool.name for tool in tools}
            result = await client.call_tool("plan_trip", {"city": "Lisbon"})
    assert result.structured_content is not None
    assert result.structured_content["text"] == "Take a coat to Lisbon."
