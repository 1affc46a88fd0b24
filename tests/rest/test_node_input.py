"""What a node can read, as values for a tree: `POST /api/v1/edit/input`."""

from typing import Any

import pytest

from rest.house import House
from rest.test_preview import INPUTS, looped, preview
from rest.test_runs import run_until, started

pytestmark = pytest.mark.anyio


async def shown(house: House, document: dict[str, Any], at: str, **more: Any) -> dict[str, Any]:
    answer = await house.client.post(
        "/api/v1/edit/input",
        json={"document": document, "node": at, **more},
        headers=await house.key("workflows:read"),
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def by_path(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {source["path"]: source for source in found["sources"]}


async def test_every_value_that_a_node_can_read_is_shown_with_its_path(house: House) -> None:
    document = looped("input tree")
    before = await shown(house, document, "each")
    assert before["run"] is None
    assert not any(source["hasValue"] for source in before["sources"])
    inputs = {**INPUTS, "answer": '{"days": [{"high": 7}]}'}
    run = await started(house, {"document": document, "inputs": inputs})
    await run_until(house, run, "success")
    found = await shown(house, document, "each")
    assert (found["run"]["id"], found["reached"]) == (run, True)
    sources = by_path(found)
    assert sources["data"]["value"] == "Hello, Ada!"
    assert sources["nodes.greet.output"]["value"] == "Hello, Ada!"
    assert sources["nodes.greet.output"]["about"] == "the output of Greet"
    assert sources["trigger"]["value"]["orders"] == INPUTS["orders"]
    assert sources["trigger"]["value"]["api_token"] != INPUTS["api_token"]
    inside = by_path(await shown(house, document, "mail"))
    assert inside["loop"]["value"] == {"index": 1, "item": INPUTS["orders"][1]}
    # JSON in a text is read by the expression that the tree writes.
    text = "{{ trigger.answer.parseJson().days[0].high }}"
    value = (await preview(house, document, "each", text, "/inputParams/data"))["value"]
    assert (value["kind"], value["text"]) == ("integer", "7")
    prompt = await preview(
        house, document, "greet", "{{trigger.answer.parseJson().days[0].high}} °C", "/prompt"
    )
    assert (prompt["value"]["text"], prompt["faults"]) == ("7 °C", [])
    wrong = await preview(
        house, document, "each", "{{ trigger.who.parseJson() }}", "/inputParams/data"
    )
    assert [fault["code"] for fault in wrong["faults"]] == ["EXPRESSION_FAILED"]


async def test_a_value_too_large_for_a_tree_is_cut_and_marked(house: House) -> None:
    document = looped("large input")
    rows = [{"id": at, "text": "x" * 200} for at in range(3_000)]
    run = await started(house, {"document": document, "inputs": {**INPUTS, "rows": rows}})
    await run_until(house, run, "success")
    sources = by_path(await shown(house, document, "each"))
    assert sources["trigger"]["isCut"]
    assert sources["trigger"]["value"]["rows"][0]["id"] == 0
    assert len(sources["trigger"]["value"]["rows"]) < 3_000
    assert not sources["data"]["isCut"]


async def test_pinned_data_without_a_run_leaves_the_runs_input_to_its_declaration(
    house: House,
) -> None:
    pins = {"pins": {"greet": {"output": "Hello, Eve!"}}}
    document = looped("pinned input") | {"metadata": {"studio": pins}}
    sources = by_path(await shown(house, document, "each"))
    assert sources["data"]["value"] == "Hello, Eve!"
    assert not sources["trigger"]["hasValue"]
    # What comes before the pinned node has nothing to read yet.
    assert not any(one["hasValue"] for one in (await shown(house, document, "greet"))["sources"])
    given = {**pins, "testEvent": {"node": "start", "inputs": INPUTS}}
    kept = {"metadata": {"studio": given}}
    assert by_path(await shown(house, document | kept, "greet"))["trigger"]["hasValue"]
