"""The catalog through its doors: `python -m bench.catalog_doors` from the root, or with `--quick`.

Over stdio against n8n-mcp with the same client in the same run, over REST against a bare FastAPI
route that returns the same bytes, the handlers against promiseds, and search by size.
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import orjson
from bench.catalog_search import tools
from bench.ground import TOOLWEAVE, percentile
from bench.npm_peer import ROOT, install, node
from bench.table import Row, table
from tests.catalog.judged import JUDGED
from tests.rest.process import Served, served

from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.live import specs_of
from toolweave.nodes import discover

PEER_HOME = ROOT / ".cache" / "npm-bench"
PEER = "n8n-mcp@2.87.0"
PEER_ENVIRON = {
    "MCP_MODE": "stdio",
    "LOG_LEVEL": "error",
    "DISABLE_CONSOLE_OUTPUT": "true",
    "N8N_MCP_TELEMETRY_DISABLED": "true",
}
FAST = {"TOOLWEAVE_RATE_PER_S": "1000000", "TOOLWEAVE_BURST": "1000000"}
# Nodes that both know.
NODES = {
    "FLOW.IF": "nodes-base.if",
    "FLOW.MERGE": "nodes-base.merge",
    "FLOW.FILTER": "nodes-base.filter",
    "FLOW.WAIT": "nodes-base.wait",
    "TRIGGER.WEBHOOK": "nodes-base.webhook",
    "ACTION.HTTP_REQUEST": "nodes-base.httpRequest",
    "EXTERNAL_ACTION.SLACK": "nodes-base.slack",
    "EXTERNAL_ACTION.GITHUB": "nodes-base.github",
    "EXTERNAL_ACTION.NOTION": "nodes-base.notion",
    "AI_AGENT.OPENAI_CHATGPT": "nodes-langchain.openAi",
}
QUERIES = ("send slack message", "webhook", "http request", "wait", "merge two lists", "github")
BARE = """
import sys
import uvicorn
from fastapi import FastAPI
from fastapi.responses import Response
body = open(sys.argv[1], "rb").read()
app = FastAPI()
@app.post("/invoke")
async def invoke() -> Response:
    return Response(body, media_type="application/json")
uvicorn.run(app, port=int(sys.argv[2]), log_config=None, access_log=False)
"""

CONNECTIONS = 4

Call = Callable[[], object]
Answer = dict[str, Any]  # Any: JSON of either server


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    calls: int = 1000
    warm_up: int = 100
    starts: int = 9
    requests: int = 800
    rounds: int = 4
    entries: tuple[int, ...] = (80, 1_000, 20_000)


QUICK = Size(calls=4, warm_up=1, starts=1, requests=8, rounds=1, entries=(80, 100))


class Talk:
    """A conversation over stdio, with no more between us and the server than two pipes."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environ},
        )
        self._number = 0

    def ask(self, method: str, params: Answer) -> Answer:
        """The answer to one request."""
        self._number += 1
        self._say({"id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            answer = orjson.loads(self.process.stdout.readline())
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                return answer

    def open(self) -> None:
        """Shake hands and list the tools, as every client begins."""
        client = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.ask("initialize", hello)
        self._say({"method": "notifications/initialized"})
        assert self.ask("tools/list", {})["result"]["tools"]

    def call(self, name: str, arguments: Answer) -> int:
        """Call a tool; how many bytes it answers."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        assert not answer["result"].get("isError"), answer
        return len(orjson.dumps(answer))

    def _say(self, message: Answer) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n")
        self.process.stdin.flush()


@contextmanager
def talking(argv: Sequence[str], environ: Mapping[str, str]) -> Generator[Talk]:
    """A server from its start to its end."""
    talk = Talk(argv, environ)
    with talk.process:
        try:
            yield talk
        finally:
            talk.process.kill()


def peer(*, may_install: bool) -> list[str] | None:
    """The command that starts n8n-mcp; nothing where it is not there."""
    script = PEER_HOME / "node_modules" / "n8n-mcp" / "dist" / "mcp" / "stdio-wrapper.js"
    if not script.exists() and may_install:
        install(PEER_HOME, PEER)
    return [node(), str(script)] if script.exists() else None


def in_turns(kinds: Sequence[Call], turns: int, warm_up: int) -> list[list[float]]:
    """The microseconds of each kind, in turns, so that all meet the same weather."""
    took: list[list[float]] = [[] for _ in kinds]
    for turn in range(warm_up + turns):
        for kind in sorted(range(len(kinds)), reverse=turn % 2 == 0):
            began = time.perf_counter()
            kinds[kind]()
            if turn >= warm_up:
                took[kind].append((time.perf_counter() - began) * 1e6)
    return took


def cold_row(theirs: Sequence[str], home: Path, size: Size) -> Row:
    """From the start of the process to the first list of tools."""

    def start(argv: Sequence[str], environ: Mapping[str, str]) -> None:
        with talking(argv, environ) as talk:
            talk.open()

    ours, floor = in_turns(
        [
            lambda: start([*TOOLWEAVE, "mcp"], {"TOOLWEAVE_HOME": str(home)}),
            lambda: start(theirs, PEER_ENVIRON),
        ],
        size.starts,
        warm_up=min(1, size.starts - 1),
    )
    figures = (statistics.median(ours) / 1e3, statistics.median(floor) / 1e3)
    return Row("stdio, start to first tools/list", *figures, "ms", "n8n-mcp", 1.0)


def call_rows(theirs: Sequence[str], home: Path, size: Size) -> Iterator[Row]:
    """Warm calls; n8n-mcp keeps its default answers, and makes full ones anew."""
    nodes, ids = cycle(NODES), [cycle(NODES.values()) for _ in range(2)]
    queries = [cycle(QUERIES) for _ in range(2)]
    with (
        talking([*TOOLWEAVE, "mcp"], {"TOOLWEAVE_HOME": str(home)}) as ours,
        talking(theirs, PEER_ENVIRON) as n8n,
    ):
        ours.open()
        n8n.open()

        def details() -> None:
            node_type, _, subtype = next(nodes).partition(".")
            asked = {"nodes": [{"node_type": node_type, "subtype": subtype}]}
            ours.call("get_node_details", asked)

        took = in_turns(
            [
                details,
                lambda: n8n.call("get_node", {"nodeType": next(ids[0])}),
                lambda: n8n.call("get_node", {"nodeType": next(ids[1]), "detail": "full"}),
                lambda: ours.call("search_nodes", {"query": next(queries[0]), "limit": 20}),
                lambda: n8n.call("search_nodes", {"query": next(queries[1])}),
            ],
            size.calls,
            size.warm_up,
        )
    pairs = (
        ("get_node_details", took[0], took[1], "n8n-mcp get_node, kept"),
        ("get_node_details", took[0], took[2], "n8n-mcp get_node, full"),
        ("search_nodes", took[3], took[4], "n8n-mcp search_nodes"),
    )
    for what, figure, floor, floor_is in pairs:
        for percent in (50, 95):
            figures = (percentile(figure, percent), percentile(floor, percent))
            yield Row(f"stdio, {what}, p{percent}", *figures, "us", floor_is, 1.0)


class Wire:
    """One kept connection that sends the same request again and again."""

    def __init__(self, port: int, path: str, body: bytes, headers: Mapping[str, str]) -> None:
        head = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
        self._request = "\r\n".join(head).encode() + body
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self) -> bytes:
        """The body of one answer."""
        self._socket.sendall(self._request)
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, body = got.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), got
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += self._more()
        return body

    def ask_again(self, times: int) -> None:
        """So many requests, each after the answer to the one before."""
        for _ in range(times):
            self.ask()

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def _more(self) -> bytes:
        got = self._socket.recv(1 << 16)
        assert got, "the server closed the connection"
        return got


@contextmanager
def bare_route(body: bytes) -> Generator[int]:
    """FastAPI on uvicorn, as anybody starts it, with one route that returns `body`; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        with subprocess.Popen([sys.executable, "-c", BARE, file.name, str(port)]) as process:
            try:
                while not _answers(port):
                    assert process.poll() is None
                    time.sleep(0.05)
                yield port
            finally:
                process.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def asked(name: str, arguments: Answer) -> bytes:
    """The body of an invocation."""
    return orjson.dumps({"name": name, "arguments": arguments})


def load_us(connect: Callable[[], Wire], requests: int) -> float:
    """Microseconds a request, over four connections together."""
    wires = [connect() for _ in range(CONNECTIONS)]
    each = requests // CONNECTIONS
    began = time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(Wire.ask_again, wires, [each] * CONNECTIONS))
    took = time.perf_counter() - began
    for wire in wires:
        wire.close()
    return took / (each * CONNECTIONS) * 1e6


def rest_row(server: Served, size: Size) -> Row:
    """Requests for the types, as many as go; half the bare route's rate is twice its time."""
    body = asked("get_node_types", {})

    def ours() -> Wire:
        port = int(server.url.rpartition(":")[2])
        return Wire(port, "/api/v1/mcp/invoke", body, server.headers)

    with bare_route(ours().ask()) as bare_port:

        def bare() -> Wire:
            return Wire(bare_port, "/invoke", body, server.headers)

        both = [
            (load_us(ours, size.requests), load_us(bare, size.requests))
            for _ in range(size.rounds + 1)
        ][1:]
    figure, floor = min(one for one, _ in both), min(one for _, one in both)
    what = f"REST get_node_types ({1e6 / figure:,.0f} and {1e6 / floor:,.0f} requests/s)"
    return Row(what, figure, floor, "us", "bare FastAPI route", 2.0)


def handler_rows(server: Served, size: Size) -> Iterator[Row]:
    """What the handlers say they took, against what the seed promises."""
    port, headers = int(server.url.rpartition(":")[2]), server.headers
    names = [ref.partition(".") for ref in NODES]
    ten = [{"node_type": kind, "subtype": subtype} for kind, _, subtype in names]
    for what, name, arguments, promise_ms in (
        ("get_node_types", "get_node_types", {}, 10),
        ("get_node_details, one node", "get_node_details", {"nodes": ten[:1]}, 5),
        ("get_node_details, ten nodes", "get_node_details", {"nodes": ten}, 30),
    ):
        wire = Wire(port, "/api/v1/mcp/invoke", asked(name, arguments), headers)
        results = [orjson.loads(wire.ask())["result"] for _ in range(size.calls)]
        wire.close()
        took = percentile([result["_execution_time_ms"] for result in results], 95) * 1e3
        yield Row(f"handler, {what}, p95", took, promise_ms * 1e3, "us", "promised", 1.0)
    yield health_row(port, headers, size)


def health_row(port: int, headers: Mapping[str, str], size: Size) -> Row:
    """The same for health, which is asked for by GET."""
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    head = f"GET /api/v1/mcp/health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{''.join(lines)}"
    took: list[float] = []
    for _ in range(size.calls):
        with socket.create_connection(("127.0.0.1", port)) as wire:
            wire.sendall(f"{head}Connection: close\r\n\r\n".encode())
            got = b"".join(iter(lambda wire=wire: wire.recv(1 << 16), b""))
            took.append(orjson.loads(got.partition(b"\r\n\r\n")[2])["processing_time_ms"])
    figure = max(percentile(took, 95) * 1e3, 0.1)
    return Row("handler, health, p95", figure, 2e3, "us", "promised", 1.0)


def search_rows(size: Size) -> Iterator[Row]:
    """The median search of the judged set, by how many entries there are."""
    ours = Catalog(node.spec for node in discover())
    smallest = 0.0
    for count in size.entries:
        catalog = ours.with_specs(specs_of(tools(count - len(ours))))
        figure = search_us(Knowledge(catalog), size.calls)
        smallest = smallest or figure
        what, floor_is = f"search, {len(catalog):,} entries, p50", f"{size.entries[0]} entries"
        yield Row(what, figure, smallest, "us", floor_is)


def search_us(knowledge: Knowledge, times: int) -> float:
    """The median of so many searches."""
    knowledge.prepare()
    queries = cycle(JUDGED)
    (took,) = in_turns([lambda: knowledge.search(next(queries))], times, warm_up=times // 10)
    return statistics.median(took)


def rows_of(size: Size, *, may_install: bool) -> Iterator[Row]:
    """Every line."""
    folder = Path(tempfile.mkdtemp())
    try:
        theirs = peer(may_install=may_install)
        if theirs is not None:
            yield cold_row(theirs, folder / "stdio", size)
            yield from call_rows(theirs, folder / "stdio", size)
        with served(folder / "serve", FAST) as server:
            yield rest_row(server, size)
            yield from handler_rows(server, size)
        yield from search_rows(size)
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Measure and print."""
    is_quick = "--quick" in sys.argv[1:]
    rows = list(rows_of(QUICK if is_quick else Size(), may_install=not is_quick))
    sys.stdout.write(table(rows) + "\n")


if __name__ == "__main__":
    main()
