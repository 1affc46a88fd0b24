"""What an export costs: `python -m bench.export` from the root.

A workflow of 100 nodes of every kind, and one of 5,000, for every target: milliseconds of CPU, and
the ratio to `json.dumps` of the same workflow, which means the same on every machine.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from tests.workflow.sample_files import sample

from toolweave.export import discover
from toolweave.export.convert import export
from toolweave.export.reimport import import_text
from toolweave.nodes import discover as discover_nodes
from toolweave.workflow.formats.load import convert
from toolweave.workflow.model import NodeId, Workflow

SIZES = (100, 5_000)


def cpu_ms(work: Callable[[], object], rounds: int) -> float:
    """The CPU time of the cheapest of several rounds."""
    found: list[float] = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        found.append((time.process_time() - started) * 1000)
    return min(found)


def workflow_of(size: int) -> Workflow:
    """So many nodes: those of the samples again and again, under ids of their own."""
    drawn = sample("ccwf/all-node-types.json").workflow
    known = [*drawn.nodes, *sample("ccwf/wrapped-modes.json").workflow.nodes]
    nodes = [
        replace(known[at % len(known)], id=NodeId(f"node-{at}"), parent=None) for at in range(size)
    ]
    edges = tuple(
        replace(drawn.edges[0], source=before.id, target=after.id)
        for before, after in pairwise(nodes)
    )
    return replace(drawn, nodes=tuple(nodes), edges=edges)


def main() -> None:
    """Print one line for each size and target."""
    specs = [node.spec for node in discover_nodes()]
    for size in SIZES:
        workflow = workflow_of(size)
        rounds = 20 if size <= 100 else 3
        document = convert(workflow, "toolweave")
        floor = cpu_ms(lambda document=document: json.dumps(document), rounds)
        sys.stdout.write(f"{size} nodes: json.dumps {floor:.2f} ms\n")
        for target in (exporter.name for exporter in discover()):

            def work(workflow: Workflow = workflow, target: str = target) -> str:
                return export(workflow, target, specs=specs).files[0].text

            text = work()
            cost = cpu_ms(work, rounds)
            back = cpu_ms(lambda text=text: import_text(text), rounds)
            sys.stdout.write(
                f"  {target:<15} {cost:7.1f} ms, ratio {cost / floor:6.1f}; import {back:6.1f} ms\n"
            )


if __name__ == "__main__":
    main()
