"""Which tools a request may mean: by the words they share, and the values it has for them."""

import math
from collections import Counter
from collections.abc import Sequence

from toolweave.assistant.extraction.english import words
from toolweave.assistant.extraction.fields import ParameterField, fields_of
from toolweave.assistant.extraction.incoming_data import words_and_data
from toolweave.assistant.extraction.reading import Reading
from toolweave.assistant.extraction.tokens import (
    is_among,
    name_parts,
    stem,
    stems_of,
    tokens_of,
    without_quotes,
)
from toolweave.catalog.resources.model import ModelTool

MAX_LIKELY, CLEAR = 4, 1.0
NAME_WEIGHT, FOUND, UNSIGNED, MISSING, UNUSED, READS = 2.0, 1.0, 0.25, 1.5, 0.7, 1.0
_QUESTIONS = words("questions")
_READING = {stem(word) for word in words("reading")}


def tool_words(tool: ModelTool) -> str:
    """Return what describes a tool and its parameters."""
    fields = (f"{one.name} {one.description}" for one in fields_of(tool.parameters))
    return " ".join([*name_parts(tool.name), tool.description, *fields])


def likely_tools(request: str, tools: Sequence[ModelTool]) -> tuple[ModelTool, ...]:
    """Return the tools that a request may mean: one where it is clear, none where none fits."""
    said, _ = words_and_data(request)
    ranked = [one for one in ranked_tools(said, tools) if one[0] > 0]
    if not ranked:
        return ()
    best = ranked[0][0]
    return tuple(tool for score, tool in ranked[:MAX_LIKELY] if score > best - CLEAR)


def ranked_tools(request: str, tools: Sequence[ModelTool]) -> list[tuple[float, ModelTool]]:
    """Return the tools with their scores, best first."""
    stems = {tool.name: stems_of(without_quotes(tool_words(tool))) for tool in tools}
    rarity = _rarity(list(stems.values()))
    said = {token.word for token in tokens_of(request) if not token.is_quoted}
    said_stems = stems_of(" ".join(said))
    scored: list[tuple[float, ModelTool]] = []
    for tool in tools:
        own = {stem(part) for part in name_parts(tool.name)}
        shared = sum(
            rarity[one] * (NAME_WEIGHT if one in own else 1.0)
            for one in stems[tool.name] & said_stems
        )
        named = sum(0.5 for one in own if is_among(one, said_stems - own))
        reads = READS if _asks(request) and _reads(tool) else 0.0
        scored.append((shared + named + reads + _values(request, tool), tool))
    return sorted(scored, key=lambda one: -one[0])


def _rarity(tools: Sequence[set[str]]) -> dict[str, float]:
    """Return how much a word tells tools apart: what all of them use tells nothing."""
    counts = Counter(word for one in tools for word in one)
    return {word: math.log((1 + len(tools)) / count) for word, count in counts.items()}


def _values(request: str, tool: ModelTool) -> float:
    """Score whether the request has values for the parameters."""
    fields = fields_of(tool.parameters)
    reading = Reading(request, fields, tool_words(tool))
    found = reading.read()
    values = sum(_value(one, one.name in found) for one in fields)
    return values - UNUSED * reading.unused


def _asks(request: str) -> bool:
    first = next(iter(tokens_of(request)), None)
    return request.rstrip().endswith("?") or (first is not None and first.word in _QUESTIONS)


def _reads(tool: ModelTool) -> bool:
    first = next(iter(tokens_of(tool.description)), None)
    return first is not None and stem(first.word) in _READING


def _value(one: ParameterField, is_found: bool) -> float:
    if not is_found:
        return -MISSING if one.is_required else 0.0
    return UNSIGNED if one.kind == "text" else FOUND
