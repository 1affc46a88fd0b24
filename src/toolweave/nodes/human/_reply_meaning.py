"""What a reply means: by its button, by a model where one is configured, else by its words."""

from dataclasses import dataclass
from importlib.resources import files
from typing import cast, get_args

from toolweave import json_text
from toolweave.catalog.node import NodeContext
from toolweave.catalog.resources.model import ModelCaller, ModelQuestion, Said, configured_model
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._reply_words import Meaning, gives_instructions, meaning_of, plain_reply
from toolweave.workflow.question import ANSWER, DECLINED

DEADLINE_S = 60.0
MAX_SHOWN = 8_000
_PROVIDERS = {"gpt": "openai", "o1": "openai", "o3": "openai", "claude": "anthropic"}
_SHAPE: JsonObject = {
    "type": "object",
    "properties": {
        "meaning": {"type": "string", "enum": ["confirmed", "rejected", "unrelated"]},
        "because": {"type": "string"},
    },
    "required": ["meaning", "because"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Which model reads replies, and what its owner wants it to know."""

    model: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class ReplyMeaning:
    """What a reply means, its words, and who found that out: button, rules or a model."""

    meaning: Meaning
    text: str
    read_by: str


def said_plainly(reply: Json) -> ReplyMeaning | None:
    """The meaning of a button, a form's choice or a true or false; nothing for words."""
    if reply == DECLINED:
        return ReplyMeaning("rejected", "", "button")
    told = reply
    if isinstance(reply, dict):
        told = reply.get(ANSWER, reply.get("approved"))
    if isinstance(told, bool):
        return ReplyMeaning("confirmed" if told else "rejected", words_of(reply), "button")
    chosen = _meaning(told)
    return ReplyMeaning(chosen, words_of(reply), "button") if chosen else None


def words_of(reply: Json) -> str:
    """A reply in the person's own words."""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, dict):
        for name in ("text", "comment", "label", ANSWER):
            if isinstance(found := reply.get(name), str) and found:
                return found
    return "" if reply is None or reply == DECLINED else json_text.write(reply)


async def read_reply(context: NodeContext, asked: str, reply: Json, advice: Advice) -> ReplyMeaning:
    """What a reply means."""
    if (plain := said_plainly(reply)) is not None:
        return plain
    text = words_of(reply)
    by_rules = ReplyMeaning(meaning_of(text), text, "rules")
    if not plain_reply(text) or gives_instructions(text):
        return by_rules  # no model is asked to withstand what needs no model to see
    model = await configured_model(context.resources.model)
    if model is None:
        return by_rules
    try:
        question = await _question(model, asked, text, advice)
        answer = await model.ask(question)
    except ToolweaveError as error:
        return ReplyMeaning(by_rules.meaning, text, f"rules ({error.code})")
    value = answer.value if answer.value is not None else _parsed(answer.message.text)
    found = value.get("meaning") if isinstance(value, dict) else None
    meaning = _meaning(found)
    if meaning is None:
        return ReplyMeaning(by_rules.meaning, text, "rules (MODEL_ANSWER_INVALID)")
    return ReplyMeaning(meaning, text, f"model {answer.model}")


async def _question(model: ModelCaller, asked: str, reply: str, advice: Advice) -> ModelQuestion:
    system = files("toolweave.nodes.human").joinpath("reply.md").read_text(encoding="utf-8")
    if advice.more:
        system += f"\nThe owner of this question adds:\n\n{advice.more}\n"
    data = json_text.write({"question": asked[:MAX_SHOWN], "reply": reply[:MAX_SHOWN]})
    said = Said(text=f"<data>\n{data.replace('<', chr(92) + 'u003c')}\n</data>")
    name, provider = advice.model, None
    for start, known in _PROVIDERS.items():
        if name.startswith(start):
            provider = known
    if provider is None or not await model.configured(provider):
        # The model that somebody configured reads better than one that nobody did.
        is_named = provider is None and bool(name) and await model.configured(name)
        provider, name = (name if is_named else None), ""
    return ModelQuestion(
        messages=(said,),
        system=system,
        provider=provider,
        model=name or None,
        shape=_SHAPE,
        max_tokens=1_000,
        deadline_s=DEADLINE_S,
    )


def _parsed(text: str) -> Json:
    start, end = text.find("{"), text.rfind("}")
    try:
        return json_text.read(text[start : end + 1]) if 0 <= start < end else None
    except ToolweaveError:
        return None


def _meaning(value: object) -> Meaning | None:
    found = value if value in get_args(Meaning) else None
    return cast("Meaning | None", found)
