"""A person's answer is bound to what follows it: a fork that changes that asks again."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import anyio
import pytest

from rest.house import House, house_in
from rest.test_inbox import ASKING

pytestmark = pytest.mark.anyio

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


async def forked(house: House, run: str, **more: Any) -> str:
    answer = await house.client.post(
        f"/api/v1/runs/{run}/fork", json={"from": "pay", **more}, headers=await house.key()
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
