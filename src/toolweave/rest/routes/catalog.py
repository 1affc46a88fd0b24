"""`/api/v1/catalog`: all nodes, for palettes and forms, including the tools of servers.

The catalog tools handler models within a token budget; a page needs everything.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.app.running_studio import RunningStudio
from toolweave.catalog.spec import Field as NodeField
from toolweave.catalog.spec import NodeSpec, Port
from toolweave.catalog.usage import UsageCounts
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.problems import did_you_mean
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.response_models import KEYED, responses
from toolweave.templates.gallery import search, template

Ref = Annotated[
    str, Query(min_length=3, max_length=500, description="`FLOW.IF`, or `TOOL.MCP:server/tool`")
]

TemplateQuery = Annotated[str, Query(max_length=500, description="What it should do")]
TemplateName = Annotated[str, Query(min_length=1, max_length=100, description="Its name")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="The maximum number of nodes")]


class PortResponse(BaseModel):
    """A port of a node."""

    name: str
    description: str


class NodeSummaryResponse(BaseModel):
    """A node in a palette; `server` and `tool` are set for the tool of a server."""

    ref: str
    type: str
    subtype: str
    summary: str
    effect: str
    keywords: list[str]
    input_ports: list[PortResponse] = Field(alias="inputPorts")
    output_ports: list[PortResponse] = Field(alias="outputPorts")
    server: str | None
    tool: str | None
    cautions: list[str]


class NodeListResponse(BaseModel):
    """All of them."""

    nodes: list[NodeSummaryResponse]


class NodeFieldResponse(BaseModel):
    """A configuration, input or output of a node."""

    name: str
    type: str
    description: str
    required: bool
    default: Any
    minimum: float | None
    maximum: float | None
    options: list[str]
    is_open: bool = Field(alias="isOpen")
    sensitive: bool
    multiline: bool
    pattern: str | None
    items: str | None
    json_schema: dict[str, Any] | None = Field(alias="schema")


class NodeExampleResponse(BaseModel):
    """An example."""

    name: str
    description: str
    configurations: dict[str, Any]
    input_params: dict[str, Any] = Field(alias="inputParams")


class NodeResponse(NodeSummaryResponse):
    """A node with everything a form needs, and the schemas of a server's tool."""

    configurations: list[NodeFieldResponse]
    inputs: list[NodeFieldResponse]
    outputs: list[NodeFieldResponse]
    guidance: str | None
    examples: list[NodeExampleResponse]
    input_schema: dict[str, Any] | None = Field(alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(alias="outputSchema")


class UsageCountResponse(BaseModel):
    """How often a node or a catalog tool was asked for."""

    name: str
    count: int
    last_asked_at: str = Field(alias="lastAskedAt")


class CatalogStatsResponse(BaseModel):
    """Usage of the catalog, counted on this machine only."""

    tools: list[UsageCountResponse]
    nodes: list[UsageCountResponse]


class GalleryTemplateSummary(BaseModel):
    """A template of the gallery; `nodes` are the kinds of nodes that it uses."""

    name: str
    title: str
    summary: str
    tags: list[str]
    nodes: list[str]


class GalleryTemplateList(BaseModel):
    """Templates, the best match first."""

    templates: list[GalleryTemplateSummary]


class GalleryTemplateResponse(GalleryTemplateSummary):
    """A template with its workflow, inputs to try it with, and sample outputs of nodes."""

    inputs: dict[str, Any]
    samples: dict[str, Any]
    workflow: dict[str, Any]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._approved = studio.authoring.tools
        self._usage = UsageCounts(studio.home.database, studio.home.clock)

    async def show_stats(self, limit: Limit = 20) -> Response:
        """Show how often nodes and catalog tools were asked for."""
        return JsonResponse(await self._usage.stats(limit))

    async def list_templates(self, query: TemplateQuery = "") -> Response:
        """List the templates of the gallery, or those that fit a query."""
        return JsonResponse({"templates": [one.as_json() for one in search(query)]})

    async def show_template(self, name: TemplateName) -> Response:
        """Show a template with its workflow."""
        found = template(name)
        body = {"inputs": found.inputs, "samples": found.samples, "workflow": found.workflow}
        return JsonResponse({**found.as_json(), **body})

    async def list_nodes(self) -> Response:
        """List all nodes: the built-in ones, then the approved tools of servers."""
        known = await self._approved.known()
        return JsonResponse({"nodes": [_line(spec) for spec in known.catalog]})

    async def show_node(self, ref: Ref) -> Response:
        """Show a node with its fields, ports and examples."""
        catalog = (await self._approved.known()).catalog
        node_type, _, subtype = ref.partition(".")
        spec = catalog.get(node_type, subtype)
        if spec is None:
            hint = (
                did_you_mean(ref, [one.ref for one in catalog])
                or "`GET /api/v1/catalog/nodes` lists all nodes"
            )
            raise NotFound("NODE_UNKNOWN", f"there is no node {ref!r}", hint=hint)
        return JsonResponse(_page(spec))


def catalog_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoints; all need `tools:read`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix="/api/v1/catalog", tags=["catalog"])
    for path, handler, answered in (
        ("/nodes", handlers.list_nodes, responses(NodeListResponse, *KEYED)),
        ("/node", handlers.show_node, responses(NodeResponse, 404, 422, *KEYED)),
        ("/templates", handlers.list_templates, responses(GalleryTemplateList, 422, *KEYED)),
        ("/template", handlers.show_template, responses(GalleryTemplateResponse, 404, 422, *KEYED)),
        ("/stats", handlers.show_stats, responses(CatalogStatsResponse, 422, *KEYED)),
    ):
        router.add_api_route(
            path,
            handler,
            dependencies=[Depends(authenticator.require("tools:read"))],
            responses=answered,
            openapi_extra=openapi.KEYED,
        )
    return router


def _line(spec: NodeSpec) -> JsonObject:
    origin = spec.origin
    return {
        "ref": spec.ref,
        "type": spec.type,
        "subtype": spec.subtype,
        "summary": spec.summary,
        "effect": spec.effect,
        "keywords": [*spec.tags, *spec.keywords],
        "inputPorts": [_port(port) for port in spec.input_ports],
        "outputPorts": [_port(port) for port in spec.output_ports],
        "server": origin.server if origin else None,
        "tool": origin.tool if origin else None,
        "cautions": list(origin.cautions) if origin else [],
    }


def _page(spec: NodeSpec) -> JsonObject:
    origin = spec.origin
    return {
        **_line(spec),
        "configurations": [_field(one) for one in spec.all_configurations],
        "inputs": [_field(one) for one in spec.inputs],
        "outputs": [_field(one) for one in spec.outputs],
        "guidance": spec.guidance,
        "examples": [
            {
                "name": example.name,
                "description": example.description,
                "configurations": example.configurations,
                "inputParams": example.input_params,
            }
            for example in spec.examples
        ],
        "inputSchema": origin.input_schema if origin else None,
        "outputSchema": origin.output_schema if origin else None,
    }


def _port(port: Port) -> JsonObject:
    return {"name": port.name, "description": port.description}


def _field(field: NodeField) -> JsonObject:
    return {
        "name": field.name,
        "type": field.type,
        "description": field.description,
        "required": field.required,
        "default": field.default,
        "minimum": field.minimum,
        "maximum": field.maximum,
        "options": list(field.options),
        "isOpen": field.is_open,
        "sensitive": field.sensitive,
        "multiline": field.multiline,
        "pattern": field.pattern,
        "items": field.items,
        "schema": field.schema,
    }
