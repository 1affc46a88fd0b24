"""`/api/v1/catalog`: what a palette and a form need, of our own nodes and of live tools."""

import pytest

from rest.house import House

pytestmark = pytest.mark.anyio


async def test_every_node_is_listed_with_its_ports(house: House) -> None:
    key = await house.key("tools:read")
    nodes = (await house.client.get("/api/v1/catalog/nodes", headers=key)).json()["nodes"]
    choice = next(node for node in nodes if node["ref"] == "FLOW.IF")
    assert [port["name"] for port in choice["outputPorts"]] == ["true", "false"]
    assert choice["server"] is None
    assert len({node["ref"] for node in nodes}) == len(nodes) >= 50


async def test_one_node_comes_with_its_fields(house: House) -> None:
    key = await house.key("tools:read")
    node = (
        await house.client.get("/api/v1/catalog/node", params={"ref": "FLOW.IF"}, headers=key)
    ).json()
    fields = {field["name"]: field for field in node["configurations"]}
    assert fields["condition_expression"]["type"] == "string"
    assert fields["timeout"]["minimum"] == 1
    assert node["examples"]


async def test_a_misspelt_node_is_told_with_the_right_one(house: House) -> None:
    key = await house.key("tools:read")
    answer = await house.client.get("/api/v1/catalog/node", params={"ref": "FLOW.IFF"}, headers=key)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "NODE_UNKNOWN"
    assert "FLOW.IF" in answer.json()["error"]["hint"]
