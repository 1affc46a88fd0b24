"""What a run is started with is checked against the workflow's `inputSchema`."""

from pathlib import Path
from typing import Any

import pytest
from tests.engine.building import workflow
from tests.engine.conftest import Opened
from tests.triggers.hosting import hosting, node, trigger
from tests.triggers.hosting import workflow as drawn

from toolweave import json_text
from toolweave.access.webhook_signatures import WebhookRequest
from toolweave.engine.events import Finished
from toolweave.engine.execution_report import execution
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
}


def asking(schema: JsonObject | None) -> Workflow:
    graph = workflow({"s": "start", "e": "end"}, ["s > e"])
    graph.extras["inputSchema"] = schema
    return graph


@pytest.mark.parametrize("inputs", [None, {}, {"days": 0}, {"city": 1, "days": "x"}, []])
async def test_inputs_that_do_not_fit_are_refused_with_all_problems_and_nothing_is_done(
    engine: Opened, inputs: Any
) -> None:
    runs = await engine()
    with pytest.raises(Invalid) as refused:
        await runs.runs.start(RunRequest(asking(SCHEMA), inputs))
    assert refused.value.code == "RUN_INPUT_INVALID"
    pointers = {problem.pointer for problem in refused.value.problems}
    if inputs == {"city": 1, "days": "x"}:
        assert pointers == {"/city", "/days"}
    assert await runs.newest() == []


@pytest.mark.parametrize("schema", [SCHEMA, {}, None])
async def test_inputs_that_fit_and_workflows_without_a_schema_run(
    engine: Opened, schema: JsonObject | None
) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(asking(schema), {"city": "Rome", "more": 1}))
    assert await runs.advance(run) == "success"


async def test_inputs_that_nobody_can_send_again_are_kept_in_a_failed_run(engine: Opened) -> None:
    runs = await engine()
    run = await runs.runs.start(
        RunRequest(asking(SCHEMA), {"days": 0}, trigger="t", once_key="k", keep_invalid_inputs=True)
    )
    again = await runs.runs.start(
        RunRequest(asking(SCHEMA), {"days": 0}, once_key="k", keep_invalid_inputs=True)
    )
    assert again == run
    assert await runs.advance(run) == "failed"
    found = await runs.get(run)
    assert (found.status, found.finished_at is not None) == ("failed", True)
    entries = await runs.journal.read(run)
    assert [entry.event.kind for entry in entries] == ["started", "finished"]
    shown = execution(run, await runs.plan(run), entries)
    assert shown["initialVariables"] == {"days": 0}
    error = shown["error"]
    assert isinstance(error, dict)
    assert (error["code"], "failedAt" in error) == ("RUN_INPUT_INVALID", False)
    assert '"/days"' in json_text.write(error["problems"])
    assert found.error == error["message"]


async def test_a_delivery_that_does_not_fit_is_a_failed_run_and_not_lost(tmp_path: Path) -> None:
    document = drawn("Hook", trigger("WEBHOOK", webhook_path="/in"), node("e"))
    document["inputSchema"] = {
        "type": "object",
        "properties": {"body": {"type": "object", "required": ["order"]}},
    }
    async with hosting(tmp_path / "home") as host:
        await host.studio.home.workflows.save(read(document).workflow, over=None)
        await host.triggers.switches.enable("Hook")

        async def delivered(body: bytes) -> str:
            arrival = WebhookRequest(
                method="POST",
                path="/in",
                headers={"content-type": "application/json"},
                body=body,
                received_at=host.clock.now(),
            )
            (run,) = (await host.triggers.deliver(arrival)).runs
            return run

        bad, good = await delivered(b'{"x": 1}'), await delivered(b'{"order": 1}')
        entries = await host.engine.journal.read(bad)
        assert isinstance(entries[-1].event, Finished)
        assert (await host.engine.get(bad)).status == "failed"
        assert await host.engine.advance(good) == "success"
        started = (await host.inputs())[0]
    assert started["body"] in ({"x": 1}, {"order": 1})
