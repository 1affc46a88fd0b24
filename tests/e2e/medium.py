"""A workflow of every kind of node that looks different: tools in modes, choices, a group."""

from typing import Any

LONG = "Write to everybody who ordered before the first of the month"


def node(
    id_: str, type_: str, name: str, at: tuple[int, int], data: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """A node at a place."""
    place = {"x": at[0], "y": at[1]}
    return {"id": id_, "type": type_, "name": name, "position": place, "data": data, **more}


def tool(name: str, mode: str = "detailed", **more: Any) -> dict[str, Any]:
    """The data of a node that calls a tool of the demo server."""
    return {
        "serverId": "demo",
        "toolName": name,
        "toolDescription": name,
        "parameters": [],
        "parameterValues": {},
        "mode": mode,
        **more,
    }


def branches(*labels: str) -> list[dict[str, Any]]:
    """Ways out of a choice."""
    return [{"label": label, "condition": f"it is {label}"} for label in labels]


def wires(*pairs: str) -> list[dict[str, Any]]:
    """Connections written as `from.port>to`."""
    made: list[dict[str, Any]] = []
    for pair in pairs:
        source, _, target = pair.partition(">")
        start, _, port = source.partition(".")
        ends = {"from": start, "to": target, "fromPort": port or "output", "toPort": "input"}
        made.append({"id": f"{start}-{port}-{target}", **ends})
    return made


def medium(name: str = "medium") -> dict[str, Any]:
    """About fifteen nodes, with places."""
    weather = tool("weather", parameterValues={"city": "Oslo"})
    said = tool("greet", "naturalLanguageParam", naturalLanguageParamDescription="say hello")
    loop: dict[str, Any] = {"subtype": "FOR_EACH", "configurations": {}}
    question: dict[str, Any] = {
        "questionText": "Send it?",
        "options": [{"label": "Send now", "description": ""}, {"label": "Not yet"}],
        "outputPorts": 2,
    }
    kinds = branches("cold and wet", "cold", "warm", "hot")
    nodes = [
        node("frame", "group", "Say it", (980, -60), {}, style={"width": 620, "height": 230}),
        node("start", "start", "Start", (0, 0), {}),
        node("weather", "mcp", "weather", (280, 0), weather),
        node("choose", "switch", "What to wear", (560, 0), {"branches": kinds, "outputPorts": 4}),
        node("hello", "mcp", "greet", (40, 70), said, parentId="frame"),
        node("words", "prompt", LONG, (330, 70), {"prompt": "Take a coat."}, parentId="frame"),
        node("sure", "ifElse", "Is it sure?", (560, 260), {"branches": branches("yes", "no")}),
        node("each", "FLOW", "For each day", (980, 260), loop),
        node("ask", "askUserQuestion", "Ask Ada", (1260, 260), question),
        node("lost", "mcp", "lost", (980, 420), {**tool("gone"), "serverId": "nobody"}),
        node("remark", "note", "", (280, 200), {"content": "The weather is made up."}),
        node("end", "end", "End", (1680, 120), {}),
    ]
    edges = wires(
        *("start>weather", "weather>choose", "choose.branch-0>hello", "hello>words", "words>end"),
        *("choose.branch-1>sure", "sure.branch-0>each", "sure.branch-1>lost"),
        *("each.loop>ask", "ask.branch-0>end"),
    )
    head = {"id": name, "name": name, "version": "1.0.0", "schemaVersion": "1.3.0"}
    return {**head, "nodes": nodes, "connections": edges}
