"""A tool call through Toolweave and through MCP proxies: `python -m bench.proxies` from the root.

The same client over HTTP, the same stdio server behind each, in turns. Ours is a published workflow
of one durable step: approved, pinned, checked, limited, journaled and kept in the history; the
proxies pass messages on. They are installed into `.cache` on first use; `--quick` takes those that
are there.
"""

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2
from bench.engine_webhook import started
from bench.ground import Call, bare_client, interleaved
from bench.ground import Size as GroundSize
from bench.npm_peer import ROOT, environ, free_port, install, node
from bench.table import Row, table
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.rest.process import environ_of, served

SERVER = (sys.executable, "-m", "toolweave.cli.main", "demo-server")
TOOL, ARGUMENTS = "add", {"a": 2, "b": 40}
START_S, INSTALL_S = 120, 900
PYTHON_PLACE = ROOT / ".cache" / "bench-proxies"
NPM_PLACE = ROOT / ".cache" / "npm-proxies"
FASTMCP, MCP_PROXY, SUPERGATEWAY = "fastmcp==4.1.2", "mcp-proxy==0.13.0", "supergateway@4.0.0"
GATEWAY = NPM_PLACE / "node_modules" / "supergateway" / "dist" / "index.js"
FAST = {"TOOLWEAVE_RATE_PER_S": "1000000", "TOOLWEAVE_BURST": "1000000"}


@dataclass(frozen=True, slots=True)
class Proxy:
    """A program that offers a stdio server over HTTP."""

    name: str
    argv: tuple[str, ...]
    url: str


# Makes a proxy that will listen on a port, which is chosen when it starts.
MakeProxy = Callable[[int], Proxy]


def proxies(folder: Path, *, may_install: bool) -> list[MakeProxy]:
    """Those that are there, installed if need be."""
    found: list[MakeProxy] = []
    for package, program, make in (
        (FASTMCP, "fastmcp", partial(_fastmcp, folder)),
        (MCP_PROXY, "mcp-proxy", _mcp_proxy),
    ):
        place = PYTHON_PLACE / program / "bin" / program
        if _python_peer(package, place, may_install=may_install):
            found.append(partial(make, place))
    try:
        if not GATEWAY.exists() and may_install:
            install(NPM_PLACE, SUPERGATEWAY)
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"supergateway is left out, it cannot be installed: {error}\n")
    if GATEWAY.exists():
        found.append(_supergateway)
    return found


def _python_peer(package: str, program: Path, *, may_install: bool) -> bool:
    """Install a package into an environment of its own: their dependencies exclude each other."""
    uv, place = str(ROOT / "scripts" / "uv"), program.parents[1]
    if not program.exists() and may_install:
        python = str(place / "bin" / "python")
        try:
            for argv in (
                [uv, "venv", "--quiet", "--clear", str(place)],
                [uv, "pip", "install", "--quiet", "--python", python, package],
            ):
                subprocess.run(argv, check=True, timeout=INSTALL_S, cwd=ROOT)
        except (OSError, subprocess.SubprocessError) as error:
            sys.stderr.write(f"{package} is left out, it cannot be installed: {error}\n")
    return program.exists()


def _fastmcp(folder: Path, program: Path, port: int) -> Proxy:
    config = folder / "mcp.json"
    command, *args = SERVER
    config.write_text(json.dumps({"mcpServers": {"demo": {"command": command, "args": args}}}))
    options = ("--transport", "http", "--host", "127.0.0.1", "--port", str(port), "--no-banner")
    argv = (str(program), "run", str(config), *options)
    return Proxy(
        f"FastMCP proxy {FASTMCP.partition('==')[2]}", argv, f"http://127.0.0.1:{port}/mcp"
    )


def _mcp_proxy(program: Path, port: int) -> Proxy:
    command, *args = SERVER
    argv = (str(program), "--port", str(port), "--pass-environment", command, "--", *args)
    return Proxy(f"mcp-proxy {MCP_PROXY.partition('==')[2]}", argv, f"http://127.0.0.1:{port}/mcp")


def _supergateway(port: int) -> Proxy:
    options = ("--outputTransport", "streamableHttp", "--stateful", "--port", str(port))
    argv = (node(), str(GATEWAY), "--stdio", shlex.join(SERVER), *options, "--logLevel", "none")
    name = f"supergateway {SUPERGATEWAY.partition('@')[2]}"
    return Proxy(name, argv, f"http://127.0.0.1:{port}/mcp")


@contextmanager
def published(folder: Path) -> Generator[tuple[str, str]]:
    """Our address and a key, with the tool published as a workflow."""
    home = folder / "home"
    _toolweave(home, "servers", "add", "demo", "--", *SERVER)
    _toolweave(home, "servers", "approve", "demo", "--yes")
    file = folder / "sum.json"
    file.write_text(json.dumps(_workflow()), encoding="utf-8")
    _toolweave(home, "publish", str(file))
    with served(home, FAST) as server:
        yield f"{server.url}/mcp", server.key


def _toolweave(home: Path, *arguments: str) -> None:
    argv = [*SERVER[:-1], *arguments]
    done = subprocess.run(argv, env=environ_of(home), capture_output=True, timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stdout + done.stderr!r}")


def _workflow() -> dict[str, object]:
    number = {"type": "number"}
    place = {"x": 0, "y": 0}
    tool: dict[str, object] = {
        "serverId": "demo",
        "toolName": TOOL,
        "toolDescription": "",
        "parameters": [],
        "parameterValues": {"a": "{{ trigger.a }}", "b": "{{ trigger.b }}"},
        "mode": "detailed",
    }
    kinds: tuple[tuple[str, dict[str, object]], ...] = (("start", {}), ("mcp", tool), ("end", {}))
    nodes = [
        {"id": kind, "type": kind, "name": kind, "position": place, "data": data}
        for kind, data in kinds
    ]
    ends = (("start", "mcp"), ("mcp", "end"))
    ports = {"fromPort": "output", "toPort": "input"}
    schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    return {
        "id": "sum",
        "name": "sum",
        "description": "Adds two numbers.",
        "version": "1.0.0",
        "schemaVersion": "1.3.0",
        "inputSchema": schema,
        "nodes": nodes,
        "connections": [{"id": f"{a}-{b}", "from": a, "to": b, **ports} for a, b in ends],
    }


async def rows_of(calls: int, *, may_install: bool) -> list[Row]:
    """Every line: ours beside each proxy, and beside a direct call."""
    with tempfile.TemporaryDirectory(prefix="toolweave-proxies-") as name:
        folder = Path(name)
        peers = proxies(folder, may_install=may_install)
        async with AsyncExitStack() as stack:
            kinds: list[tuple[str, Call]] = []
            url, key = stack.enter_context(published(folder))
            kinds.append(("", await _caller(stack, url, "sum", {"X-API-Key": key})))
            for make in peers:
                proxy = make(free_port())
                log = folder / f"{urlsplit(proxy.url).port}.log"
                stack.enter_context(started(proxy.argv, environ(HOME=name), log))
                if await _listens(proxy.url):
                    kinds.append((proxy.name, await _caller(stack, proxy.url, TOOL, {})))
                else:
                    sys.stderr.write(f"{proxy.name} is left out: {log.read_text()[-1000:]}\n")
            direct = await stack.enter_async_context(bare_client(SERVER))
            kinds.append(("direct call over stdio", partial(_call, direct, TOOL)))
            took = await interleaved([call for _, call in kinds], GroundSize(calls=calls))
    ours, *others = (statistics.median(each) / 1e3 for each in took)
    what = "tool call over MCP and HTTP, p50"
    return [
        Row(what, ours, other, "ms", name)
        for (name, _), other in zip(kinds[1:], others, strict=True)
    ]


async def _caller(stack: AsyncExitStack, url: str, tool: str, headers: dict[str, str]) -> Call:
    http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
    client = Client(streamable_http_client(url, http_client=http), mode="legacy")
    return partial(_call, await stack.enter_async_context(client), tool)


async def _call(client: Client, tool: str) -> None:
    result = await client.call_tool(tool, dict(ARGUMENTS))
    if result.is_error or "42" not in str(result.content):
        raise RuntimeError(f"{tool}: {result.content}")


async def _listens(url: str) -> bool:
    port = urlsplit(url).port or 80
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        try:
            stream = await anyio.connect_tcp("127.0.0.1", port)
        except OSError:
            await anyio.sleep(0.2)
        else:
            await stream.aclose()
            return True
    return False


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    is_quick = "--quick" in arguments
    measure = partial(rows_of, 10 if is_quick else 300, may_install=not is_quick)
    sys.stdout.write(table(anyio.run(measure)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
