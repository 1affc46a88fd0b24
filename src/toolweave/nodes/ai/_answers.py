"""Processing of a model's answer: parse and check JSON, extract code, fill fields."""

import re
from collections.abc import Callable

from toolweave import json_text
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.resources.model import ModelReply, TokenUsage
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.agent import Worked
from toolweave.nodes.agent_parts import ModelPart
from toolweave.nodes.ai._setup import Setup
from toolweave.patterns import pattern
from toolweave.tools.check import check_value
from toolweave.tools.schema import compile_schema

_FENCE = pattern(r"```([\w+-]*)[^\n]*\n(.*?)```", re.DOTALL)
_PERSONAL = {
    "email": pattern(r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    "phone": pattern(r"(?<!\w)\+?\d[\d ()/-]{7,}\d(?!\w)"),
    "iban": pattern(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b"),
}
MAX_TOLD = 10


def value_in(reply: ModelReply) -> Json:
    """The JSON of an answer, also where it stands in a block of code; else nothing."""
    if reply.value is not None:
        return reply.value
    fence = _FENCE.search(reply.message.text)
    for text in (reply.message.text, fence[2] if fence else ""):
        try:
            return json_text.read(text.strip())
        except Invalid:
            continue
    return None


def checker(setup: Setup) -> Callable[[ModelReply], str | None] | None:
    """What tells a model that its answer is not what was asked for.

    Raises:
        Invalid: `NODE_INPUT_INVALID` for a schema that cannot be used.
    """
    if not setup.wants_json and setup.shape is None:
        return None
    compiled = compile_schema(setup.shape) if setup.shape is not None else None
    if compiled is not None and not compiled.is_usable:
        message = "the schema of the answer cannot be used"
        raise refused_at(setup.shape_at, "NODE_INPUT_INVALID", message)

    def check(reply: ModelReply) -> str | None:
        value = value_in(reply)
        if value is None:
            return "Your answer is no JSON. Answer with JSON only, and no word besides."
        problems = check_value(compiled, value) if compiled is not None else []
        wrong = [one for one in problems if one.severity == "error"][:MAX_TOLD]
        if not wrong:
            return None
        told = "\n".join(f"{one.pointer or '/'}: {one.message}" for one in wrong)
        return f"Your answer does not fit what was asked for:\n{told}\nAnswer again with JSON only."

    return check


def fields_of(setup: Setup, worked: Worked) -> JsonObject:
    """The outputs of an AI node."""
    reply = worked.reply
    metadata: JsonObject = {
        "model": reply.model,
        "provider": reply.provider,
        "finish_reason": reply.stopped,
        "questions": sum(1 for part in worked.parts if isinstance(part, ModelPart)),
        "cached": False,
    }
    content = reply.message.text
    if setup.wants_json or setup.shape is not None:
        value = value_in(reply)
        metadata["json"] = value
        content = content if value is None else json_text.write(value)
    if setup.extracts_code:
        found = _FENCE.findall(reply.message.text)
        metadata["code"] = [{"language": language, "code": code} for language, code in found]
    if setup.finds_personal_data:
        metadata["personal_data"] = [
            kind for kind, shape in _PERSONAL.items() if shape.search(content)
        ]
    return {
        "content": content,
        # The legacy name of the same.
        "output": content,
        "metadata": metadata,
        "token_usage": usage_of(worked.usage),
        "function_calls": _calls(worked),
    }


def usage_of(usage: TokenUsage) -> JsonObject:
    """Tokens, and the cost where it is known."""
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost_usd": usage.cost_usd,
    }


def _calls(worked: Worked) -> list[Json]:
    made: list[Json] = [
        {
            "name": call.name,
            "arguments": call.arguments,
            "result": call.text,
            "is_error": call.is_error,
        }
        for call in worked.calls
    ]
    # Functions that are left to a later node.
    left: list[Json] = [
        {"name": one.name, "arguments": one.arguments, "result": None, "is_error": False}
        for one in worked.left
    ]
    return [*made, *left]
