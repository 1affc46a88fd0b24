"""`POST /api/v1/signals`: an event goes to the runs that wait for it."""

from typing import Any

import anyio
import pytest

from rest.house import House

pytestmark = pytest.mark.anyio

WAITING: dict[str, Any] = {
    "toolweave": 1,
    "name": "wait",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "w",
            "type": "FLOW",
            "data": {
                "subtype": "WAIT",
                "configurations": {
                    "wait_type": "event",
                    "event_config": {"name": "order.paid", "match": {"order": "A-1"}},
                },
            },
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "w"}],
}


async def test_an_event_ends_the_wait_it_is_meant_for(house: House) -> None:
    keys = await house.key()
    started = await house.client.post("/api/v1/runs", json={"document": WAITING}, headers=keys)
    assert started.status_code == 202, started.text
    run = started.json()["id"]
    for order, told in (("A-2", []), ("A-1", [run])):
        body = {"event": "order.paid", "data": {"order": order}}
        with anyio.fail_after(60):
            while True:
                answer = await house.client.post("/api/v1/signals", json=body, headers=keys)
                assert answer.status_code == 202
                if answer.json()["runs"] == told:
                    break
                await anyio.sleep(0.02)  # it has not begun to wait yet
