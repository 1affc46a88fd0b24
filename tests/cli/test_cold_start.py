"""What a command does not need is not loaded, and importing the package does nothing."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import DEADLINE_S, Commands

import toolweave
from toolweave.mcp_server.tool_list import DEFAULT

PROBE = (
    "import sys\n"
    "from toolweave.cli.main import cli\n"
    "try:\n"
    "    cli.main()\n"
    "finally:\n"
    "    sys.stderr.write('\\n' + ' '.join(sys.modules))\n"
)
# `toolweave mcp` with an import of `mcp` that lasts until somebody allows it.
HELD = (
    "import sys, threading\n"
    "from importlib.abc import MetaPathFinder\n"
    "class Held(MetaPathFinder):\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        if name == 'mcp' or name.startswith(('mcp.', 'mcp_types')):\n"
    "            sys.stderr.write('wants ' + name + '\\n'); sys.stderr.flush()\n"
    "            threading.Event().wait()\n"
    "sys.meta_path.insert(0, Held())\n"
    "from toolweave.cli.main import main\n"
    "main()\n"
)
# `toolweave serve` that lists its modules whenever it gets a line.
WATCHED = (
    "import sys, threading\n"
    "def watch():\n"
    "    for _ in sys.stdin:\n"
    "        sys.stdout.write(' '.join(list(sys.modules)) + '\\n'); sys.stdout.flush()\n"
    "threading.Thread(target=watch, daemon=True).start()\n"
    "from toolweave.cli.main import cli\n"
    "cli.main(['serve', '--port', '0', '--no-browser'])\n"
)
# What the studio loads after the first page, and with the first server or request to /mcp.
LATER = ("fastapi", "markdown_it", "mcp", "mcp_types", "yaml")
NOT_FOR_THE_FIRST_PAGE = (
    *LATER,
    "toolweave.documents",
    "toolweave.export",
    "toolweave.library",
    "toolweave.mcp_server.server",
    "toolweave.rest.app",
    "toolweave.servers.connection",
    "toolweave.servers.oauth",
    "toolweave.servers.supervisor",
)
# Such packages do not arrive: a thread waits for them for ever, and everything else fails at once.
WITHHELD = (
    "import sys, threading\n"
    "from importlib.abc import MetaPathFinder\n"
    "class Withheld(MetaPathFinder):\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    f"        if name.partition('.')[0] in {LATER!r}:\n"
    "            if threading.current_thread() is threading.main_thread():\n"
    "                raise ImportError(name)\n"
    "            threading.Event().wait()\n"
    "sys.meta_path.insert(0, Withheld())\n"
)
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


# What no command needs that starts no server and asks no other machine.
SLOW = (
    "cryptography.x509",
    "dbos",
    "fastapi",
    "httpcore2",
    "httpx2",
    "keyring",
    "mcp",
    "mcp_types",
    "psycopg",
    "starlette",
    "toolweave.engine.engine",
    "toolweave.servers.connection",
    "uvicorn",
    "yaml",
)
# Printing into a pipe needs no styles.
STYLES = ("rich.console", "rich.markdown", "rich.progress")
# Only to show what there is.
HELP = (*STYLES, "rich", "pydantic", "asyncio", "cryptography", "sqlite3", "toolweave.home")
# Nodes are known from the cache of the home; only those of the workflow are loaded.
# Records of other rooms, which take longer to load than a file to check.
RECORDS = ("pydantic", "cryptography.hazmat.primitives.ciphers.aead")
# Expressions are CEL, except those that somebody wrote for another system.
TRANSLATION = (
    "toolweave.workflow.formats.foreign.translation",
    "toolweave.workflow.formats.legacy.javascript",
)
OTHER_NODES = ("toolweave.nodes.services.notion.instruction", "toolweave.nodes.registry")
FORBIDDEN: dict[tuple[str, ...], tuple[str, ...]] = {
    ("--help",): HELP,
    ("servers", "--help"): HELP,
    ("nonsense",): HELP,
    # All that they need where a studio does the work.
    ("call", "--help"): HELP,
    ("run", "--help"): HELP,
    ("catalog", "types"): (*STYLES, *RECORDS, *OTHER_NODES),
    ("catalog", "search", "send", "mail"): (*STYLES, *RECORDS, *OTHER_NODES),
    ("servers", "list"): (*STYLES, "toolweave.nodes", "toolweave.workflow.formats.load"),
    ("servers", "discover"): STYLES,
    ("keys", "list"): STYLES,
    ("runs", "list"): (*STYLES, *RECORDS, "toolweave.nodes", "toolweave.workflow.formats.load"),
    ("workflows", "list"): (*STYLES, *OTHER_NODES),
    ("validate", "flow.json"): (*STYLES, *RECORDS, *OTHER_NODES, *TRANSLATION),
    ("convert", "flow.json", "--to", "ccwf"): (
        *STYLES,
        *RECORDS,
        "sqlite3",
        "asyncio",
        "toolweave.nodes",
    ),
    # Its schemas of tools are those of the lockfile.
    ("export", "flow.json", "--to", "claude-skill", "--dry-run"): (
        *STYLES,
        *RECORDS,
        *OTHER_NODES,
    ),
    ("node", "mode", "flow.json", "add"): (*STYLES, *RECORDS, *OTHER_NODES),
}
FLOW: dict[str, Any] = {
    "id": "w",
    "name": "w",
    "nodes": [
        {"id": "start", "type": "start", "name": "Start", "data": {}},
        {
            "id": "add",
            "type": "mcp",
            "name": "add",
            "data": {"serverId": "demo", "toolName": "add", "mode": "detailed"},
        },
        {
            "id": "check",
            "type": "FLOW",
            "name": "check",
            "data": {"subtype": "IF", "configurations": {"condition_expression": "data.sum > 1"}},
        },
    ],
    "connections": [
        {"id": "a", "from": "start", "to": "add"},
        {"id": "b", "from": "add", "to": "check"},
    ],
}


@pytest.mark.parametrize("argv", FORBIDDEN, ids=" ".join)
def test_a_command_loads_nothing_slow_that_it_does_not_need(
    tw: Commands, argv: tuple[str, ...]
) -> None:
    (tw.project / "flow.json").write_text(json.dumps(FLOW))
    if "toolweave.nodes.registry" in FORBIDDEN[argv]:
        tw.ok("catalog", "types")
    loaded = _loaded_by(tw, argv)
    assert "toolweave.cli.main" in loaded
    assert loaded & {*SLOW, *FORBIDDEN[argv]} == set()


def test_what_a_command_does_need_is_seen(tw: Commands) -> None:
    (tw.project / "flow.json").write_text(json.dumps(FLOW))
    step = (
        "{id: a, type: FLOW, data: {subtype: IF, configurations: {condition_expression: a ?? 1}}}"
    )
    (tw.project / "flow.yaml").write_text(f"name: w\nnodes: [{step}]\nconnections: []\n")
    assert "toolweave.nodes.flow.if_" in _loaded_by(tw, ("validate", "flow.json"))
    assert {"yaml", *TRANSLATION} <= _loaded_by(tw, ("validate", "flow.yaml"))
    assert "toolweave.servers.gate" in _loaded_by(tw, ("validate", "flow.json", "--live"))


def _loaded_by(tw: Commands, argv: tuple[str, ...]) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *argv],
        cwd=tw.project,
        env=tw.environ,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return set(done.stderr.decode().split("\n")[-1].split())


def test_the_first_answers_of_mcp_do_not_wait_for_the_sdk(tw: Commands) -> None:
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    with subprocess.Popen(
        [sys.executable, "-c", HELD, "mcp"],
        cwd=tw.project,
        env=tw.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in requests))
        process.stdin.flush()
        hello, tools = (json.loads(process.stdout.readline()) for _ in range(2))
        # The SDK was asked for, and has not arrived to this moment.
        assert process.stderr.readline().startswith(b"wants mcp")
        process.kill()
    assert hello["result"]["serverInfo"]["name"] == "toolweave"
    names = [tool["name"] for tool in tools["result"]["tools"]]
    assert names == [offered.name for offered in DEFAULT]


def test_the_first_page_of_the_studio_loads_neither_rest_nor_the_sdk(tw: Commands) -> None:
    tw.ok("catalog", "types")  # what nodes there are is known from then on
    with _watched_studio(tw, WITHHELD + WATCHED) as studio:
        for path in ("/health", "/"):
            with urllib.request.urlopen(studio.url + path, timeout=DEADLINE_S) as answer:
                assert answer.status == 200
        loaded = studio.modules()
        assert "toolweave.serve.http" in loaded
        assert loaded & set(NOT_FOR_THE_FIRST_PAGE) == set()


def test_the_studio_loads_the_sdk_with_the_first_request_to_mcp(tw: Commands) -> None:
    with _watched_studio(tw) as studio:
        assert b"get_node_types" in studio.get("/api/v1/mcp/health")
        loaded = studio.modules()
        assert {"fastapi", "toolweave.rest.app"} <= loaded
        assert "mcp" not in loaded
        assert studio.mcp({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
        assert {"mcp", "toolweave.mcp_server.server"} <= studio.modules()


def test_the_studio_loads_the_sdk_with_the_first_server(tw: Commands) -> None:
    argv = [sys.executable, "-m", "toolweave.cli.main", "demo-server"]
    tw.ok("servers", "add", "demo", "--", *argv)
    tw.ok("servers", "approve", "demo", "--yes")
    with _watched_studio(tw) as studio:
        until = time.monotonic() + DEADLINE_S
        while "toolweave.servers.supervisor" not in studio.modules():
            assert time.monotonic() < until
            time.sleep(0.05)


@dataclass(frozen=True)
class _WatchedStudio:
    process: subprocess.Popen[bytes]
    url: str
    key: str

    def modules(self) -> set[str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return set(self.process.stdout.readline().decode().split())

    def mcp(self, message: dict[str, Any]) -> bytes:
        return self.get("/mcp", json.dumps(message).encode())

    def get(self, path: str, body: bytes | None = None) -> bytes:
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        request = urllib.request.Request(self.url + path, body, headers)
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            return answer.read()


@contextmanager
def _watched_studio(tw: Commands, script: str = WATCHED) -> Generator[_WatchedStudio]:
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tw.project,
        env=tw.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline().decode()
            assert first.startswith("listening on "), first
            key = (tw.state / "studio.key").read_text().strip()
            yield _WatchedStudio(process, first.split()[2], key)
        finally:
            process.kill()


@pytest.mark.parametrize("code", [0, 3])
def test_leaving_writes_everything_and_keeps_the_exit_code(code: int) -> None:
    script = (
        "import atexit, sys\n"
        "from toolweave.cli.main import leave\n"
        "atexit.register(sys.stdout.write, 'last')\n"
        "sys.stdout.write('x' * 1_000_000)\n"
        "sys.stderr.write('why')\n"
        f"leave({code})\n"
    )
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, capture_output=True, timeout=DEADLINE_S, check=False)
    assert (done.returncode, done.stderr) == (code, b"why")
    assert done.stdout == b"x" * 1_000_000 + b"last"


def test_leaving_waits_for_threads() -> None:
    script = (
        "import threading, time\n"
        "from toolweave.cli.main import leave\n"
        "threading.Thread(target=lambda: (time.sleep(0.05), print('worked'))).start()\n"
        "leave(0)\n"
    )
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, capture_output=True, timeout=DEADLINE_S, check=False)
    assert (done.returncode, done.stdout) == (0, b"worked\n")


def test_importing_every_module_does_nothing(tmp_path: Path) -> None:
    root = Path(toolweave.__file__).parent
    modules = [
        ".".join(path.relative_to(root.parent).with_suffix("").parts)
        for path in sorted(root.rglob("*.py"))
    ]
    names = [name.removesuffix(".__init__") for name in modules]
    script = (
        "import importlib, os, sys, threading\n"
        "before = dict(os.environ), os.getcwd(), sys.argv[:]\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "assert (dict(os.environ), os.getcwd(), sys.argv[:]) == before\n"
        "assert threading.active_count() == 1, threading.enumerate()\n"
        "assert not os.listdir('.'), os.listdir('.')\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "TOOLWEAVE_HOME": str(tmp_path / "state")},
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
