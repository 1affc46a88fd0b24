"""Workers cut off from Postgres, from Temporal, or from both: each in a network namespace."""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import anyio
import anyio.to_thread
from bench.fault_ground import Fleet, Ground, home, moved, one_that_works, ordeal
from bench.fault_postgres import a_server
from bench.fault_rows import Found, Part, Work, until_found
from bench.fault_temporal import LEASE_S, on_temporal
from psycopg.conninfo import conninfo_to_dict
from tests.engine.laborer import foreman
from tests.engine.temporal_server import a_temporal_server

# The second number of all addresses, so that two lines can be done at once.
NETWORKS = {"Postgres": 213, "Temporal": 214}
WORKERS = 3
MADE = re.compile(r"tw(\d+)-\d+")
# Cuts of a control.
CONTROL_CUTS = 8
# How long a worker is cut off from Temporal alone: it keeps its lease, so its runs stay.
TEMPORAL_S = 3.0 * LEASE_S


def ip(*words: str) -> None:
    """One command."""
    subprocess.run(["ip", *words], check=True)


class Namespace:
    """A network of its own, with one way to the servers."""

    def __init__(self, network: int, number: int) -> None:
        self.name = f"tw{os.getpid()}-{number}"
        self._top = f"10.{network}.{number}"
        self._outer = f"tw{os.getpid() % 100_000}o{number}"

    @property
    def entered(self) -> tuple[str, ...]:
        """How to start a command there; `ip netns exec` would also keep file systems mounted."""
        return ("nsenter", f"--net=/run/netns/{self.name}")

    def create(self) -> None:
        """Make it, and the way."""
        near, far = f"{self._top}.1", f"{self._top}.2"
        ip("netns", "add", self.name)
        ip("link", "add", self._outer, "type", "veth", "peer", "name", "way", "netns", self.name)
        ip("addr", "add", f"{near}/24", "dev", self._outer)
        ip("link", "set", self._outer, "up")
        for words in (
            ("addr", "add", f"{far}/24", "dev", "way"),
            ("link", "set", "lo", "up"),
            ("link", "set", "way", "up"),
            ("route", "add", "default", "via", near),
        ):
            ip("-n", self.name, *words)

    def remove(self) -> None:
        """Its end of the way goes with it."""
        subprocess.run(["ip", "netns", "del", self.name], check=False)

    def cut(self, port: int) -> None:
        """Lose every packet to a port, without a word."""
        self._filter("-A", "OUTPUT", "-p", "tcp", "--dport", str(port), "-j", "DROP")
        self._filter("-A", "INPUT", "-p", "tcp", "--sport", str(port), "-j", "DROP")

    def join(self) -> None:
        """Lose none."""
        self._filter("-F")

    def _filter(self, *words: str) -> None:
        subprocess.run([*self.entered, "iptables", *words], check=True)


def remove_abandoned() -> None:
    """Remove namespaces of a bench that was killed: their routes would lead nowhere."""
    for path in Path("/run/netns").glob("tw*"):
        if (made := MADE.fullmatch(path.name)) and not Path("/proc", made[1]).exists():
            subprocess.run(["ip", "netns", "del", path.name], check=False)


@contextmanager
def namespaces(network: int, number: int) -> Generator[list[Namespace]]:
    """So many, and the address of the servers, which they reach by their route."""
    made = [Namespace(network, one) for one in range(1, number + 1)]
    servers = f"10.{network}.0.1/32"
    remove_abandoned()
    ip("addr", "replace", servers, "dev", "lo")
    try:
        for one in made:
            one.create()
        yield made
    finally:
        for one in made:
            one.remove()
        ip("addr", "del", servers, "dev", "lo")


def partitioned(times: int, *, on: str) -> Part:
    """The runs of a worker without database move; one without Temporal keeps its runs."""

    def work(vice: str = "") -> Work:
        async def done(dice: Random) -> Found:
            with ExitStack() as stack:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolweave-")))
                made = stack.enter_context(namespaces(NETWORKS[on], WORKERS))
                postgres = stack.enter_context(a_server())
                host = f"10.{NETWORKS[on]}.0.1"
                port = postgres.listen(host, f"10.{NETWORKS[on]}.0.0/16")
                ports, fleet = {"Postgres": port}, Fleet(away=True, vice=vice, hold_s=LEASE_S)
                if on == "Temporal":
                    server = stack.enter_context(a_temporal_server(folder, host))
                    fleet = on_temporal(vice, server, 0)
                    ports["Temporal"] = int(server.target.rpartition(":")[2])
                environ = {"LABORER_PACE": str(fleet.pace)}
                foremen = [
                    stack.enter_context(foreman(*one.entered, environ=environ)) for one in made
                ]
                address = postgres.new_database()
                database = conninfo_to_dict(address)
                far = f"postgresql://{database['user']}@{host}:{port}/{database['dbname']}"
                # Few of the runs that are cut off are just about to write.
                at_once = 12 if vice else fleet.at_once
                fleet = replace(
                    fleet, foremen=foremen, address=far, workers=WORKERS, at_once=at_once
                )
                async with home(address, folder, fleet) as there:
                    cuts = Cuts(made, ports, moves_runs=bool(vice))
                    number = CONTROL_CUTS if vice else times
                    found, _ = await ordeal(there, cuts.cut, number, dice)
            found.note = "ok: " + ", ".join(f"{n} from {name}" for name, n in cuts.made.items())
            return found

        return done

    what = f"worker cut off ({on})"
    control = until_found(work("unfenced"))
    return Part(what, work(), control, times, has_uncertain=times > 3)


class Cuts:
    """Cuts workers off from one of the servers, or from all of them, in turns."""

    def __init__(self, ways: list[Namespace], ports: dict[str, int], *, moves_runs: bool) -> None:
        self._ways = ways
        self._kinds = dict[str, tuple[int, ...]]()
        self._kinds |= {name: (port,) for name, port in ports.items()}
        if len(ports) > 1:
            self._kinds["both"] = tuple(ports.values())
        if moves_runs:  # without Temporal alone, a worker keeps its runs
            self._kinds.pop("Temporal", None)
        self.made = dict.fromkeys(self._kinds, 0)

    async def cut(self, there: Ground, dice: Random) -> float | None:
        """One cut; how long until other workers had its runs."""
        one = await one_that_works(there, dice)
        # Hired in turns, beginning with the second foreman.
        way = self._ways[(there.workers.index(one) + 1) % len(self._ways)]
        kind = min(self.made, key=lambda name: self.made[name])
        self.made[kind] += 1
        began = time.monotonic()
        for port in self._kinds[kind]:
            await anyio.to_thread.run_sync(way.cut, port)
        try:
            if kind == "Temporal":
                await anyio.sleep(dice.uniform(0.5, TEMPORAL_S))
                return time.monotonic() - began
            took_s = await moved(there, one.pid)
            await anyio.sleep(dice.uniform(0.0, 2.0))
            return took_s
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(way.join)
