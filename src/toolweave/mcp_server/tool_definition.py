"""A tool as data: its entry in `tools/list`. Who may call it stands in `access.authorization`.

Independent of the SDK, so that the early answers can list it. To add tools: put `DEFINITIONS` in
a file of `definitions`, add it to `tool_list.py`, and the code that answers to `tool_code.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolweave.catalog.tool_definitions import strict
from toolweave.json_text import Json, JsonObject


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool."""

    definition: JsonObject
    # Arguments that other servers' clients send: another name of ours, or one without a place
    # in the schema. Accepted, but not listed: every token of the default tools counts.
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    unlisted: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.definition["name"])

    @property
    def strict(self) -> JsonObject:
        """The definition that arguments are checked against: a misspelt name is refused.

        Not listed so, as it costs every client a hundred tokens.
        """
        return strict(self.definition)

    def usual(self, arguments: JsonObject) -> JsonObject:
        """The arguments under the names of the schema."""
        named = {key: value for key, value in arguments.items() if key not in self.aliases}
        given = {self.aliases[key]: arguments[key] for key in self.aliases if key in arguments}
        return {**given, **named}

    def checked(self, arguments: JsonObject) -> JsonObject:
        """The arguments that the schema describes."""
        return {key: value for key, value in arguments.items() if key not in self.unlisted}


# A tool of the home alone that changes nothing, and one that may replace or end something.
READS: JsonObject = {"readOnlyHint": True, "openWorldHint": False}
CHANGES: JsonObject = {"openWorldHint": False}
# One that asks a git server.
FETCHES: JsonObject = {"readOnlyHint": True}


def define(
    name: str,
    title: str,
    description: str,
    /,
    *required: str,
    hints: JsonObject | None = None,
    aliases: Mapping[str, str] | None = None,
    unlisted: frozenset[str] = frozenset(),
    **properties: JsonObject,
) -> ToolDefinition:
    """Define a tool briefly: every token of the default tools counts.

    Without hints, clients assume the worst, which is right for a tool that runs a workflow.
    """
    schema: JsonObject = {"type": "object"}
    if properties:
        schema |= {"properties": dict[str, Json](properties)}
    if required:
        schema |= {"required": list[Json](required)}
    definition: JsonObject = {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": schema,
    }
    if hints:
        definition |= {"annotations": hints}
    return ToolDefinition(definition, aliases or {}, unlisted)
