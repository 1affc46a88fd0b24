"""A small model's decisions: few choices per request, one call per task."""

import pytest

from toolweave.assistant.constrained import ConstrainedQuestion
from toolweave.catalog.resources.model import (
    Called,
    Message,
    ModelQuestion,
    ModelReply,
    ModelTool,
    Said,
    TextTask,
    ToolAnswer,
)
from toolweave.demo.server import TOOLS
from toolweave.json_text import JsonObject

pytestmark = pytest.mark.anyio

DEMO = tuple(
    ModelTool(
        name=tool.name,
        description=tool.definition.description or "",
        parameters=tool.definition.input_schema,
    )
    for tool in TOOLS
)
REQUEST = Said(text="What is the weather in Oslo for 5 days?")


class FirstChoice:
    """Answers with the first choice of every field, and keeps the questions."""

    def __init__(self) -> None:
        self.asked: list[ModelQuestion] = []

    async def ask(self, question: ModelQuestion) -> ModelReply:
        self.asked.append(question)
        properties = (question.shape or {}).get("properties")
        value: JsonObject = {}
        for name, field in (properties if isinstance(properties, dict) else {}).items():
            choices = field.get("enum") if isinstance(field, dict) else None
            value[name] = choices[0] if isinstance(choices, list) else 99
        text = ToolAnswer(text="Done.")
        return ModelReply(message=text, model="m", provider="local", stopped="end", value=value)


async def asked(*messages: Message, is_small: bool = True) -> tuple[ModelReply, FirstChoice]:
    model = FirstChoice()
    question = ModelQuestion(messages=messages, tools=DEMO)
    return await ConstrainedQuestion(question, model.ask, is_small=is_small).reply(), model


async def test_a_clear_tool_and_its_values_are_one_request() -> None:
    reply, model = await asked(REQUEST)
    (wanted,) = reply.message.wanted
    assert (wanted.name, wanted.arguments) == ("weather", {"city": "Oslo", "days": 5})
    assert len(model.asked) == 1


async def test_a_large_model_chooses_among_all_tools_and_gets_the_whole_schema() -> None:
    reply, model = await asked(REQUEST, is_small=False)
    assert [one.name for one in reply.message.wanted] == ["echo"]
    assert len(model.asked) == 2
    assert model.asked[1].shape == DEMO[0].parameters


async def test_a_task_ends_after_one_successful_call() -> None:
    call = ToolAnswer(wanted=(await asked(REQUEST))[0].message.wanted)
    failed = Called(id="call_0", name="weather", text="no such city", is_error=True)
    again, _ = await asked(REQUEST, call, failed)
    assert [one.name for one in again.message.wanted] == ["weather"]
    done, model = await asked(REQUEST, call, failed.model_copy(update={"is_error": False}))
    assert (done.message.text, done.message.wanted) == ("Done.", ())
    assert model.asked[0].tools == ()


async def test_thanks_is_answered_without_a_tool() -> None:
    reply, model = await asked(Said(text="Thanks"))
    assert (reply.message.text, reply.message.wanted) == ("Done.", ())
    assert len(model.asked) == 1


ORDER: JsonObject = {
    "type": "object",
    "properties": {
        "email": {"type": ["string", "null"], "format": "email"},
        "total": {"type": ["number", "null"]},
        "host": {"type": ["string", "null"], "description": "Name of the server"},
        "due": {"type": ["string", "null"], "format": "date"},
    },
    "required": ["email", "total", "host", "due"],
    "additionalProperties": False,
}


async def test_fields_of_a_text_are_values_that_stand_in_it_or_null() -> None:
    text = "Server db-7 in Frankfurt is down. The bill is 249.90, write to ada@example.org."
    question = ModelQuestion(
        messages=(Said(text=f"The text:\n{text}"),), shape=ORDER, text_task=TextTask(text=text)
    )
    model = FirstChoice()
    reply = await ConstrainedQuestion(question, model.ask, is_small=True).reply()
    assert reply.value == {
        "email": "ada@example.org",
        "total": 249.9,
        "host": "db-7",
        "due": None,
    }
    larger = FirstChoice()
    await ConstrainedQuestion(question, larger.ask).reply()
    assert larger.asked[0].shape == ORDER


async def test_a_label_is_the_one_that_the_text_makes_more_likely() -> None:
    usual = {" a": -1.0, " not": -2.0, " sp": -6.0, " spam": -5.0, " urgent": -3.0}
    rest = {" spam": -1.0, " urgent": -1.0}

    async def next_tokens(prompt: str) -> dict[str, float]:
        if prompt.endswith(" not"):
            return {**rest, " spam": -0.2} if "meeting" in prompt else rest
        return {**usual, " not": -1.0} if "meeting" in prompt else usual

    labels = ("spam", "not spam", "Not urgent")
    task = TextTask(text="Can we move our meeting?", labels=labels)
    question = ModelQuestion(messages=(Said(text=task.text),), shape=ORDER, text_task=task)
    model = FirstChoice()
    reply = await ConstrainedQuestion(question, model.ask, True, next_tokens).reply()
    assert isinstance(reply.value, dict)
    assert reply.value["label"] == "not spam"
    assert not model.asked


async def test_a_heading_goes_on_to_the_end_of_its_sentence() -> None:
    parameters: JsonObject = {
        "type": "object",
        "properties": {"to": {"type": "string", "format": "email"}, "subject": {"type": "string"}},
        "required": ["to", "subject"],
    }
    tool = ModelTool(name="send_mail", description="Send a mail.", parameters=parameters)
    said = Said(text="Send a mail to ada@example.org with the subject Dinner is on me tonight.")
    question = ModelQuestion(messages=(said,), tools=(tool,), choice="any")
    reply = await ConstrainedQuestion(question, FirstChoice().ask, is_small=True).reply()
    (wanted,) = reply.message.wanted
    assert wanted.arguments == {"to": "ada@example.org", "subject": "Dinner is on me tonight"}
