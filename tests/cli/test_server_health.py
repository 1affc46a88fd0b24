"""Server health by commands: one rule for failures, retries, losses in a call, calls to stop."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool, exits, never

# Ends at once as often as the file says, then becomes the scripted server.
FLAKY = """
import os, sys
from pathlib import Path
left = Path(sys.argv[1])
count = int(left.read_text())
left.write_text(str(max(count - 1, 0)))
if count:
    sys.exit(3)
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


class Flaky:
    """A server whose next starts can be made to fail."""

    def __init__(self, folder: Path) -> None:
        self.server = ScriptedServer(folder / "s", a_tool("echo"), a_tool("die"), a_tool("wait"))
        self.server.on_call("die", [exits()])
        self.server.on_call("wait", [never()])
        self.left = folder / "left"
        self.fail(0)
        program = folder / "flaky.py"
        program.write_text(FLAKY, encoding="utf-8")
        arguments = self.server.definition.args
        self.argv = (sys.executable, "-I", "-S", str(program), str(self.left), *arguments)

    def fail(self, times: int) -> None:
        self.left.write_text(str(times), encoding="utf-8")


@pytest.fixture
def flaky(tw: Commands, tmp_path: Path) -> Flaky:
    flaky = Flaky(tmp_path)
    tw.ok("servers", "add", "mine", "--", *flaky.argv)
    tw.ok("servers", "approve", "mine", "--yes")
    return flaky


def record(tw: Commands) -> dict[str, object]:
    (found,) = tw.ok("servers", "list", "--json").json
    return found


@pytest.mark.requirement(
    "002:health.auto-disable-after-3",
    "002:MCPServerConfig.transition.threshold",
    "002:MCPServerConfig.failureCount",
)
def test_the_third_failing_command_disables_the_server_and_says_so(
    tw: Commands, flaky: Flaky
) -> None:
    # A server that is started twice for each check: an old one may not know the first message.
    flaky.fail(100)
    for count in (1, 2):
        tw("servers", "check", "mine")
        assert (record(tw)["failureCount"], record(tw)["enabled"]) == (count, True)
    flaky.fail(0)
    tw.ok("servers", "check", "mine")
    assert record(tw)["failureCount"] == 0
    flaky.fail(100)
    for _ in range(3):
        tw("servers", "check", "mine")
    found = record(tw)
    assert (found["autoDisabled"], found["enabled"], found["state"]) == (
        True,
        False,
        "auto-disabled",
    )
    (notice,) = tw.ok("inbox", "notices", "--json").json
    assert (notice["kind"], notice["subject"]) == ("server_auto_disabled", "mine")
    assert "[SERVER_DISABLED]" in tw("call", "mine", "echo").err


@pytest.mark.requirement(
    "002:health.backoff-1-5-15", "002:ToolInvocationRequest.transition.failure-retry"
)
def test_a_call_retries_the_connection_within_its_deadline(tw: Commands, flaky: Flaky) -> None:
    flaky.fail(2)
    ran = tw("call", "mine", "echo", "--arg", "text=hi")
    assert (ran.code, "hi" in ran.out) == (0, True), ran
    assert record(tw)["failureCount"] == 0
    flaky.fail(4)
    late = tw("call", "mine", "echo", TOOLWEAVE_RETRY_DELAYS_S="100,100,100")
    assert (late.code, "[MCP_SERVER_DISCONNECTED]" in late.err) == (1, True)
    assert (record(tw)["failureCount"], record(tw)["state"]) == (1, "failing")


@pytest.mark.requirement("002:ServerHealthStatus.transition.connection-lost")
def test_a_server_that_dies_in_a_call_is_disconnected_and_counted(
    tw: Commands, flaky: Flaky
) -> None:
    ran = tw("call", "mine", "die")
    assert (ran.code, "[MCP_SERVER_DISCONNECTED]" in ran.err) == (1, True)
    found = record(tw)
    assert (found["failureCount"], found["state"]) == (1, "failing")
    assert found["connectionStatus"] == "disconnected"
    tw.ok("call", "mine", "echo", "--arg", "text=hi")
    assert (record(tw)["failureCount"], record(tw)["state"]) == (0, "ready")


@pytest.mark.requirement("002:MCPServerConfig.transition.enabled")
def test_enabling_connects(tw: Commands, flaky: Flaky) -> None:
    tw.ok("servers", "disable", "mine")
    before = len(flaky.server.processes)
    assert json.loads(tw.ok("servers", "enable", "mine", "--json").out)["state"] == "ready"
    assert len(flaky.server.processes) > before
    tw.ok("servers", "disable", "mine")
    flaky.fail(100)
    enabled = tw.ok("servers", "enable", "mine")
    assert "It does not answer" in enabled.err
    assert record(tw)["failureCount"] == 1


@pytest.mark.requirement(
    "002:ExecutionTracker.executionHistory",
    "002:ExecutionTracker.activeExecutions",
    "002:ToolInvocationRequest.transition.cancelled",
)
def test_calls_are_listed_and_stopped_from_another_command(tw: Commands, flaky: Flaky) -> None:
    tw.ok("call", "mine", "echo", "--arg", "text=hi")
    assert tw.ok("calls", "stop").out == "No tool call is running.\n"
    with tw.process("call", "mine", "wait", "--json") as process:
        active: list[dict[str, object]] = []
        while not active:
            active = tw.ok("calls", "list", "--active", "--json").json
        assert [(one["tool"], one["completedAt"]) for one in active] == [("wait", None)]
        stopped = tw.ok("calls", "stop", "--json").json
        assert stopped == {"stopped": [active[0]["id"]], "running": []}
        out, err = process.communicate(timeout=30)
    assert b"CALL_CANCELLED" in out + err
    listed = tw.ok("calls", "list", "--json").json
    assert [(one["tool"], one["status"]) for one in listed] == [
        ("wait", "cancelled"),
        ("echo", "success"),
    ]
    assert tw("calls", "stop", "no-such-call").code == 1


@pytest.mark.requirement("002:MCPServerConfig.dockerConfig.image", "002:settings.mcpServers")
def test_the_configuration_of_the_document_plugin_is_read(tw: Commands) -> None:
    servers: list[dict[str, Any]] = [
        {
            "id": "8c2f",
            "name": "box",
            "transport": "stdio",
            "deploymentType": "managed",
            "dockerConfig": {
                "image": "mcp/time:1",
                "containerName": "time",
                "command": ["serve"],
                "ports": {"8080": 9090},
            },
            "enabled": True,
            "failureCount": 2,
            "autoDisabled": False,
            "sectionBindings": [
                {"sectionType": "heading", "headingText": "Tools", "serverId": "8c2f"}
            ],
        },
        {
            "name": "far",
            "transport": "sse",
            "deploymentType": "external",
            "sseConfig": {"url": "https://example.com/sse"},
        },
    ]
    plugin = {"mcpServers": servers, "mcpGlobalTimeout": 30000}
    path = tw.project / "data.json"
    path.write_text(json.dumps(plugin), encoding="utf-8")
    added = tw.ok("servers", "add", "--from", "data.json")
    assert "sectionBindings" in added.out + added.err
    box, far = tw.ok("servers", "list", "--json").json
    assert (box["name"], box["runner"], box["enabled"]) == ("box", "docker", False)
    assert (far["name"], far["transport"]) == ("far", "sse")
    del servers[1]["sseConfig"]
    servers[1]["name"] = "other"
    path.write_text(json.dumps(plugin), encoding="utf-8")
    refused = tw("servers", "add", "--from", "data.json")
    assert (refused.code, "/mcpServers/1/sseConfig" in refused.out + refused.err) == (1, True)
