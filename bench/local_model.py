"""How many simple requests the packaged local model fills in right: `python bench/local_model.py`.

The requests were written before the prompt was tuned; `tune` is what it was tuned on, `heldOut` was
not. `fresh` was written later by somebody who had not seen the prompt, and scored once: 11 of 20.
`--plain` asks as other endpoints without tool calls are asked, with the whole schema.
"""

import argparse
import json
import sys
import time
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
from toolweave.nodes.mcp._prompts import filled

REQUESTS = Path(__file__).with_name("local_requests.json")


async def main(is_small: bool) -> None:
    """Ask every request and print the figures."""
    target = await local_target(str(provider.model))
    web = ModelWeb()

    async def ask(question: ModelQuestion) -> ModelReply:
        request = provider.request(question, target, streams=False)
        reply = await send(web, provider, request, question, None)
        return reply.model_copy(update={"value": read_value(reply.message.text)})

    tools = {tool.name: tool.definition for tool in TOOLS}
    for name, requests in json.loads(REQUESTS.read_text(encoding="utf-8")).items():
        right, began = 0, time.perf_counter()
        for request in requests:
            tool = tools[request["tool"]]
            offer = ModelTool(
                name=tool.name, description=tool.description or "", parameters=tool.input_schema
            )
            question = ModelQuestion(
                messages=(Said(text=request["words"]),),
                system=filled("fill_parameters", tool=tool.name),
                tools=(offer,),
                choice="any",
            )
            reply = await ConstrainedQuestion(question, ask, is_small=is_small).reply()
            given = reply.message.wanted[0].arguments
            is_right = _said(tool, given) == _said(tool, request["arguments"])
            right += is_right
            _print("right" if is_right else "WRONG", request["words"], json.dumps(given))
        _print(name, f"{right} of {len(requests)}", f"{time.perf_counter() - began:.1f} s")
    await web.aclose()


# Any: an SDK type and free JSON.
def _said(tool: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without those that only repeat a default."""
    fields = tool.input_schema["properties"]
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
    parser.add_argument("--plain", action="store_true", help="the whole schema and no examples")
    anyio.run(main, not parser.parse_args().plain)
