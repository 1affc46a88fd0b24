"""Every template ships with a recording of a run, which replays as its test without any service.

With `RECORD_TEMPLATES=1` the recordings are made again, their services scripted by the samples.
"""

import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from publishing.desk import Desk, desk_in
from templates.test_gallery import ALL, Scripted
from toolweave.catalog.node_kind import NodeKind
from toolweave.engine.runs import RunRequest
from toolweave.json_text import JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.recording.comparison import compare
from toolweave.recording.files import RecordingFolder, read_recording
from toolweave.recording.from_run import RunRecorder
from toolweave.recording.replay import open_replayer
from toolweave.templates.gallery import GalleryTemplate
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Node, Workflow

pytestmark = pytest.mark.anyio

FOLDER = RecordingFolder(Path(__file__).parents[1] / "recordings" / "templates")


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk | None]:
    if "RECORD_TEMPLATES" not in os.environ:
        yield None
        return
    async with desk_in(tmp_path_factory.mktemp("recorded") / "home") as opened:
        yield opened


async def test_every_template_replays_as_recorded(
    desk: Desk | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if desk is not None:
        for template in ALL:
            with monkeypatch.context() as patch:
                await record(desk, template, patch)
    differences: dict[str, Any] = {}
    async with open_replayer() as replayer:
        for template in ALL:
            found = read_recording(FOLDER.find(template.name))
            replayed = await replayer.replay(found.recording, read(template.workflow))
            compared = compare(found.recording, replayed)
            assert found.recording.steps, template.name
            assert found.warnings == ()
            if not compared.is_same or compared.unused:
                differences[template.name] = [one.as_json() for one in compared.differences]
    assert differences == {}
    assert FOLDER.names() == sorted(template.name for template in ALL)


async def record(desk: Desk, template: GalleryTemplate, patch: pytest.MonkeyPatch) -> None:
    """Run a template as its trigger would start it, with its services scripted, and record it."""
    loaded, engine = read(template.workflow), desk.studio.engine
    real = NodeRegistry.of

    def of(self: NodeRegistry, node: Node) -> NodeKind | None:
        kind = real(self, node)
        if kind is None or node.type == "TRIGGER" or node.id not in template.samples:
            return kind
        return NodeKind(Scripted(_sample(template, node.id)), "keyed", kind.spec)

    async def unchecked(_: object) -> None:
        return None

    patch.setattr(NodeRegistry, "of", of)
    patch.setattr(engine.runs, "check", unchecked)
    delivered = _delivered(loaded.workflow, template)
    run = await engine.runs.start(RunRequest(loaded.workflow, delivered))
    ended = await engine.runs.run_to_end(run)
    assert ended.status == "success", template.name
    recorder = RunRecorder(desk.studio.home)
    FOLDER.write(await recorder.record(ended, template.name, ended.started_at))


def _delivered(workflow: Workflow, template: GalleryTemplate) -> JsonObject:
    """The inputs of a run that a trigger starts are the outputs of the trigger."""
    triggers = [node.id for node in workflow.nodes if node.type == "TRIGGER"]
    return {**template.inputs, **(_sample(template, triggers[0]) if triggers else {})}


def _sample(template: GalleryTemplate, node: str) -> JsonObject:
    found = template.samples.get(node, {})
    assert isinstance(found, dict)
    return found
