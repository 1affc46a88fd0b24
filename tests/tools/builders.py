"""Tools for tests: built from a few keywords, or the real ones of the corpus."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from toolweave import json_text
from toolweave.json_text import Json, JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool


class CorpusTool(NamedTuple):
    """One real tool: whose it is, and its raw entry."""

    server: str
    entry: JsonObject

    @property
    def name(self) -> str:
        return f"{self.server}/{self.entry['name']}"


def a_tool(
    properties: JsonObject | None = None, more: JsonObject | None = None, **keywords: Json
) -> Tool:
    """A tool whose input schema is an object with these properties and further keywords.

    Keywords that are no Python names stand in `more`.
    """
    schema: JsonObject = {"type": "object", **(more or {}), **keywords}
    if properties is not None:
        schema["properties"] = properties
    return read_tool("server", {"name": "tool", "inputSchema": schema})


def repeated(value: Json, times: int) -> list[Json]:
    """An array of the same value over and over."""
    return [value] * times


@cache
def corpus() -> tuple[CorpusTool, ...]:
    """Every tool of the corpus, in a fixed order."""
    found: list[CorpusTool] = []
    for path in sorted((Path(__file__).parent / "corpus").glob("*.json")):
        entries = json_text.read(path.read_bytes())
        assert isinstance(entries, list)
        found += [CorpusTool(path.stem, entry) for entry in entries if isinstance(entry, dict)]
    return tuple(found)


@cache
def corpus_schemas() -> tuple[tuple[str, JsonObject], ...]:
    """Every input and output schema of the corpus with a name for it."""
    return tuple(
        (f"{one.name}.{key}", schema)
        for one in corpus()
        for key in ("inputSchema", "outputSchema")
        if isinstance(schema := one.entry.get(key), dict)
    )
