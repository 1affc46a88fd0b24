"""Small workflows to publish."""

from typing import Any

from rest.drawn import drawn

Document = dict[str, Any]


def delay(name: str, seconds: float = 0) -> Document:
    data = {"subtype": "DELAY", "configurations": {"duration_seconds": seconds}}
    return {"id": name.lower(), "type": "FLOW", "name": name, "data": data}


def counting(name: str) -> Document:
    """Three steps that take no time."""
    return drawn(name, delay("One"), delay("Two"), delay("Three"))


def failing(name: str) -> Document:
    """Greets, and then fails."""
    stop = {"subtype": "STOP", "configurations": {"outcome": "error", "message": "No more"}}
    return drawn(
        name,
        {"id": "greet", "type": "prompt", "name": "Greet", "data": {"prompt": "Hi, {{who}}!"}},
        {"id": "stop", "type": "FLOW", "name": "Stop", "data": stop},
    )


def asking(name: str) -> Document:
    """Asks which colour, and gives what was answered."""
    options = [{"label": "Red", "description": ""}, {"label": "Blue", "description": ""}]
    data = {"questionText": "Which colour?", "options": options, "multiSelect": False}
    chain = drawn(name, {"id": "ask", "type": "askUserQuestion", "name": "Ask", "data": data})
    joined = [edge for edge in chain["connections"] if edge["from"] != "ask"]
    ports = [
        {"id": f"ask-{n}", "from": "ask", "to": "end", "fromPort": f"branch-{n}", "toPort": "input"}
        for n in range(len(options))
    ]
    return {**chain, "connections": [*joined, *ports]}
