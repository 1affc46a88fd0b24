"""Workflows of any size for the canvas: broad ones of many kinds, chains, lanes that wait."""

from itertools import pairwise

from toolweave.json_text import Json, JsonObject

COLUMN, ROW = 280, 150
LANES = 10
KINDS: tuple[JsonObject, ...] = (
    {"type": "prompt", "data": {"prompt": "Hello!"}},
    {
        "type": "mcp",
        "data": {
            "serverId": "demo",
            "toolName": "echo",
            "toolDescription": "Say it again.",
            "parameters": [],
            "mode": "detailed",
            "parameterValues": {"text": "hi"},
        },
    },
    {
        "type": "FLOW",
        "data": {"subtype": "IF", "configurations": {"condition_expression": "1 < 2"}},
    },
    {
        "type": "ACTION",
        "data": {
            "subtype": "HTTP_REQUEST",
            "configurations": {"method": "GET", "url": "https://example.com/"},
        },
    },
)


def broad(name: str, size: int) -> JsonObject:
    """Rows of 25 steps of several kinds, each row a chain that also feeds the next one."""
    nodes = [step(at, at % 25, at // 25) for at in range(size)]
    ids = [str(node["id"]) for node in nodes]
    pairs = [*pairwise(ids), *zip(ids, ids[25:], strict=False)]
    return workflow(name, nodes, pairs)


def chain(name: str, size: int) -> JsonObject:
    """One step after the other, without a place for any."""
    nodes: list[JsonObject] = [
        {"id": f"n{at}", "type": "prompt", "name": f"Step {at}", "data": {"prompt": "Hi"}}
        for at in range(size)
    ]
    return workflow(name, nodes, list(pairwise(str(node["id"]) for node in nodes)))


def lanes(name: str, size: int, wait_s: float) -> JsonObject:
    """Side by side, steps that wait: `LANES / wait_s` of them change their state in a second."""
    start: JsonObject = {"id": "start", "type": "start", "name": "Start", "data": {}}
    nodes: list[JsonObject] = [start]
    pairs: list[tuple[str, str]] = []
    for lane in range(LANES):
        ids = ["start", *(f"w{lane}-{at}" for at in range(size // LANES))]
        pairs += pairwise(ids)
        nodes += [waiting(one, at, lane, wait_s) for at, one in enumerate(ids[1:])]
    return workflow(name, nodes, pairs)


def step(at: int, column: int, row: int) -> JsonObject:
    """A step of the kind that is next; the first is where it begins."""
    place: JsonObject = {"x": column * COLUMN, "y": row * ROW}
    kind: JsonObject = KINDS[at % len(KINDS)] if at else {"type": "start", "data": {}}
    return {"id": f"n{at}", "name": f"step-{at}", "position": place, **kind}


def waiting(node: str, column: int, row: int, wait_s: float) -> JsonObject:
    """A step that waits."""
    return {
        "id": node,
        "type": "FLOW",
        "name": f"Wait {node}",
        "position": {"x": (column + 1) * COLUMN, "y": row * ROW},
        "data": {"subtype": "DELAY", "configurations": {"duration_seconds": wait_s}},
    }


def workflow(name: str, nodes: list[JsonObject], pairs: list[tuple[str, str]]) -> JsonObject:
    """Nodes and the connections between them as a file has them."""
    kinds = {str(node["id"]): node["data"] for node in nodes}
    return {
        "id": name,
        "name": name,
        "version": "1.0.0",
        "schemaVersion": "1.3.0",
        "nodes": list(nodes),
        "connections": [
            {"id": f"{one}-{other}", "from": one, "to": other, "fromPort": port_of(kinds[one])}
            for one, other in pairs
        ],
    }


def port_of(data: Json) -> str:
    """The way out of a step that is used here."""
    return "true" if isinstance(data, dict) and data.get("subtype") == "IF" else "output"
