"""A durable step by other engines, in an environment of their own under `.cache`.

As a program, run by that environment's Python: `engine_peers.py PEER STEPS ROUNDS` prints CPU and
wall time a step in microseconds, the cheapest round of a chain, each step stored in SQLite.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

ROOT = Path(__file__).parents[1]
ENVIRONMENT = ROOT / ".cache" / "bench-peers"
PACKAGES = ("langgraph", "langgraph-checkpoint-sqlite", "dbos")
INSTALL_S, MEASURE_S = 240, 120


class State(TypedDict):
    """What is handed on."""

    n: int


def langgraph(steps: int) -> Callable[[int], object]:
    """LangGraph with its SQLite saver, every step stored before the next begins."""
    saver: Any = import_module("langgraph.checkpoint.sqlite")
    connection = sqlite3.connect("langgraph.db", check_same_thread=False)
    return _langgraph(steps, saver.SqliteSaver(connection), durability="sync")


def bare(steps: int) -> Callable[[int], object]:
    """LangGraph that keeps nothing."""
    return _langgraph(steps, None)


def _langgraph(steps: int, saver: object, **options: str) -> Callable[[int], object]:
    graph_module: Any = import_module("langgraph.graph")
    graph = graph_module.StateGraph(State)
    before = graph_module.START

    def step(state: State) -> State:
        return {"n": state["n"] + 1}

    for index in range(steps):
        graph.add_node(f"n{index}", step)
        graph.add_edge(before, f"n{index}")
        before = f"n{index}"
    compiled = graph.compile(checkpointer=saver)

    def run(number: int) -> object:
        config = {"configurable": {"thread_id": str(number)}, "recursion_limit": steps + 10}
        return compiled.invoke({"n": 0}, config, **options)

    return run


def dbos(steps: int) -> Callable[[int], object]:
    """DBOS with SQLite: the start of a workflow and its steps."""
    module: Any = import_module("dbos")
    engine = module.DBOS
    engine(
        config={
            "name": "bench",
            "system_database_url": "sqlite:///dbos.db",
            "log_level": "ERROR",
            "run_admin_server": False,
        }
    )

    def add(n: int) -> int:
        return n + 1

    step = engine.step()(add)

    def chain(n: int) -> int:
        for _ in range(steps):
            n = step(n)
        return n

    flow: Callable[[int], object] = engine.workflow()(chain)
    engine.launch()
    return flow


def measure(run: Callable[[int], object], steps: int, rounds: int) -> tuple[float, float]:
    """CPU and wall time a step, of the cheapest round after one to warm up."""
    found: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        cpu, wall = time.process_time(), time.perf_counter()
        run(number)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        found.append((cpu * 1e6 / steps, wall * 1e6 / steps))
    return min(found[1:])


def installed() -> Path | None:
    """The Python that has the peers; nothing where they cannot be installed."""
    python = ENVIRONMENT / "bin" / "python"
    uv = str(ROOT / "scripts" / "uv")
    try:
        if not python.exists():
            subprocess.run([uv, "venv", "--quiet", str(ENVIRONMENT)], check=True, timeout=INSTALL_S)
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--python", str(python), *PACKAGES],
            check=True,
            timeout=INSTALL_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"peers are left out, they cannot be installed: {error}\n")
        return None
    return python


def peer_cost(python: Path, peer: str, steps: int, rounds: int) -> tuple[float, float] | None:
    """What a step costs with a peer; nothing where it does not run."""
    argv = [str(python), str(Path(__file__)), peer, str(steps), str(rounds)]
    try:
        ran = subprocess.run(argv, check=True, capture_output=True, timeout=MEASURE_S)
    except subprocess.SubprocessError as error:
        sys.stderr.write(f"{peer} is left out: {error}\n")
        return None
    cpu_us, wall_us = json.loads(ran.stdout.splitlines()[-1])
    return float(cpu_us), float(wall_us)


def main() -> None:
    """Measure one peer."""
    _, peer, steps, rounds = sys.argv
    makers = {"bare": bare, "langgraph": langgraph, "dbos": dbos}
    with tempfile.TemporaryDirectory(prefix="toolweave-peer-") as folder:
        os.chdir(folder)
        found = measure(makers[peer](int(steps)), int(steps), int(rounds))
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        os._exit(0)  # some leave threads behind


if __name__ == "__main__":
    main()
