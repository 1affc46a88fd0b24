"""`toolweave serve`, `mcp` and `demo-server` as processes: starting, stopping, living together."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.cli.driving import DEADLINE_S, PROGRAM, Commands

import toolweave
from toolweave.testing.server import ScriptedServer


@contextmanager
def _serving(tw: Commands, *argv: str) -> Generator[tuple[subprocess.Popen[bytes], str]]:
    """A service, and the address it says it listens on."""
    with tw.process(*argv) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline().decode()
            found = re.match(r"listening on (http://\S+)", said)
            assert found, said + process.stderr.read().decode()
            yield process, found[1]
        finally:
            process.kill()


def _get(url: str, key: str) -> object:
    with urlopen(Request(url, headers={"X-API-Key": key}), timeout=DEADLINE_S) as answer:
        return json.load(answer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_service_in_good_order(tw: Commands, number: signal.Signals) -> None:
    with _serving(tw, "serve", "--port", "0", "--no-browser") as (process, _):
        process.send_signal(number)
        _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    assert said.decode().splitlines()[-1] == "stopped"
    assert b"Traceback" not in said


def test_the_service_prints_a_client_configuration_with_an_absolute_path(tw: Commands) -> None:
    with _serving(tw, "serve", "--port", "0", "--no-browser") as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = process.stderr.read()  # `communicate` would skip what is buffered already
    snippet = said.decode().partition("client's configuration\n")[2].removesuffix("stopped\n")
    server = json.loads(snippet)["mcpServers"]["toolweave"]
    assert Path(server["command"]).is_absolute()
    assert server["args"][-3:] == ["mcp", "--home", str(tw.state)]


def test_mcp_uses_the_home_it_is_given(tw: Commands, tmp_path: Path) -> None:
    other = tmp_path / "other home"
    other.mkdir()
    tool = {"name": "greet", "inputSchema": {"type": "object"}}
    (other / "published.json").write_text(json.dumps([tool]), encoding="utf-8")
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "resources/templates/list"},  # the SDK answers this one
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages]
    done = subprocess.run(
        [*PROGRAM, "mcp", "--home", str(other)],
        cwd=tw.project,
        env=tw.environ,
        input="".join(lines).encode(),
        capture_output=True,
        timeout=DEADLINE_S,
        check=True,
    )
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    assert [tool["name"] for tool in answers[2]["result"]["tools"]][-1] == "greet"
    assert answers[3]["result"]["resourceTemplates"]
    assert (other / "toolweave.db").exists()
    assert not tw.state.exists()


def test_commands_and_a_running_service_do_not_disturb_each_other(
    tw: Commands, tmp_path: Path
) -> None:
    with _serving(tw, "serve", "--port", "0") as (process, url):
        key = tw.ok("keys", "create", "--scope", "tools:read").out.strip()
        assert _get(f"{url}/api/v1/mcp/tools", key)
        tw.add("mine", ScriptedServer(tmp_path / "s"))
        tw.ok("call", "mine", "echo", "--arg", "text=x")
        tw.ok("servers", "check")
        tw.ok("servers", "remove", "mine")
        tw.ok("keys", "revoke", "key")
        assert process.poll() is None
        with pytest.raises(HTTPError, match="401"):
            _get(f"{url}/api/v1/mcp/tools", "tw_nonsense")


def test_a_port_that_is_taken_fails_with_what_to_do(tw: Commands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = tw("serve", "--port", str(taken.getsockname()[1]))
    assert (ran.code, "[LISTEN_FAILED]" in ran.err) == (1, True)
    assert ran.err.splitlines()[0].endswith("Address already in use  [LISTEN_FAILED]")


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("serve", "--port", "70000"), 2),
        (("serve", "--port", "0", "--database", "mysql://x"), 1),
        (("serve", "--host", "no.such.host.invalid"), 1),
        (("demo-server", "--http", "--port", "-1"), 2),
    ],
)
def test_a_service_that_cannot_start_says_why(
    tw: Commands, argv: tuple[str, ...], code: int
) -> None:
    ran = tw(*argv)
    assert (ran.code, ran.out) == (code, "")
    assert "Error: " in ran.err


def test_the_demo_server_serves_http_and_ends_with_an_interrupt(tw: Commands) -> None:
    with _serving(tw, "demo-server", "--http") as (process, url):
        assert url.endswith("/mcp")
        with pytest.raises(HTTPError):  # it answers, so it also listens to signals by now
            _get(url, "none")
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE_S) == 0


def test_the_mcp_server_ends_with_its_input(tw: Commands) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    done = subprocess.run(
        [*PROGRAM, "mcp"],
        env=tw.environ,
        cwd=tw.project,
        input=json.dumps(hello).encode() + b"\n",
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "toolweave"


def test_the_installed_program_is_the_same(tw: Commands) -> None:
    program = Path(sys.executable).with_name("toolweave")
    done = subprocess.run([program, "--version"], capture_output=True, check=True, env=tw.environ)
    assert done.stdout.decode() == f"toolweave {toolweave.__version__}\n"


@pytest.mark.parametrize(
    ("argv", "code"),
    [(("servers", "list"), 0), (("servers", "enable", "nobody"), 1), (("servers", "enable"), 2)],
)
def test_the_exit_code_of_the_process_says_how_it_went(
    tw: Commands, argv: tuple[str, ...], code: int
) -> None:
    assert tw.run(*argv).code == code
