"""Approved skills of a server in runs: an agent and a task in words read them when they need to."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.engine.building import workflow
from tests.nodes.ai.rooms import an_agency, node, run_alone

from servers.rooms import eventually, pinned
from servers.skilled import BODY, FILES, MAIN, a_skilled_server, files_read, serve
from toolweave.engine.runs import RunRequest
from toolweave.json_text import JsonObject
from toolweave.recording.exchange_log import exchanges_of
from toolweave.recording.files import RecordingFolder, read_recording
from toolweave.recording.from_run import RunRecorder
from toolweave.recording.replay import open_replayer
from toolweave.servers.skills import approve_skill
from toolweave.testing.model import ScriptedModel, calls, says

pytestmark = pytest.mark.anyio

TASK: JsonObject = {
    "serverId": "office",
    "mode": "fullNaturalLanguage",
    "fullNaturalLanguageConfig": {
        "taskDescription": "Fill in the form that I sent.",
        "timestamp": "2026-11-17T00:00:00.000Z",
    },
}
AGENT = node("AI_AGENT.ANTHROPIC_CLAUDE", {}, {"user_prompt": "Fill in the form."}, "t")


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


@pytest.mark.parametrize("is_agent", [True, False])
async def test_a_model_in_a_run_reads_an_approved_skill_and_no_changed_one(
    tmp_path: Path, model: ScriptedModel, is_agent: bool
) -> None:
    server = a_skilled_server(tmp_path / "office")
    read = calls("read_skill_2", {"skill": "pdf-forms"})
    what, others = (AGENT, {"t": ("mcp", TASK)}) if is_agent else (("mcp", TASK), {})
    async with an_agency(tmp_path, model) as (studio, engine):
        await pinned(studio, "office", server.definition)
        model.answers(read, says("NO SUCH TOOL."))
        await run_alone(engine, what, others)
        assert "there is no tool 'read_skill_2'" in json.dumps(model.heard[-1].body)

        await approve_skill(studio.gate, "office", "pdf-forms")
        assert files_read(server) == []
        model.answers(read, says("DONE."))
        status, found = await run_alone(engine, what, others)
        asked = json.dumps(model.heard[-1].body)
        assert status == "success", found
        assert json.dumps(BODY)[1:-1] in asked.replace("\\\\", "\\")
        assert "The one exception is what `read_skill_2` gives" in asked
        assert files_read(server) == [MAIN]

        serve(server, FILES | {MAIN: BODY.replace("capitals", "capitols")})
        model.answers(read, says("DONE."))
        await run_alone(engine, what, others)
        asked = json.dumps(model.heard[-1].body)
        assert "SKILL_MISMATCH" in asked
        assert "capitols" not in asked


async def test_a_recording_holds_the_skill_that_a_model_read(
    tmp_path: Path, model: ScriptedModel
) -> None:
    server = a_skilled_server(tmp_path / "office")
    async with an_agency(tmp_path, model) as (studio, engine):
        await pinned(studio, "office", server.definition)
        await approve_skill(studio.gate, "office", "pdf-forms")
        model.answers(calls("read_skill_2", {"skill": "pdf-forms"}), says("DONE."))
        graph = workflow({"s": "start", "n": ("mcp", TASK)}, ["s > n"])
        run = await engine.runs.start(RunRequest(graph, {}))
        assert await engine.advance(run) == "success"

        async def is_kept() -> bool:
            return len(await exchanges_of(studio.home.database, run)) == 3

        await eventually(is_kept)
        ended = await engine.get(run)
        recording = await RunRecorder(studio.home).record(ended, "one", ended.started_at)
    file = RecordingFolder(tmp_path / "recordings").write(recording)
    recording = read_recording(file).recording
    assert [line.server for line in recording.skills] == ["office"]
    async with open_replayer() as replayer:
        again = await replayer.replay(recording)
    assert (again.run.status, again.playback.unused) == ("success", [])
    assert files_read(server) == [MAIN]
