"""A thing has the same JSON wherever it is shown: REST, `--json` and MCP."""

from pathlib import Path
from typing import Any

import anyio

from cli.driving import Commands
from rest.drawn import greeting
from rest.house import House, house_in
from rest.test_authorization import mcp_client
from rest.test_inbox import ASKING, asked

DEFINITION = '{"mcpServers": {"mine": {"command": "never-started"}}}'


async def shown_by_rest(state: Path) -> dict[str, Any]:
    """What REST shows of one workflow, one waiting run, its question and one server."""
    async with house_in(state) as house:
        key = await house.key("workflows:read", "workflows:write", "tools:read", "servers:admin")
        sent = {"document": ASKING}
        saved = await house.client.put("/api/v1/workflows/ask", json=sent, headers=key)
        assert saved.status_code == 201, saved.text
        added = await house.client.post(
            "/api/v1/servers", json={"definition": DEFINITION}, headers=key
        )
        assert added.status_code == 201, added.text
        question = await asked(house)
        shown = {
            "question": await get(house, f"inbox/{question['id']}", key),
            "run": await get(house, f"runs/{question['run']}", key),
            "runs": (await get(house, "runs", key))["runs"],
            "servers": (await get(house, "servers", key))["servers"],
            "workflows": (await get(house, "workflows", key))["workflows"],
            "workflow": await get(house, "workflows/ask", key),
        }
        assert shown["question"] == question
        assert shown["servers"] == added.json()["servers"]
        assert shown["workflow"] == saved.json()
        return shown


async def get(house: House, path: str, key: dict[str, str]) -> Any:
    answer = await house.client.get(f"/api/v1/{path}", headers=key)
    assert answer.status_code == 200, answer.text
    return answer.json()


def shared(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    """The names of the fields both have; all of them are equal."""
    names = one.keys() & other.keys()
    assert {name: one[name] for name in names} == {name: other[name] for name in names}
    return set(names)


def test_rest_and_the_command_line_show_the_same_records(tmp_path: Path) -> None:
    tw = Commands(tmp_path, tmp_path)
    rest = anyio.run(shown_by_rest, tw.state)
    run = rest["run"]
    assert tw.ok("runs", "list", "--json").json == rest["runs"]
    shown = tw.ok("runs", "show", run["id"], "--json").json
    assert shared(shown, run) == run.keys()
    assert shared(rest["runs"][0], run) == rest["runs"][0].keys()
    assert tw.ok("inbox", "list", "--json").json == [rest["question"]]
    assert tw.ok("inbox", "show", rest["question"]["id"], "--json").json == rest["question"]
    delays = {"TOOLWEAVE_RETRY_DELAYS_S": "1,5,15"}  # as the house has them
    assert tw.ok("servers", "list", "--json", **delays).json == rest["servers"]
    (listed,) = tw.ok("workflows", "list", "--json").json
    (summary,) = rest["workflows"]
    assert shared(listed, summary) == {"name", "slug", "revision", "nodes"}
    assert shared(listed, rest["workflow"]) == {"name", "slug", "revision", "problems"}


async def administered_by_rest(state: Path) -> dict[str, Any]:
    """What REST shows of keys, models, credentials, publications, triggers and clients."""
    async with house_in(state, rate_per_s=1e6, burst=10**6) as house:
        key = await house.key("admin")

        async def put(path: str, body: dict[str, Any]) -> Any:
            answer = await house.client.put(f"/api/v1/{path}", json=body, headers=key)
            assert answer.status_code in {200, 201}, answer.text
            return answer.json()

        async def post(path: str, body: dict[str, Any]) -> Any:
            answer = await house.client.post(f"/api/v1/{path}", json=body, headers=key)
            assert answer.status_code in {200, 201}, answer.text
            return answer.json()

        await put("workflows/greet", {"document": greeting()})
        model = {"name": "mine", "provider": "compatible", "baseUrl": "http://127.0.0.1:9/v1"}
        shown = {
            "published": await put("published/greet", {"description": "Greets."}),
            "service": await put("services/slack", {"token": "xoxb-1", "kind": "slack"}),
            "model": await post("models", model | {"model": "m"}),
            "triggers": (await get(house, "triggers", key))["triggers"],
            "discovered": await get(house, "servers/discovered", key),
            "settings": (await get(house, "settings", key))["settings"],
            "keys": (await get(house, "keys", key))["keys"],
        }
        assert shown["published"] == (await get(house, "published", key))["published"][0]
        assert shown["service"] == (await get(house, "services", key))["services"][0]
        assert shown["model"] in (await get(house, "models", key))["models"]
        return shown


def test_rest_and_the_command_line_show_the_same_administration(tmp_path: Path) -> None:
    tw = Commands(tmp_path, tmp_path)
    rest = anyio.run(administered_by_rest, tw.state)
    (published,) = tw.ok("published", "--json").json
    assert shared(published, rest["published"]) == rest["published"].keys()
    assert tw.ok("services", "list", "--json").json == [rest["service"]]
    assert rest["model"] in tw.ok("models", "list", "--json").json
    assert tw.ok("triggers", "list", "--all", "--json").json == rest["triggers"]
    assert shared(tw.ok("servers", "discover", "--json").json, rest["discovered"]) == {
        "servers",
        "fileProblems",
    }
    by_id = {key["id"]: key for key in rest["keys"]}
    for key in tw.ok("keys", "list", "--json").json:
        assert shared(key, by_id[key["id"]]) == key.keys()


async def shown_by_mcp(state: Path) -> dict[str, Any]:
    """The same run, question and workflow, over REST and over MCP."""
    async with house_in(state, rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        saved = await house.client.put(
            "/api/v1/workflows/greet", json={"document": greeting()}, headers=key
        )
        question = await asked(house)
        async with mcp_client(house, key) as client:
            status = await client.call_tool("run_status", {"run_id": question["run"]})
            again = {"workflow": greeting(), "revision": saved.json()["revision"]}
            workflow = await client.call_tool("save_workflow", again)
        return {
            "question": question["question"],
            "run": await get(house, f"runs/{question['run']}", key),
            "workflow": await get(house, "workflows/greet", key),
            "mcp_run": status.structured_content,
            "mcp_workflow": workflow.structured_content,
        }


def test_mcp_shows_the_same_run_question_and_workflow(tmp_path: Path) -> None:
    shown = anyio.run(shown_by_mcp, tmp_path / "state")
    run = shown["mcp_run"]
    assert run["run_id"] == run["id"]
    assert shared(run, shown["run"]) == shown["run"].keys() - {"steps", "hiddenSteps", "execution"}
    (question,) = run["asks"]
    assert shared(question, shown["question"]) == shown["question"].keys()
    workflow = {**shown["mcp_workflow"]}
    del workflow["problems"]  # those of the whole check, not only of reading the file
    assert shared(workflow, shown["workflow"]) == {"name", "slug", "revision"}
