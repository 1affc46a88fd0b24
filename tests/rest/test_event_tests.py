"""A trigger while it is edited: its address and times, and one real event kept as a test."""

from typing import Any

import anyio
import httpx2
import pytest

from rest.house import House
from rest.test_runs import run_until, started
from rest.test_triggers import Driver, hooked

pytestmark = pytest.mark.anyio

LISTEN = "/api/v1/triggers/listen"


async def ask(house: House, path: str, **body: Any) -> httpx2.Response:
    return await house.client.post(path, json=body, headers=await house.key())


async def listening(house: House, document: dict[str, Any]) -> str:
    answer = await ask(house, LISTEN, document=document, node="hook")
    assert (answer.status_code, answer.json()["event"]) == (200, None), answer.text
    return answer.json()["listener"]


async def test_the_address_and_the_next_five_times_of_an_unsaved_trigger(house: House) -> None:
    document = hooked("unsaved")
    hook = (await ask(house, "/api/v1/edit/trigger", document=document, node="hook")).json()
    assert (hook["hook"]["paths"], hook["state"]) == (["/hooks/unsaved"], "off")
    daily = (await ask(house, "/api/v1/edit/trigger", document=document, node="daily")).json()
    assert [time[11:16] for time in daily["nextTimes"]] == ["00:00"] * 5
    document["nodes"][1]["data"]["configurations"]["cron_expression"] = "61 * * * *"
    daily = (await ask(house, "/api/v1/edit/trigger", document=document, node="daily")).json()
    assert (daily["nextTimes"], "61" in daily["reason"]) == ([], True)
    # A draft, or the workflow of a run, may have no name, and one that is too long to be stored.
    for name in ("", "x" * 201):
        unnamed = hooked("unsaved") | {"name": name}
        hook = await ask(house, "/api/v1/edit/trigger", document=unnamed, node="hook")
        assert (hook.status_code, hook.json().get("state")) == (200, "off"), hook.text
    gone = await ask(house, "/api/v1/edit/trigger", document=document, node="end")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "TRIGGER_NOT_FOUND")


async def test_one_real_delivery_is_kept_and_starts_no_run(house: House) -> None:
    document = hooked("heard")
    assert (await house.client.post("/hooks/heard")).status_code == 404
    listener = await listening(house, document)
    found: dict[str, Any] = {}
    async with anyio.create_task_group() as tasks:

        async def wait() -> None:
            answer = await ask(house, LISTEN, document=document, node="hook", listener=listener)
            found.update(answer.json())

        tasks.start_soon(wait)
        denied = await house.client.get("/hooks/heard")
        assert denied.status_code == 405
        sent = await house.client.post("/hooks/heard?x=1", json={"order": 7})
        assert (sent.status_code, sent.json()["status"]) == (200, "test")
    event = found["event"]
    assert (event["body"], event["query_params"], event["method"]) == (
        {"order": 7},
        {"x": "1"},
        "POST",
    )
    assert (await house.client.post("/hooks/heard")).status_code == 404  # once
    over = await ask(house, LISTEN, document=document, node="hook", listener=listener)
    assert (over.status_code, over.json()["error"]["code"]) == (404, "LISTENER_UNKNOWN")
    runs = await house.client.get("/api/v1/runs?workflow=heard", headers=await house.key())
    assert runs.json()["runs"] == []


async def test_an_active_trigger_goes_on_while_a_test_listens(house: House) -> None:
    driver = Driver(house, await house.key())
    await driver.store("both")
    await driver.do("both", "enable")
    listener = await listening(house, hooked("both"))
    sent = await house.client.post("/hooks/both", json={"n": 1})
    assert (sent.status_code, sent.json()["status"]) == (202, "accepted")
    answer = await ask(house, LISTEN, document=hooked("both"), node="hook", listener=listener)
    assert answer.json()["event"]["body"] == {"n": 1}
    taken = await ask(house, LISTEN, document=hooked("other", webhook_path="/both"), node="hook")
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "HOOK_PATH_TAKEN")


async def test_a_listener_asks_for_the_proof_of_its_trigger(house: House) -> None:
    await house.home.vault.put("hook-token", "right")
    document = hooked("proven", authentication="header_token", auth_token="${vault:hook-token}")
    listener = await listening(house, document)
    assert (await house.client.post("/hooks/proven")).status_code == 403
    headers = {"Authorization": "Bearer right"}
    sent = await house.client.post("/hooks/proven", json={}, headers=headers)
    assert sent.json()["status"] == "test"
    answer = await ask(house, LISTEN, document=document, node="hook", listener=listener)
    assert "right" not in answer.text


async def test_a_forgotten_listener_ends_and_a_schedule_has_none(house: House) -> None:
    await listening(house, hooked("forgotten"))
    house.clock.seconds += 60
    assert (await house.client.post("/hooks/forgotten")).status_code == 404
    refused = await ask(house, LISTEN, document=hooked("polls"), node="daily")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "TRIGGER_POLLS")


async def test_a_kept_event_is_what_the_next_node_reads(house: House) -> None:
    document = hooked("kept-event")
    event = {"node": "hook", "inputs": {"body": {"order": 7}}}
    document["metadata"] = {"studio": {"testEvent": event}}
    answer = await ask(house, "/api/v1/edit/input", document=document, node="end")
    values = {one["path"]: one["value"] for one in answer.json()["sources"] if one["hasValue"]}
    assert values["data"] == {"body": {"order": 7}}, values
    assert values["trigger"] == {"body": {"order": 7}}


async def test_a_run_with_an_event_starts_only_its_trigger(house: House) -> None:
    body: dict[str, Any] = {"document": hooked("one-of-two"), "inputs": {"body": {"order": 7}}}
    both = await run_until(house, await started(house, body), "success")
    assert {one["key"] for one in both["steps"]} == {"hook", "daily", "end"}
    one = await run_until(house, await started(house, body | {"trigger": "hook"}), "success")
    assert {one["key"] for one in one["steps"]} == {"hook", "end"}
    gone = await ask(house, "/api/v1/runs", **body | {"trigger": "end"})
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "TRIGGER_NOT_FOUND")
