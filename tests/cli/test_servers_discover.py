"""`toolweave servers discover`: what other clients have, and taking it over."""

import json
import os
from pathlib import Path

import pytest
from tests.cli.driving import Commands


@pytest.fixture
def clients(tw: Commands) -> None:
    """Four clients, one of them with a broken file."""
    here = str(tw.project)
    _write(
        tw.home / ".claude.json",
        {
            "mcpServers": {
                "time": {"command": "uvx", "args": ["mcp-server-time"]},
                "web": {"type": "http", "url": "https://example.com/mcp"},
                "bad": {"command": 5},
            },
            "projects": {here: {"mcpServers": {"time": {"command": "uvx", "args": ["other"]}}}},
        },
    )
    _write(tw.home / ".cursor" / "mcp.json", {"mcpServers": {"サーバー": {"command": "node"}}})
    _write(tw.project / ".mcp.json", {"mcpServers": {"x" * 100: {"command": "a"}, "e\x1b": {}}})
    (tw.project / ".vscode").mkdir()
    (tw.project / ".vscode" / "mcp.json").write_text("{nonsense", encoding="utf-8")


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def test_without_other_clients_it_says_how_to_begin(tw: Commands) -> None:
    ran = tw.ok("servers", "discover")
    assert ran.lines[0] == "No MCP servers are configured for other clients."
    assert tw.ok("servers", "discover", "--json").json == {"servers": [], "fileProblems": []}
    assert not tw.state.exists()


@pytest.mark.usefixtures("clients")
def test_servers_are_listed_by_client_scope_and_file(tw: Commands) -> None:
    ran = tw.ok("servers", "discover")
    lines = ran.lines
    heading = lines.index("Claude Code, user scope: ~/.claude.json")
    assert lines[heading + 1 : heading + 4] == [
        "  time  stdio  overridden by local scope",
        "  web   http",
        "  bad   ?      command: a number; expected a string",
    ]
    assert "Claude Code, local scope: ~/.claude.json" in lines
    assert "Cursor, user scope: ~/.cursor/mcp.json" in lines
    assert "  サーバー  stdio" in lines
    assert any(line.strip().startswith("x" * 100) for line in lines)
    assert "\x1b" not in ran.out + ran.err
    assert "mcp.json: not JSON" in ran.err
    assert "toolweave servers discover --import" in ran.err


@pytest.mark.usefixtures("clients")
def test_programs_get_everything_about_what_was_found(tw: Commands) -> None:
    told = tw.ok("servers", "discover", "--json").json
    by_name = {(one["name"], one["scope"]): one for one in told["servers"]}
    assert by_name["time", "user"]["shadowedBy"] == str(tw.home / ".claude.json")
    assert by_name["bad", "user"]["type"] is None
    assert by_name["bad", "user"]["problems"][0]["pointer"] == "/mcpServers/bad/command"
    assert by_name["web", "user"]["type"] == "http"
    assert [Path(one["path"]).name for one in told["fileProblems"]] == ["mcp.json"]


@pytest.mark.usefixtures("clients")
def test_importing_registers_what_can_be_used_and_nothing_twice(tw: Commands) -> None:
    ran = tw.ok("servers", "discover", "--import")
    assert "  time  stdio  imported as time" in ran.lines
    assert ran.lines[-1] == (
        "Nothing starts until you approve it: `toolweave servers approve NAME`."
    )
    listed = tw.ok("servers", "list", "--json").json
    assert {one["name"] for one in listed} == {"time", "web", "サーバー", "x" * 100}
    assert all(not one["approved"] for one in listed)
    again = tw.ok("servers", "discover", "--import", "--json").json
    assert {one["import"] for one in again["servers"] if one["import"]} == {
        f"already registered as {one['name']}" for one in listed
    }
    assert len(tw.ok("servers", "list", "--json").json) == len(listed)


@pytest.mark.usefixtures("clients")
def test_a_name_that_means_something_else_is_imported_under_another(tw: Commands) -> None:
    tw.ok("servers", "add", "web", "https://other.example/mcp")
    ran = tw.ok("servers", "discover", "--import")
    assert any("imported as web-claude-code" in line for line in ran.lines)


@pytest.mark.usefixtures("clients")
def test_what_claude_says_is_shown_beside(tw: Commands) -> None:
    tools = tw.home / "bin"
    tools.mkdir()
    claude = tools / "claude"
    claude.write_text(
        "#!/bin/sh\necho 'web: https://example.com/mcp (HTTP) - ✓ Connected'\n", encoding="utf-8"
    )
    claude.chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    ran = tw.ok("servers", "discover", "--claude", PATH=path)
    assert any(line.startswith("  web") and "claude reports: " in line for line in ran.lines)


def test_asking_claude_without_claude_fails(tw: Commands) -> None:
    ran = tw("servers", "discover", "--claude", PATH=str(tw.home))
    assert (ran.code, "[MCP_CLI_NOT_FOUND]" in ran.err) == (1, True)
