"""`/api/v1/triggers`: schedules and webhooks as the studio shows and switches them."""

from typing import Any

import pytest

from rest.house import House

pytestmark = pytest.mark.anyio

TRIGGERS = "/api/v1/triggers"


def hooked(name: str, **more: Any) -> dict[str, Any]:
    settings = {"webhook_path": f"/{name}", **more}
    tokyo = {"cron_expression": "0 9 * * *", "timezone": "Asia/Tokyo"}
    at_hook, at_nine = (
        {"subtype": subtype, "configurations": config}
        for subtype, config in (("WEBHOOK", settings), ("CRON", tokyo))
    )
    return {
        "toolweave": 1,
        "name": name,
        "nodes": [
            {"id": "hook", "type": "TRIGGER", "data": at_hook},
            {"id": "daily", "type": "TRIGGER", "data": at_nine},
            {"id": "end", "type": "end"},
        ],
        "edges": [
            {"id": "e1", "source": "hook", "target": "end"},
            {"id": "e2", "source": "daily", "target": "end"},
        ],
    }


class Driver:
    """Asks with one key."""

    def __init__(self, house: House, headers: dict[str, str]) -> None:
        self._house = house
        self._headers = headers

    async def store(self, name: str, **more: Any) -> None:
        path = f"/api/v1/workflows/{name}"
        body = {"document": hooked(name, **more)}
        answer = await self._house.client.put(path, json=body, headers=self._headers)
        assert answer.status_code == 201, answer.text

    async def do(self, name: str, what: str, **body: Any) -> Any:
        path = f"{TRIGGERS}/{name}/{what}"
        return await self._house.client.post(path, json=body, headers=self._headers)

    async def states(self, name: str) -> dict[str, str]:
        answer = await self._house.client.get(TRIGGERS, headers=self._headers)
        return {
            one["node"]: one["state"]
            for one in answer.json()["triggers"]
            if one["workflow"] == name
        }


@pytest.fixture
async def driver(house: House) -> Driver:
    return Driver(house, await house.key())


async def test_triggers_are_switched_on_paused_resumed_and_off(
    house: House, driver: Driver
) -> None:
    await driver.store("switched")
    assert await driver.states("switched") == {"hook": "off", "daily": "off"}
    enabled = (await driver.do("switched", "enable")).json()["triggers"]
    assert {one["node"]: one["state"] for one in enabled} == {"hook": "on", "daily": "on"}
    daily = next(one for one in enabled if one["node"] == "daily")
    assert [time[11:16] for time in daily["nextTimes"]] == ["00:00"] * 5
    await driver.do("switched", "pause", node="hook")
    assert await driver.states("switched") == {"hook": "paused", "daily": "on"}
    paused = await house.client.post("/hooks/switched")
    assert (paused.status_code, paused.json()["error"]["code"]) == (503, "HOOK_PAUSED")
    await driver.do("switched", "resume")
    assert (await house.client.post("/hooks/switched")).status_code == 202
    await driver.do("switched", "disable")
    assert await driver.states("switched") == {"hook": "off", "daily": "off"}


async def test_run_now_starts_what_hangs_on_the_trigger(house: House, driver: Driver) -> None:
    await driver.store("now")
    started = await driver.do("now", "run", node="daily")
    assert started.status_code == 202
    run = started.json()["run"]
    events = await house.client.get(f"/api/v1/runs/{run}/events", headers=await house.key())
    assert "event: finished" in events.text
    shown = (await house.client.get(f"/api/v1/runs/{run}", headers=await house.key())).json()
    assert (shown["status"], shown["trigger"]) == ("success", "manual")


async def test_a_limited_key_runs_no_trigger_of_what_is_not_published(
    house: House, driver: Driver
) -> None:
    await driver.store("unpublished")
    _, text = await house.keys.create("limited", ["workflows:run"], ["some-tool"])
    refused = await Driver(house, {"X-API-Key": text}).do("unpublished", "run")
    assert refused.json()["error"]["code"] == "WORKFLOW_NOT_FOUND"


@pytest.mark.parametrize(
    ("name", "what", "body", "code"),
    [
        ("nobody", "enable", {}, "WORKFLOW_NOT_FOUND"),
        ("nobody", "pause", {}, "TRIGGER_NOT_FOUND"),
        ("nobody", "disable", {}, "TRIGGER_NOT_FOUND"),
        ("nobody", "run", {}, "WORKFLOW_NOT_FOUND"),
        ("nobody", "resume", {"node": 7}, "BODY_INVALID"),
    ],
)
async def test_what_is_not_there_is_said(
    driver: Driver, name: str, what: str, body: dict[str, Any], code: str
) -> None:
    assert (await driver.do(name, what, **body)).json()["error"]["code"] == code


async def test_a_hooks_secret_is_never_shown(house: House, driver: Driver) -> None:
    await house.home.vault.put("hook-secret", "pl4nted-hook-secret")
    secret = {"authentication": "signature", "auth_token": "${vault:hook-secret}"}
    await driver.store("signed", **secret)
    await driver.do("signed", "enable")
    listed = await house.client.get(TRIGGERS, headers=await house.key())
    hook = next(
        one["hook"]
        for one in listed.json()["triggers"]
        if one["workflow"] == "signed" and one["hook"]
    )
    assert hook == {"paths": ["/hooks/signed"], "methods": ["POST"], "proof": "signature"}
    assert "pl4nted" not in listed.text + house.logged.getvalue()
    assert "vault:" not in listed.text
