"""Small workflows that a studio might have drawn."""

from itertools import pairwise
from typing import Any


def drawn(name: str, *nodes: dict[str, Any]) -> dict[str, Any]:
    """A chain from a start over `nodes` to an end."""
    chain: list[dict[str, Any]] = [
        {"id": "start", "type": "start", "name": "Start", "data": {}},
        *nodes,
        {"id": "end", "type": "end", "name": "End", "data": {}},
    ]
    placed = [{**node, "position": {"x": 300 * place, "y": 0}} for place, node in enumerate(chain)]
    ids = [node["id"] for node in chain]
    edges = [
        {
            "id": f"{source}-{target}",
            "from": source,
            "to": target,
            "fromPort": "output",
            "toPort": "input",
        }
        for source, target in pairwise(ids)
    ]
    return {
        "id": name,
        "name": name,
        "version": "1.0.0",
        "schemaVersion": "1.3.0",
        "nodes": placed,
        "connections": edges,
    }


def greeting(name: str = "greet") -> dict[str, Any]:
    """Gives `Hello, …!` for the input `who`."""
    data = {"prompt": "Hello, {{who}}!"}
    return drawn(name, {"id": "greet", "type": "prompt", "name": "Greet", "data": data})


def pausing(name: str = "pause", seconds: int = 3_600) -> dict[str, Any]:
    """Waits in the step `pause` until an answer comes, or for an hour; then greets."""
    pause = {"subtype": "DELAY", "configurations": {"duration_seconds": seconds}}
    return drawn(
        name,
        {"id": "pause", "type": "FLOW", "name": "Pause", "data": pause},
        {"id": "greet", "type": "prompt", "name": "Greet", "data": {"prompt": "Hi, {{who}}!"}},
    )


def asking_mcp(server: str = "box", tool: str = "echo") -> dict[str, Any]:
    """Calls a tool of a server."""
    data: dict[str, Any] = {
        "serverId": server,
        "toolName": tool,
        "mode": "detailed",
        "parameterValues": {},
    }
    return drawn("ask", {"id": "call", "type": "mcp", "name": "Call", "data": data})


def triggered() -> dict[str, Any]:
    """A workflow that starts by a schedule and by a call."""
    document = drawn("morning")
    starts = {
        "nine": ("CRON", {"cron_expression": "0 9 * * 1-5", "timezone": "Europe/Berlin"}),
        "hook": ("WEBHOOK", {"webhook_path": "/morning"}),
    }
    nodes = [
        {
            "id": name,
            "type": "TRIGGER",
            "name": name,
            "position": {"x": 0, "y": 0},
            "data": {"subtype": kind, "configurations": config},
        }
        for name, (kind, config) in starts.items()
    ]
    document["nodes"] = [*nodes, document["nodes"][-1]]
    document["connections"] = [{"id": name, "from": name, "to": "end"} for name in starts]
    return document
