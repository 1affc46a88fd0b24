"""Other people's clients as they are used: the inspector in strict mode, and Claude Code."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.preloaded.starting import write_launcher

from conformance.fixtures import FIXTURES
from conformance.programs import PACKAGES, needs, node, run_program, run_script
from rest.process import PROGRAM, Served
from toolweave.mcp_server.tool_list import DEFAULT

pytestmark = pytest.mark.xdist_group("node")

INSPECTOR = "@modelcontextprotocol/inspector"
CLAUDE_CODE = "@anthropic-ai/claude-code"
ERAS = ("legacy", "modern")


def inspect(home: Path, target: list[str], era: str, *arguments: str) -> dict[str, Any]:
    """What the inspector's command gives; it has nothing to say against it."""
    done = run_script(
        f"{INSPECTOR}/clients/launcher/build/index.js",
        ["--cli", *target, "--protocol-era", era, *arguments],
        home=home,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def stdio(home: Path) -> list[str]:
    write_launcher(home / "program")
    return ["-e", f"TOOLWEAVE_HOME={home / 'toolweave'}", str(home / "program"), "mcp"]


@needs(INSPECTOR)
@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_finds_no_fault_with_our_tools_in_strict_mode(
    tmp_path: Path, era: str
) -> None:
    listed = inspect(tmp_path, stdio(tmp_path), era, "--method", "tools/list", "--strict")
    names = [tool["name"] for tool in listed["tools"]]
    assert names == [offered.name for offered in DEFAULT]


@needs(INSPECTOR)
def test_the_inspectors_strict_mode_does_find_faults(tmp_path: Path) -> None:
    # A positive control: a server whose schema no client can be expected to take.
    server = Path(__file__).with_name("faulty_server.py")
    done = run_script(
        f"{INSPECTOR}/clients/launcher/build/index.js",
        ["--cli", sys.executable, str(server), "--method", "tools/list", "--strict"],
        home=tmp_path,
    )
    assert done.returncode == 6, done.stderr


@needs(INSPECTOR)
def test_the_inspector_calls_a_tool_and_gets_its_data(tmp_path: Path) -> None:
    arguments = ("--tool-name", "get_node_types", "--tool-arg", "type_filter=FLOW")
    answer = inspect(tmp_path, stdio(tmp_path), "modern", "--method", "tools/call", *arguments)
    assert "IF" in answer["structuredContent"]["FLOW"]
    assert not answer.get("isError")


@needs(INSPECTOR)
def test_the_inspector_lists_the_catalog(tmp_path: Path) -> None:
    listed = inspect(tmp_path, stdio(tmp_path), "legacy", "--method", "resources/list")
    addresses = {resource["uri"] for resource in listed["resources"]}
    assert {"toolweave://catalog/types", "toolweave://catalog/FLOW/IF"} <= addresses


@needs(INSPECTOR)
@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_lists_our_tools_over_http_with_a_key(
    tmp_path: Path, server: Served, era: str
) -> None:
    target = ["--server-url", f"{server.url}/mcp", "--header", f"X-API-Key: {server.key}"]
    listed = inspect(tmp_path, target, era, "--method", "tools/list", "--strict")
    assert len(listed["tools"]) == len(DEFAULT) + len(FIXTURES)


@needs(CLAUDE_CODE)
def test_claude_code_shows_us_connected_over_stdio_and_http(tmp_path: Path, server: Served) -> None:
    stdio_entry = {
        "type": "stdio",
        "command": PROGRAM[0],
        "args": [*PROGRAM[1:], "mcp"],
        "env": {"TOOLWEAVE_HOME": str(tmp_path / "toolweave")},
    }
    http_entry = {
        "type": "http",
        "url": f"{server.url}/mcp",
        "headers": {"X-API-Key": server.key},
    }
    keyless = {"type": "http", "url": f"{server.url}/mcp"}
    entries = {"toolweave": stdio_entry, "studio": http_entry, "keyless": keyless}
    settings = json.dumps({"mcpServers": entries})
    (tmp_path / ".claude.json").write_text(settings, encoding="utf-8")
    program = str(PACKAGES / CLAUDE_CODE / "bin" / "claude.exe")
    done = run_program([program, "mcp", "list"], home=tmp_path)
    states = {line.partition(":")[0]: line for line in done.stdout.splitlines()}
    assert done.returncode == 0, done.stderr
    assert states["toolweave"].endswith("Connected"), done.stdout
    assert states["studio"].endswith("Connected"), done.stdout
    assert states["keyless"].endswith("Needs authentication"), done.stdout


@needs("conformance-2026")
def test_our_authorization_server_passes_the_official_suite(tmp_path: Path, server: Served) -> None:
    with httpx2.Client(trust_env=False, headers=server.headers, timeout=60) as browser:
        described = {"redirect_uris": ["http://127.0.0.1/callback"]}
        client = browser.post(f"{server.url}/oauth/register", json=described).json()
        arguments = {
            "--url": server.url,
            "--client-id": client["client_id"],
            "--resource": f"{server.url}/mcp",
            "--port": str(free_port()),
        }
        script = PACKAGES / "conformance-2026" / "dist" / "index.js"
        flat = [part for pair in arguments.items() for part in pair]
        program = [str(node()), str(script), "authorization", *flat]
        with subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = location = ""
            for line in process.stdout:
                said += line
                if line.startswith(f"{server.url}/oauth/authorize"):
                    query = browser.get(line.strip()).headers["location"].partition("?")[2]
                    body = {"query": query, "allowed": True, "scopes": ["tools:read"]}
                    granted = browser.post(f"{server.url}/api/v1/oauth/grants", json=body)
                    location = granted.json()["location"]
                if "Callback server started" in line:
                    browser.get(location)
    assert process.returncode == 0, said
    assert "Total: 3 passed, 0 failed" in said


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return bound.getsockname()[1]
