"""`/api/v1/runs`: started, followed by number, answered, stopped and begun again in the middle."""

from typing import Any

import anyio
import httpx2
import pytest

from rest.drawn import drawn, greeting, pausing
from rest.house import House

pytestmark = pytest.mark.anyio

RUNS = "/api/v1/runs"


async def started(house: House, body: dict[str, Any]) -> str:
    answer = await house.client.post(RUNS, json=body, headers=await house.key())
    assert answer.status_code == 202, answer.text
    run = answer.json()["id"]
    assert answer.headers["location"] == f"{RUNS}/{run}"
    return run


async def run_until(house: House, run: str, *statuses: str) -> dict[str, Any]:
    """The run as it is shown once it has one of these states."""
    key = await house.key("workflows:read")
    with anyio.fail_after(60):
        while True:
            shown = (await house.client.get(f"{RUNS}/{run}", headers=key)).json()
            if shown["status"] in statuses:
                return shown
            await anyio.sleep(0.02)


async def post(house: House, path: str, body: object = None) -> httpx2.Response:
    return await house.client.post(RUNS + path, json=body, headers=await house.key())


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def events(text: str) -> list[tuple[int, str]]:
    """The ids and kinds of a whole stream."""
    found: list[tuple[int, str]] = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        found.append((int(fields["id"]), fields["event"]))
    return found


@pytest.mark.requirement(
    "003:FlowExecution.initialVariables",
    "003:FlowExecution.finalResult",
    "003:FlowExecution.status.success",
)
async def test_a_document_runs_in_the_background_and_its_steps_are_shown(house: House) -> None:
    run = await started(house, {"document": greeting(), "inputs": {"who": "Ada"}})
    shown = await run_until(house, run, "success")
    assert (shown["workflow"], shown["trigger"], shown["error"]) == ("greet", "rest", None)
    assert [(step["key"], step["status"]) for step in shown["steps"]] == [
        ("start", "success"),
        ("greet", "success"),
        ("end", "success"),
    ]
    assert shown["steps"][1]["value"] == "Hello, Ada!"
    assert shown["execution"]["finalResult"] == "Hello, Ada!"
    assert shown["execution"]["initialVariables"] == {"who": "Ada"}


async def test_a_stored_workflow_runs_by_its_name(house: House) -> None:
    key = await house.key()
    body = {"document": greeting("by name")}
    assert (
        await house.client.put("/api/v1/workflows/by name", json=body, headers=key)
    ).status_code == 201
    only_run = await house.key("workflows:run")
    answer = await house.client.post(RUNS, json={"workflow": "by name"}, headers=only_run)
    assert answer.status_code == 202
    await run_until(house, answer.json()["id"], "success")
    refused = await house.client.post(RUNS, json={"document": greeting()}, headers=only_run)
    assert code(refused) == (403, "SCOPE_MISSING")
    assert refused.json()["error"]["facts"] == {"scope": "workflows:write"}


async def test_one_key_starts_one_run_however_often_it_is_sent(house: House) -> None:
    body = {"document": greeting("once"), "once_key": "delivery-1"}
    assert len({await started(house, body) for _ in range(5)}) == 1


async def test_runs_are_listed_newest_first_by_status_and_workflow(house: House) -> None:
    first = await started(house, {"document": greeting("listed")})
    await run_until(house, first, "success")
    house.clock.seconds += 1
    second = await started(house, {"document": pausing("listed")})
    await run_until(house, second, "waiting")
    key = await house.key("workflows:read")

    async def ids(query: str) -> list[str]:
        answer = await house.client.get(f"{RUNS}?{query}", headers=key)
        assert answer.status_code == 200
        return [run["id"] for run in answer.json()["runs"]]

    assert await ids("workflow=listed") == [second, first]
    assert await ids("workflow=listed&status=success") == [first]
    assert await ids("workflow=listed&status=success&status=waiting") == [second, first]
    assert await ids("workflow=listed&status=failed&status=partial") == []
    assert await ids("workflow=listed&limit=1") == [second]
    assert await ids("workflow=nobody") == []
    await post(house, f"/{second}/cancel")


async def test_runs_are_found_by_the_text_of_their_inputs_and_by_time(house: House) -> None:
    sent = [
        {"who": "Ada 50%_off"},
        {"who": "Grace", "note": "über"},
        {"who": "x" * 120_000 + "Zoe"},
    ]
    ada, grace, large = [
        await started(house, {"document": greeting("found"), "inputs": inputs}) for inputs in sent
    ]
    shown = [await run_until(house, run, "success") for run in (ada, grace, large)]
    key = await house.key("workflows:read")

    async def ids(**query: str) -> list[str]:
        asked = {"workflow": "found", **query}
        answer = await house.client.get(RUNS, params=asked, headers=key)
        assert answer.status_code == 200, answer.text
        return [run["id"] for run in answer.json()["runs"]]

    assert set(await ids()) == {ada, grace, large}
    assert await ids(text="ADA") == [ada]
    assert await ids(text="50%_") == [ada]
    assert await ids(text="ÜBER") == [grace]
    assert await ids(text="zoe") == [large]
    # Only inputs are searched: neither the names of the journal nor the trigger of the run.
    assert await ids(text="trigger") == []
    assert await ids(text="rest") == []
    assert await ids(text="ada", status="failed") == []
    first = min(run["startedAt"] for run in shown)
    assert set(await ids(since=first)) == {ada, grace, large}
    assert await ids(until="2001-01-01T00:00:00Z") == []
    assert await ids(since="2999-01-01T00:00:00Z") == []


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=1001",
        "limit=x",
        "status=done",
        "since=then",
        "until=0.5",
        "text=",
        "workflow=%00",
        "workflow=" + "x" * 300,
    ],
)
async def test_a_list_that_cannot_be_is_refused(house: House, query: str) -> None:
    key = await house.key("workflows:read")
    answer = await house.client.get(f"{RUNS}?{query}", headers=key)
    assert code(answer) == (422, "REQUEST_INVALID")


async def test_events_are_numbered_and_go_on_after_the_last_that_was_seen(house: House) -> None:
    run = await started(house, {"document": greeting()})
    key = await house.key("workflows:read")
    path = f"{RUNS}/{run}/events"
    with anyio.fail_after(60):
        whole = await house.client.get(path, headers=key)
    assert whole.headers["content-type"].startswith("text/event-stream")
    seen = events(whole.text)
    numbers = [number for number, _ in seen]
    assert numbers == list(range(1, len(seen) + 1))
    assert (seen[0][1], seen[-1][1]) == ("started", "finished")
    after = await house.client.get(f"{path}?after=1", headers=key)
    assert events(after.text) == seen[1:]
    head = key | {"Last-Event-ID": str(numbers[-2])}
    again = await house.client.get(f"{path}?after=0", headers=head)
    assert events(again.text) == seen[-1:]
    all_seen = await house.client.get(path, headers=key | {"Last-Event-ID": str(numbers[-1])})
    assert (all_seen.status_code, all_seen.content) == (204, b"")


@pytest.mark.parametrize("seen", ["999999", "-1", "x", "1.5", "9" * 400])
async def test_an_event_that_never_was_is_refused(house: House, seen: str) -> None:
    run = await started(house, {"document": greeting()})
    key = await house.key("workflows:read")
    path = f"{RUNS}/{run}/events"
    by_head = await house.client.get(path, headers=key | {"Last-Event-ID": seen})
    by_query = await house.client.get(f"{path}?after={seen}", headers=key)
    assert code(by_head) == code(by_query) == (422, "REQUEST_INVALID")


async def test_a_waiting_step_is_answered_and_the_run_goes_on(house: House) -> None:
    run = await started(house, {"document": pausing(), "inputs": {"who": "Bob"}})
    shown = await run_until(house, run, "waiting")
    assert shown["steps"][-1]["key"] == "pause"
    assert (
        await post(house, f"/{run}/answer", {"step": "pause", "reply": None})
    ).status_code == 202
    shown = await run_until(house, run, "success")
    assert shown["execution"]["finalResult"] == "Hi, Bob!"
    again = await post(house, f"/{run}/answer", {"step": "pause", "reply": 1})
    assert code(again) == (409, "STEP_NOT_WAITING")


async def test_a_step_that_is_not_uncertain_is_not_decided_about(house: House) -> None:
    run = await started(house, {"document": pausing()})
    await run_until(house, run, "waiting")
    answer = await post(house, f"/{run}/answer", {"step": "pause", "choice": "retry"})
    assert code(answer) == (409, "STEP_NOT_WAITING")
    await post(house, f"/{run}/cancel")


async def test_a_run_is_cancelled_and_stays_so(house: House) -> None:
    run = await started(house, {"document": pausing()})
    await run_until(house, run, "waiting")
    assert (await post(house, f"/{run}/cancel")).status_code == 202
    await run_until(house, run, "cancelled")
    again = await post(house, f"/{run}/cancel")
    assert (again.status_code, again.json()["status"]) == (202, "cancelled")


async def test_a_run_begins_again_at_a_node_with_its_input_changed(house: House) -> None:
    shout = {"id": "shout", "type": "prompt", "name": "Shout", "data": {"prompt": "{{data}}!"}}
    greet = {"id": "greet", "type": "prompt", "name": "Greet", "data": {"prompt": "Hi {{who}}"}}
    document = drawn("fork", greet, shout)
    run = await started(house, {"document": document, "inputs": {"who": "Ada"}})
    await run_until(house, run, "success")
    edit = [{"op": "replace", "path": "/data", "value": "Hi Eve"}]
    forked = await post(house, f"/{run}/fork", {"from": "shout", "edit": edit})
    assert forked.status_code == 202
    assert forked.json()["forkOf"] == run
    shown = await run_until(house, forked.json()["id"], "success")
    assert shown["execution"]["finalResult"] == "Hi Eve!"
    plain = await post(house, f"/{run}/fork", {"from": "shout"})
    shown = await run_until(house, plain.json()["id"], "success")
    assert shown["execution"]["finalResult"] == "Hi Ada!"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"from": "nobody"}, (404, "NODE_ID_UNKNOWN")),
        ({}, (422, "BODY_INVALID")),
        ({"from": "greet", "edit": "x"}, (422, "BODY_INVALID")),
        ({"from": "greet", "edit": [{"op": "add"}]}, (422, "BODY_INVALID")),
        ({"from": "greet", "edit": [{"op": "add", "path": "/x"}]}, (422, "BODY_INVALID")),
        ({"from": "greet", "edit": [{"op": "remove", "path": "/data"}]}, (422, "PATCH_IMPOSSIBLE")),
        (
            {"from": "greet", "edit": [{"op": "test", "path": "/data/a/b"}]},
            (422, "PATCH_IMPOSSIBLE"),
        ),
        ({"from": "greet", "edit": [{"op": "move", "path": "/data"}]}, (422, "PATCH_IMPOSSIBLE")),
    ],
)
async def test_a_fork_that_cannot_be_is_refused(
    house: House, body: dict[str, Any], expected: tuple[int, str]
) -> None:
    run = await started(house, {"document": greeting(), "inputs": {"who": "Ada"}})
    await run_until(house, run, "success")
    assert code(await post(house, f"/{run}/fork", body)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (422, "BODY_INVALID")),
        ([], (422, "BODY_INVALID")),
        ({"workflow": "a", "document": {}}, (422, "BODY_INVALID")),
        ({"workflow": "nobody"}, (404, "WORKFLOW_NOT_FOUND")),
        ({"workflow": "../../etc/passwd"}, (404, "WORKFLOW_NOT_FOUND")),
        ({"document": {}}, (422, "WORKFLOW_UNKNOWN_DIALECT")),
        ({"document": {"nodes": [], "connections": []}}, (422, "WORKFLOW_INVALID")),
        ({"document": greeting(), "inputs": [1]}, (422, "BODY_INVALID")),
        ({"document": greeting(), "once_key": ""}, (422, "BODY_INVALID")),
        ({"document": greeting(), "once_key": "a\0b"}, (422, "BODY_INVALID")),
        ({"document": greeting(), "more": 1}, (422, "BODY_INVALID")),
    ],
)
async def test_what_cannot_be_run_is_refused_with_the_reason(
    house: House, body: object, expected: tuple[int, str]
) -> None:
    answer = await post(house, "", body)
    assert code(answer) == expected
    error = answer.json()["error"]
    assert error.get("hint") or error["problems"]


async def test_a_workflow_with_a_fault_is_not_started_and_the_fault_has_a_place(
    house: House,
) -> None:
    document = greeting()
    document["connections"][1]["to"] = "nobody"
    answer = await post(house, "", {"document": document})
    assert code(answer) == (422, "WORKFLOW_INVALID")
    assert any(
        p["pointer"].startswith("/connections/1") for p in answer.json()["error"]["problems"]
    )


@pytest.mark.parametrize("run", ["00000000-0000-0000-0000-000000000000", "ffff"])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("GET", "/events", None),
        ("POST", "/cancel", None),
        ("POST", "/answer", {"step": "a", "reply": 1}),
        ("POST", "/fork", {"from": "a"}),
    ],
)
async def test_a_run_that_is_not_there_is_not_found(
    house: House, run: str, method: str, path: str, body: object
) -> None:
    address = f"{RUNS}/{run}{path}"
    key = await house.key()
    answer = await house.client.request(method, address, json=body, headers=key)
    assert code(answer) == (404, "RUN_UNKNOWN")


@pytest.mark.parametrize("run", ["x", "ABCD", "a%00b", "....", "0" * 99])
async def test_an_id_that_no_run_can_have_is_refused(house: House, run: str) -> None:
    answer = await house.client.get(f"{RUNS}/{run}", headers=await house.key())
    assert answer.status_code in {404, 422}
    assert answer.json()["error"]["code"] in {"REQUEST_INVALID", "ROUTE_NOT_FOUND"}


@pytest.mark.parametrize(
    "body",
    [
        {"step": "pause"},
        {"step": "pause", "reply": 1, "choice": "retry"},
        {"step": "pause", "choice": "maybe"},
        {"step": "", "reply": 1},
        {"reply": 1},
    ],
)
async def test_an_answer_that_is_none_is_refused(house: House, body: dict[str, Any]) -> None:
    run = await started(house, {"document": greeting()})
    assert code(await post(house, f"/{run}/answer", body)) == (422, "BODY_INVALID")


async def test_another_method_is_told_all_that_there_are(house: House) -> None:
    answer = await house.client.delete(RUNS, headers=await house.key())
    assert (code(answer), answer.headers["allow"]) == ((405, "METHOD_NOT_ALLOWED"), "GET, POST")
