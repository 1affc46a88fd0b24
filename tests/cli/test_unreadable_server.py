"""A server that a later version registered harms no other, and no service."""

import json
import sqlite3

import httpx2
from tests.cli.driving import Commands
from tests.rest.process import served


def test_commands_and_the_service_leave_out_a_server_they_cannot_read(tw: Commands) -> None:
    for name in ("good", "later"):
        tw.ok("servers", "add", name, "--", "cat")
    with sqlite3.connect(tw.state / "toolweave.db") as database:
        definition = json.dumps({"kind": "satellite"})
        database.execute("UPDATE servers SET definition = ? WHERE name = 'later'", (definition,))
    assert [one["name"] for one in tw.ok("servers", "list", "--json").json] == ["good"]
    [finding] = [one for one in tw("doctor", "--json").json if one["what"] == "server later"]
    assert (finding["state"], "servers remove later" in finding["remedy"]) == ("note", True)
    with served(tw.state) as server:
        answer = httpx2.get(f"{server.url}/api/v1/servers", headers=server.headers, timeout=60)
        assert [one["name"] for one in answer.json()["servers"]] == ["good"]
        assert httpx2.get(f"{server.url}/health", timeout=60).status_code == 200
        assert server.process.poll() is None
    tw.ok("servers", "remove", "later")
    assert [one["what"] for one in tw("doctor", "--json").json].count("server later") == 0
