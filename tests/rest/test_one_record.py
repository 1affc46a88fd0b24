"""A run, a step, a server, a workflow and a question have the same JSON in REST and `--json`."""

from pathlib import Path
from typing import Any

import anyio

from cli.driving import Commands
from rest.house import House, house_in
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
    assert tw.ok("servers", "list", "--json").json == rest["servers"]
    (listed,) = tw.ok("workflows", "list", "--json").json
    (summary,) = rest["workflows"]
    assert shared(listed, summary) == {"name", "slug", "revision", "nodes"}
    assert shared(listed, rest["workflow"]) == {"name", "slug", "revision", "problems"}
