"""`/api/v1/services`: the studio's form and its test button."""

import json

import pytest

from rest.drawn import drawn
from rest.house import House
from toolweave.testing.service import Told, fake_service

pytestmark = pytest.mark.anyio

SERVICES = "/api/v1/services"
TOKEN = "ghp_planted0123456789"


async def test_a_credential_goes_in_and_never_comes_out(house: House) -> None:
    admin = await house.key("admin")
    body = {"token": TOKEN, "kind": "github"}
    stored = await house.client.put(f"{SERVICES}/work", json=body, headers=admin)
    assert stored.json() == {"name": "work", "kind": "github", "auth": "token", "baseUrl": None}
    listed = (await house.client.get(SERVICES, headers=admin)).json()
    assert [one["name"] for one in listed["services"]] == ["work"]
    assert {"slack", "github", "google", "telegram"} <= set(listed["kinds"])
    assert await house.home.vault.get("work") == TOKEN
    removed = await house.client.delete(f"{SERVICES}/work", headers=admin)
    assert removed.status_code == 204
    gone = await house.client.delete(f"{SERVICES}/work", headers=admin)
    assert gone.json()["error"]["code"] == "SERVICE_CREDENTIAL_MISSING"
    assert TOKEN not in stored.text + str(listed) + house.logged.getvalue()


async def test_the_test_button_says_why_it_does_not_work(house: House) -> None:
    admin = await house.key("admin")
    async with fake_service(usual=Told({"login": "ada"})) as github:
        body = {"token": TOKEN, "kind": "github", "baseUrl": github.address}
        await house.client.put(f"{SERVICES}/github", json=body, headers=admin)
        answer = await house.client.post(f"{SERVICES}/github/test", headers=admin)
        # The house lets nobody reach private addresses.
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "HTTP_ADDRESS_DENIED"
        assert github.heard == []
    await house.client.delete(f"{SERVICES}/github", headers=admin)


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("slack", {"token": "", "kind": "slack"}, "BODY_INVALID"),
        ("slack", {"token": "x", "kind": "slack", "more": 1}, "BODY_INVALID"),
        ("mine", {"token": "x", "kind": "unheard-of"}, "SERVICE_UNKNOWN"),
        ("slack", {"token": "x", "kind": "slack", "baseUrl": "gopher://x"}, "BODY_INVALID"),
    ],
)
async def test_what_cannot_be_stored_is_refused(
    house: House, name: str, body: dict[str, object], code: str
) -> None:
    admin = await house.key("admin")
    answer = await house.client.put(f"{SERVICES}/{name}", json=body, headers=admin)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == code


async def test_what_uses_a_credential_is_listed_before_it_is_removed(house: House) -> None:
    """By its reference, or because a node of its service names no other one."""
    key, admin = await house.key(), await house.key("admin")
    named = {"subtype": "GITHUB", "configurations": {"github_token": "${vault:work}"}}
    unnamed = {"subtype": "GITHUB", "configurations": {"action": "list_issues"}}
    for name, data in (("by-name", named), ("by-service", unnamed)):
        node = {"id": "issue", "type": "EXTERNAL_ACTION", "name": "Issue", "data": data}
        body = {"document": drawn(name, node)}
        path = f"/api/v1/workflows/{name}"
        assert (await house.client.put(path, json=body, headers=key)).status_code == 201
    entry = {"command": "notes", "env": {"TOKEN": "Bearer ${vault:work}"}}
    definition = json.dumps({"mcpServers": {"notes": entry}})
    added = await house.client.post(
        "/api/v1/servers", json={"definition": definition}, headers=admin
    )
    assert added.is_success, added.text

    async def uses(name: str) -> list[dict[str, object]]:
        answer = await house.client.get(f"/api/v1/secrets/{name}/uses", headers=admin)
        return answer.json()["uses"]

    assert await uses("work") == [
        {"kind": "workflow", "name": "by-name", "nodes": ["Issue"]},
        {"kind": "server", "name": "notes", "nodes": []},
    ]
    assert await uses("github") == [{"kind": "workflow", "name": "by-service", "nodes": ["Issue"]}]
    assert await uses("slack") == []
