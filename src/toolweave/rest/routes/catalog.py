"""`/api/v1/catalog`: all nodes, for palettes and forms, including the tools of servers.

The catalog tools answer models within a token budget; a page needs everything.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from toolweave.app.running_studio import RunningStudio
from toolweave.catalog.spec import QUEUE, NodeSpec
from toolweave.catalog.usage import UsageCounts
from toolweave.errors import NotFound
from toolweave.json_record import JsonRecord
from toolweave.problems import did_you_mean
from toolweave.rest.auth import Authenticator
from toolweave.rest.routing import Routes
from toolweave.templates.gallery import search, template

Ref = Annotated[
    str, Query(min_length=3, max_length=500, description="`FLOW.IF`, or `TOOL.MCP:server/tool`")
]

TemplateQuery = Annotated[str, Query(max_length=500, description="What it should do")]
TemplateName = Annotated[str, Query(min_length=1, max_length=100, description="Its name")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="The maximum number of nodes")]


class PortResponse(JsonRecord):
    """A port of a node."""

    name: str
    description: str


class NodeSummaryResponse(JsonRecord):
    """A node in a palette; `server` and `tool` are set for the tool of a server."""

    ref: str
    type: str
    subtype: str
    summary: str
    effect: str
    keywords: list[str]
    input_ports: list[PortResponse]
    output_ports: list[PortResponse]
    server: str | None
    tool: str | None
    cautions: list[str]


class NodeListResponse(JsonRecord):
    """All of them."""

    nodes: list[NodeSummaryResponse]


class NodeFieldResponse(JsonRecord):
    """A configuration, input or output of a node."""

    name: str
    type: str
    description: str
    required: bool
    default: Any
    minimum: float | None
    maximum: float | None
    options: list[str]
    is_open: bool
    sensitive: bool
    multiline: bool
    pattern: str | None
    items: str | None
    used_when: list[str]
    json_schema: dict[str, Any] | None = Field(alias="schema")


class NodeExampleResponse(JsonRecord):
    """An example."""

    name: str
    description: str
    configurations: dict[str, Any]
    input_params: dict[str, Any]


class NodeResponse(NodeSummaryResponse):
    """A node with everything a form needs, and the schemas of a server's tool."""

    configurations: list[NodeFieldResponse]
    inputs: list[NodeFieldResponse]
    outputs: list[NodeFieldResponse]
    guidance: str | None
    examples: list[NodeExampleResponse]
    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | None


class UsageCountResponse(JsonRecord):
    """How often a node or a catalog tool was asked for."""

    name: str
    count: int
    last_asked_at: str = Field(validation_alias="lastAskedAt")


class CatalogStatsResponse(JsonRecord):
    """Usage of the catalog, counted on this machine only."""

    tools: list[UsageCountResponse]
    nodes: list[UsageCountResponse]


class GalleryTemplateSummary(JsonRecord):
    """A template of the gallery; `nodes` are the kinds of nodes that it uses."""

    name: str
    title: str
    summary: str
    tags: list[str]
    nodes: list[str]


class GalleryTemplateList(JsonRecord):
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

    async def show_stats(self, limit: Limit = 20) -> CatalogStatsResponse:
        """Show how often nodes and catalog tools were asked for."""
        return CatalogStatsResponse.of(await self._usage.stats(limit))

    async def list_gallery_templates(self, query: TemplateQuery = "") -> GalleryTemplateList:
        """List the templates of the gallery, or those that fit a query."""
        return GalleryTemplateList.of({"templates": [one.as_json() for one in search(query)]})

    async def show_gallery_template(self, name: TemplateName) -> GalleryTemplateResponse:
        """Show a template with its workflow."""
        found = template(name)
        body = {"inputs": found.inputs, "samples": found.samples, "workflow": found.workflow}
        return GalleryTemplateResponse.of({**found.as_json(), **body})

    async def list_nodes(self) -> NodeListResponse:
        """List all nodes: the built-in ones, then the approved tools of servers."""
        known = await self._approved.known()
        return NodeListResponse(nodes=[_summary(spec) for spec in known.catalog])

    async def show_node(self, ref: Ref) -> NodeResponse:
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
        return _node(spec)


def catalog_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The five endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/catalog", "catalog")
    routes.add("GET", "/nodes", handlers.list_nodes)
    routes.add("GET", "/node", handlers.show_node, 404)
    routes.add("GET", "/templates", handlers.list_gallery_templates)
    routes.add("GET", "/template", handlers.show_gallery_template, 404)
    routes.add("GET", "/stats", handlers.show_stats)
    return routes.router()


def _summary(spec: NodeSpec) -> NodeSummaryResponse:
    origin = spec.origin
    return NodeSummaryResponse(
        ref=spec.ref,
        type=spec.type,
        subtype=spec.subtype,
        summary=spec.summary,
        effect=spec.effect,
        keywords=[*spec.tags, *spec.keywords],
        input_ports=[PortResponse.of(port) for port in spec.input_ports],
        output_ports=[PortResponse.of(port) for port in spec.output_ports],
        server=origin.server if origin else None,
        tool=origin.tool if origin else None,
        cautions=list(origin.cautions) if origin else [],
    )


def _node(spec: NodeSpec) -> NodeResponse:
    origin = spec.origin
    return NodeResponse(
        **dict(_summary(spec)),
        configurations=[NodeFieldResponse.of(field) for field in (*spec.all_configurations, QUEUE)],
        inputs=[NodeFieldResponse.of(field) for field in spec.inputs],
        outputs=[NodeFieldResponse.of(field) for field in spec.outputs],
        guidance=spec.guidance,
        examples=[NodeExampleResponse.of(example) for example in spec.examples],
        input_schema=origin.input_schema if origin else None,
        output_schema=origin.output_schema if origin else None,
    )
