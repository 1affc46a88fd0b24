"""A person's answer is bound to what follows it: a fork that changes that asks again."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import anyio
import pytest

from rest.drawn import drawn
from rest.house import House, house_in
from rest.test_inbox import ASKING
from toolweave import json_text
from toolweave.engine.fork import bound_hash
from toolweave.engine.plan import make_plan
from toolweave.nodes.registry import NodeRegistry
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

KINDS = NodeRegistry()
PAY: dict[str, Any] = {"id": "pay", "type": "end", "data": {}}
TRIGGER, ASK = deepcopy(ASKING["nodes"])
del ASK["data"]["configurations"]["people"]  # anybody may answer
ORDER = {
    **ASKING,
    "name": "order",
    "nodes": [TRIGGER, ASK, PAY],
    "edges": [
        *ASKING["edges"],
        {"id": "f", "source": "ask", "sourceHandle": "confirmed", "target": "pay"},
    ],
}
EDIT = [{"op": "replace", "path": "/data", "value": {"boxes": 999}}]


async def settled(house: House, run: str, *not_yet: str) -> dict[str, Any]:
    key = await house.key()
    with anyio.fail_after(60):
        while True:
            shown = (await house.client.get(f"/api/v1/runs/{run}", headers=key)).json()
            if shown["status"] not in {"running", *not_yet}:
                return shown
            await anyio.sleep(0.02)


async def answered(house: House, run: str) -> None:
    shown = await settled(house, run)
    assert shown["status"] == "waiting", shown
    answer = await house.client.post(
        f"/api/v1/runs/{run}/answer",
        json={"step": "ask", "reply": {"boxes": 2}},
        headers=await house.key(),
    )
    assert answer.status_code == 202, answer.text
    await settled(house, run, "waiting")


async def forked(house: House, run: str, at: str = "pay", **more: Any) -> str:
    answer = await house.client.post(
        f"/api/v1/runs/{run}/fork", json={"from": at, **more}, headers=await house.key()
    )
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


async def test_a_fork_behind_an_approval_asks_again_when_the_data_changed(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        started = await house.client.post(
            "/api/v1/runs", json={"document": ORDER}, headers=await house.key()
        )
        assert started.status_code == 202, started.text
        run = started.json()["id"]
        await answered(house, run)
        assert (await settled(house, run))["status"] == "success"

        same = await forked(house, run)  # the positive control: nothing changed, nobody is asked
        assert (await settled(house, same))["status"] == "success"

        edited = await forked(house, run, edit=EDIT)
        shown = await settled(house, edited)
        assert shown["status"] == "waiting"
        (asking,) = [step for step in shown["steps"] if step["key"] == "ask"]
        assert '{"boxes":999}' in asking["value"]["text"]  # what would be done now is shown
        await answered(house, edited)
        assert (await settled(house, edited))["status"] == "success"

        again = await forked(house, edited, edit=EDIT)  # approved exactly so
        assert (await settled(house, again))["status"] == "success"
        other = [{"op": "replace", "path": "/data", "value": {"boxes": 1}}]
        assert (await settled(house, await forked(house, again, edit=other)))["status"] == "waiting"
        assert (await settled(house, await forked(house, again)))["status"] == "waiting"

        changed = {**ORDER, "nodes": [TRIGGER, ASK, {**PAY, "name": "Pay more"}]}
        document = await forked(house, run, document=changed)
        assert (await settled(house, document))["status"] == "waiting"


PRICE: dict[str, Any] = {"id": "price", "type": "prompt", "data": {"prompt": "10"}}
BESIDE: dict[str, Any] = {
    **ORDER,
    "name": "beside",
    "nodes": [TRIGGER, ASK, PRICE, PAY],
    "edges": [
        *ORDER["edges"],
        {"id": "g", "source": "t", "target": "price"},
        {"id": "h", "source": "price", "target": "pay"},
    ],
}


async def approved(house: House, document: dict[str, Any]) -> str:
    """A run of a workflow whose one question was answered."""
    started = await house.client.post(
        "/api/v1/runs", json={"document": document}, headers=await house.key()
    )
    assert started.status_code == 202, started.text
    run = started.json()["id"]
    await answered(house, run)
    assert (await settled(house, run))["status"] == "success"
    return run


async def status_after(house: House, run: str, at: str, **more: Any) -> str:
    return (await settled(house, await forked(house, run, at, **more)))["status"]


async def test_a_fork_beside_an_approval_asks_again_when_it_changes_what_follows(
    tmp_path: Path,
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        run = await approved(house, BESIDE)
        assert await status_after(house, run, "price") == "success"  # the positive control
        edit = [{"op": "replace", "path": "/data", "value": "1000"}]
        assert await status_after(house, run, "price", edit=edit) == "waiting"
        dear = {**PRICE, "data": {"prompt": "1000"}}
        for nodes in (
            [TRIGGER, ASK, PRICE, {**PAY, "name": "Pay more"}],
            [TRIGGER, ASK, dear, PAY],
        ):
            document = {**BESIDE, "nodes": nodes}
            assert await status_after(house, run, "price", document=document) == "waiting"


async def test_an_approval_in_a_called_workflow_is_bound_as_well(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        inner = {**ASKING, "name": "inner", "nodes": [TRIGGER, ASK]}
        saved = await house.client.put(
            "/api/v1/workflows/inner", json={"document": inner}, headers=key
        )
        assert saved.is_success, saved.text
        call = {"subtype": "SUBWORKFLOW", "configurations": {"workflow": "inner"}}
        outer = {
            **ORDER,
            "name": "outer",
            "nodes": [TRIGGER, {"id": "ask", "type": "FLOW", "data": call}, PAY],
            "edges": [
                ASKING["edges"][0],
                {"id": "f", "source": "ask", "target": "pay"},
            ],
        }
        started = await house.client.post("/api/v1/runs", json={"document": outer}, headers=key)
        assert started.status_code == 202, started.text
        run = started.json()["id"]

        async def answer_inner() -> None:
            with anyio.fail_after(60):
                while True:
                    inbox = await house.client.get("/api/v1/inbox", headers=key)
                    if questions := inbox.json()["questions"]:
                        break
                    await anyio.sleep(0.02)
            (question,) = questions
            body = {"reply": {"boxes": 2}}
            path = f"/api/v1/inbox/{question['id']}/answer"
            assert (await house.client.post(path, json=body, headers=key)).status_code == 202

        await answer_inner()
        assert (await settled(house, run, "waiting"))["status"] == "success"
        same = await forked(house, run)  # the positive control
        assert (await settled(house, same, "waiting"))["status"] == "success"
        changed = await forked(house, run, edit=EDIT)
        await answer_inner()  # it was asked again
        assert (await settled(house, changed, "waiting"))["status"] == "success"


AGENT: dict[str, Any] = {
    "id": "pay",
    "type": "AI_AGENT",
    "data": {"subtype": "OPENAI_CHATGPT", "configurations": {}, "attachedNodes": ["tool"]},
}
CALL: dict[str, Any] = {
    "serverId": "shop",
    "toolName": "look",
    "mode": "detailed",
    "parameterValues": {},
}
TOOL: dict[str, Any] = {"id": "tool", "type": "mcp", "data": CALL}
ALONE: dict[str, Any] = {"id": "alone", "type": "prompt", "data": {"prompt": "hi"}}
SUBFLOW: dict[str, Any] = {"id": "sub", "name": "sub", "nodes": [], "connections": []}
CHAIN = drawn("buy", ASK, AGENT)
BUYING: dict[str, Any] = {
    **CHAIN,
    "nodes": [*CHAIN["nodes"], TOOL, ALONE],
    "connections": [*CHAIN["connections"], {"id": "x", "from": "start", "to": "alone"}],
    "subAgentFlows": [SUBFLOW],
}


def test_an_answer_is_bound_to_tools_of_an_agent_to_subflows_and_to_connections() -> None:
    def bound(**more: Any) -> str | None:
        plan = make_plan(read(json_text.read(json_text.write({**BUYING, **more}))).workflow, KINDS)
        return bound_hash("ask", (), plan, {})

    def with_data(node: str, data: dict[str, Any]) -> list[Any]:
        return [{**one, "data": data} if one["id"] == node else one for one in BUYING["nodes"]]

    first = bound()
    assert first is not None
    other = with_data("alone", {"prompt": "bye"})
    assert bound(nodes=other) == first  # the positive control: it does not follow
    tools = with_data("tool", {**CALL, "toolName": "delete_everything"})
    assert bound(nodes=tools) != first
    assert bound(subAgentFlows=[{**SUBFLOW, "nodes": [ALONE]}]) != first
    # The same nodes, reached by another answer: what was confirmed would happen when refused.
    routed = [
        {**one, "fromPort": "rejected"} if one["from"] == "ask" else one
        for one in BUYING["connections"]
    ]
    assert routed != BUYING["connections"]
    assert bound(connections=routed) != first
    apart = [one for one in BUYING["connections"] if one["id"] != "x"]
    assert bound(connections=apart) == first  # the positive control: it does not follow
