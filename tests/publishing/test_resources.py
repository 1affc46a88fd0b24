"""Workflows, runs, documents and recordings as resources, in both eras and for limited keys."""

from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from publishing.desk import MODES, Desk, Mode
from recording.test_files import a_recording
from rest.drawn import greeting, pausing
from rest.house import House, house_in
from rest.test_authorization import LIMITED_SCOPES, mcp_client
from toolweave import json_text
from toolweave.engine.runs import RunRequest
from toolweave.recording.files import RecordingFolder
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

FORBIDDEN = -32003
INVALID_PARAMS = -32602
SVG = "{http://www.w3.org/2000/svg}"


async def text_of(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


async def uris_of(client: Client) -> list[str]:
    listed = (await client.list_resources()).resources
    return [str(one.uri) for one in listed if "://catalog/" not in str(one.uri)]


async def completions(client: Client, template: str, argument: str, typed: str) -> list[str]:
    ref = types.ResourceTemplateReference(type="ref/resource", uri=template)
    found = await client.complete(ref, {"name": argument, "value": typed})
    return found.completion.values


@pytest.mark.parametrize("mode", MODES)
async def test_what_the_home_holds_is_listed_read_and_completed(
    desk: Desk, mode: Mode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    RecordingFolder(tmp_path / "recordings").write(a_recording())
    (tmp_path / "recordings" / "other.jsonl").write_text('{"not": "ours"}\n', encoding="utf-8")
    files = desk.home.settings.home / "files"
    (files / "plans").mkdir(parents=True)
    (files / "plans" / "trip to Rome.md").write_text("# Rome\n", encoding="utf-8")
    (files / "key.txt").write_text("private", encoding="utf-8")
    await desk.home.workflows.save(read(greeting()).workflow, over=None)
    runs = desk.studio.engine.runs
    run = await runs.start(RunRequest(read(greeting()).workflow, {"who": "Ada"}))
    await runs.run_to_end(run)
    document = f"toolweave://documents/{quote('plans/trip to Rome.md', safe='')}"
    recording = f"toolweave://recordings/{a_recording().name}"
    async with desk.client(mode) as client:
        assert await uris_of(client) == [
            "toolweave://workflows/greet",
            f"toolweave://runs/{run}",
            document,
            recording,
        ]
        workflow = json_text.read(await text_of(client, "toolweave://workflows/greet"))
        assert isinstance(workflow, dict)
        assert workflow["name"] == "greet"
        result = json_text.read(await text_of(client, f"toolweave://runs/{run}"))
        assert isinstance(result, dict)
        assert (result["status"], result["finalResult"]) == ("success", "Hello, Ada!")
        timeline = await text_of(client, f"toolweave://runs/{run[:8]}/timeline")
        first, *steps = timeline.splitlines()
        assert first.startswith("greet: success")
        assert [line.split()[0] for line in steps] == ["start", "greet", "end"]
        assert all("█" in line for line in steps)
        (picture,) = (await client.read_resource(f"toolweave://runs/{run}/timeline.svg")).contents
        assert isinstance(picture, types.TextResourceContents)
        assert picture.mime_type == "image/svg+xml"
        drawing = ElementTree.fromstring(picture.text)
        assert drawing.tag == f"{SVG}svg"
        assert len(drawing.findall(f".//{SVG}rect[@class='bar good']")) == 3
        assert [one.text for one in drawing.findall(f"{SVG}text[@x='12']")][1:] == [
            *("start", "greet", "end"),
        ]
        assert await text_of(client, document) == "# Rome\n"
        assert '"type":"recording"' in (await text_of(client, recording)).replace(" ", "")
        templates = (await client.list_resource_templates()).resource_templates
        assert len(templates) == 7
        for template, argument, typed, expected in (
            ("toolweave://workflows/{workflow}", "workflow", "gr", ["greet"]),
            ("toolweave://workflows/{workflow}", "workflow", "x", []),
            ("toolweave://runs/{run}", "run", run[:4], [run]),
            ("toolweave://runs/{run}/timeline", "run", "", [run]),
            ("toolweave://runs/{run}/timeline.svg", "run", run[:6], [run]),
            ("toolweave://documents/{path}", "path", "plans", ["plans/trip to Rome.md"]),
            ("toolweave://recordings/{recording}", "recording", "", [a_recording().name]),
        ):
            assert template in {one.uri_template for one in templates}
            assert await completions(client, template, argument, typed) == expected
        for wrong in (
            "toolweave://workflows/gret",
            "toolweave://workflows/",
            "toolweave://runs/nope",
            f"toolweave://runs/{run}/other",
            f"toolweave://runs/{run}/",
            "toolweave://documents/key.txt",
            "toolweave://documents/..%2Ftoolweave.db",
            "toolweave://documents/%2Fetc%2Fpasswd.md",
            "toolweave://recordings/..%2F..%2Fx",
            "toolweave://recordings/%2Ftmp%2Fx.jsonl",
            "toolweave://secrets/x",
        ):
            with pytest.raises(MCPError, match="no resource"):
                await client.read_resource(wrong)


async def ran(house: House, name: str) -> str:
    body = {"workflow": name, "inputs": {"who": "Ada"}}
    answer = await house.client.post("/api/v1/runs", json=body, headers=await house.key())
    return str(answer.json()["id"])


async def refusal(client: Client, uri: str) -> int:
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    return caught.value.error.code


async def test_a_limited_key_sees_its_workflow_and_the_runs_of_it(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        full = await house.key()
        for document in (greeting(), pausing()):
            body: dict[str, Any] = {"document": document}
            name = document["name"]
            await house.client.put(f"/api/v1/workflows/{name}", json=body, headers=full)
            await house.client.put(f"/api/v1/published/{name}", json={}, headers=full)
        mine, other = await ran(house, "greet"), await ran(house, "pause")
        all_of_them = {
            *("toolweave://workflows/greet", "toolweave://workflows/pause"),
            *(f"toolweave://runs/{mine}", f"toolweave://runs/{other}"),
        }
        async with mcp_client(house, full) as client:  # the positive control
            assert set(await uris_of(client)) == all_of_them
            for uri in (
                *all_of_them,
                *(f"toolweave://runs/{other}/{part}" for part in ("timeline", "timeline.svg")),
            ):
                assert await text_of(client, uri)
        _, text = await house.keys.create("limited", LIMITED_SCOPES, ["greet"])
        async with mcp_client(house, {"X-API-Key": text}) as client:
            seen = {"toolweave://workflows/greet", f"toolweave://runs/{mine}"}
            assert {str(one.uri) for one in (await client.list_resources()).resources} == seen
            for uri in seen:
                assert await text_of(client, uri)
            kinds = "documents", "recordings", "catalog"  # none of these is for such a key
            for uri in (
                *(all_of_them - seen),
                f"toolweave://runs/{other}/timeline",
                f"toolweave://runs/{other}/timeline.svg",
                "toolweave://documents/a.md",
                "toolweave://recordings/a",
                "toolweave://catalog/types",
            ):
                is_kind = uri.split("/")[2] in kinds
                assert await refusal(client, uri) == (FORBIDDEN if is_kind else INVALID_PARAMS), uri
            assert await completions(client, "toolweave://runs/{run}", "run", "") == [mine]
            with pytest.raises(MCPError):
                await completions(client, "toolweave://documents/{path}", "path", "")
        async with mcp_client(house, await house.key("tools:read")) as client:
            assert await uris_of(client) == []
            assert await refusal(client, "toolweave://workflows/greet") == FORBIDDEN
