"""What a tool of the demo server is: a record whose schemas are made from the models it speaks.

Also the three ways a tool answers: `said`, `structured`, `failed`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mcp import types
from mcp.server import ServerRequestContext
from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from toolweave.demo.store import Store
from toolweave.json_text import JsonObject

Answer = types.CallToolResult | types.InputRequiredResult


def _harmless() -> types.ToolAnnotations:
    return types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )


class DemoModel(BaseModel):
    """Something a tool takes or gives: frozen, unknown fields refused, so misspellings show."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class DemoCall:
    """One call being served: the request around it, and what was sent with it."""

    # Any: the HTTP request, if there is one, is of no interest to a tool.
    context: ServerRequestContext[Store, Any]
    params: types.CallToolRequestParams

    @property
    def store(self) -> Store:
        """What the server remembers."""
        return self.context.lifespan_context


ShapeT = TypeVar("ShapeT", bound=DemoModel)


@dataclass(frozen=True, slots=True)
class DemoTool(Generic[ShapeT]):
    """A tool: what it is called, what it takes, what it does."""

    name: str
    title: str
    description: str
    takes: type[ShapeT]
    run: Callable[[ShapeT, DemoCall], Awaitable[Answer]]
    gives: type[DemoModel] | None = None
    annotations: types.ToolAnnotations = field(default_factory=_harmless)

    @property
    def definition(self) -> types.Tool:
        """The tool as `tools/list` shows it."""
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


def said(text: str) -> types.CallToolResult:
    """A plain text answer."""
    return types.CallToolResult(content=[types.TextContent(text=text)])


def structured(value: DemoModel, text: str | None = None) -> types.CallToolResult:
    """A structured answer, and the same as text for clients and models that read only text."""
    return types.CallToolResult(
        content=[types.TextContent(text=value.model_dump_json() if text is None else text)],
        structured_content=value.model_dump(mode="json"),
    )


def failed(text: str) -> types.CallToolResult:
    """The tool's own word for "that did not work"."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


class _PlainSchema(GenerateJsonSchema):
    """Without the titles pydantic makes of field names, which only repeat them."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def _schema(shape: type[DemoModel], mode: JsonSchemaMode) -> dict[str, Any]:
    schema = shape.model_json_schema(schema_generator=_PlainSchema, mode=mode)
    # Of the root these name and describe our class, not the tool.
    schema.pop("title", None)
    schema.pop("description", None)
    return schema
