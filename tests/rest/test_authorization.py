"""The authorisation table against the routes, MCP methods and tools that really exist."""

import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from rest.drawn import greeting, pausing
from rest.house import BASE, House, house_in
from rest.test_inbox import ASKING
from toolweave.access.authorization import (
    METHODS,
    OPEN_ROUTES,
    RESOURCES,
    ROUTES,
    TOOLS,
    method_rule,
    resource_rule,
    route_rule,
    tool_rule,
)
from toolweave.access.keys import SCOPES, ApiKey, KeyId
from toolweave.authoring.live_catalog import LiveCatalog
from toolweave.catalog.tool_service import ToolService
from toolweave.engine.called_runs import caller_of
from toolweave.errors import Denied
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.server import build_server
from toolweave.mcp_server.tool_list import APP_ONLY, DEFAULT
from toolweave.rest.error_responses import OtherMethods

pytestmark = pytest.mark.anyio

LIMITED_SCOPES = [
    *("tools:read", "tools:execute", "health:check"),
    *("workflows:read", "workflows:run"),
]
# Tools for apps are listed only to clients that show them.
SHOWS_APPS = [advertise("io.modelcontextprotocol/ui")]
EVERY_TOOL = {tool.name for tool in (*DEFAULT, *APP_ONLY)}
NOTHING = {
    "{chat}": "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa",
    "{key}": "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb",
    "{run}": "cccccccc-cccc-4ccc-8ccc-cccccccccccc",
    "{id}": "0123456789abcdef",
}
# Their positive controls are in tests of their own: they start servers, examine the machine, or
# belong to the MCP endpoint, whose tools have rows of their own.
ELSEWHERE = {"POST /api/v1/samples", "GET /api/v1/doctor", "GET /mcp", "DELETE /mcp", "POST /mcp"}


@pytest.fixture(scope="module")
async def open_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    async with house_in(tmp_path_factory.mktemp("home"), rate_per_s=1e6, burst=10**6) as house:
        yield house


async def real_routes(house: House) -> list[str]:
    """Every route of the application by method and path; `*` for one that takes any method."""
    guard: Any = house.app
    api: Any = await guard._app.api()
    return list(_routes_in([*api._app.routes]))


def _routes_in(waiting: list[Any]) -> Iterator[str]:
    while waiting:
        route = waiting.pop()
        if (included := getattr(route, "original_router", None)) is not None:
            waiting.extend(included.routes)
        elif not route.methods:
            if not isinstance(route.endpoint, OtherMethods):
                yield f"* {route.path}"
        else:
            yield from (f"{method} {route.path}" for method in route.methods - {"HEAD"})


def rows() -> list[str]:
    return [name for name in ROUTES if "#" not in name and not name.startswith("*")]


async def ask(house: House, row: str, headers: dict[str, str]) -> httpx2.Response:
    method, _, path = row.partition(" ")
    for name, value in NOTHING.items():
        path = path.replace(name, value)
    path = path.replace("{", "no-").replace("}", "")
    params = {"seconds": "0"} if path.endswith("/events") else {}
    body: dict[str, Any] | None = {} if method in {"POST", "PUT"} else None
    return await house.client.request(method, path, json=body, params=params, headers=headers)


def code_of(answer: httpx2.Response) -> str | None:
    if answer.status_code < 400 or "json" not in answer.headers.get("content-type", ""):
        return None
    error = answer.json()["error"]
    return error["data"]["code"] if "data" in error else error["code"]


async def test_every_route_has_one_row_and_every_row_a_route(open_house: House) -> None:
    real = set(await real_routes(open_house)) - {"* /mcp/"}  # the same endpoint as `/mcp`
    named = {name for name in ROUTES if "#" not in name} - {"GET /mcp", "POST /mcp", "DELETE /mcp"}
    assert real == named | OPEN_ROUTES
    assert not named & OPEN_ROUTES
    for part in (name for name in ROUTES if "#" in name):
        assert part.partition("#")[0] in ROUTES


def test_what_has_no_row_is_refused_even_to_an_administrator() -> None:
    admin = ApiKey(KeyId("1"), "admin", frozenset({"admin"}), "")
    for rule in (
        route_rule("GET", "/api/v1/new"),
        tool_rule("new"),
        method_rule("new/thing"),
        resource_rule("new"),
    ):
        with pytest.raises(Denied) as refused:
            rule.require(admin)
        assert refused.value.code == "ACCESS_NOT_DEFINED"
    for rule in (*ROUTES.values(), *TOOLS.values(), *METHODS.values(), *RESOURCES.values()):
        rule.require(admin)


@pytest.mark.parametrize("row", rows())
async def test_a_route_wants_its_scope_and_refuses_limited_keys_unless_its_row_says_so(
    open_house: House, row: str
) -> None:
    rule, house = ROUTES[row], open_house
    others = [scope for scope in SCOPES if scope not in {rule.scope, "admin"}]
    if rule.scope is not None:
        refused = await ask(house, row, await house.key(*others))
        assert (refused.status_code, code_of(refused)) == (403, "SCOPE_MISSING")
    if rule.scope in {None, *LIMITED_SCOPES} and not rule.is_for_limited:
        _, text = await house.keys.create("limited", LIMITED_SCOPES, ["greet"])
        refused = await ask(house, row, {"X-API-Key": text})
        assert (refused.status_code, code_of(refused)) == (403, "TOOL_NOT_ALLOWED")
    if row not in ELSEWHERE:  # the positive control
        allowed = await ask(house, row, await house.key(rule.scope or "tools:read"))
        assert allowed.status_code not in {401, 403}, allowed.text


async def test_the_tools_and_methods_of_the_mcp_server_have_rows(open_house: House) -> None:
    assert {name for name in TOOLS if "#" not in name} == EVERY_TOOL
    catalog = LiveCatalog(open_house.home)
    server: Any = build_server(catalog, ToolService(lambda: catalog.knowledge), Changes())
    registered = {*server._request_handlers, *server._notification_handlers}
    assert registered <= METHODS.keys()


async def published(house: House) -> None:
    """Three published workflows; the tests' limited keys may use `greet` only."""
    headers = await house.key()
    for name, document in (("greet", greeting()), ("pause", pausing()), ("ask", ASKING)):
        path = f"/api/v1/workflows/{name}"
        saved = await house.client.put(path, json={"document": document}, headers=headers)
        assert saved.status_code == 201, saved.text
        answer = await house.client.put(
            f"/api/v1/published/{name}", json={"description": f"Does {name}."}, headers=headers
        )
        assert answer.status_code == 200, answer.text


async def limited(house: House, tool: str = "greet") -> dict[str, str]:
    _, text = await house.keys.create("limited", LIMITED_SCOPES, [tool])
    return {"X-API-Key": text}


async def started(house: House, workflow: str) -> str:
    body = {"workflow": workflow, "inputs": {"who": "Ada"} if workflow != "ask" else {}}
    answer = await house.client.post("/api/v1/runs", json=body, headers=await house.key())
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


async def question_of(house: House, run: str) -> dict[str, Any]:
    with anyio.fail_after(60):
        while True:
            answer = await house.client.get("/api/v1/inbox", headers=await house.key())
            for question in answer.json()["questions"]:
                if question["run"] == run:
                    return question
            await anyio.sleep(0.02)


async def test_a_limited_key_sees_only_the_workflows_runs_and_questions_of_its_tools(
    tmp_path: Path,
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        mine, other = await started(house, "greet"), await started(house, "ask")
        question = await question_of(house, other)
        limited_key, full = await limited(house), await house.key()
        asker = await limited(house, "ask")

        async def listed(path: str, name: str, headers: dict[str, str]) -> set[str]:
            answer = await house.client.get(f"/api/v1/{path}", headers=headers)
            assert answer.status_code == 200, answer.text
            return {one[name] for one in answer.json()[path]}

        async def told(
            method: str, path: str, headers: dict[str, str], body: dict[str, Any]
        ) -> tuple[int, str]:
            address = f"/api/v1/{path}"
            answer = await house.client.request(method, address, headers=headers, **body)
            return answer.status_code, answer.text.partition(',"request_id"')[0]

        assert await listed("workflows", "name", limited_key) == {"greet"}
        assert await listed("workflows", "name", full) == {"greet", "pause", "ask"}
        assert await listed("runs", "id", limited_key) == {mine}
        assert await listed("runs", "id", full) == {mine, other}
        inbox = (await house.client.get("/api/v1/inbox", headers=limited_key)).json()
        assert inbox["questions"] == []
        inbox = (await house.client.get("/api/v1/inbox", headers=asker)).json()
        assert [one["id"] for one in inbox["questions"]] == [question["id"]]
        reading = "", "/events", "/workflow", "/input?step=ask", "/output", "/media?step=ask"
        acting = "cancel", "answer", "fork"
        reply = {"reply": {"boxes": 2}}
        bodies = {"reply": reply, "answer": {"step": "ask", **reply}, "fork": {"from": "ask"}}
        for method, path in (
            ("GET", "workflows/ask"),
            *(("GET", f"runs/{other}{part}") for part in reading),
            ("GET", f"runs/{other}/media/{'0' * 64}"),
            ("GET", f"inbox/{question['id']}"),
            ("POST", f"inbox/{question['id']}/answer"),
            *(("POST", f"runs/{other}/{part}") for part in acting),
        ):
            last = path.rpartition("/")[2] if not path.startswith("inbox") else "reply"
            body = {"json": bodies.get(last, {})} if method == "POST" else {}

            # What others have is as unknown as what nobody has, word by word.
            absent = {other: str(uuid.uuid4()), question["id"]: "0" * 16, "ask": "nothing"}
            old, new = next((one, absent[one]) for one in absent if f"/{one}" in path)
            unknown = await told(method, path.replace(f"/{old}", f"/{new}", 1), limited_key, body)
            refused = await told(method, path, limited_key, body)
            assert refused == (404, unknown[1].replace(new, old)), path
            if method == "GET" and not path.endswith("events"):  # endless while the run waits
                allowed, _ = await told(method, path, asker, body)
                # The run has no media, so that a caller who may see them is told this instead.
                assert allowed not in {403, 404} or "/media" in path, path


async def test_a_limited_key_cannot_find_out_which_workflows_others_have(
    tmp_path: Path,
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        run = await started(house, "ask")
        mine, asker = await limited(house), await limited(house, "ask")
        assert (await house.client.get("/api/v1/workflows/ask", headers=asker)).status_code == 200

        async def refused(method: str, path: str, **body: Any) -> Any:
            answer = await house.client.request(method, path, headers=mine, **body)
            assert answer.status_code == 404, answer.text
            return answer.json()["error"]

        for method, path, body in (
            ("GET", "/api/v1/workflows/{}", None),
            ("POST", "/api/v1/runs", "workflow"),
            ("POST", "/api/v1/triggers/{}/run", None),
        ):
            # There is one of these names only, and the answer is the same.
            for name in ("ask", "nothing"):
                sent = {"json": {body: name} if body else {}} if method == "POST" else {}
                error = await refused(method, path.format(name), **sent)
                assert error == {
                    "code": "WORKFLOW_NOT_FOUND",
                    "message": f"there is no workflow {name!r}",
                    "hint": "this key may use only what is published as greet",
                }
        assert "ask" not in (await refused("GET", f"/api/v1/runs/{run}"))["message"]


async def test_the_limit_of_the_inbox_counts_what_is_listed(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        key = await house.key()
        begun = await house.client.post(
            "/api/v1/runs", json={"document": {**ASKING, "name": "other"}}, headers=key
        )
        older = await question_of(house, begun.json()["id"])
        house.clock.seconds += 1
        newer = await question_of(house, await started(house, "ask"))
        everything = (await house.client.get("/api/v1/inbox?limit=1", headers=key)).json()
        assert [one["id"] for one in everything["questions"]] == [older["id"]]
        listed = await house.client.get(
            "/api/v1/inbox?limit=1", headers=await limited(house, "ask")
        )
        assert [one["id"] for one in listed.json()["questions"]] == [newer["id"]]


async def test_a_limited_key_answers_only_questions_of_its_tools_by_their_whole_id(
    tmp_path: Path,
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        run = await started(house, "ask")
        question = await question_of(house, run)
        _, text = await house.keys.create("ada", LIMITED_SCOPES, ["greet"])
        path, body = "/api/v1/inbox/{}/answer", {"reply": {"boxes": 2}}

        async def answer(identity: str, key: str) -> httpx2.Response:
            return await house.client.post(
                path.format(identity), json=body, headers={"X-API-Key": key}
            )

        for identity in (question["id"], question["id"][:4]):
            refused = await answer(identity, text)
            assert refused.status_code in {404, 422}, refused.text
        assert code_of(await answer(question["id"], text)) == "QUESTION_UNKNOWN"
        _, full = await house.keys.create("ada", ["workflows:run"])
        assert (await answer(question["id"][:4], full)).status_code == 422  # whole ids only
        _, own = await house.keys.create("ada", LIMITED_SCOPES, ["ask"])
        taken = await answer(question["id"], own)
        assert (taken.status_code, taken.json()["counts"]) == (202, True), taken.text


@asynccontextmanager
async def mcp_client(
    house: House, headers: dict[str, str], mode: Any = "auto", **more: Any
) -> AsyncGenerator[Client]:
    transport = httpx2.ASGITransport(house.app, client=("127.0.0.1", 50_000))
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers, timeout=30) as http,
        Client(
            streamable_http_client(f"{BASE}/mcp", http_client=http), mode=mode, **more
        ) as client,
    ):
        yield client


async def refused_code(client: Client, tool: str) -> int | None:
    """The code of the protocol error that refuses a call, if it is refused."""
    try:
        await client.call_tool(tool, {})
    except MCPError as error:
        return error.error.code
    return None


async def test_over_mcp_a_limited_key_lists_and_calls_only_what_its_rows_allow(
    tmp_path: Path,
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        async with mcp_client(house, await limited(house), extensions=SHOWS_APPS) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            open_to_it = {
                name
                for name, rule in TOOLS.items()
                if "#" not in name and rule.is_for_limited and rule.scope in LIMITED_SCOPES
            }
            assert names == open_to_it | {"greet"}
            for name in EVERY_TOOL - open_to_it:
                assert await refused_code(client, name) == -32003, name
            listed = {str(one.uri) for one in (await client.list_resources()).resources}
            assert listed == {"toolweave://workflows/greet"}  # and no run, as there is none
            assert (await client.list_prompts()).prompts == []
            with pytest.raises(MCPError):
                await client.read_resource("toolweave://catalog/types")
        # The positive control.
        async with mcp_client(house, await house.key(), extensions=SHOWS_APPS) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == EVERY_TOOL | {"greet", "pause", "ask"}
            for name in EVERY_TOOL:
                assert await refused_code(client, name) != -32003, name
            assert (await client.list_resources()).resources
            assert (await client.read_resource("toolweave://catalog/types")).contents


async def test_changing_the_input_of_a_forked_step_needs_the_right_to_write_workflows(
    tmp_path: Path,
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        run = await started(house, "greet")
        end = greeting()["nodes"][-1]["id"]
        with anyio.fail_after(60):
            while True:
                shown = await house.client.get(f"/api/v1/runs/{run}", headers=await house.key())
                if shown.json()["status"] == "success":
                    break
                await anyio.sleep(0.02)
        path = f"/api/v1/runs/{run}/fork"
        plain = {"from": end}
        edited = {**plain, "edit": [{"op": "replace", "path": "/data", "value": "other"}]}
        for headers, code in (
            (await house.key("workflows:run"), "SCOPE_MISSING"),
            (await limited(house), "SCOPE_MISSING"),
        ):
            refused = await house.client.post(path, json=edited, headers=headers)
            assert (refused.status_code, code_of(refused)) == (403, code)
            again = await house.client.post(path, json=plain, headers=headers)
            assert again.status_code == 202, again.text
        allowed = await house.client.post(
            path, json=edited, headers=await house.key("workflows:run", "workflows:write")
        )
        assert allowed.status_code == 202, allowed.text


async def status_of(house: House, run: str) -> str:
    shown = await house.client.get(f"/api/v1/runs/{run}", headers=await house.key())
    assert shown.status_code == 200, shown.text
    return shown.json()["status"]


async def test_only_a_whole_run_id_acts_and_its_beginning_only_reads(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        run = await started(house, "pause")
        with anyio.fail_after(60):
            while True:
                if await status_of(house, run[:8]) == "waiting":  # reading takes a beginning
                    break
                await anyio.sleep(0.02)
        headers = await house.key()
        actions: dict[str, dict[str, Any]] = {
            "answer": {"step": "pause", "reply": "go on"},
            "cancel": {},
            "fork": {"from": "pause"},
        }

        async def act(identity: str, action: str) -> httpx2.Response:
            path = f"/api/v1/runs/{identity}/{action}"
            return await house.client.post(path, json=actions[action], headers=headers)

        for action in actions:
            refused = await act(run[:8], action)
            assert (refused.status_code, code_of(refused)) == (404, "RUN_UNKNOWN"), action
        async with mcp_client(house, headers) as client:

            async def call(tool: str, identity: str) -> bool:
                arguments = {"run_id": identity}
                if tool == "run_respond":
                    arguments |= {"step": "pause", "reply": "go on"}
                return not (await client.call_tool(tool, arguments)).is_error

            assert await call("run_status", run[:8])
            assert not await call("run_respond", run[:8])
            assert not await call("run_cancel", run[:8])
            assert await status_of(house, run) == "waiting"
            assert await call("run_respond", run)  # the positive controls
            assert await call("run_cancel", await started(house, "pause"))
        assert (await act(await started(house, "pause"), "cancel")).status_code == 202
        assert (await act(run, "fork")).status_code == 202


async def test_an_idempotency_key_belongs_to_its_api_key(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        full, mine = await house.key(), await limited(house)

        async def run_of(headers: dict[str, str], workflow: str, once: str) -> str:
            body = {"workflow": workflow, "inputs": {"who": "Ada"}, "once_key": once}
            answer = await house.client.post("/api/v1/runs", json=body, headers=headers)
            assert answer.status_code == 202, answer.text
            return answer.json()["id"]

        theirs = await run_of(full, "pause", "order-1")
        assert await run_of(full, "pause", "order-1") == theirs  # the positive control
        own = await run_of(mine, "greet", "order-1")
        assert own != theirs
        assert await run_of(mine, "greet", "order-1") == own
        # A run cannot pass for one that a step of another run called.
        called = await run_of(mine, "greet", f"sub/{theirs}/pause")
        row = await house.home.database.row("SELECT once_key FROM runs WHERE id = ?", called)
        assert row is not None
        assert caller_of(row[0]) is None
        assert caller_of(f"sub/{theirs}/pause") == (theirs, "pause")


async def test_a_limited_key_cannot_find_runs_and_questions_by_how_their_ids_begin(
    tmp_path: Path,
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        run = await started(house, "ask")
        question = await question_of(house, run)
        mine, full = await limited(house), await house.key()
        for path in (f"runs/{run[:8]}", f"runs/{run[:8]}/output", f"inbox/{question['id'][:8]}"):
            refused = await house.client.get(f"/api/v1/{path}", headers=mine)
            assert refused.status_code == 404, path  # as for one that does not exist
            shown = await house.client.get(f"/api/v1/{path}", headers=full)
            assert shown.status_code == 200, path  # the positive control
        for headers, is_found in ((mine, False), (full, True)):
            async with mcp_client(house, headers) as client:
                for tool in ("run_status", "run_result", "explain_run"):
                    answer = await client.call_tool(tool, {"run_id": run[:8]})
                    assert answer.is_error is not is_found, tool
                    assert is_found or "RUN_UNKNOWN" in str(answer), tool
