"""Catalogs for tests: our nodes, alone or with real tools of real servers beside them."""

from functools import cache
from typing import cast

from tests.tools.builders import corpus

from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.live import specs_of
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.spec_cache import built_in_catalog
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool


@cache
def our_catalog() -> Catalog:
    """The built-in nodes."""
    return built_in_catalog()


@cache
def live_catalog() -> Catalog:
    """The built-in nodes and every tool of the corpus."""
    return our_catalog().with_specs(specs_of(read_tool(one.server, one.entry) for one in corpus()))


@cache
def our_knowledge() -> Knowledge:
    """Answers about the built-in nodes."""
    return Knowledge(our_catalog())


@cache
def live_knowledge() -> Knowledge:
    """Answers about the built-in nodes and the corpus."""
    return Knowledge(live_catalog())


def our_spec(ref: str) -> NodeSpec:
    """One of our nodes."""
    node_type, _, subtype = ref.partition(".")
    spec = our_catalog().get(node_type, subtype)
    assert spec is not None
    return spec


def a_spec(subtype: str = "ECHO", **fields: object) -> NodeSpec:
    """A small node of type FLOW."""
    known = {"type": "FLOW", "subtype": subtype, "summary": "Says it.", "effect": "pure"}
    return NodeSpec(**(known | fields))  # type: ignore[arg-type]


def a_live_tool(name: str = "do_it", server: str = "box", **entry: Json) -> Tool:
    """A tool of a connected server."""
    schema: JsonObject = {"type": "object"}
    return read_tool(server, {"name": name, "inputSchema": schema, **entry})


def entries(answer: JsonObject, key: str = "nodes") -> list[JsonObject]:
    """The list in an answer."""
    return cast("list[JsonObject]", answer[key])


def refs(answer: JsonObject, key: str = "results") -> list[str]:
    """The nodes in an answer, by name."""
    return [f"{one['node_type']}.{one['subtype']}" for one in entries(answer, key)]
