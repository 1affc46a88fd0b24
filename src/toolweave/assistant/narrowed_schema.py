"""A tool's schema for one request to a small model: only values that the request contains.

A small model copies and chooses better than it writes. What the request says about a parameter
becomes a choice of a few values, often of one; an optional parameter that it does not mention is
left out. A required one without such values is unchanged, or a choice of the request's words.
"""

from toolweave.assistant.extraction.fields import ParameterField, fields_of
from toolweave.assistant.extraction.incoming_data import with_data, words_and_data
from toolweave.assistant.extraction.reading import Reading
from toolweave.assistant.extraction.tokens import tokens_of
from toolweave.json_text import Json, JsonObject

MAX_WORDS = 40
MAX_SPAN_WORDS = 12
# Reading a longer text word by word takes longer than a model of this size is worth.
MAX_TEXT_WORDS = 400


def narrowed_schema(
    schema: JsonObject, request: str, about: str, *, is_quoted: bool = False
) -> JsonObject:
    """Return the schema with the choices that `request` offers; `about` describes the tool.

    A request that is quoted is a text to read, not words of a person, and has no data.
    """
    fields = fields_of(schema)
    if not fields:
        return schema
    words = " ".join([about, *(f"{one.name} {one.description}" for one in fields)])
    request, members = (request, {}) if is_quoted else words_and_data(request)
    choices = with_data(fields, Reading(request, fields, words).read(), members)
    kept: JsonObject = {}
    for one in fields:
        if one.name in choices:
            kept[one.name] = _chosen(one, choices[one.name])
        elif one.is_required and _takes_null(schema, one.name):
            kept[one.name] = {"enum": [None]}
        elif one.is_required:
            kept[one.name] = _open(one, request, [*choices.values()])
    return {
        **schema,
        "properties": kept,
        "required": [*kept],
        "additionalProperties": False,
    }


def _takes_null(schema: JsonObject, name: str) -> bool:
    properties = schema.get("properties")
    own = properties.get(name) if isinstance(properties, dict) else None
    kinds = own.get("type") if isinstance(own, dict) else None
    return isinstance(kinds, list) and "null" in kinds


def _open(one: ParameterField, request: str, others: list[list[Json]]) -> JsonObject:
    taken = [value for [value, *_] in others if isinstance(value, str)]
    found = spans_in(request) if one.kind == "text" else []
    spans: list[Json] = [text for text in found if not any(value in text for value in taken)]
    return _chosen(one, spans) if spans else one.schema


def _chosen(one: ParameterField, values: list[Json]) -> JsonObject:
    kept = {name: one.schema[name] for name in ("description",) if name in one.schema}
    return {**kept, "enum": values}


def spans_in(request: str) -> list[str]:
    """Return the word sequences of a request of one paragraph; nothing for a longer one."""
    tokens = tokens_of(request)
    if len(tokens) > MAX_WORDS or "\n" in request.strip():
        return []
    found = (
        request[tokens[begin].start : tokens[end].end]
        for begin in range(len(tokens))
        for end in range(begin, min(len(tokens), begin + MAX_SPAN_WORDS))
    )
    return [*dict.fromkeys(found)]
