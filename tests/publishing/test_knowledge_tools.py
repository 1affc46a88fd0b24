"""The knowledge tools through MCP: each thing once, honest counts, warnings."""

from typing import Any

import pytest

from publishing.desk import Desk
from toolweave.catalog.budget import tokens
from toolweave.catalog.serialise import REPEATED
from toolweave.nodes.spec_cache import built_in_catalog

pytestmark = pytest.mark.anyio


async def test_a_corrected_type_comes_with_a_warning_beside_the_types(desk: Desk) -> None:
    async with desk.client() as client:
        plain = await client.call_tool("get_node_types", {"type_filter": "AI_AGENT"})
        found = await client.call_tool("get_node_types", {"type_filter": "AI_AGENT_NODE"})
        searched = await client.call_tool("search_nodes", {"query": "wait", "type_filter": "flows"})
    assert list(found.structured_content) == list(plain.structured_content) == ["AI_AGENT"]
    assert len(plain.content) == 1
    texts = [str(getattr(block, "text", "")) for block in found.content]
    assert any("'AI_AGENT_NODE' → 'AI_AGENT'" in text for text in texts)
    assert "→ 'FLOW'" in searched.structured_content["warning"]


async def test_the_type_map_holds_types_only_however_short_it_is(desk: Desk) -> None:
    async with desk.client() as client:
        found = await client.call_tool("get_node_types", {"max_tokens": 100})
    types = {spec.type for spec in built_in_catalog()}
    assert set(found.structured_content) <= types
    meta: dict[str, Any] = dict(found.meta or {})
    assert sum(meta["toolweave/left_out"].values()) > 0
    assert "search_nodes" in meta["toolweave/get_the_rest"]


async def test_details_say_each_thing_once(desk: Desk) -> None:
    node = {"node_type": "FLOW", "subtype": "IF"}
    async with desk.client() as client:
        found = (await client.call_tool("get_node_details", {"nodes": [node]})).structured_content
        asked = {"nodes": [node], "max_tokens": 50_000}
        full = (await client.call_tool("get_node_details", asked)).structured_content
    (once,), (whole,) = found["nodes"], full["nodes"]
    assert not set(REPEATED) & set(once)
    assert found["repeated"] == list(REPEATED)
    assert set(REPEATED) - {"enum_values"} <= set(whole)
    assert tokens(once) <= 0.75 * tokens(whole)
    assert {name: field["type"] for name, field in once["configurations"].items()} == {
        name: field["type"] for name, field in whole["configurations"].items()
    }


async def test_a_batch_that_does_not_fit_is_counted_honestly(desk: Desk) -> None:
    specs = [spec for spec in built_in_catalog() if spec.type == "EXTERNAL_ACTION"]
    nodes = [{"node_type": spec.type, "subtype": spec.subtype} for spec in specs]
    async with desk.client() as client:
        found = (await client.call_tool("get_node_details", {"nodes": nodes})).structured_content
        some = (await client.call_tool("get_node_details", {"nodes": nodes[:1]})).structured_content
    assert tokens(found) <= 8_000
    cut = [node for node in found["nodes"] if "omitted" in node]
    assert found["shortened"] == len(cut) > 0
    assert found["left_out"] == len(nodes) - len(found["nodes"])
    assert "max_tokens" in found["get_the_rest"]
    assert "shortened" not in some


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("if", "FLOW.IF"),
        ("loop", "FLOW.LOOP"),
        ("Merge", "FLOW.MERGE"),
        ("notion", "EXTERNAL_ACTION.NOTION"),
        ("http request", "ACTION.HTTP_REQUEST"),
        ("Datenbank abfragen", "ACTION.DATABASE_QUERY"),
        ("メールを送る", "EXTERNAL_ACTION.EMAIL"),
    ],
)
async def test_an_exact_name_comes_first_and_other_languages_are_understood(
    desk: Desk, query: str, first: str
) -> None:
    async with desk.client() as client:
        found = (await client.call_tool("search_nodes", {"query": query})).structured_content
    names = [f"{hit['node_type']}.{hit['subtype']}" for hit in found["results"]]
    assert first in (names[:1] if query.isascii() else names[:5])
