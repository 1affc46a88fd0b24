"""Servers that are lost in the middle of a call, over HTTP, SSE and in containers."""

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.cli.test_server_health import record
from tests.servers.runners.conftest import busybox_image, docker_host
from tests.servers.runners.dockerd import docker

__all__ = ["busybox_image", "docker_host", "tw"]

# Speaks streamable HTTP at /mcp and SSE at /sse; the tool `die` ends the process.
REMOTE = """
import json, os, queue
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
streams = []
SCHEMA = {"type": "object"}
RESULTS = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "remote", "version": "1"}},
    "tools/list": {"tools": [{"name": n, "inputSchema": SCHEMA} for n in ("where", "die")]},
    "ping": {},
}
def answer(asked, path):
    if asked["method"] == "tools/call":
        if asked["params"]["name"] == "die":
            os._exit(1)
        result = {"content": [{"type": "text", "text": "at " + path}]}
    elif asked["method"] in RESULTS:
        result = RESULTS[asked["method"]]
    else:
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "?"}}
    return {"jsonrpc": "2.0", "id": asked["id"], "result": result}
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def reply(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in asked:
            self.reply(202)
        elif self.path == "/mcp":
            self.reply(200, json.dumps(answer(asked, self.path)).encode())
        else:
            self.reply(202)
            streams[-1].put(answer(asked, "/sse"))
    def do_GET(self):
        if self.path != "/sse":
            return self.reply(405)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        streams.append(queue.Queue())
        event = "event: endpoint\\ndata: /messages\\n\\n"
        while True:
            self.wfile.write(event.encode())
            event = "event: message\\ndata: " + json.dumps(streams[-1].get()) + "\\n\\n"
    def log_message(self, *args):
        pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextmanager
def remote() -> Generator[str]:
    """The address of a running server."""
    command = [sys.executable, "-I", "-S", "-c", REMOTE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


@pytest.mark.requirement("002:way.user.route", "002:ServerHealthStatus.transition.connection-lost")
@pytest.mark.parametrize(("path", "option"), [("/mcp", ()), ("/sse", ("--sse",))])
def test_a_remote_server_that_dies_in_a_call_is_disconnected_and_counted(
    tw: Commands, path: str, option: tuple[str, ...]
) -> None:
    with remote() as origin:
        tw.ok("servers", "add", "far", origin + path, *option)
        tw.ok("servers", "approve", "far", "--yes")
        assert tw.ok("call", "far", "where").out == f"at {path}\n"
        assert record(tw)["failureCount"] == 0
        ran = tw("call", "far", "die", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (1, "MCP_SERVER_DISCONNECTED")
    found = record(tw)
    assert (found["failureCount"], found["state"]) == (1, "failing")
    [call] = tw.ok("calls", "list", "--limit", "1", "--json").json
    assert (call["status"], call["errorCode"]) == ("error", "MCP_SERVER_DISCONNECTED")


# The server of the image, but a call with the text `nap` takes until the file is there.
WAIT = """while [ "${text#nap}" != "$text" -a ! -e /tmp/go ]; do sleep 0.05; done;"""
NAPPING = f"sed 's|text=$(|{WAIT} &|' /server.sh > /tmp/s; . /tmp/s"


@pytest.mark.xdist_group("docker")
@pytest.mark.requirement(
    "002:MCPServerConfig.dockerConfig.containerName", "002:MCPServerConfig.dockerConfig.command"
)
def test_a_second_command_leaves_the_container_of_a_running_call(
    tw: Commands, docker_host: str, busybox_image: str
) -> None:
    environ = {"DOCKER_HOST": docker_host}
    container = ("--image", busybox_image, "--container-name", "naps", "--no-network")
    tw.ok("servers", "add", "box", *container, "--", "/bin/sh", "-c", NAPPING)
    tw.ok("servers", "approve", "box", "--yes", **environ)
    shout = ("call", "box", "shout", "--arg")
    with tw.process(*shout, "text=nap", **environ) as first:
        while not tw.ok("calls", "list", "--active", "--json").json:
            assert first.poll() is None
        before = docker(docker_host, "ps", "--quiet", "--filter=name=naps").stdout
        assert tw.ok(*shout, "text=hi", **environ).out == "HI\n"
        assert docker(docker_host, "ps", "--quiet", "--filter=name=naps").stdout == before != b""
        docker(docker_host, "exec", "naps", "/bin/touch", "/tmp/go")
        out, err = first.communicate(timeout=30)
    assert (first.returncode, out) == (0, b"NAP\n"), err


@pytest.mark.xdist_group("docker")
@pytest.mark.requirement("002:MCPServerConfig.dockerConfig.ports")
def test_the_approval_shows_the_container_with_its_ports(tw: Commands, docker_host: str) -> None:
    entry: dict[str, Any] = {"name": "git", "transport": "stdio", "deploymentType": "managed"}
    entry["dockerConfig"] = {
        "image": "mcp/git:1",
        "containerName": "my-git",
        "command": ["serve", "--root", "/repo"],
        "ports": {"8080": 9091},
    }
    (tw.project / "data.json").write_text(json.dumps({"mcpServers": [entry]}), encoding="utf-8")
    tw.ok("servers", "add", "--from", "data.json")
    shown = tw("servers", "approve", "git", DOCKER_HOST=docker_host)
    for part in ("mcp/git:1", "my-git", "127.0.0.1:9091:8080", "serve --root /repo"):
        assert part in shown.out + shown.err
