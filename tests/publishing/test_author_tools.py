"""Tools that an AI client writes workflows with: read them back, patch them, publish them."""

from getpass import getuser
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent

from publishing.desk import Desk
from rest.drawn import drawn, greeting
from toolweave.catalog.budget import tokens

pytestmark = pytest.mark.anyio


async def asked(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    content: dict[str, Any] = (await client.call_tool(tool, arguments)).structured_content
    return content


def of_catalog(name: str = "totals") -> dict[str, Any]:
    """A workflow in the catalog's dialect, with keys in the author's own order."""
    return {
        "name": name,
        "connections": [{"to_node": "sum", "from_node": "begin"}],
        "nodes": [
            {"subtype": "MANUAL", "type": "TRIGGER", "id": "begin", "name": "Begin"},
            {
                "id": "sum",
                "type": "ACTION",
                "subtype": "SET_FIELDS",
                "name": "Sum",
                "configurations": {"set": {"total": "{{ begin.price * 2 }}"}, "enabeld": True},
            },
        ],
    }


async def test_a_saved_workflow_is_listed_and_read_back_as_it_was_written(desk: Desk) -> None:
    async with desk.client() as client:
        assert (await asked(client, "list_workflows"))["workflows"] == []
        saved = await asked(client, "save_workflow", workflow=of_catalog())
        await asked(client, "save_workflow", workflow=greeting())
        listed = await asked(client, "list_workflows")
        assert [one["name"] for one in listed["workflows"]] == ["greet", "totals"]
        assert listed["workflows"][1]["revision"] == saved["revision"]
        found = await asked(client, "get_workflow", name="totals")
        assert found["workflow"] == of_catalog()
        assert list(found["workflow"]["nodes"][0]) == ["subtype", "type", "id", "name"]
        assert (found["revision"], found["format"]) == (saved["revision"], "agent-team")
        budget = tokens(found) - 1
        short = await asked(client, "get_workflow", name="totals", max_tokens=budget)
        assert "workflow" not in short
        assert (short["shortened"], short["left_out"]) == (len(of_catalog()["nodes"]), 0)
        assert tokens(short) <= budget
        needed = int(short["get_the_rest"].split()[-1])
        whole = await asked(client, "get_workflow", name="totals", max_tokens=needed)
        assert whole["workflow"] == of_catalog()
        missing = await asked(client, "get_workflow", name="total")
        assert missing["code"] == "WORKFLOW_NOT_FOUND"
        assert "totals" in missing["hint"]


async def test_a_patch_of_validate_applies_to_the_saved_workflow(desk: Desk) -> None:
    async with desk.client() as client:
        told = await asked(client, "validate_workflow", workflow=of_catalog())
        (problem,) = [one for one in told["problems"] if "enabeld" in one["message"]]
        assert problem["pointer"].startswith("/nodes/1/configurations/")
        saved = await asked(client, "save_workflow", workflow=of_catalog())
        change = {"name": "totals", "revision": saved["revision"]}
        operation = {"op": "remove", "path": "/nodes/1/configurations/enabeld"}
        patched = await asked(client, "patch_workflow", patch=[operation], **change)
        assert patched["valid"] is True
        found = await asked(client, "get_workflow", name="totals")
        assert "enabeld" not in found["workflow"]["nodes"][1]["configurations"]
        assert found["format"] == "agent-team"


async def test_a_taken_name_comes_with_the_revision_to_replace_it(desk: Desk) -> None:
    async with desk.client() as client:
        first = await asked(client, "save_workflow", workflow=greeting())
        taken = await asked(client, "save_workflow", workflow=greeting())
        assert taken["code"] == "WORKFLOW_NAME_TAKEN"
        assert taken["facts"]["revision"] == first["revision"]
        # Some clients show their model the text only.
        answer = await client.call_tool("save_workflow", {"workflow": greeting()})
        (block,) = answer.content
        assert isinstance(block, TextContent)
        assert first["revision"] in block.text
        assert tokens(taken) < 150
        again = await asked(
            client, "save_workflow", workflow=greeting(), revision=taken["facts"]["revision"]
        )
        assert again["name"] == "greet"


@pytest.mark.parametrize(
    "text", ["{{ trigger.city }}", "{{ start.city }}", "{{ data.city }}", "{{ input.city }}"]
)
@pytest.mark.parametrize("kind", ["prompt", "fields"])
async def test_a_published_tool_takes_what_its_workflow_reads(
    desk: Desk, text: str, kind: str
) -> None:
    nodes: dict[str, dict[str, Any]] = {
        "prompt": {"type": "prompt", "data": {"prompt": f"Weather of {text}"}},
        "fields": {
            "type": "ACTION",
            "data": {"subtype": "SET_FIELDS", "configurations": {"set": {"a": text}}},
        },
    }
    document = drawn("weather", {"id": "use", "name": "Use", **nodes[kind]})
    async with desk.client() as client:
        await asked(client, "save_workflow", workflow=document)
        made = await asked(client, "publish_workflow", name="weather")
        assert list(made["inputSchema"]["properties"]) == ["city"]
        declared = {"type": "object", "properties": {"town": {"type": "string"}}}
        await asked(client, "save_workflow", workflow={**document, "name": "w2"} | {"id": "w2"})
        other = drawn("w3", {"id": "use", "name": "Use", **nodes[kind]})
        await asked(client, "save_workflow", workflow={**other, "inputSchema": declared})
        kept = await asked(client, "publish_workflow", name="w3")
        assert kept["inputSchema"] == declared


async def test_the_fields_of_the_trigger_itself_are_no_inputs(desk: Desk) -> None:
    document = of_catalog()
    document["nodes"][1]["configurations"] = {"set": {"at": "{{ begin.trigger_time }}"}}
    async with desk.client() as client:
        await asked(client, "save_workflow", workflow=document)
        made = await asked(client, "publish_workflow", name="totals")
        assert made["inputSchema"]["properties"] == {}
        read = await asked(client, "save_workflow", workflow=of_catalog("doubles"))
        assert read["name"] == "doubles"


def reviewed(*reviewers: str) -> dict[str, Any]:
    review = {
        "review_title": "Release",
        "review_description": "Is it ready?",
        "reviewers": list(reviewers),
        "review_criteria": ["Tests pass"],
        "require_evidence": False,
    }
    data = {"subtype": "MANUAL_REVIEW", "configurations": review, "inputParams": {}}
    chain = drawn(
        "release", {"id": "review", "type": "HUMAN_IN_THE_LOOP", "name": "Review", "data": data}
    )
    chain["connections"][-1]["fromPort"] = "confirmed"
    return chain


async def test_the_answer_of_somebody_who_was_not_asked_says_so(desk: Desk) -> None:
    async with desk.client() as client:
        waiting = await asked(client, "run_workflow", workflow=reviewed("ada@example.com"))
        told = await asked(client, "run_respond", run_id=waiting["run_id"], reply="pass")
        assert told["counts"] is False
        assert "ada@example.com" in told["why"]
        assert told["status"] in {"waiting", "running"}
        mine = await asked(client, "run_workflow", workflow=reviewed(getuser()))
        counted = await asked(client, "run_respond", run_id=mine["run_id"], reply="pass")
        assert "counts" not in counted or counted["counts"] is True
        with anyio.fail_after(60):
            while counted["status"] != "success":
                counted = await asked(client, "run_status", run_id=mine["run_id"])
                await anyio.sleep(0.01)


async def test_two_codes_are_explained_differently(desk: Desk) -> None:
    async with desk.client() as client:
        cycle = await asked(client, "explain_problem", code="CIRCULAR_DEPENDENCY")
        name = await asked(client, "explain_problem", code="REFERENCE_NAME_UNKNOWN")
        network = await asked(client, "explain_problem", code="MCP_SERVER_NOT_FOUND")
    assert len({cycle["next"], name["next"], network["next"]}) == 3
    assert "LOOP" in cycle["next"]
    assert "trigger" in name["next"]
    assert "servers add" in network["next"]


SORT = {
    "id": "by_age",
    "name": "Sort",
    "type": "FLOW",
    "subtype": "SORT",
    "configurations": {"sort_field": "age", "order": "desc"},
    "input_params": {"data": "{{ fetch.people }}"},
}
PEOPLE = [{"name": "Ada", "age": 36}, {"name": "Grace", "age": 85}]


async def test_one_node_is_tried_with_sample_data(desk: Desk) -> None:
    async with desk.client() as client:
        found = await asked(client, "test_node", node=SORT, sample={"fetch": {"people": PEOPLE}})
        assert found["executed"] is True, found
        assert found["effect"] == "pure"
        assert [one["name"] for one in found["output"]["sorted_data"]] == ["Grace", "Ada"]
        wrong = {**SORT, "configurations": {"sort_field": "age", "order": "downwards"}}
        refused = await asked(client, "test_node", node=wrong, sample={"fetch": {"people": []}})
        assert refused["executed"] is False
        assert refused["problems"][0]["pointer"] == "/configurations/order"
        assert await desk.studio.engine.newest(limit=5) == []


async def test_a_tried_node_has_the_budget_of_a_step_and_leaves_the_service_free(
    desk: Desk,
) -> None:
    nested = "[1,2,3,4,5,6,7,8].all(a, true)"
    for name in "bcdefghi":
        nested = f"[1,2,3,4,5,6,7,8].all({name}, {nested})"

    def node(expression: str) -> dict[str, Any]:
        fields = {f"f{number}": f"{{{{ {expression} }}}}" for number in range(20)}
        return {
            "id": "fields",
            "name": "Fields",
            "type": "ACTION",
            "subtype": "SET_FIELDS",
            "configurations": {"set": fields},
            "input_params": {"data": {}},
        }

    async with desk.client() as client:
        light = await asked(client, "test_node", node=node("1 + 1"), sample={"trigger": {}})
        assert light["output"]["data"]["f0"] == 2, light
        heavy = await asked(client, "test_node", node=node(nested), sample={"trigger": {}})
        texts = [problem["message"] for problem in heavy["problems"]]
        assert any("of this step take too many steps together" in text for text in texts), heavy


async def test_a_node_with_an_effect_is_only_run_when_asked(desk: Desk) -> None:
    node = {
        "id": "keep",
        "name": "Keep",
        "type": "MEMORY",
        "subtype": "KEY_VALUE_STORE",
        "configurations": {"storage_backend": "memory"},
        "input_params": {"operation": "set", "key": "{{ trigger.key }}", "value": 1},
    }
    async with desk.client() as client:
        dry = await asked(client, "test_node", node=node, sample={"trigger": {"key": "a"}})
        assert (dry["executed"], dry["given"]["input_params"]["key"]) == (False, "a"), dry
        assert await desk.studio.engine.newest(limit=5) == []
        sample = {"trigger": {"key": "a"}}
        real = await asked(client, "test_node", node=node, sample=sample, effects=True)
        assert (real["executed"], real["status"]) == (True, "success"), real
        assert real["output"]["success"] is True
        assert len(await desk.studio.engine.newest(limit=5)) == 1


async def test_a_node_of_a_saved_workflow_is_tried_by_its_id(desk: Desk) -> None:
    async with desk.client() as client:
        await asked(client, "save_workflow", workflow=of_catalog())
        tried = {"name": "totals", "node": "sum"}
        lacking = await asked(client, "test_node", **tried)
        assert lacking["code"] == "REQUEST_INVALID"
        assert "begin" in lacking["hint"]
        operation = {"op": "remove", "path": "/nodes/1/configurations/enabeld"}
        revision = (await asked(client, "get_workflow", name="totals"))["revision"]
        await asked(client, "patch_workflow", name="totals", patch=[operation], revision=revision)
        found = await asked(client, "test_node", **tried, sample={"begin": {"price": 21}})
        assert found["output"]["data"]["total"] == 42
        unknown = await asked(client, "test_node", name="totals", node="sun")
        assert unknown["code"] == "NODE_ID_UNKNOWN"


async def test_a_failed_run_is_explained_with_a_patch_that_fixes_it(desk: Desk) -> None:
    document = of_catalog()
    fields = {"set": {"total": "{{ begin.prize * 2 }}"}}
    document["nodes"][1]["configurations"] = fields
    async with desk.client() as client:
        await asked(client, "save_workflow", workflow=document)
        failed = await asked(client, "run_workflow", name="totals", inputs={"price": 21})
        told = await asked(client, "explain_run", run_id=failed["run_id"])
        assert told["status"] == "failed"
        assert told["failedAt"]["nodeId"] == "sum"
        assert told["reads"][0]["missing"] == "prize"
        assert "price" in told["reads"][0]["available"]
        assert told["patch"][0]["path"] == "/nodes/1/configurations/set/total"
        await asked(
            client,
            "patch_workflow",
            name="totals",
            patch=told["patch"],
            revision=told["revision"],
        )
        ran = await asked(client, "run_workflow", name="totals", inputs={"price": 21})
        assert ran["data"]["total"] == 42
        good = await asked(client, "run_workflow", workflow=greeting(), inputs={"who": "Ada"})
        assert good == {"result": "Hello, Ada!"}
        (newest, *_) = await desk.studio.engine.newest(limit=1)
        fine = await asked(client, "explain_run", run_id=newest.id)
        assert "not failed" in fine["why"]
