"""The resources as a real home has them, and ACTION nodes in a real run."""

from pathlib import Path

import anyio
import pytest
from tests.engine.building import EchoTools, workflow
from tests.network.wire import json_answer, peer

from toolweave.app.open_engine import open_resources
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.home import Home, open_home
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.settings import Settings
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio


def action(subtype: str, inputs: JsonObject | None = None, **config: Json) -> tuple[str, Json]:
    data: JsonObject = {"subtype": subtype, "configurations": config, "inputParams": inputs or {}}
    return ("ACTION", data)


async def finished(home: Home, graph: Workflow, inputs: Json) -> Json:
    async with open_resources(home, allow_private=True) as resources:
        services = EngineServices(EchoTools(), home.clock, resources)
        journal = Journal(home.database, home.clock)
        engine = Engine(
            home.database, journal, NodeRegistry(), services=services, checker=Unchecked()
        )
        async with engine.running():
            run = await engine.runs.start(RunRequest(graph, inputs))
            with anyio.fail_after(60):
                assert await engine.advance(run) == "success"
            return result_of(await engine.state(run))


async def test_nodes_work_together_in_a_run(tmp_path: Path) -> None:
    async with peer(json_answer(b'{"text": "id,price\\n1,5\\n2,30\\n"}')) as server:
        graph = workflow(
            {
                "s": "start",
                "get": action(
                    "HTTP_REQUEST",
                    method="GET",
                    url=f"http://127.0.0.1:{server.port}/{{{{ trigger.table }}}}",
                    headers={"Authorization": "Bearer ${vault:token}"},
                ),
                "save": action("FILE_WRITE", {"content": "{{ data.json.text }}"}, path="in/t.csv"),
                "load": action("FILE_READ", path="{{ data.path }}"),
                "parse": action("PARSE", {"text": "{{ data.content }}"}, format="csv"),
                "set": action("SET_FIELDS", expressions={"price": "item.price * 2"}),
                "e": "end",
            },
            ["s > get", "get > save", "save > load", "load > parse", "parse > set", "set > e"],
        )
        async with open_home(Settings(home=tmp_path), environ={}) as home:
            await home.vault.put("token", "t-123456")
            result = await finished(home, graph, {"table": "prices"})
            stored = await home.database.rows("SELECT * FROM journal")
    assert result == [{"id": 1, "price": 10}, {"id": 2, "price": 60}]
    assert server.heads[0].startswith(b"GET /prices HTTP/1.1")
    assert b"Bearer t-123456" in server.heads[0]
    assert (tmp_path / "files/in/t.csv").read_text(encoding="utf-8") == "id,price\n1,5\n2,30\n"
    assert stored
    assert "t-123456" not in str(stored)


async def test_nothing_is_made_in_the_home_before_it_is_used(tmp_path: Path) -> None:
    async with open_home(Settings(home=tmp_path), environ={}) as home:
        async with open_resources(home) as resources:
            assert resources.http is not None
        assert not (tmp_path / "files").exists()
