"""A run ignores the fields that a node does not have, as validation says, with templates too."""

from pathlib import Path
from typing import Any

import pytest

from toolweave.app.running_studio import open_running_studio
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.settings import Settings
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio


def _document(configurations: dict[str, Any]) -> dict[str, Any]:
    data = {"subtype": "SET_FIELDS", "configurations": configurations}
    return {
        "id": "unknown",
        "name": "unknown",
        "version": "1.0.0",
        "schemaVersion": "1.3.0",
        "nodes": [
            {"id": "s", "type": "start", "name": "s", "position": {"x": 0, "y": 0}, "data": {}},
            {"id": "n", "type": "ACTION", "name": "n", "position": {"x": 0, "y": 0}, "data": data},
        ],
        "connections": [
            {"id": "e", "from": "s", "to": "n", "fromPort": "output", "toPort": "input"}
        ],
    }


@pytest.mark.parametrize("value", ["Rome", "{{ trigger.city }}"])
async def test_an_unknown_setting_is_ignored_with_templates_and_without(
    tmp_path: Path, value: str
) -> None:
    workflow = read(_document({"set": {"city": value}, "no_such_setting": 1})).workflow
    # A start refuses what validation calls an error.
    async with open_home(Settings(home=tmp_path)) as home, open_running_studio(home) as studio:
        run = await studio.engine.runs.start(RunRequest(workflow, {"city": "Rome"}))
        async for _ in studio.engine.follow(run):
            pass
        assert (await studio.engine.get(run)).status == "success"
