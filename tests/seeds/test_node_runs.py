"""Each node of the seed that needs no account runs over REST: actions, flow and memory."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.nodes.action.test_data_transformation import OPERATIONS, PEOPLE, RIGHT
from tests.seeds.running import START, Json, Service, document, node, service_in, step

from toolweave.testing.service import Told, fake_service

pytestmark = pytest.mark.anyio

# Any: values of any JSON.
TEAS = [{"tea": "oolong", "g": 7}, {"tea": "sencha", "g": 3}, {"tea": "assam", "g": 5}]


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Service]:
    async with service_in(tmp_path_factory.mktemp("nodes") / "home") as opened:
        yield opened


def names(rows: Any) -> list[str]:
    return [one["tea"] for one in rows]


@pytest.mark.requirement("004:run.FLOW.IF")
@pytest.mark.parametrize(("grams", "port"), [(9, "true"), (4, "false")])
async def test_a_condition_sends_data_one_of_two_ways(
    service: Service, grams: int, port: str
) -> None:
    ends: list[Json] = [
        {"id": way, "type": "end", "name": way, "data": {}} for way in ("true", "false")
    ]
    made = document(
        "if",
        START,
        node("n", "FLOW.IF", {"condition_expression": "data.g > 5"}),
        *ends,
        edges=("start > n", "n.true > true", "n.false > false"),
    )
    shown = await service.ran(made, {"g": grams})
    assert step(shown)["value"]["condition_result"] is (port == "true")
    done = [one["key"] for one in shown["steps"] if one["status"] == "success"]
    assert [one for one in done if one in ("true", "false")] == [port]
    assert step(shown)["value"]["data"] == {"g": grams}


LOOPS: dict[str, tuple[Json, list[Any]]] = {
    "for_range": ({"start_value": 2, "end_value": 4}, [2, 3, 4]),
    "for_each": ({"array_path": "teas"}, names(TEAS)),
    "while": ({"loop_condition": "loop.index < 2"}, [0, 1]),
}


@pytest.mark.requirement("004:run.FLOW.LOOP")
@pytest.mark.parametrize("kind", LOOPS)
async def test_a_loop_repeats_by_range_by_item_and_by_condition(
    service: Service, kind: str
) -> None:
    config, expected = LOOPS[kind]
    seen = "loop.item.tea" if kind == "for_each" else "loop.item"
    seen = "loop.index" if kind == "while" else seen
    made = document(
        "loop",
        START,
        node("n", "FLOW.LOOP", {"loop_type": kind, **config}),
        node("body", "ACTION.SET_FIELDS", {"set": {"seen": f"{{{{ {seen} }}}}"}}, {"data": {}}),
        edges=("start > n", "n.loop > body"),
    )
    shown = await service.ran(made, {"teas": TEAS})
    assert shown["status"] == "success", shown["error"]
    given = step(shown)["value"]
    assert [one["seen"] for one in given["iteration_results"]] == expected
    assert (given["successful_iterations"], given["failed_iterations"]) == (len(expected), 0)


@pytest.mark.requirement("004:run.FLOW.MERGE")
@pytest.mark.parametrize(("strategy", "expected"), [("concatenate", 4), ("union", 3)])
async def test_branches_are_joined_by_a_strategy(
    service: Service, strategy: str, expected: int
) -> None:
    given = await service.alone(
        "FLOW.MERGE",
        {"merge_strategy": strategy, "handle_duplicates": "keep_all"}
        if strategy == "concatenate"
        else {"merge_strategy": strategy, "handle_duplicates": "keep_first", "merge_key": "tea"},
        {"data": [TEAS[:2], TEAS[1:]]},
    )
    assert len(given["merged_data"]) == expected
    assert set(names(given["merged_data"])) == {"oolong", "sencha", "assam"}


@pytest.mark.requirement("004:run.FLOW.FILTER")
@pytest.mark.parametrize(
    ("mode", "kept", "left"),
    [
        ("include", ["oolong", "assam"], []),
        ("exclude", ["sencha"], []),
        ("partition", ["oolong", "assam"], ["sencha"]),
    ],
)
async def test_items_are_kept_dropped_or_parted(
    service: Service, mode: str, kept: list[str], left: list[str]
) -> None:
    config = {
        "filter_mode": mode,
        "filter_type": "simple_condition",
        "conditions": [{"field": "g", "operator": "greater_than", "value": 4}],
    }
    given = await service.alone("FLOW.FILTER", config, {"data": TEAS})
    assert names(given["filtered_data"]) == kept
    if mode == "partition":
        assert names(given["excluded_data"]) == left


@pytest.mark.requirement("004:run.FLOW.SORT")
@pytest.mark.parametrize(
    ("order", "expected"),
    [("asc", ["sencha", "assam", "oolong"]), ("desc", ["oolong", "assam", "sencha"])],
)
async def test_items_are_ordered_by_a_field(
    service: Service, order: str, expected: list[str]
) -> None:
    config = {"sort_field": "g", "order": order}
    given = await service.alone("FLOW.SORT", config, {"data": TEAS})
    assert names(given["sorted_data"]) == expected


@pytest.mark.requirement("004:run.FLOW.DELAY")
async def test_a_delay_waits_and_then_passes_its_data_on(service: Service) -> None:
    made = document("delay", START, node("n", "FLOW.DELAY", {"duration_seconds": 90}))
    run = await service.started(made, {"cup": 1})
    await service.until(run, "waiting")
    await service.later(60)
    assert (await service.json("GET", f"runs/{run}"))["status"] == "waiting"
    await service.later(31)
    assert step(await service.over(run))["value"]["data"] == {"cup": 1}


WAITS: dict[str, Json] = {
    "condition": {"wait_condition": "trigger.state == 'done'"},
    "event": {"event_config": {"name": "tea.ready", "match": {"state": "done"}}},
    "signal": {},
    "approval": {},
    "webhook": {"webhook_config": {"endpoint_path": "/tea", "expected_payload": {"state": "done"}}},
}


@pytest.mark.requirement("004:run.FLOW.WAIT")
@pytest.mark.parametrize("kind", WAITS)
async def test_a_wait_ends_with_what_it_waits_for(service: Service, kind: str) -> None:
    config = {"wait_type": kind, "timeout_seconds": 86_400, **WAITS[kind]}
    run = await service.started(document("wait", START, node("n", "FLOW.WAIT", config)))
    await service.until(run, "waiting")
    if kind == "event":
        body = {"event": "tea.ready", "data": {"state": "done"}}
        assert (await service.json("POST", "signals", body))["runs"] == [run]
    else:
        reply = {"answer": "confirmed"} if kind == "approval" else {"state": "done"}
        await service.json("POST", f"runs/{run}/answer", {"step": "n", "reply": reply})
    result = step(await service.over(run))["value"]["wait_result"]
    assert (result["condition_met"], result["timeout_occurred"]) == (True, False)


@pytest.mark.requirement("004:run.FLOW.WAIT")
async def test_a_wait_looks_at_files_services_databases_and_this_machine(
    service: Service,
) -> None:
    files = service.house.home.settings.home / "files"
    files.mkdir(exist_ok=True)
    (files / "tea.txt").write_text("ready: 3 cups", encoding="utf-8")
    async with fake_service(usual=Told({"state": "ready"})) as kettle:
        kinds: dict[str, Json] = {
            "file": {"file_config": {"file_path": "tea.txt", "expected_content": "ready"}},
            "api_response": {
                "api_config": {"url": kettle.address, "expected_response": {"state": "ready"}}
            },
            "resource": {
                "resource_config": {"resource_type": "disk", "availability_threshold": 100_000}
            },
        }
        for kind, config in kinds.items():
            given = await service.alone("FLOW.WAIT", {"wait_type": kind, **config})
            assert given["wait_result"]["condition_met"] is True, kind
    config = {"wait_type": "signal", "timeout_seconds": 50}
    run = await service.started(document("late", START, node("n", "FLOW.WAIT", config)))
    await service.until(run, "waiting")
    await service.later(51)
    assert step(await service.over(run))["value"]["wait_result"]["timeout_occurred"] is True


@pytest.mark.requirement("004:run.ACTION.DATA_TRANSFORMATION")
@pytest.mark.parametrize("operation", OPERATIONS)
async def test_each_operation_transforms_records(service: Service, operation: str) -> None:
    config, expected, _ = OPERATIONS[operation]
    given = await service.alone(
        "ACTION.DATA_TRANSFORMATION",
        {"operation": operation, **config},
        {"data": PEOPLE, "context": RIGHT},
    )
    assert given["transformed_data"] == expected
    assert (given["success"], given["original_count"]) == (True, len(PEOPLE))


@pytest.mark.requirement("004:run.ACTION.HTTP_REQUEST")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
async def test_a_request_is_sent_and_its_answer_given(service: Service, method: str) -> None:
    async with fake_service(usual=Told({"cups": 3}, 201, {"x-pot": "blue"})) as kettle:
        config = {
            "method": method,
            "url": f"{kettle.address}/pots/{{pot}}",
            "query_params": {"full": "1"},
            "headers": {"x-guest": "ada"},
        }
        body = {"body": {"sugar": 2}} if method in ("POST", "PUT", "PATCH") else {}
        inputs = {"url_variables": {"pot": "p 1"}, **body}
        given = await service.alone("ACTION.HTTP_REQUEST", config, inputs)
        [heard] = kettle.heard
    assert (heard.method, heard.query) == (method, [("full", "1")])
    assert heard.path.endswith(("/pots/p%201", "/pots/p 1"))
    assert heard.headers["x-guest"] == "ada"
    assert heard.json == (body.get("body") if body else None)
    assert (given["status_code"], given["success"]) == (201, True)
    assert given["headers"]["x-pot"] == "blue"
    if method != "HEAD":
        assert given["json"] == {"cups": 3}


@pytest.mark.requirement("004:run.MEMORY.KEY_VALUE_STORE")
@pytest.mark.parametrize("backend", ["memory", "sqlite"])
async def test_values_are_kept_by_key_over_runs(service: Service, backend: str) -> None:
    ref, config = "MEMORY.KEY_VALUE_STORE", {"storage_backend": backend, "key_prefix": "teas:"}

    async def does(operation: str, **inputs: Any) -> Any:
        return await service.alone(ref, config, {"operation": operation, **inputs})

    assert (await does("get", key="oolong"))["exists"] is False
    await does("set", key="oolong", value={"g": 7})
    assert (await does("get", key="oolong"))["value"] == {"g": 7}
    assert (await does("keys"))["keys"] == ["oolong"]
    await does("delete", key="oolong")
    assert (await does("exists", key="oolong"))["exists"] is False


@pytest.mark.requirement("004:run.MEMORY.CONVERSATION_BUFFER")
async def test_the_last_messages_are_kept_over_runs(service: Service) -> None:
    talk = node(
        "n",
        "MEMORY.CONVERSATION_BUFFER",
        {"max_messages": 2, "auto_summarize": False},
        {"message": "{{ trigger.m }}"},
    )
    made = document("talk", START, talk)
    for words in ("one", "two", "three"):
        shown = await service.ran(made, {"m": words})
    kept = step(shown)["value"]
    assert [one["content"] for one in kept["messages"]] == ["two", "three"]


@pytest.mark.requirement("004:run.MEMORY.VECTOR_DATABASE")
async def test_stored_items_are_found_by_nearness(service: Service) -> None:
    config = {"vector_dimension": 128, "similarity_threshold": 0.05, "max_results": 1}
    items = [{"id": "t", "content": "green tea leaves"}, {"id": "s", "content": "running shoes"}]
    ref = "MEMORY.VECTOR_DATABASE"
    await service.alone(ref, config, {"operation": "store", "items": items})
    found = await service.alone(ref, config, {"operation": "search", "query": "tea leaves"})
    assert [one["content"] for one in found["results"]] == ["green tea leaves"]
    await service.alone(ref, config, {"operation": "delete", "ids": ["t"]})
    found = await service.alone(ref, config, {"operation": "search", "query": "tea leaves"})
    assert "green tea leaves" not in [one["content"] for one in found["results"]]
