"""What checking a workflow costs: `python -m bench.workflows` from the root; `--quick` in a second.

Every line is a ratio of two figures of the same run: load and full check against `orjson.loads` and
a pydantic parse of the same file, in turns, 5,000 nodes against 50, the problems of 500 nodes of
1,000, and an export in milliseconds of CPU.
"""

import sys
from collections.abc import Callable
from itertools import pairwise
from time import process_time

import orjson
from bench.export import workflow_of
from pydantic import BaseModel, Field, JsonValue
from tests.workflow.corpus.bases import Document, edge, mcp, node, whole, world

from toolweave.export.convert import export
from toolweave.nodes import discover
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.formats.load import load

SIZES = (50, 5_000)
QUICK_SIZES = (50, 200)
TURN = 10
FAULTY_SIZE, QUICK_FAULTY_SIZE = 1_000, 50
MOST_RATIO = 8
MOST_GROWTH = 1.3
MOST_FAULTY_MS = 500
MOST_EXPORT_MS = 50


class _Position(BaseModel):
    x: float
    y: float


class _Node(BaseModel):
    id: str
    type: str
    name: str
    position: _Position
    data: dict[str, JsonValue]


class _Connection(BaseModel):
    id: str
    source: str = Field(alias="from")
    target: str = Field(alias="to")
    source_port: str = Field(alias="fromPort")
    target_port: str = Field(alias="toPort")


class _Workflow(BaseModel):
    id: str
    name: str
    version: str
    nodes: list[_Node]
    connections: list[_Connection]


def document_of(size: int) -> Document:
    """A line of so many nodes: tools with references to the one before, and catalog nodes."""
    nodes = [node("start", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})]
    while len(nodes) < size:
        nodes.append(_step(len(nodes), nodes[-1]["id"]))
    edges = [
        edge(one["id"], other["id"], "true" if one["data"].get("subtype") == "IF" else "output")
        for one, other in pairwise(nodes)
    ]
    return whole("bench", nodes, edges)


def _step(at: int, before: str) -> Document:
    match at % 5:
        case 1:
            return mcp(f"count{at}", "demo", "word_count", {"text": "one two", "top": 3})
        case 2:
            return mcp(f"sum{at}", "demo", "add", {"a": f"{{{{ {before}.words }}}}", "b": 2})
        case 3:
            condition = {"condition_expression": f"{before}.sum > 3.0"}
            return node(f"if{at}", "FLOW.IF", configurations=condition)
        case 4:
            settings = {"method": "GET", "url": "https://api.example.com/{{ run.id }}"}
            return node(f"get{at}", "ACTION.HTTP_REQUEST", configurations=settings)
        case _:
            return node(f"wait{at}", "FLOW.DELAY", configurations={"duration_seconds": 1})


def with_faults(document: Document) -> Document:
    """The same with one fault in every second node."""
    for at, one in enumerate(document["nodes"]):
        if at % 2:
            part = "parameterValues" if one["type"] == "mcp" else "configurations"
            one["data"][part] |= _FAULTS[at % 5]
    return document


# By the kind of step, in the order of `_step`.
_FAULTS: dict[int, Document] = {
    0: {"duration_seconds": "soon"},
    1: {"top": "many"},
    2: {"a": "{{ nobody.words }}"},
    3: {"condition_expression": "nobody.sum > 3.0"},
    4: {"method": "GTE"},
}


def faulty_cost(size: int, rounds: int) -> tuple[float, int]:
    """Seconds for load and check of so many nodes, half of them with a fault; and the problems."""
    text = orjson.dumps(with_faults(document_of(size)))
    known = world("pinned")
    found: list[int] = []

    def checked() -> None:
        loaded = load(text)
        found.append(len(check_workflow(loaded.workflow, known, loaded.format)))

    cost = cpu_s(checked, rounds + 1)
    return cost, found[0]


def cpu_s(work: Callable[[], object], rounds: int) -> float:
    """The CPU time of the cheapest of several rounds."""
    found: list[float] = []
    for _ in range(rounds):
        started = process_time()
        work()
        found.append(process_time() - started)
    return min(found)


def check_cost(size: int, rounds: int, *, turn: int = TURN) -> tuple[float, float]:
    """Seconds for load and full check of so many nodes, and for the bare parse."""
    text = orjson.dumps(document_of(size))
    known = world("pinned")

    def checked() -> object:
        loaded = load(text)
        return check_workflow(loaded.workflow, known, loaded.format)

    def parsed() -> object:
        return _Workflow.model_validate(orjson.loads(text))

    assert checked() == [], "the bench checks a workflow without a fault"
    parsed()
    # In turns, so that a busy machine slows both; several at once, so that both find their code
    # and data in the caches of the processor.
    turns = [(cpu_s(checked, turn), cpu_s(parsed, turn)) for _ in range(rounds)]
    return min(cost for cost, _ in turns), min(floor for _, floor in turns)


def main(arguments: list[str]) -> None:
    """Print one line for each figure."""
    is_quick = "--quick" in arguments
    small, large = QUICK_SIZES if is_quick else SIZES
    rounds = 1 if is_quick else 20
    cost, floor = check_cost(small, rounds)
    many, _ = check_cost(large, 1, turn=1 if is_quick else 3)
    growth = (many / large) / (cost / small)
    faulty, problems = faulty_cost(QUICK_FAULTY_SIZE if is_quick else FAULTY_SIZE, 3)
    workflow = workflow_of(100)
    specs = [one.spec for one in discover()]
    exported = cpu_s(lambda: export(workflow, "claude-skill", specs=specs), rounds) * 1000
    for line in (
        _line(
            f"load and check, {small} nodes", cost * 1000, floor * 1000, cost / floor, MOST_RATIO
        ),
        _line(
            f"per node, {large:,} nodes",
            many / large * 1e3,
            cost / small * 1e3,
            growth,
            MOST_GROWTH,
        ),
        _line(
            f"load and check, {problems} problems",
            faulty * 1000,
            MOST_FAULTY_MS,
            faulty * 1000 / MOST_FAULTY_MS,
            1,
        ),
        _line("export, 100 nodes", exported, MOST_EXPORT_MS, exported / MOST_EXPORT_MS, 1),
    ):
        sys.stdout.write(f"{line}\n")


def _line(what: str, figure: float, floor: float, ratio: float, target: float) -> str:
    return f"{what:<28} {figure:9.3f} ms  floor {floor:8.3f} ms  ratio {ratio:6.2f}  <= {target}"


if __name__ == "__main__":
    main(sys.argv[1:])
