"""What a person sees and does at a terminal: prompts, live displays, Ctrl-C."""

from pathlib import Path

import pytest
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool, asks, never, reports, says, tells


@pytest.fixture
def server(tw: Commands, tmp_path: Path) -> ScriptedServer:
    tools = [a_tool(name) for name in ("echo", "ask", "slow")]
    server = ScriptedServer(tmp_path / "s", *tools)
    tw.add("mine", server)
    return server


def test_a_person_approves_at_the_prompt(tw: Commands, tmp_path: Path) -> None:
    tw.add("mine", ScriptedServer(tmp_path / "s"), approved=False)
    with tw.terminal("servers", "approve", "mine") as terminal:
        terminal.wait_for("Approve this server? [y/N]: ")
        terminal.type("y\n")
        assert terminal.end() == 0
    assert "Approved 'mine'." in terminal.text


def test_a_person_who_does_not_say_yes_has_said_no(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s")
    tw.add("mine", server, approved=False)
    with tw.terminal("servers", "approve", "mine") as terminal:
        terminal.wait_for("[y/N]: ")
        terminal.type("\n")
        assert terminal.end() == 1
    assert "Not approved." in terminal.text
    assert server.processes == []


def test_an_interrupt_at_the_prompt_ends_the_command_at_once(tw: Commands) -> None:
    tw.ok("servers", "add", "mine", "--", "env")
    with tw.terminal("servers", "approve", "mine") as terminal:
        terminal.wait_for("[y/N]: ")
        terminal.interrupt()
        assert terminal.end() == 130
    assert terminal.text.endswith("Interrupted.\n")
    assert "Traceback" not in terminal.text


def test_a_question_of_a_tool_is_put_field_by_field(tw: Commands, server: ScriptedServer) -> None:
    form = {
        "type": "object",
        "required": ["name", "age"],
        "properties": {
            "name": {"type": "string", "title": "Your name\x1b[2J", "minLength": 2},
            "age": {"type": "integer"},
            "sure": {"type": "boolean", "default": True},
            "size": {"type": "string", "enum": ["s", "m"]},
        },
    }
    server.on_call("ask", [asks("Who are you?\x1b]0;x\x07", requestedSchema=form), tells()])
    with tw.terminal("call", "mine", "ask", columns=120) as terminal:
        terminal.wait_for(
            "mine asks: Who are you?\N{REPLACEMENT CHARACTER}]0;x\N{REPLACEMENT CHARACTER}"
        )
        terminal.wait_for("Your name<U+001B>[2J: ")
        terminal.type("A\n")
        terminal.wait_for("too short")
        terminal.type("Ada\n")
        terminal.wait_for("age: ")
        terminal.type("x\n")
        terminal.wait_for("expected an integer")
        terminal.type("36\n")
        terminal.wait_for("sure (y/n) [y]: ")
        terminal.type("\n")
        terminal.wait_for('size (one of "s", "m") (optional): ')
        terminal.type("\n")
        assert terminal.end() == 0
    flat = "".join(terminal.text.split())
    assert '"content":{"name":"Ada","age":36,"sure":true}' in flat


def test_the_end_of_input_declines_a_question(tw: Commands, server: ScriptedServer) -> None:
    form = {"type": "object", "properties": {"name": {"type": "string"}}}
    server.on_call("ask", [asks("Who?", requestedSchema=form), tells()])
    with tw.terminal("call", "mine", "ask") as terminal:
        terminal.wait_for("name (optional): ")
        terminal.type("\x04")
        assert terminal.end() == 0
    assert '"decline"' in terminal.text


def test_an_interrupt_at_a_tools_question_ends_the_call(
    tw: Commands, server: ScriptedServer
) -> None:
    server.on_call("ask", [asks("Really?"), tells()])
    with tw.terminal("call", "mine", "ask") as terminal:
        terminal.wait_for("Yes? [y/N]: ")
        terminal.interrupt()
        assert terminal.end() == 130
    assert "Traceback" not in terminal.text


def test_an_interrupt_cancels_the_call_on_the_server_too(
    tw: Commands, server: ScriptedServer
) -> None:
    server.on_call("slow", [reports(1, 4, "half\x1b[2J way"), never()])
    with tw.terminal("call", "mine", "slow") as terminal:
        terminal.wait_for("half<U+001B>[2J way")
        terminal.wait_for("1/4")
        terminal.interrupt()
        assert terminal.end() == 130
    assert terminal.text.rstrip().endswith("Interrupted.")
    (call,) = server.heard("tools/call")
    meta = call["_meta"]
    assert isinstance(meta, dict)
    # A ping that was on its way when all ended may be cancelled too.
    cancelled = [one["requestId"] for one in server.heard("notifications/cancelled")]
    assert cancelled.count(meta["progressToken"]) == 1


def test_markdown_is_laid_out_and_links_show_where_they_lead(
    tw: Commands, server: ScriptedServer
) -> None:
    server.on_call("echo", [says("# Title\n\n- one\x1b[2J\n- [bank](https://evil.example)\n")])
    with tw.terminal("call", "mine", "echo") as terminal:
        assert terminal.end() == 0
    assert "# Title" not in terminal.text
    assert "• one<U+001B>[2J" in terminal.text.replace(" ", " ")
    assert "https://evil.example" in terminal.text
    assert b"\x1b]8" not in terminal.raw


def test_plain_text_cannot_act_on_the_terminal(tw: Commands, server: ScriptedServer) -> None:
    server.on_call("echo", [says("a\x1b[2Jb\x9bc \u202ed")])
    with tw.terminal("call", "mine", "echo") as terminal:
        assert terminal.end() == 0
    assert "a<U+001B>[2Jb<U+009B>c <U+202E>d" in terminal.text
    assert b"\x1b[2J" not in terminal.raw


def test_the_check_is_a_table_that_fills_up(tw: Commands, server: ScriptedServer) -> None:
    assert server.processes
    with tw.terminal("servers", "check") as terminal:
        terminal.wait_for("connecting")
        assert terminal.end() == 0
    assert "ready" in terminal.text.split("connecting")[-1]


def test_a_list_of_servers_fits_eighty_columns(tw: Commands) -> None:
    tw.ok("servers", "add", "n" * 100, "--", "x")
    tw.ok("servers", "add", "gone", "https://example.com/mcp")
    with tw.terminal("servers", "list") as terminal:
        assert terminal.end() == 0
    lines = terminal.text.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert lines[0].split() == ["name", "state", "transport", "latency", "tools", "details"]
    assert any(line.split()[:4] == ["gone", "not", "approved", "http"] for line in lines)
    assert "".join(line.split()[0] for line in lines[2:] if line.startswith("n")) == "n" * 100


def test_a_secret_is_typed_unseen(tw: Commands) -> None:
    with tw.terminal("secrets", "set", "token") as terminal:
        terminal.wait_for("Value: ")
        terminal.type("hunter2\n")
        terminal.wait_for("Repeat for confirmation: ")
        terminal.type("hunter2\n")
        assert terminal.end() == 0
    assert "hunter2" not in terminal.text
