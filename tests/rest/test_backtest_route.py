"""`POST /api/v1/edit/backtest`: past runs with a changed workflow."""

from typing import Any

import httpx2
import pytest

from rest.drawn import greeting
from rest.house import House
from rest.test_pinned_data import pinned
from rest.test_runs import run_until, started

pytestmark = pytest.mark.anyio


async def test_past_runs_are_compared_page_by_page_and_a_document_that_is_none_is_refused(
    house: House,
) -> None:
    document = greeting("backtested")
    for who in ("Ada", "Bob"):
        run = await started(house, {"document": document, "inputs": {"who": who}})
        await run_until(house, run, "success")
    key = await house.key("workflows:read")

    async def backtested(body: dict[str, Any]) -> httpx2.Response:
        return await house.client.post("/api/v1/edit/backtest", json=body, headers=key)

    same = (await backtested({"document": document})).json()
    assert [one["verdict"] for one in same["cases"]] == ["same", "same"]
    changed = greeting("renamed")
    changed["nodes"][1]["data"]["prompt"] = "Hi, {{who}}!"
    body = {"document": changed, "of": "backtested", "limit": 1}
    first = (await backtested(body)).json()
    second = (await backtested({**body, "skip": 1})).json()
    assert (first["hasMore"], len(first["cases"])) == (True, 1)
    values = [page["cases"][0]["differences"][-1]["values"][0] for page in (first, second)]
    assert {(one["expected"], one["actual"]) for one in values} == {
        ("Hello, Ada!", "Hi, Ada!"),
        ("Hello, Bob!", "Hi, Bob!"),
    }
    wrong = await backtested({"document": {"nodes": 1}})
    assert wrong.status_code == 422
    house.clock.seconds += 3_600
    later = house.clock.now().isoformat()
    run = await started(house, {"document": document, "inputs": {"who": "Cyd"}})
    await run_until(house, run, "success")
    since = (await backtested({"document": document, "since": later})).json()
    assert [one["name"] for one in since["cases"]] == [run]
    for time in ("yesterday", "2026-01-01T00:00:00", 0):  # the second one without a time zone
        refused = await backtested({"document": document, "since": time})
        assert (refused.status_code, "since" in refused.text) == (422, True)


async def test_a_run_with_pinned_outputs_is_not_judged(house: House) -> None:
    document = pinned(greeting("pinned-run"), greet={"output": "Hello, nobody!"})
    for body in ({"document": document, "usePins": True}, {"document": document}):
        await run_until(house, await started(house, {**body, "inputs": {"who": "Ada"}}), "success")
    key = await house.key("workflows:read")
    found = await house.client.post(
        "/api/v1/edit/backtest", json={"document": document}, headers=key
    )
    verdicts = {one["verdict"]: one["notJudged"] for one in found.json()["cases"]}
    assert verdicts.keys() == {"same", "not_judged"}  # the control: one run used no pins
    assert "RUN_PINNED" in verdicts["not_judged"][0]
