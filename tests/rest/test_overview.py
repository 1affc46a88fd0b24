"""`/api/v1/overview`: every workflow with its state and its last runs, in one answer."""

from typing import Any

import pytest

from rest.drawn import drawn, greeting
from rest.house import House

pytestmark = pytest.mark.anyio


async def overview(house: House, headers: dict[str, str]) -> dict[str, dict[str, Any]]:
    answer = await house.client.get("/api/v1/overview", headers=headers)
    assert answer.status_code == 200, answer.text
    return {one["name"]: one for one in answer.json()["workflows"]}


def hooked(name: str) -> dict[str, Any]:
    document = drawn(name)
    settings = {"webhook_path": f"/{name}", "auth_type": "none"}
    document["nodes"][0] |= {
        "type": "TRIGGER",
        "data": {"subtype": "WEBHOOK", "configurations": settings},
    }
    return document


async def test_workflows_are_listed_with_their_state_tags_and_last_runs(house: House) -> None:
    key = await house.key()
    tagged = greeting("tagged") | {"metadata": {"tags": ["mail", " mail ", "", 3, "x" * 50]}}
    for document in (tagged, hooked("called")):
        path = f"/api/v1/workflows/{document['name']}"
        saved = await house.client.put(path, json={"document": document}, headers=key)
        assert saved.status_code == 201, saved.text
    before = await overview(house, key)
    assert before["tagged"]["tags"] == ["mail", "x" * 40]
    assert [(one["isActive"], one["isPublished"], one["runs"]) for one in before.values()] == [
        (False, False, []),
        (False, False, []),
    ]
    assert (await house.client.put("/api/v1/published/tagged", json={}, headers=key)).is_success
    enabled = await house.client.post("/api/v1/triggers/called/enable", json={}, headers=key)
    assert enabled.is_success
    body = {"workflow": "tagged", "inputs": {"who": "Ada"}}
    run = (await house.client.post("/api/v1/runs", json=body, headers=key)).json()["id"]
    after = await overview(house, key)
    assert (after["tagged"]["isPublished"], after["called"]["isActive"]) == (True, True)
    assert (after["tagged"]["isActive"], after["called"]["isPublished"]) == (False, False)
    assert [one["id"] for one in after["tagged"]["runs"]] == [run]
    await house.client.post("/api/v1/triggers/called/pause", json={}, headers=key)
    assert (await overview(house, key))["called"]["isActive"] is False

    # A limited key sees the workflows of its tools only.
    assert set(after) == {"tagged", "called"}
    _, text = await house.keys.create("limited", ["workflows:read"], tools=["tagged"])
    assert set(await overview(house, {"X-API-Key": text})) == {"tagged"}
