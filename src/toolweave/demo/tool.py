"""A tool of the demo server: a record whose schemas come from its Pydantic models.

Also the three kinds of results: `text_result`, `structured_result`, `error_result`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp import types
from mcp.server import ServerRequestContext
from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from toolweave.json_text import JsonObject

Answer = types.CallToolResult | types.InputRequiredResult


def _harmless() -> types.ToolAnnotations:
    return types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )


@dataclass(slots=True)
class Store:
    """Shared by all clients of the process; lost when it exits."""

    notes: dict[str, str] = field(default_factory=dict[str, str])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, name: str) -> int:
        """Increment the counter `name` and return its value."""
        self.counts[name] = self.counts.get(name, 0) + 1
        return self.counts[name]


class DemoModel(BaseModel):
    """Something a tool takes or gives: frozen, unknown fields refused, so misspellings show."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class DemoCall:
    """One call: its request context and metadata."""

    # Any: the HTTP request, if there is one, is of no interest to a tool.
    context: ServerRequestContext[Store, Any]
    params: types.CallToolRequestParams

    @property
    def store(self) -> Store:
        """The server's memory."""
        return self.context.lifespan_context


ShapeT = TypeVar("ShapeT", bound=DemoModel)


@dataclass(frozen=True, slots=True)
class DemoTool(Generic[ShapeT]):
    """A tool: name, input and implementation."""

    name: str
    title: str
    description: str
    takes: type[ShapeT]
    run: Callable[[ShapeT, DemoCall], Awaitable[Answer]]
    gives: type[DemoModel] | None = None
    annotations: types.ToolAnnotations = field(default_factory=_harmless)

    @property
    def definition(self) -> types.Tool:
        """Return the tool as listed by `tools/list`."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=_schema(self.takes, "validation"),
            output_schema=_schema(self.gives, "serialization") if self.gives else None,
            annotations=self.annotations,
        )

    async def answer(self, arguments: JsonObject, call: DemoCall) -> Answer:
        """Run with arguments that were already checked against the input schema."""
        return await self.run(self.takes.model_validate(arguments), call)


def text_result(text: str) -> types.CallToolResult:
    """Return a text result."""
    return types.CallToolResult(content=[types.TextContent(text=text)])


def structured_result(value: DemoModel, text: str | None = None) -> types.CallToolResult:
    """Return a structured result, with the same content as text."""
    return types.CallToolResult(
        content=[types.TextContent(text=value.model_dump_json() if text is None else text)],
        structured_content=value.model_dump(mode="json"),
    )


def error_result(text: str) -> types.CallToolResult:
    """Return a tool error."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


class _PlainSchema(GenerateJsonSchema):
    """Remove the titles that Pydantic derives from field names."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def _schema(shape: type[DemoModel], mode: JsonSchemaMode) -> dict[str, Any]:
    schema = shape.model_json_schema(schema_generator=_PlainSchema, mode=mode)
    # At the root these describe the Python class, not the tool.
    schema.pop("title", None)
    schema.pop("description", None)
    return schema
