"""Twenty hostile documents on a real `toolweave serve`, and how long `/health` takes meanwhile."""

import signal
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import anyio.to_thread
import httpx2
from bench.fault_rows import Found, Part, say
from tests.rest.drawn import drawn
from tests.rest.process import Served, served

LONGEST_S = 0.250
OVER_S = 300.0
PAUSE_S = 0.02
MEGABYTE = 1024 * 1024


def action(kind: str, name: str, configurations: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    """One node."""
    family, subtype = kind.split(".")
    data = {"subtype": subtype, "configurations": configurations, "inputParams": inputs}
    return {"id": name, "type": family, "name": name, "data": data}


def parse(kind: str, text: str) -> dict[str, Any]:
    """A document that reads a text of a format."""
    return drawn(f"parse-{kind}", action("ACTION.PARSE", "parse", {"format": kind}, text=text))


def expressions(template: str, times: int) -> dict[str, Any]:
    """A document of which one step has as many expressions as there is room for."""
    return parse("json", f"[{', '.join([template] * times)}]")


def doubling(times: int) -> dict[str, Any]:
    """A chain in which each step makes its text twice as long."""
    fields = {"set": {"text": "{{ data.text }}{{ data.text }}"}}
    return drawn("double", *(action("ACTION.SET_FIELDS", f"d{n}", fields) for n in range(times)))


def expanding(times: int) -> dict[str, Any]:
    """A chain in which each step makes its list twice as long."""
    fields = {"expressions": {"items": "item.items + item.items"}}
    return drawn("expand", *(action("ACTION.SET_FIELDS", f"x{n}", fields) for n in range(times)))


def sorting() -> dict[str, Any]:
    """A large list in order."""
    sort = action("FLOW.SORT", "sort", {"sort_field": "n"}, data="{{ data.records }}")
    return drawn("sort", sort)


NESTED = "{{ data.items.all(a, data.items.all(b, a + b >= 0)) }}"
LONG = "{{ data.items.all(a, double(data.text) >= 0.0) }}"
PATTERN = "{{ data.items.all(a, !data.text.matches('(a*)*(b|c)*d{1,50}e')) }}"


def hostile() -> list[dict[str, Any]]:
    """The bodies of twenty requests that start runs."""
    items = list(range(1_000))
    small = {"items": items, "text": "1" * 10_000}
    large = {"items": items, "text": "a" * (2 * MEGABYTE)}
    records = {"records": [{"n": (n * 7919) % 100_003} for n in range(100_000)]}
    text = "[" + ",".join(["[1]"] * 900_000) + "]"
    table = "\n".join(["1,2,3,4,5"] * 45_000)
    tree = "<a>" + "<b>1</b>" * 200_000 + "</a>"
    yaml = "\n".join(["- 1"] * 60_000)
    page = "# a\n" * 20_000 + "*" * 600_000
    made: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (expressions(NESTED, 2_000), small),
        (expressions(LONG, 2_000), small),
        (expressions(PATTERN, 500), large),
        (expressions("{{ data.text.replace('a', 'bb') }}", 200), large),
        (parse("json", text), {}),
        (parse("csv", table), {}),
        (parse("xml", tree), {}),
        (parse("yaml", yaml), {}),
        (parse("markdown", page), {}),
        (doubling(16), {"text": "ab" * 50_000}),
        (expanding(14), {"items": items}),
        (sorting(), records),
    ]
    return [{"document": document, "inputs": inputs} for document, inputs in (made * 2)[:20]]


class Probe:
    """Asks `/health` again and again; `longest` is the longest answer in seconds."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.took: list[float] = []

    def _ask(self) -> None:
        with httpx2.Client(base_url=self._url, timeout=60) as client:
            while not self._is_over.is_set():
                began = time.monotonic()
                client.get("/health").raise_for_status()
                self.took.append(time.monotonic() - began)
                self._is_over.wait(PAUSE_S)

    def __enter__(self) -> "Probe":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    @property
    def longest(self) -> float:
        """In seconds."""
        return max(self.took, default=0.0)

    @property
    def p99(self) -> float:
        """In seconds."""
        return sorted(self.took)[int(len(self.took) * 0.99)] if self.took else 0.0


def start_all(server: Served, bodies: list[dict[str, Any]]) -> list[str]:
    """Start the runs at once; return those that were accepted."""
    with httpx2.Client(base_url=server.url, headers=server.headers, timeout=120) as client:
        runs: list[str] = []
        for body in bodies:
            made = client.post("/api/v1/runs", json=body)
            if made.status_code == 202:
                runs.append(made.json()["id"])
            else:
                say(f"  refused: {made.status_code} {made.text[:300]}")
        return runs


def until_over(server: Served, runs: list[str]) -> list[str]:
    """The statuses of the runs once none is running."""
    ended = time.monotonic() + OVER_S
    with httpx2.Client(base_url=server.url, headers=server.headers, timeout=120) as client:
        while True:
            listed = client.get("/api/v1/runs", params={"limit": 100}).json()["runs"]
            found = [one["status"] for one in listed if one["id"] in runs]
            if "running" not in found or time.monotonic() > ended:
                return found
            time.sleep(0.5)


def measured(meanwhile: Callable[[Served], Found]) -> Found:
    """What happened, with the longest answer of `/health` meanwhile."""
    with (
        tempfile.TemporaryDirectory(prefix="toolweave-hostile-") as name,
        served(Path(name, "home")) as server,
    ):
        with Probe(server.url) as quiet:
            time.sleep(2)
        with Probe(server.url) as probe:
            found = meanwhile(server)
        status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    peak_mb = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    if probe.longest > LONGEST_S:
        found.wrong.append(f"/health took {probe.longest * 1000:.0f} ms")
    found.note = (
        f"/health at most {probe.longest * 1000:.0f} ms, p99 {probe.p99 * 1000:.0f}, alone "
        f"{quiet.longest * 1000:.0f}; {peak_mb} MB"
    )
    return found


def attacked(server: Served) -> Found:
    """Run the documents."""
    bodies = hostile()
    runs = start_all(server, bodies)
    statuses = until_over(server, runs)
    stuck = statuses.count("running")
    return Found(runs=len(runs), faults=len(bodies), lost=stuck + len(runs) - len(statuses))


def stopped(server: Served) -> Found:
    """The control: a service that does nothing for half a second."""
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    server.process.send_signal(signal.SIGCONT)
    time.sleep(1)
    return Found(faults=1)


def documents() -> Part:
    """Hostile documents; the control is a service that is stopped for half a second."""

    async def work(_dice: Random) -> Found:
        return await anyio.to_thread.run_sync(measured, attacked)

    async def control(_dice: Random) -> Found:
        return await anyio.to_thread.run_sync(measured, stopped)

    return Part("20 hostile documents", work, control, 20, is_alone=True)
