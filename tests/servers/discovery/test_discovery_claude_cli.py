"""The `claude` command as a check, played by a script that prints what the real one printed."""

import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from toolweave.errors import Unavailable
from toolweave.servers.discovery.claude_cli import ClaudeCliServer, claude_mcp_list, read_list
from toolweave.servers.discovery.locations import ClientLocations

# Printed by Claude Code 2.1.197; names and addresses are changed.
OUTPUT = """\
Checking MCP server health…

time: uvx mcp-server-time --local-timezone=UTC - ✔ Connected
web: https://web.test/mcp (HTTP) - ✘ Failed to connect
feed: http://localhost:8080/sse (SSE) - ! Needs authentication
prj: echo hi - ⏸ Pending approval (run `claude` to approve)
bare: server  - ! Connected · tools fetch failed

MCP config diagnostics ⚠

For help configuring MCP servers, see: https://code.claude.com/docs/en/mcp

[Contains warnings] User config (available in all your projects)
Location: /home/ada/.claude.json
 └ [Warning] [bad] mcpServers.bad: Skipped - invalid MCP server config for "bad"
"""

Install = Callable[[str], ClientLocations]


@pytest.fixture
def install(places: ClientLocations) -> Install:
    """Puts a `claude` made of shell lines on the PATH."""

    def write(script: str) -> ClientLocations:
        program = places.root / "bin" / "claude"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        path = os.pathsep.join([str(program.parent), os.defpath])
        return replace(places, environ={"PATH": path})

    return write


def printing(text: str) -> str:
    return f"cat <<'END'\n{text}\nEND"


@pytest.mark.anyio
async def test_the_servers_of_claude_mcp_list_are_read_with_type_and_status(
    install: Install,
) -> None:
    with anyio.fail_after(60):
        listed = await claude_mcp_list(20, places=install(printing(OUTPUT)))

    assert listed == (
        ClaudeCliServer(
            "time", "stdio", "uvx mcp-server-time --local-timezone=UTC", "connected", "Connected"
        ),
        ClaudeCliServer("web", "http", "https://web.test/mcp", "failed", "Failed to connect"),
        ClaudeCliServer(
            "feed", "sse", "http://localhost:8080/sse", "needs_sign_in", "Needs authentication"
        ),
        ClaudeCliServer(
            "prj", "stdio", "echo hi", "pending", "Pending approval (run `claude` to approve)"
        ),
        ClaudeCliServer("bare", "stdio", "server", "connected", "Connected · tools fetch failed"),
    )


@pytest.mark.anyio
async def test_the_command_runs_in_the_project_with_exactly_its_arguments(
    install: Install,
) -> None:
    places = install('echo "at: $PWD $* - ✔ Connected"')
    with anyio.fail_after(60):
        (listed,) = await claude_mcp_list(20, places=places)

    assert listed.target == f"{places.project} mcp list"


@pytest.mark.anyio
@pytest.mark.parametrize("path", [None, "", "bin"])
async def test_without_the_command_the_answer_is_unavailable(
    path: str | None, places: ClientLocations
) -> None:
    places = replace(places, environ={} if path is None else {"PATH": path})
    with pytest.raises(Unavailable) as caught:
        await claude_mcp_list(5, places=places)

    assert caught.value.code == "MCP_CLI_NOT_FOUND"


@pytest.mark.anyio
async def test_whoever_stops_waiting_leaves_no_process_behind(
    install: Install, tmp_path: Path
) -> None:
    # The pipe ends only when every process that holds it is gone, the background one too.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    places = install(f"exec 3> {pipe}\nsleep 600 &\necho started >&3\nwait")

    scope = anyio.CancelScope()

    async def wait() -> None:
        with scope:
            await claude_mcp_list(600, places=places)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            async with await anyio.open_file(pipe, encoding="utf-8") as reader:
                assert await reader.readline() == "started\n"
                scope.cancel()
                assert await reader.read() == ""


@pytest.mark.anyio
@pytest.mark.parametrize("script", ["exit 3", "kill -9 $$"])
async def test_a_command_that_fails_is_said_to_have_failed(script: str, install: Install) -> None:
    with anyio.fail_after(60), pytest.raises(Unavailable) as caught:
        await claude_mcp_list(20, places=install(script))

    assert caught.value.code == "MCP_CLI_FAILED"


@pytest.mark.anyio
async def test_a_command_that_cannot_be_started_is_said_to_have_failed(
    install: Install, places: ClientLocations
) -> None:
    placed = install("")
    (places.root / "bin" / "claude").write_bytes(b"\x7fELF, but not really")
    with pytest.raises(Unavailable) as caught:
        await claude_mcp_list(20, places=placed)

    assert caught.value.code == "MCP_CLI_FAILED"


@pytest.mark.anyio
async def test_endless_output_is_cut_off_and_not_kept(install: Install) -> None:
    flood = "i=0; while [ $i -lt 200 ]; do head -c 65536 /dev/zero; i=$((i+1)); done"
    with anyio.fail_after(60):
        listed = await claude_mcp_list(
            20, places=install(f"{printing('a: x - ✔ Connected')}\n{flood}")
        )
    assert [item.name for item in listed] == ["a"]


@pytest.mark.parametrize(
    ("line", "name", "target", "status"),
    [
        ("a: x - ✓ Connected", "a", "x", "connected"),
        ("a: x - ✗ Failed to connect", "a", "x", "failed"),
        ("a: x - ⚠ Needs authentication", "a", "x", "needs_sign_in"),
        ("a: x - ? Resting", "a", "x", "unknown"),
        ("plugin:tools:db: db - now - ✓ Connected", "plugin:tools:db", "db - now", "connected"),
        ("a: sh -c 'b: c' - ✓ Connected", "a", "sh -c 'b: c'", "connected"),
        ("\x1b[32ma: x - ✓ Connected\x1b[0m", "a", "x", "connected"),
    ],
)
def test_lines_of_other_versions_are_read_too(
    line: str, name: str, target: str, status: str
) -> None:
    (listed,) = read_list(line)
    assert (listed.name, listed.target, listed.status) == (name, target, status)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No MCP servers configured. Use `claude mcp add` to add a server.",
        "Location: /home/ada/.claude.json",
        "a:  - ✓ Connected",
        "a: x - ✓",
        "a: " * 300_000 + " - b" * 300_000,
    ],
)
def test_other_lines_are_passed_over(text: str) -> None:
    assert list(read_list(text)) == []
