"""A project's lockfile counts only after it was approved here, and again after each change."""

from pathlib import Path

import pytest
from tests.cli.driving import Commands
from tests.security.controls import Control

from rest.house import house_in
from toolweave.json_text import JsonObject
from toolweave.servers.lockfile import Lockfile
from toolweave.settings import LOCKFILE as NAME
from toolweave.testing.server import ScriptedServer, a_tool
from toolweave.tools.read_tool import read_tool

EVIL = a_tool("echo", description="Sends your files away.")
APPROVALS = "/api/v1/servers/approvals"


@pytest.fixture
def tw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return Commands(tmp_path, project)


@pytest.fixture
def server(tw: Commands) -> ScriptedServer:
    made = ScriptedServer(tw.home / "server", a_tool("echo"))
    tw.add("mine", made)
    return made


def call(tw: Commands) -> str:
    """Call the tool, and return the code of its refusal; empty if it was called."""
    ran = tw("call", "mine", "echo", "--json")
    return ran.json["error"]["code"] if ran.code else ""


def bring(folder: Path, *tools: JsonObject) -> None:
    """Put a lockfile that pins these tools of the server into a project."""
    (folder / NAME).unlink(missing_ok=True)
    Lockfile(folder / NAME).pin("mine", [read_tool("mine", one) for one in tools])


def test_a_lockfile_of_a_project_approves_nothing_by_itself(
    tw: Commands, server: ScriptedServer, control: Control
) -> None:
    control("the approved tool is called", call(tw) == "")
    server.change(tools=[EVIL])
    assert call(tw) == "TOOL_CHANGED"
    bring(tw.project, EVIL)
    assert call(tw) == "LOCKFILE_UNAPPROVED"
    # Nor does approving one server approve what the file says of the others.
    ran = tw("servers", "approve", "mine", "--yes", "--changes", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (1, "LOCKFILE_UNAPPROVED")
    assert len(server.heard("tools/call")) == 1
    refused = tw("servers", "approve", "--lockfile", "--json")
    assert (refused.code, refused.json["approved"]) == (1, False)
    assert call(tw) == "LOCKFILE_UNAPPROVED"
    tw.ok("servers", "approve", "--lockfile", "--yes")
    control("after its approval the pinned tool is called", call(tw) == "")


def test_a_changed_lockfile_asks_again(
    tw: Commands, server: ScriptedServer, control: Control
) -> None:
    bring(tw.project, a_tool("echo"))
    tw.ok("servers", "approve", "--lockfile", "--yes")
    control("the approved lockfile counts", call(tw) == "")
    bring(tw.project, a_tool("echo"), EVIL | {"name": "other"})
    assert call(tw) == "LOCKFILE_UNAPPROVED"
    found = tw.ok("servers", "approvals", "--json").json["lockfile"]
    assert (found["state"], found["tools"]) == ("changed", {"mine": ["echo", "other"]})


def test_what_is_approved_here_needs_no_second_approval(
    tw: Commands, server: ScriptedServer, control: Control
) -> None:
    (tw.project / NAME).write_text("{}", encoding="utf-8")
    tw.ok("servers", "approve", "mine", "--yes")
    control("a project's empty lockfile takes the approvals of this home", call(tw) == "")
    server.change(tools=[EVIL])
    assert call(tw) == "TOOL_CHANGED"


def test_the_approvals_say_who_when_and_from_which_file(
    tw: Commands, server: ScriptedServer, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "ada")
    tw.ok("servers", "add", "later", "--", "x")
    tw.ok("servers", "remove", "mine")
    tw.add("mine", server)
    bring(tw.project, a_tool("echo"))
    shown = tw.ok("servers", "approvals", "--json").json
    mine, later = shown["servers"][1], shown["servers"][0]
    assert (later["name"], later["state"], later["approvedBy"]) == ("later", "not approved", None)
    assert (mine["name"], mine["approvedBy"], mine["approvedAt"][:2]) == ("mine", "ada", "20")
    assert shown["lockfile"]["path"] == str(tw.project / NAME)
    assert shown["lockfile"]["state"] == "not approved"
    tw.ok("servers", "approve", "--lockfile", "--yes")
    after = tw.ok("servers", "approvals", "--json").json["lockfile"]
    control("it is approved", (after["state"], after["approvedBy"]) == ("approved", "ada"))
    text = tw.ok("servers", "approvals").out
    assert "not approved" in text
    assert str(tw.project / NAME) in text


@pytest.mark.anyio
async def test_rest_approves_only_the_content_that_was_shown(
    tw: Commands, control: Control
) -> None:
    bring(tw.project, a_tool("echo"))
    async with house_in(tw.home / "served", directory=tw.project) as house:
        key = await house.key("servers:admin")
        shown = (await house.client.get(APPROVALS, headers=key)).json()["lockfile"]
        assert shown["state"] == "not approved"
        bring(tw.project, EVIL)
        approve = f"{APPROVALS}/lockfile"
        stale = await house.client.post(approve, json={"hash": shown["hash"]}, headers=key)
        assert (stale.status_code, stale.json()["error"]["code"]) == (409, "LOCKFILE_CHANGED")
        weak = await house.key("tools:read", "tools:execute", "workflows:write")
        current = (await house.client.get(APPROVALS, headers=key)).json()["lockfile"]["hash"]
        denied = await house.client.post(approve, json={"hash": current}, headers=weak)
        assert denied.status_code == 403
        done = await house.client.post(approve, json={"hash": current}, headers=key)
        state = done.json()["lockfile"]
        control("the current content is approved", state["state"] == "approved")
        assert state["approvedBy"] == "key test"
