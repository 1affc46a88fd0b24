"""Expressions tried with a run's data while they are written: values, names, faults at a place."""

from typing import Any

import pytest

from mcp_server.approving import approve, definition
from rest.drawn import drawn
from rest.house import House
from rest.test_runs import code, post, run_until, started

pytestmark = pytest.mark.anyio

ORDERS = [{"id": 7, "mail": "a@b.example"}, {"id": 8, "mail": "c@d.example"}]
INPUTS = {"who": "Ada", "orders": ORDERS, "api_token": "hunter2-hunter2"}


def node(name: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "type": kind, "name": name.title(), "data": data}


def flow(subtype: str, **configurations: Any) -> dict[str, Any]:
    return {"subtype": subtype, "configurations": configurations}


def looped(name: str) -> dict[str, Any]:
    """Goes through the orders, greets each, and looks at the greeting at the end."""
    each = {**flow("FOR_EACH"), "inputParams": {"data": "{{ trigger.orders }}"}}
    document = drawn(
        name,
        node("greet", "prompt", {"prompt": "Hello, {{who}}!"}),
        node("each", "FLOW", each),
        node("check", "FLOW", flow("IF", condition_expression="data == 'Hello, Ada!'")),
    )
    document["nodes"].append(
        {
            **node("mail", "prompt", {"prompt": "To {{loop.item.mail}}"}),
            "position": {"x": 0, "y": 0},
        }
    )
    for edge in document["connections"]:
        edge["fromPort"] = {"each": "done", "check": "false"}.get(edge["from"], "output")
    document["connections"].append(
        {"id": "body", "from": "each", "to": "mail", "fromPort": "loop", "toPort": "input"}
    )
    document["inputSchema"] = {
        "type": "object",
        "properties": {"who": {"type": "string"}, "city": {"type": "string"}},
    }
    return document


@pytest.fixture(scope="module")
async def ran(house: House) -> dict[str, Any]:
    """A workflow that ran once."""
    document = looped("previewed")
    run = await started(house, {"document": document, "inputs": INPUTS})
    await run_until(house, run, "success")
    return document


async def preview(
    house: House, document: dict[str, Any], at: str, text: str, field: str = "", **more: Any
) -> dict[str, Any]:
    body = {"document": document, "node": at, "expression": text, "field": field, **more}
    answer = await house.client.post(
        "/api/v1/edit/preview", json=body, headers=await house.key("workflows:read")
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("at", "field", "text", "kind", "shown"),
    [
        ("each", "/inputParams/data", "{{ trigger.who }}", "string", "Ada"),
        ("each", "/inputParams/data", "{{ data }}", "string", "Hello, Ada!"),
        ("each", "/inputParams/data", "{{ nodes.greet.output }}?", "string", "Hello, Ada!?"),
        ("each", "/inputParams/data", "{{ size(trigger.orders) * 2 }}", "integer", "4"),
        ("each", "/inputParams/data", "{{ trigger.orders.map(o, o.id) }}", "array", None),
        ("each", "/inputParams/data", "plain words", "string", "plain words"),
        ("each", "/configurations/x", "{{ $json }}", "string", "Hello, Ada!"),
        ("greet", "/prompt", "Bye, {{who}} {{nobody}}", "string", "Bye, Ada {{nobody}}"),
        ("mail", "/prompt", "{{loop.item.mail}}", "string", "c@d.example"),
        ("mail", "/x", "{{ loop.index + 1 }}", "integer", "2"),
        ("check", "/configurations/condition_expression", "data == 'x'", "boolean", "false"),
        (
            "check",
            "/configurations/condition_expression",
            "trigger.who === 'Ada'",
            "boolean",
            "true",
        ),
    ],
)
async def test_a_text_gives_what_it_would_give_in_the_last_run(
    house: House, ran: dict[str, Any], at: str, field: str, text: str, kind: str, shown: str | None
) -> None:
    found = await preview(house, ran, at, text, field)
    assert [fault for fault in found["faults"] if fault["severity"] == "error"] == []
    assert found["reached"]
    assert found["run"]["status"] == "success"
    assert found["value"]["kind"] == kind
    assert shown is None or found["value"]["text"] == shown


@pytest.mark.parametrize(
    ("text", "expected", "offset"),
    [
        ("{{ data.nope }}", "EXPRESSION_FAILED", 7),
        ("hi {{ 1 + }}", "EXPRESSION_INVALID", None),
        ("{{ nodes.grete.output }}", "EXPRESSION_FAILED", None),
        ("{{ data", "TEMPLATE_UNCLOSED", 0),
        ("{{ trigger.who.shout() }}", "EXPRESSION_FUNCTION_UNKNOWN", None),
        ("{{ trigger.orders[9].id }}", "EXPRESSION_FAILED", None),
        (
            "{{ [1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(b, [1,2,3,4,5,6,7,8,9].map(c, "
            "[1,2,3,4,5,6,7,8,9].map(d, [1,2,3,4,5,6,7,8,9].map(e, [1,2,3,4,5,6,7,8,9].map(f, "
            "[1,2,3,4,5,6,7,8,9].map(g, a))))))) }}",
            "EXPRESSION_LIMIT",
            3,
        ),
    ],
)
async def test_a_fault_is_told_at_its_character(
    house: House, ran: dict[str, Any], text: str, expected: str, offset: int | None
) -> None:
    found = await preview(house, ran, "each", text, "/inputParams/data")
    assert found["value"] is None
    fault = found["faults"][0]
    assert fault["code"] == expected
    assert offset is None or fault["offset"] == offset
    assert (fault["line"], fault["column"]) == (1, fault["offset"] + 1)


async def test_a_workflow_that_never_ran_says_so_and_tells_faults_all_the_same(
    house: House,
) -> None:
    document = looped("never ran")
    found = await preview(house, document, "each", "{{ data.x }}", "/inputParams/data")
    assert found == {"run": None, "reached": False, "value": None, "faults": []}
    found = await preview(house, document, "each", "{{ data. }}", "/inputParams/data")
    assert [fault["code"] for fault in found["faults"]] == ["EXPRESSION_INVALID"]
    found = await preview(house, document, "each", "{{ 1 + 1 }}", "/inputParams/data")
    assert found["value"]["text"] == "2"


async def test_the_branch_not_taken_shows_what_the_decision_was_given(house: House) -> None:
    """A decision passes on its input either way."""
    document = drawn(
        "decided",
        node("greet", "prompt", {"prompt": "Hello, {{who}}!"}),
        node("decide", "FLOW", flow("IF", condition_expression="true")),
        node("yes", "prompt", {"prompt": "."}),
    )
    document["connections"][2]["fromPort"] = "true"
    no = {**node("no", "prompt", {"prompt": "."}), "position": {"x": 0, "y": 200}}
    document["nodes"].append(no)
    document["connections"].append(
        {"id": "n", "from": "decide", "to": "no", "fromPort": "false", "toPort": "input"}
    )
    run = await started(house, {"document": document, "inputs": {"who": "Ada"}})
    await run_until(house, run, "success")
    for branch, is_reached in (("yes", True), ("no", False)):
        found = await preview(house, document, branch, "<{{input}}>", "/prompt")
        assert (found["reached"], found["value"]["text"]) == (is_reached, "<Hello, Ada!>")


async def test_an_edited_workflow_sees_what_it_would_be_given_now(
    house: House, ran: dict[str, Any]
) -> None:
    document = {**ran, "nodes": [*ran["nodes"]], "connections": [*ran["connections"]]}
    fresh = {**node("fresh", "prompt", {"prompt": ""}), "position": {"x": 0, "y": 0}}
    document["nodes"].append(fresh)
    found = await preview(house, document, "fresh", "{{trigger.who}}", "/prompt")
    assert found["value"]["text"] == "Ada"
    document["connections"].append(
        {"id": "n", "from": "greet", "to": "fresh", "fromPort": "output", "toPort": "input"}
    )
    found = await preview(house, document, "fresh", "<{{input}}>", "/prompt")
    assert (found["reached"], found["value"]["text"]) == (True, "<Hello, Ada!>")
    # Between two nodes that ran: what is behind it has not happened yet.
    document["connections"] = [
        {**edge, "from": "fresh"} if edge["to"] == "each" else edge
        for edge in document["connections"]
    ]
    found = await preview(house, document, "check", "{{ data }}", "/inputParams/data")
    assert not found["reached"]
    # A drawing that cannot run at all shows what was.
    document["nodes"].append({**node("odd", "nothing-like-this", {}), "position": {"x": 0, "y": 0}})
    found = await preview(house, document, "each", "{{ data }}", "/inputParams/data")
    assert found["value"]["text"] == "Hello, Ada!"


async def test_secrets_are_hidden_and_large_values_are_cut(house: House) -> None:
    large = drawn("large", node("one", "prompt", {"prompt": "{{who}}"}))
    house.home.masker.learn(["kept-in-the-vault"])
    inputs = {"who": "kept-in-the-vault" + "x" * 300_000, "api_token": "hunter2-hunter2"}
    run = await started(house, {"document": large, "inputs": inputs})
    await run_until(house, run, "success")
    found = await preview(house, large, "end", "{{ data }}", "/x")
    assert (len(found["value"]["text"]), found["value"]["chars"]) == (4_000, 300_017)
    whole = await preview(house, large, "one", "{{ trigger }}", "/x")
    told = str((found, whole, await listed(house, large, "end")))
    assert "hunter2" not in told
    assert "kept-in" not in told


async def listed(house: House, document: dict[str, Any], at: str) -> dict[str, Any]:
    body = {"document": document, "node": at}
    answer = await house.client.post(
        "/api/v1/edit/names", json=body, headers=await house.key("workflows:read")
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_names_are_those_of_schemas_and_of_the_run(house: House, ran: dict[str, Any]) -> None:
    found = await listed(house, ran, "mail")
    offers = {one["path"]: one for one in found["offers"]}
    assert offers["trigger.who"]["sample"] == '"Ada"'
    assert offers["trigger.city"] == {
        "path": "trigger.city",
        "kind": "text",
        "about": None,
        "sample": None,
    }
    assert offers["trigger.orders[0].mail"]["sample"] == '"a@b.example"'
    assert offers["loop.item.id"]["sample"] == "8"
    assert "nodes.greet.output" in offers
    assert "nodes.check.output" not in offers
    assert found["languages"] == {"/prompt": "prompt"}
    functions = {one["name"]: one for one in found["functions"]}
    assert functions["size"] == {
        "name": "size",
        "isMethod": False,
        "call": "size(sized)",
        "gives": "int",
    }
    assert functions["contains"]["call"] == ".contains(string)"
    languages = (await listed(house, ran, "check"))["languages"]
    assert languages == {"/configurations/condition_expression": "own"}


async def test_names_of_a_tool_are_those_of_its_output_schema(house: House) -> None:
    schema = {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {"type": "object", "properties": {"title": {"type": "string"}}},
            }
        },
    }
    await approve(house.home, "shelf", {**definition("list"), "outputSchema": schema})
    data: dict[str, Any] = {
        "serverId": "shelf",
        "toolName": "list",
        "mode": "detailed",
        "parameterValues": {},
    }
    document = drawn("shelves", node("call", "mcp", data), node("say", "prompt", {"prompt": ""}))
    paths = [one["path"] for one in (await listed(house, document, "say"))["offers"]]
    assert "nodes.call.output.items[0].title" in paths
    assert "data.items[0].title" in paths


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"node": "greet"}, (422, "BODY_INVALID")),
        ({"document": drawn("x"), "node": "nobody"}, (404, "NODE_ID_UNKNOWN")),
        ({"document": drawn("x"), "node": "end", "run": "ffff"}, (404, "RUN_UNKNOWN")),
        ({"document": drawn("x"), "node": "end", "run": "../x"}, (422, "BODY_INVALID")),
    ],
)
async def test_what_cannot_be_looked_at_is_refused(
    house: House, body: dict[str, Any], expected: tuple[int, str]
) -> None:
    key = await house.key("workflows:read")
    for path in ("names", "preview"):
        more = {"expression": "{{ data }}"} if path == "preview" else {}
        answer = await house.client.post(f"/api/v1/edit/{path}", json=body | more, headers=key)
        assert code(answer) == expected


async def test_a_run_goes_on_from_a_node_though_another_was_put_before_it(house: House) -> None:
    first = node("first", "prompt", {"prompt": "one {{who}}"})
    last = node("last", "prompt", {"prompt": "{{data}} last"})
    document = drawn("between", first, node("mid", "prompt", {"prompt": "{{data}} mid"}), last)
    run = await started(house, {"document": document, "inputs": {"who": "Ada"}})
    await run_until(house, run, "success")
    new = node("new", "prompt", {"prompt": "{{data}} new"})
    changed = drawn("between", first, new, document["nodes"][2], last)
    forked = await post(house, f"/{run}/fork", {"from": "last", "document": changed})
    shown = await run_until(house, forked.json()["id"], "success")
    assert shown["execution"]["finalResult"] == "one Ada new mid last"


async def test_a_workflow_tells_which_tool_it_would_be_and_what_is_in_the_way(
    house: House,
) -> None:
    key = await house.key("workflows:read")
    document = drawn("Greet all!", node("greet", "prompt", {"prompt": "Hello, {{who}}!"}))
    answer = await house.client.post("/api/v1/edit/tool", json={"document": document}, headers=key)
    made = answer.json()
    assert (made["tool"], made["problems"]) == ("greet_all", [])
    assert list(made["inputSchema"]["properties"]) == ["who"]
    document["connections"][0]["to"] = "nobody"
    answer = await house.client.post("/api/v1/edit/tool", json={"document": document}, headers=key)
    assert "EDGE_TARGET_UNKNOWN" in [one["code"] for one in answer.json()["problems"]]
    published = await house.client.get("/api/v1/published", headers=key)
    assert published.json() == {"published": []}
