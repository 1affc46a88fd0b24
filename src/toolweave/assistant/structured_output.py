"""Find out how an endpoint gives structured answers, with up to three short requests."""

from collections.abc import Awaitable, Callable

from toolweave.assistant.provider import Provider, StructuredOutput
from toolweave.assistant.providers._ollama import OLLAMA
from toolweave.assistant.response_fields import read_value
from toolweave.catalog.resources.model import ModelQuestion, ModelReply, ModelTool, Said
from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import Json, JsonObject

PROBE = "toolweave_probe"
# Some models count reasoning tokens before the answer.
MAX_TOKENS = 400
_COLORS: list[Json] = ["blue", "green", "red"]
_SCHEMA: JsonObject = {
    "title": PROBE,
    "type": "object",
    "properties": {"color": {"type": "string", "enum": _COLORS}},
    "required": ["color"],
    "additionalProperties": False,
}
_KEY_REJECTED = frozenset({401, 403})
# llama.cpp answers 500 to tools that its start options do not allow, others 501.
_NOT_SUPPORTED = frozenset({500, 501})

AskOnce = Callable[[Provider, ModelQuestion], Awaitable[ModelReply]]


async def probe_structured_output(provider: Provider, ask: AskOnce) -> StructuredOutput:
    """Return the first way that works; what the model says is not judged.

    Raises `ToolweaveError`: the endpoint cannot be reached, is busy, or rejects the key.
    """
    # Without a word about JSON: only an endpoint that obeys the schema answers with it.
    said = (Said(text="What color is a clear sky at noon? Report the color."),)
    plain = ModelQuestion(messages=said, max_tokens=MAX_TOKENS)
    tool = ModelTool(name=PROBE, description="Report a color.", parameters=_SCHEMA)
    reply = await _asked(ask, provider, plain.model_copy(update={"tools": (tool,)}))
    if reply and any(one.name == PROBE and _fits(one.arguments) for one in reply.message.wanted):
        return "tools"
    shaped = plain.model_copy(update={"shape": _SCHEMA})
    reply = await _asked(ask, provider, shaped)
    if reply and _fits(read_value(reply.message.text)):
        return "json_schema"
    reply = await _asked(ask, OLLAMA, shaped)
    return "format" if reply and _fits(read_value(reply.message.text)) else "text"


def _fits(value: Json) -> bool:
    return any(value == {"color": color} for color in _COLORS)


async def _asked(ask: AskOnce, provider: Provider, question: ModelQuestion) -> ModelReply | None:
    """Return the reply; `None` if the endpoint does not support such a request."""
    try:
        return await ask(provider, question)
    except Invalid as error:
        if error.code != "MODEL_REFUSED" or error.facts.get("status") in _KEY_REJECTED:
            raise
    except Unavailable as error:
        # Whatever else is at Ollama's path is not Ollama.
        is_without_tools = question.tools and error.facts.get("status") in _NOT_SUPPORTED
        if not is_without_tools and provider is not OLLAMA:
            raise
    return None
