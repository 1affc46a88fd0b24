"""One node run alone from the studio: `POST /api/v1/edit/test`."""

from typing import Any

import pytest

from rest.drawn import drawn
from rest.house import House
from rest.test_preview import INPUTS, flow, looped, node
from rest.test_runs import run_until, started

pytestmark = pytest.mark.anyio
SCOPES = ("workflows:run", "workflows:write")


async def step(house: House, *scopes: str, **body: Any) -> tuple[int, dict[str, Any]]:
    answer = await house.client.post(
        "/api/v1/edit/test", json=body, headers=await house.key(*scopes or SCOPES)
    )
    return answer.status_code, answer.json()


async def test_a_step_runs_on_the_last_data_or_on_an_input_of_its_own(house: House) -> None:
    document = looped("one step")
    run = await started(house, {"document": document, "inputs": INPUTS})
    await run_until(house, run, "success")
    status, found = await step(house, document=document, node="check")
    assert (status, found["ports"], found["sampleRun"]) == (200, ["false"], run), found
    assert found["output"]["data"]["succeeded"] == 2  # what the loop before it left
    status, other = await step(house, document=document, node="check", input="Hello, Ada!")
    assert (status, other["ports"]) == (200, ["true"]), other
    # Nothing behind the node ran, and the workflow has no further run.
    runs = (
        await house.client.get("/api/v1/runs", headers=await house.key("workflows:read"))
    ).json()
    assert [one["id"] for one in runs["runs"] if one["workflow"] == "one step"] == [run]


async def test_a_step_without_data_says_what_is_missing_and_a_fault_is_shown(house: House) -> None:
    reads = {**flow("FOR_EACH"), "inputParams": {"data": "{{ nodes.greet.output }}"}}
    document = drawn(
        "no data",
        node("greet", "prompt", {"prompt": "Hi"}),
        node("each", "FLOW", reads),
    )
    status, found = await step(house, document=document, node="each")
    assert (status, found["executed"]) == (200, False), found
    broken = drawn("broken", node("check", "FLOW", flow("IF", condition_expression="1 +")))
    status, found = await step(house, document=broken, node="check", input={})
    assert (status, found["executed"]) == (200, False)
    assert found["problems"][0]["code"] == "EXPRESSION_INVALID"


async def test_running_a_step_needs_what_running_a_document_needs(house: House) -> None:
    document = drawn("guarded", node("greet", "prompt", {"prompt": "Hi"}))
    body: dict[str, Any] = {"document": document, "node": "greet", "input": {}}
    for scopes in (("workflows:read",), ("workflows:run",), ("workflows:write",)):
        status, found = await step(house, *scopes, **body)
        assert (status, found["error"]["code"]) == (403, "SCOPE_MISSING"), scopes
    assert (await step(house, **body))[0] == 200
    status, found = await step(house, document={}, node="greet")
    assert (status, found["error"]["code"]) == (404, "NODE_ID_UNKNOWN")
