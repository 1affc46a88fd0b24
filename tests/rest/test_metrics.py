"""`/metrics`, as Prometheus reads it."""

import re

import anyio
import pytest

from rest.house import House

pytestmark = pytest.mark.anyio

LINE = re.compile(r"# (HELP|TYPE) \w+ .+|\w+(\{\w+=\"[^\"]*\"(,\w+=\"[^\"]*\")*\})? [-+.\de]+")
STOPS = {
    "toolweave": 1,
    "name": "once",
    "nodes": [
        {"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}},
        {
            "id": "d",
            "type": "MEMORY",
            "data": {
                "subtype": "KEY_VALUE_STORE",
                "configurations": {"storage_backend": "memory"},
                "inputParams": {"operation": "keys"},
            },
        },
    ],
    "edges": [{"id": "e", "source": "t", "target": "d"}],
}


async def read(house: House) -> list[str]:
    answer = await house.client.get("/metrics", headers=await house.key("health:check"))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return answer.text.splitlines()


async def test_a_finished_run_and_its_steps_are_counted(house: House) -> None:
    before = await read(house)
    assert "toolweave_queue_depth 0" in before
    body = {"document": STOPS}
    key = await house.key()
    started = await house.client.post("/api/v1/runs", json=body, headers=key)
    assert started.status_code == 202, started.text
    with anyio.fail_after(60):  # the events end with the run
        await house.client.get(f"/api/v1/runs/{started.json()['id']}/events", headers=key)
    lines = await read(house)
    assert 'toolweave_runs{status="success"} 1' in lines
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert any(line.startswith("toolweave_step_seconds_count{kind=") for line in lines)
    assert any(line.startswith("toolweave_oldest_waiting_seconds ") for line in lines)


@pytest.mark.parametrize(("scope", "status"), [(None, 401), ("workflows:read", 403)])
async def test_only_a_key_for_it_reads_them(house: House, scope: str | None, status: int) -> None:
    headers = {} if scope is None else await house.key(scope)
    assert (await house.client.get("/metrics", headers=headers)).status_code == status
