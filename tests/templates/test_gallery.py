"""Every template validates without an account and runs, its services scripted by its samples."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest

from publishing.desk import Desk, desk_in
from toolweave.authoring.environment import known_built_in, known_offline
from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.demo.sample import open_sample
from toolweave.engine.execution_report import records
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.templates.gallery import GalleryTemplate, search, templates
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Node
from toolweave.workflow.report import examine_loaded

pytestmark = pytest.mark.anyio

ALL = list(templates().values())


class Scripted:
    """Gives a sample instead of calling a service."""

    def __init__(self, sample: JsonObject) -> None:
        self._port = str(sample.get("@port", "output"))
        self._value: Json = {name: one for name, one in sample.items() if name != "@port"}

    async def run(self, context: NodeContext) -> Outcome:
        return Outcome(self._value, (self._port,))


class ScriptedTrigger(Scripted):
    def compute(self, given: NodeInput) -> Outcome:
        return Outcome(self._value)


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk]:
    async with desk_in(Path(tmp_path_factory.mktemp("gallery")) / "home") as opened:
        yield opened


def test_the_gallery_has_many_kinds_of_templates() -> None:
    assert len(ALL) >= 24
    used = {ref for template in ALL for ref in template.nodes}
    assert len(used) >= 30
    assert len({template.title for template in ALL}) == len(ALL)
    assert all(template.summary.endswith(".") and template.tags for template in ALL)


@pytest.mark.parametrize("template", ALL, ids=lambda one: one.name)
def test_a_template_validates_without_an_account(template: GalleryTemplate) -> None:
    report = examine_loaded(read(template.workflow), known_built_in())
    # A tool is checked once its server is connected; until then its node has a warning.
    tools = [ref for ref in template.nodes if ref.startswith("TOOL.MCP:")]
    unchecked = [one for one in report.problems if "its server is not connected" in one.message]
    assert [(one.code, one.severity) for one in unchecked] == [
        ("NODE_UNKNOWN", "warning") for _ in tools
    ]
    assert [one.as_json() for one in report.problems if one not in unchecked] == []


async def test_a_template_of_the_demo_server_has_no_problem_and_runs_once_it_is_connected(
    desk: Desk,
) -> None:
    studio = desk.studio
    await open_sample(studio.home, studio.gate, studio.connections)
    known = await known_offline(studio.home)
    of_demo = [one for one in ALL if any(ref.startswith("TOOL.MCP:demo/") for ref in one.nodes)]
    assert len(of_demo) >= 2
    for template in of_demo:
        loaded = read(template.workflow)
        assert [one.as_json() for one in examine_loaded(loaded, known).problems] == []
        run = await studio.engine.runs.start(RunRequest(loaded.workflow, template.inputs))
        assert (await studio.engine.runs.run_to_end(run)).status == "success", template.name


async def test_every_template_runs_with_its_services_scripted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = NodeRegistry.of
    samples: dict[str, Any] = {}

    def of(self: NodeRegistry, node: Node) -> NodeKind | None:
        kind = real(self, node)
        if kind is None or node.id not in samples:
            return kind
        if node.type == "TRIGGER":
            return NodeKind(ScriptedTrigger(samples[node.id]), "pure", kind.spec)
        return NodeKind(Scripted(samples[node.id]), "keyed", kind.spec)

    monkeypatch.setattr(NodeRegistry, "of", of)
    engine, failed = desk.studio.engine, dict[str, Any]()
    for template in ALL:
        samples.clear()
        samples.update(template.samples)
        with anyio.fail_after(60):
            loaded = read(template.workflow)
            # Checked above; here a model and accounts would be asked for.
            monkeypatch.setattr(engine.runs, "check", _unchecked)
            run = await engine.runs.start(RunRequest(loaded.workflow, template.inputs))
            record = await engine.runs.run_to_end(run)
        if record.status != "success":
            steps = records(await engine.journal.read(run))
            failed[template.name] = (record.status, [(one.key, one.error) for one in steps])
    assert failed == {}, failed


async def _unchecked(_: object) -> None:
    return None


async def test_a_template_is_found_by_words_read_and_saved(desk: Desk) -> None:
    async with desk.client() as client:
        found = await client.call_tool("get_template", {"query": "csv rows"})
        names = [one["name"] for one in found.structured_content["templates"]]
        assert names[0] == "csv-to-json"
        one = (await client.call_tool("get_template", {"name": names[0]})).structured_content
        saved = await client.call_tool("save_workflow", {"workflow": one["workflow"]})
        assert saved.structured_content["valid"] is True
        ran = await client.call_tool(
            "run_workflow", {"name": one["title"], "inputs": one["inputs"]}
        )
        assert ran.structured_content["sorted_data"][0]["name"] == "Ada"
        missing = await client.call_tool("get_template", {"name": "csv-to-jsn"})
        assert missing.structured_content["code"] == "TEMPLATE_UNKNOWN"
    assert len(search("")) == len(ALL)
    assert "merge-two-sources" in {one.name for one in search("combine answers")[:5]}


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("send a mail when a form comes in", "expense-form"),
        ("I want to be told when a web page changes", "daily-site-check"),
        ("approve an expense", "expense-form"),
        ("summarise notes by mail", "mail-digest"),
        ("stop if a setting is missing in a yaml file", "yaml-settings-check"),
    ],
)
def test_common_words_do_not_decide_which_template_is_first(query: str, right: str) -> None:
    found = [one.name for one in search(query)]
    assert right in found[:3]
    assert len(found) < len(ALL)
