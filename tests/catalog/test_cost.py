"""What answers cost, as ratios and counts: never by the clock of the machine alone."""

import subprocess
import sys
import time
from collections.abc import Callable

import orjson
import pytest
from tests.catalog.builders import a_live_tool, our_catalog

from toolweave.catalog.corrections import correct
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.live import spec_of
from toolweave.catalog.tool_definitions import listed

NODES = [(spec.type, spec.subtype) for spec in our_catalog()]


def seconds(work: Callable[[], object], rounds: int = 15) -> float:
    """The fastest of several rounds, which is what the work itself takes."""
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def test_finding_a_node_costs_no_more_than_writing_the_answer() -> None:
    knowledge = Knowledge(our_catalog())
    answers = [knowledge.node_details([node]) for node in NODES]
    ten = knowledge.node_details(NODES[:10], max_tokens=100_000)
    writing = seconds(lambda: [orjson.dumps(answer) for answer in answers])
    finding = seconds(lambda: [knowledge.node_details([node]) for node in NODES])
    assert finding <= 3 * writing
    writing = seconds(lambda: orjson.dumps(ten))
    assert seconds(lambda: knowledge.node_details(NODES[:10], max_tokens=100_000)) <= 3 * writing


def test_the_first_time_costs_a_small_multiple_of_it() -> None:
    written = [orjson.dumps(Knowledge(our_catalog()).node_details([node])) for node in NODES]
    writing = seconds(lambda: [orjson.dumps(orjson.loads(text)) for text in written])

    def first() -> None:
        knowledge = Knowledge(our_catalog())
        for node in NODES:
            knowledge.node_details([node])

    assert seconds(first) <= 30 * writing


def test_listing_costs_no_more_than_writing_the_list() -> None:
    knowledge = Knowledge(our_catalog())
    tools = listed()
    assert seconds(listed) <= 3 * seconds(lambda: orjson.dumps(tools))
    types = knowledge.node_types()
    assert seconds(knowledge.node_types) <= 30 * seconds(lambda: orjson.dumps(types))


def test_a_wrong_name_costs_about_the_same_with_many_live_tools() -> None:
    live = [
        spec_of(a_live_tool(f"do_{word}_{n}", f"server{n % 20}"))
        for n in range(250)
        for word in ("read", "write", "list", "send", "find", "make", "show", "drop")
    ]
    few, many = our_catalog().with_specs(live[:100]), our_catalog().with_specs(live)
    for catalog in (few, many):
        correct(catalog, "TOOL", "MCP:server1/do_raed_77")
    cost = {
        len(catalog): seconds(
            lambda catalog=catalog: [
                correct(catalog, "TOOL", f"MCP:server{n % 20}/do_raed_{n}") for n in range(20)
            ]
        )
        for catalog in (few, many)
    }
    smaller, larger = sorted(cost)
    assert larger > 10 * smaller
    assert cost[larger] < 6 * cost[smaller]


@pytest.mark.requirement("004:performance.memory")
def test_the_whole_registry_takes_less_than_five_megabytes() -> None:
    code = (
        "import importlib, sys, tracemalloc\n"
        "import orjson, rapidfuzz.process, sqlite3\n"
        "import toolweave.catalog.knowledge as k, toolweave.catalog.index as i\n"
        "import toolweave.nodes as n\n"
        # What nodes import to run is no part of the registry: only their modules are made anew.
        "list(n.discover())\n"
        "mine = [m for name, m in sys.modules.items() if name.startswith('toolweave.nodes.')]\n"
        "tracemalloc.start()\n"
        "[importlib.reload(m) for m in mine]\n"
        "catalog = i.Catalog(node.spec for node in n.discover())\n"
        "knowledge = k.Knowledge(catalog)\n"
        "knowledge.prepare()\n"
        "[knowledge.node_details([(s.type, s.subtype)]) for s in catalog]\n"
        "print(tracemalloc.get_traced_memory()[0])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 100_000 < int(run.stdout) < 5_000_000
