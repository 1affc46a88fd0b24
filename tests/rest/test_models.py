"""`/api/v1/models`: added, tried and removed by admins; keys never come out."""

from collections.abc import Generator

import pytest

from rest.house import House
from toolweave.testing.model import KEY, ScriptedModel, fails, says

pytestmark = pytest.mark.anyio


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel(says("ready")).running() as running:
        yield running


async def test_a_model_is_added_tried_and_removed(house: House, model: ScriptedModel) -> None:
    admin = await house.key("admin")
    new = {"name": "mine", "provider": "openai", "model": "gpt-5-mini", "key": KEY}
    new["baseUrl"] = model.base_url("openai")
    added = await house.client.post("/api/v1/models", json=new, headers=admin)
    assert (added.status_code, added.json()["hasKey"]) == (201, True)
    again = await house.client.post("/api/v1/models", json=new, headers=admin)
    assert again.status_code == 409
    tried = await house.client.post("/api/v1/models/mine/test", headers=admin)
    assert (tried.json()["text"], tried.json()["costUsd"] > 0) == ("ready", True)
    default = await house.client.put("/api/v1/models/mine/default", headers=admin)
    assert default.json()["isDefault"] is True
    listed = await house.client.get("/api/v1/models", headers=admin)
    assert "mine" in [one["name"] for one in listed.json()["models"]]
    for answer in (added, tried, default, listed):
        assert KEY not in answer.text
    gone = await house.client.delete("/api/v1/models/mine", headers=admin)
    assert gone.status_code == 204
    unknown = await house.client.post("/api/v1/models/mine/test", headers=admin)
    assert unknown.status_code == 404


async def test_a_provider_that_refuses_is_told_without_the_key(
    house: House, model: ScriptedModel
) -> None:
    admin = await house.key("admin")
    new = {"name": "bad", "provider": "gemini", "key": KEY, "baseUrl": model.base_url("gemini")}
    await house.client.post("/api/v1/models", json=new, headers=admin)
    model.answers(fails(403, f"key {KEY} is not valid"))
    tried = await house.client.post("/api/v1/models/bad/test", headers=admin)
    assert (tried.status_code, tried.json()["error"]["code"]) == (422, "MODEL_REFUSED")
    assert KEY not in tried.text
    assert (await house.client.delete("/api/v1/models/bad", headers=admin)).status_code == 204


async def test_a_model_without_what_it_needs_is_refused(house: House) -> None:
    admin = await house.key("admin")
    for body in (
        {"name": "x", "provider": "compatible"},
        {"name": "x", "provider": "anthropic"},
        {"name": "x", "provider": "openai", "key": "k", "baseUrl": "file:///etc"},
        {"name": "a b", "provider": "openai", "key": "k"},
        {"name": "x", "provider": "nobody", "key": "k"},
    ):
        refused = await house.client.post("/api/v1/models", json=body, headers=admin)
        assert refused.status_code == 422, body


async def test_models_of_this_machine_are_offered_to_admins_and_none_is_added(
    house: House, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    base_url = model.base_url("compatible")
    port = int(base_url.removesuffix("/v1").rpartition(":")[2])
    # The default ports belong to the machine; the scripted server has a free one.
    monkeypatch.setattr("toolweave.assistant.model_discovery.PORTS", {port: "Ollama"})
    admin = await house.key("admin")
    before = (await house.client.get("/api/v1/models", headers=admin)).json()
    found = await house.client.get("/api/v1/models/discovered", headers=admin)
    expected = {"server": "Ollama", "model": "scripted", "baseUrl": base_url}
    assert (found.status_code, found.json()["models"]) == (200, [expected])
    assert (await house.client.get("/api/v1/models", headers=admin)).json() == before
