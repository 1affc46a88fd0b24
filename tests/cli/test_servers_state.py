"""`toolweave servers list|check|enable|disable|remove|tools|sign-in`."""

import json
import sys
from pathlib import Path

import pytest
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool


@pytest.fixture
def server(tw: Commands, tmp_path: Path) -> ScriptedServer:
    server = ScriptedServer(tmp_path / "s", a_tool("echo"), a_tool("other"))
    tw.add("mine", server)
    return server


def test_an_empty_list_says_how_to_begin(tw: Commands) -> None:
    ran = tw.ok("servers", "list")
    assert "toolweave servers discover --import" in ran.out
    assert "toolweave servers add demo -- toolweave demo-server" in ran.out
    assert tw.ok("servers", "list", "--json").json == []


@pytest.mark.usefixtures("server")
def test_the_list_shows_state_latency_tools_and_what_to_do(tw: Commands) -> None:
    tw.ok("servers", "add", "other", "--", "x")
    ran = tw.ok("servers", "list")
    assert ran.lines[0].split() == ["name", "state", "transport", "latency", "tools", "details"]
    name, state, transport, latency, unit, tools, _ = ran.lines[1].split()
    assert (name, state, transport, unit, tools) == ("mine", "ready", "stdio", "ms", "2")
    assert latency.isdecimal()
    assert ran.lines[2].split()[:3] == ["other", "not", "approved"]
    assert "toolweave servers approve NAME" in ran.err
    first, second = tw.ok("servers", "list", "--json").json
    assert (first["state"], first["toolCount"], first["approved"]) == ("ready", 2, True)
    assert second["connectionStatus"] == "disconnected"


@pytest.mark.requirement("001:McpServerReference.displayName")
@pytest.mark.parametrize(
    ("name", "shown"),
    [("aws-knowledge_mcp", "Aws Knowledge Mcp"), ("myServer", "MyServer"), ("--", "--")],
)
def test_a_server_has_a_name_for_people(tw: Commands, name: str, shown: str) -> None:
    paste = json.dumps({name: {"command": "x"}})
    assert tw("servers", "add", "--from", "-", input=paste).code == 0
    (listed,) = tw.ok("servers", "list", "--json").json
    assert (listed["name"], listed["displayName"]) == (name, shown)


@pytest.mark.requirement("001:McpServerReference.description")
def test_what_a_server_says_it_is_for_is_shown_and_kept(tw: Commands) -> None:
    about = "Harmless tools to try things out with. Nothing here is real or kept."
    tw.ok("servers", "add", "demo", "--", "toolweave", "demo-server")
    assert tw.ok("servers", "list", "--json").json[0]["description"] is None
    assert f"Its description: {about}" in tw.ok("servers", "approve", "demo", "--yes").lines
    assert tw.ok("servers", "tools", "demo").lines[0] == about
    tw.ok("servers", "disable", "demo")
    assert tw.ok("servers", "list", "--json").json[0]["description"] == about


@pytest.mark.usefixtures("server")
def test_a_server_that_says_nothing_of_itself_has_no_description(tw: Commands) -> None:
    assert tw.ok("servers", "tools", "mine").lines[0] == "echo"
    assert tw.ok("servers", "list", "--json").json[0]["description"] is None


@pytest.mark.usefixtures("server")
def test_a_server_is_switched_off_and_on_again(tw: Commands) -> None:
    assert tw.ok("servers", "disable", "mine").out == "Disabled 'mine'.\n"
    assert "disabled" in tw.ok("servers", "list").lines[1]
    refused = tw("call", "mine", "echo")
    assert (refused.code, "[SERVER_DISABLED]" in refused.err) == (1, True)
    assert tw.ok("servers", "enable", "mine").out == "Enabled 'mine'.\n"
    assert tw.ok("servers", "disable", "mine", "--json").json["enabled"] is False
    assert tw.ok("servers", "enable", "mine", "--json").json["enabled"] is True


def test_enabling_an_unapproved_server_says_that_it_is_not_approved(tw: Commands) -> None:
    tw.ok("servers", "add", "mine", "--", "x")
    ran = tw.ok("servers", "enable", "mine")
    assert ran.lines[1] == "It is not approved yet: `toolweave servers approve mine`."


@pytest.mark.usefixtures("server")
def test_a_removed_server_leaves_no_pins(tw: Commands) -> None:
    assert tw.ok("servers", "remove", "mine").out.startswith("Removed 'mine'.")
    lock = json.loads((tw.state / "toolweave.lock.json").read_bytes())
    assert lock["servers"] == {}
    assert tw("servers", "remove", "mine", "--json").code == 1
    tw.ok("servers", "add", "mine", "--", "x")
    assert tw.ok("servers", "remove", "mine", "--json").json == {"removed": "mine"}


@pytest.mark.usefixtures("server")
def test_a_check_pings_all_and_fails_if_one_does_not_answer(tw: Commands) -> None:
    good = tw.ok("servers", "check")
    assert good.lines[0].split()[:4] == ["name", "state", "latency", "tools"]
    assert good.lines[1].split()[:2] == ["mine", "ready"]
    tw.ok("servers", "add", "dead", "--", sys.executable, "-c", "raise SystemExit(3)")
    tw("servers", "approve", "dead", "--yes")
    both = tw("servers", "check")
    assert both.code == 1
    assert [line.split()[:2] for line in both.lines[1:]] == [["dead", "failing"], ["mine", "ready"]]
    one = tw.ok("servers", "check", "mine", "--json").json
    assert [(line["name"], line["state"], line["toolCount"]) for line in one] == [
        ("mine", "ready", 2)
    ]
    assert "dead" in tw.ok("servers", "list").out


def test_a_check_of_nothing_says_so(tw: Commands) -> None:
    ran = tw.ok("servers", "check")
    assert ran.out == "No server is enabled. `toolweave servers list` shows all.\n"
    assert tw.ok("servers", "check", "--json").json == []
    assert tw("servers", "check", "nobody").code == 1


def test_a_check_tells_of_changed_tools(tw: Commands, server: ScriptedServer) -> None:
    server.change(tools=[a_tool("echo", description="Another.")])
    assert "2 tools differ from the approved ones" in tw.ok("servers", "check").out
    assert "text only since approval" in tw.ok("servers", "tools", "mine").out


def test_the_tools_are_shown_with_all_they_want(tw: Commands, tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "required": ["who"],
        "properties": {
            "who": {
                "type": "object",
                "description": "Whom.",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
            },
            "tone": {"enum": ["kind", "stern"], "type": "string", "default": "kind"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "pay": {
                "oneOf": [
                    {
                        "type": "object",
                        "required": ["by", "number"],
                        "properties": {"by": {"const": "card"}, "number": {"type": "string"}},
                    },
                    {
                        "type": "object",
                        "required": ["by"],
                        "properties": {"by": {"const": "cash"}},
                    },
                ]
            },
        },
    }
    tool = a_tool("greet", description="Greet.\x1b[31m", inputSchema=schema)
    tw.add("mine", ScriptedServer(tmp_path / "s", tool, a_tool("echo")))
    ran = tw.ok("servers", "tools", "mine", "--tool", "greet")
    assert ran.lines[:2] == ["greet", "  Greet.<U+001B>[31m"]
    for line in (
        "  * who  object - Whom.",
        "      * name  string",
        "        age  integer or null",
        '    tone  string, default "kind", one of "kind", "stern"',
        "    tags  array of string",
        "    pay  object",
        '      with by "card":',
        "        * number  string",
    ):
        assert line in ran.lines
    assert "echo" in tw.ok("servers", "tools", "mine").out


@pytest.mark.usefixtures("server")
def test_the_tools_as_json_have_the_promised_keys(tw: Commands) -> None:
    tools = tw.ok("servers", "tools", "mine", "--json").json
    assert [tool["name"] for tool in tools] == ["echo", "other"]
    assert {"name", "description", "parameters", "inputSchema"} <= set(tools[0])
    assert tools[0]["parameters"][0]["name"] == "text"


@pytest.mark.usefixtures("server")
def test_a_tool_that_is_not_there_fails_with_a_close_name(tw: Commands) -> None:
    ran = tw("servers", "tools", "mine", "--tool", "ecco")
    assert ran.code == 1
    assert "Hint: did you mean 'echo'?" in ran.err


def test_a_server_without_tools_says_so(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s")
    server.change(tools=[])
    tw.add("mine", server)
    assert tw.ok("servers", "tools", "mine").out == "The server has no tools.\n"


@pytest.mark.usefixtures("server")
def test_signing_in_where_there_is_nothing_to_sign_in_to_fails(tw: Commands) -> None:
    ran = tw("servers", "sign-in", "mine", "--no-browser")
    assert (ran.code, "[SERVER_SIGN_IN_UNUSED]" in ran.err) == (1, True)
    tw.ok("servers", "add", "web", "https://example.com/mcp", "--oauth")
    unapproved = tw("servers", "sign-in", "web", "--no-browser", "--json")
    assert unapproved.json["error"]["code"] == "SERVER_NOT_APPROVED"
