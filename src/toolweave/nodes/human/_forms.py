"""Forms: fields by a JSON Schema, and what a filled one leads to."""

from toolweave.catalog.node import NodeContext, NodeInput, Resumed
from toolweave.catalog.node_input import refused_at
from toolweave.json_text import JsonObject
from toolweave.nodes.human._question import Judge, QuestionMemory, Verdict
from toolweave.nodes.human._reply_meaning import words_of
from toolweave.nodes.schema_setting import read_schema, schema_patch
from toolweave.workflow.question import DECLINED, Question

FILLED = "form_data"


def form_schema(given: NodeInput, field: str) -> JsonObject:
    """The schema of a node's form."""
    schema = read_schema(given, field, "FORM_SCHEMA_INVALID")
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        raise refused_at(
            (field,),
            "FORM_SCHEMA_INVALID",
            f"{field!r} must describe an object with properties: one for each field of the form",
            hint='write {"type": "object", "properties": {"name": {"type": "string"}}}',
            patch=schema_patch(field, schema),
        )
    return schema


def form_judge(question: Question) -> Judge:
    """Confirmed by a form without faults, rejected by one that is declined."""

    async def judge(context: NodeContext, resumed: Resumed, memory: QuestionMemory) -> Verdict:
        reply = resumed.reply
        if reply == DECLINED:
            return Verdict("rejected", "", "form")
        if not isinstance(reply, dict) or set(reply) == {"text"}:
            return Verdict("unrelated", words_of(reply), "form")
        if found := question.faults(reply):
            return Verdict(None, words_of(reply), why="; ".join(one.message for one in found))
        return Verdict("confirmed", words_of(reply), "form", own={FILLED: reply})

    return judge


def filled_in(memory: QuestionMemory) -> JsonObject:
    """What was filled in; nothing where nobody did."""
    return {FILLED: memory.own.get(FILLED, {})}
