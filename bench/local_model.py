"""How many requests the local model fills in right.

    python -m bench.local_model --requests FILE

A file of requests is a JSON object. Each of its members is a set of requests under its name:

    {"fresh": [{"tool": "weather", "words": "Oslo, five days",
                "arguments": {"city": "Oslo", "days": 5}}]}

`tool` names a tool of the demo server, or one that the file defines itself in the member `tools`,
a list of `{"name": …, "description": …, "inputSchema": …}`. `arguments` is what is right; one that
only repeats a default of the schema may be there or not. `--choose` leaves the tool to the model
too: a request is right if the tool and the arguments are.

`local_requests.json` is spent: `tune` and `heldOut` were written before the first prompt, `fresh`
by somebody who had not seen it (11 of 20, scored once). `local_practice.json` is what the present
method was developed on; `second` is by somebody who had not seen it (19 of 20, scored once).
`local_invented.json` is spent as well: `invented` is what the method was changed with, and the
`unseen…` sets were scored once (13, 11, 17 and 16 of 20) before their failures were used.
`local_unseen.json` is by an author who had not read the method, for tools that no other file has;
it was scored once (17 and 16 of 20), and nobody has read its failures.
`--plain` asks as other endpoints without tool calls are asked.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from toolweave.assistant.constrained import ConstrainedQuestion
from toolweave.assistant.http import ModelWeb
from toolweave.assistant.local_server import local_target
from toolweave.assistant.providers.local import provider
from toolweave.assistant.requests import send
from toolweave.assistant.response_fields import read_value
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, ModelTool, Said
from toolweave.demo.server import TOOLS
from toolweave.nodes.mcp._language import filled

REQUESTS = Path(__file__).with_name("local_requests.json")
DEFINITIONS = "tools"


@dataclass(frozen=True, slots=True)
class Options:
    """How the requests are asked."""

    requests: Path
    is_small: bool = True
    chooses: bool = False


async def main(options: Options) -> None:
    """Ask every request and print the figures."""
    sets = json.loads(options.requests.read_text(encoding="utf-8"))
    tools = _tools(sets.pop(DEFINITIONS, []))
    target = await local_target(str(provider.model))
    web = ModelWeb()
    asked = 0

    async def ask(question: ModelQuestion) -> ModelReply:
        nonlocal asked
        asked += 1
        request = provider.request(question, target, streams=False)
        reply = await send(web, provider, request, question, None)
        return reply.model_copy(update={"value": read_value(reply.message.text)})

    for name, requests in sets.items():
        right, longest_s, began = 0, 0.0, time.perf_counter()
        asked = 0
        for request in requests:
            started = time.perf_counter()
            is_right = await _is_right(request, tools, options, ask)
            longest_s = max(longest_s, time.perf_counter() - started)
            right += is_right
        took_s = time.perf_counter() - began
        _print(
            f"{name}: {right} of {len(requests)}",
            f"{took_s / max(1, len(requests)):.2f} s each, {longest_s:.2f} s at most",
            f"{asked} model requests",
        )
    await web.aclose()


# Any: free JSON.
async def _is_right(
    request: dict[str, Any], tools: dict[str, ModelTool], options: Options, ask: Callable[..., Any]
) -> bool:
    tool = tools[request["tool"]]
    if options.chooses:
        system, offered = filled("work_task", server="demo"), tuple(tools.values())
    else:
        system, offered = filled("fill_parameters", tool=tool.name), (tool,)
    question = ModelQuestion(
        messages=(Said(text=request["words"]),),
        system=system,
        tools=offered,
        choice="auto" if options.chooses else "any",
    )
    reply = await ConstrainedQuestion(question, ask, is_small=options.is_small).reply()
    (call,) = reply.message.wanted or (None,)
    given = call.arguments if call else None
    chosen = call.name if call else "(answer)"
    expected = request["arguments"]
    is_right = (
        chosen == tool.name and given is not None and _said(tool, given) == _said(tool, expected)
    )
    _print("right" if is_right else "WRONG", request["words"])
    _print("      ", "decided ", chosen, json.dumps(given, ensure_ascii=False))
    _print("      ", "expected", tool.name, json.dumps(expected, ensure_ascii=False))
    return is_right


def _tools(defined: list[dict[str, Any]]) -> dict[str, ModelTool]:
    """Return the tools of the demo server and of the file, by name."""
    own = [
        ModelTool(name=one["name"], description=one["description"], parameters=one["inputSchema"])
        for one in defined
    ]
    demo = [
        ModelTool(
            name=one.name,
            description=one.definition.description or "",
            parameters=one.definition.input_schema,
        )
        for one in TOOLS
    ]
    return {tool.name: tool for tool in (*demo, *own)}


def _said(tool: ModelTool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without those that only repeat a default."""
    fields: Any = tool.parameters.get("properties", {})
    none = object()
    return {
        name: value
        for name, value in arguments.items()
        if fields.get(name, {}).get("default", none) != value
    }


def _print(*words: str) -> None:
    sys.stdout.write("  ".join(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=Path, default=REQUESTS, help="a file of requests")
    parser.add_argument("--choose", action="store_true", help="the model chooses the tool too")
    parser.add_argument("--plain", action="store_true", help="the whole schema and no examples")
    given = parser.parse_args()
    anyio.run(main, Options(given.requests, not given.plain, given.choose))
