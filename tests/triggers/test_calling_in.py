"""Runs that wait for a call or an event (FLOW.WAIT), and what comes in for them."""

import hashlib
import hmac
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.triggers.hosting import Host, catalog, node, trigger
from tests.triggers.serving import Served, serving

from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.people.inbox import Inbox

pytestmark = pytest.mark.anyio

SECRET = "a-secret-of-the-test"


@pytest.fixture
async def served(tmp_path: Path) -> AsyncGenerator[Served]:
    async with serving(tmp_path / "home") as opened:
        yield opened


async def waiting(host: Host, inputs: JsonObject | None = None, **config: Any) -> str:
    """A run that waits."""
    name = "Waits"
    await host.store(name, trigger("MANUAL"), catalog("w", "FLOW.WAIT", **config), node("end"))
    stored = await host.studio.home.workflows.load(name)
    run = await host.engine.runs.start(RunRequest(stored.workflow, inputs or {}, trigger="test"))
    assert await host.engine.advance(run) == "waiting"
    return run


def on_call(**more: Any) -> dict[str, Any]:
    proof = {} if "authentication_required" in more else {"authentication_required": False}
    config = {"endpoint_path": "/paid", **proof, **more}
    return {"wait_type": "webhook", "webhook_config": config}


def on_event(name: str, **match: Any) -> dict[str, Any]:
    return {"wait_type": "event", "event_config": {"name": name, "match": match}}


async def came(host: Host, run: str) -> Json:
    """What ended the wait."""
    with anyio.fail_after(60):
        assert (await host.over(run)).status == "success"
    outcome = dict((await host.engine.state(run)).outcomes())["w"]
    assert isinstance(outcome.value, dict)
    return outcome.value["trigger_data"]


@pytest.mark.exercises("FLOW.WAIT.wait_type=webhook", "FLOW.WAIT.webhook_config")
async def test_a_call_of_the_path_ends_the_wait_it_is_meant_for(served: Served) -> None:
    host = served.host
    expected = {"expected_payload": {"payment": "{{ data.payment }}"}}
    first = await waiting(host, {"payment": "p-1"}, **on_call(**expected))
    second = await waiting(host, {"payment": "p-2"}, **on_call(**expected))
    answer = await served.post("/paid", json={"payment": "p-1", "sum": 3})
    assert (answer.status_code, answer.json()["run_id"]) == (202, first)
    assert await came(host, first) == {"payment": "p-1", "sum": 3}
    assert (await host.engine.get(second)).status == "waiting"
    answer = await served.post("/paid", json={"payment": "p-9"})
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")


async def test_a_call_that_comes_again_after_the_wait_is_ignored_and_others_are_not_found(
    served: Served,
) -> None:
    run = await waiting(served.host, **on_call())
    for status in (202, 200, 200):
        answer = await served.post("/paid", json={"ok": True})
        assert answer.status_code == status
        assert await came(served.host, run) == {"ok": True}
    assert (await served.post("/unpaid", json={})).status_code == 404


async def test_the_method_must_be_the_one_that_is_waited_for(served: Served) -> None:
    run = await waiting(served.host, **on_call(method="GET"))
    answer = await served.post("/paid", json={})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    answer = await served.client.get("/hooks/paid", params={"order": "A-1"})
    assert answer.status_code == 202
    assert await came(served.host, run) == {"order": "A-1"}


@pytest.mark.parametrize("named", [None, "${vault:own}"])
async def test_a_caller_proves_itself_where_that_is_required(
    served: Served, named: str | None
) -> None:
    more = {} if named is None else {"auth_token": named}
    vault = served.host.home.vault
    run = await waiting(served.host, **on_call(authentication_required=True, **more))
    assert (await served.post("/paid", json={})).status_code == 403
    await vault.put("own" if named else "wait-webhook-token", SECRET)
    for wrong in ({}, {"authorization": "Bearer guess"}):
        assert (await served.post("/paid", json={}, headers=wrong)).status_code == 403
    body = b'{"ok":true}'
    signed = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": f"sha256={signed}", "content-type": "application/json"}
    assert (await served.post("/paid", content=body, headers=headers)).status_code == 202
    assert await came(served.host, run) == {"ok": True}


@pytest.mark.exercises("FLOW.WAIT.wait_type=event", "FLOW.WAIT.event_config")
async def test_an_event_is_told_to_every_run_that_waits_for_it(served: Served) -> None:
    host = served.host
    runs = [await waiting(host, **on_event("order.paid", order="A-1")) for _ in range(2)]
    other = await waiting(host, **on_event("order.paid", order="A-2"))
    elsewhere = await waiting(host, **on_event("order.sent"))
    payload: JsonObject = {"order": "A-1", "sum": 3}
    tell = host.triggers.event_delivery.event
    told = await tell("order.paid", payload, by="ada", via="test")
    assert set(told.runs) == set(runs)
    for run in runs:
        assert await came(host, run) == payload
    for run in (other, elsewhere):
        assert (await host.engine.get(run)).status == "waiting"
    assert (await tell("order.paid", payload, by="ada", via="test")).runs == ()


async def test_what_waits_for_programs_is_nothing_to_ask_people_about(served: Served) -> None:
    host = served.host
    await waiting(host, **on_call())
    await waiting(host, **on_event("order.paid"))
    inbox = Inbox(host.engine)
    assert await inbox.list() == []
    assert await inbox.questions.channels() == []


@pytest.mark.exercises("FLOW.WAIT.wait_type=approval")
@pytest.mark.parametrize(("answer", "port"), [("confirmed", "output"), ("rejected", "timeout")])
async def test_an_approval_is_given_in_the_inbox(served: Served, answer: str, port: str) -> None:
    host = served.host
    run = await waiting(host, wait_type="approval")
    inbox = Inbox(host.engine)
    (asked,) = await inbox.list()
    taken = await inbox.answer(asked.id, {"answer": answer}, who="ada", via="test")
    assert taken.counts
    with anyio.fail_after(60):
        await host.over(run)
    assert dict((await host.engine.state(run)).outcomes())["w"].ports == (port,)


async def test_a_run_that_was_cancelled_waits_for_nothing(served: Served) -> None:
    run = await waiting(served.host, **on_call())
    await served.host.engine.cancel(run)
    with anyio.fail_after(60):
        await served.host.over(run)
    assert (await served.post("/paid", json={})).status_code == 404
