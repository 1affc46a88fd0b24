"""Switching modes over REST and with `node mode`, and what an export carries of each mode."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.cli.test_models import NO_OTHERS, add
from tests.seeds.asking import ask
from tests.seeds.requirements import REQUIREMENTS
from tests.seeds.test_mode_rules import (
    KEPT,
    PARAM,
    TASK,
    TOOL,
    described,
    detailed,
    holding,
    tasked,
    weather,
)

from rest.conftest import house
from rest.house import House
from toolweave.testing.model import ScriptedModel, calls, says
from toolweave.testing.server import ScriptedServer

__all__ = ["house", "tw", "weather"]

# Tests that are no coroutines use fixtures that are, whichever comes first.
pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("anyio_backend")]

MESSAGES = {one.id: one.message for one in REQUIREMENTS if one.message}
VALUES = {"city": "Lima"}
WORDS = "Five days of weather in Bogotá, please"
COMMENT = "<!-- MCP_NODE_METADATA: "


# Any: nodes as plain JSON.
async def switched(house: House, data: dict[str, Any], mode: str, **more: Any) -> dict[str, Any]:
    answer = await ask(
        house, "POST", "edit/mode", document=holding(data), node="call", mode=mode, **more
    )
    return answer["document"]["nodes"][1]["data"]


async def codes(house: House, data: dict[str, Any]) -> set[str]:
    answer = await ask(house, "POST", "edit/validate", document=holding(data))
    # A model is set up apart from the workflow.
    return {one["code"] for one in answer["problems"]} - {"MODEL_NEEDED"}


def now(house: House) -> str:
    return house.clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.requirement(
    "000:switch.detailed-to-param.mode",
    "000:switch.detailed-to-param.initialise",
    "000:switch.detailed-to-param.clear",
    "000:PreservedDetailedConfig.created",
)
async def test_a_detailed_node_gets_an_empty_description(house: House) -> None:
    before = detailed(**{TASK: tasked()[TASK]})
    data = await switched(house, before, "naturalLanguageParam")
    assert data["mode"] == "naturalLanguageParam"
    assert data[PARAM] == {"description": "", "timestamp": now(house)}
    assert (data[KEPT]["parameterValues"], data[KEPT]["timestamp"]) == (VALUES, now(house))
    assert TASK not in data
    assert await codes(house, data) == {"MCP_NL_DESC_EMPTY"}


@pytest.mark.requirement(
    "000:switch.detailed-to-full.preserve",
    "000:switch.detailed-to-full.mode",
    "000:switch.detailed-to-full.initialise",
    "000:switch.detailed-to-full.clear",
    "000:FullNaturalLanguageConfig.availableTools",
)
async def test_a_detailed_node_gets_an_empty_task_and_the_tools_of_its_server(
    house: House,
) -> None:
    before = detailed(**{PARAM: described()[PARAM]})
    data = await switched(house, before, "fullNaturalLanguage")
    assert data["mode"] == "fullNaturalLanguage"
    assert (data[TASK]["taskDescription"], data[TASK]["timestamp"]) == ("", now(house))
    [tool] = data[TASK]["availableTools"]
    assert (tool["serverId"], tool["name"], tool["description"]) == (
        "weather",
        "forecast",
        TOOL["description"],
    )
    assert [one["name"] for one in tool["parameters"]] == ["city", "days"]
    assert (data["toolName"], data["toolDescription"], PARAM in data) == ("", "", False)
    assert data[KEPT]["parameterValues"] == VALUES
    assert await codes(house, data) == {"MCP_NL_DESC_EMPTY"}


@pytest.mark.requirement(
    "000:switch.param-to-detailed.mode",
    "000:switch.param-to-detailed.keep",
    "000:switch.param-to-detailed.clear",
    "000:PreservedDetailedConfig.restored",
)
async def test_described_values_become_the_preserved_ones_and_the_words_are_kept(
    house: House,
) -> None:
    kept = {"parameterValues": {"city": "Cusco", "days": 4}, "timestamp": now(house)}
    before = described(WORDS, **{KEPT: kept, TASK: tasked()[TASK]})
    data = await switched(house, before, "detailed")
    assert (data["mode"], data["parameterValues"]) == ("detailed", {"city": "Cusco", "days": 4})
    assert (PARAM in data, TASK in data) == (False, False)
    assert await codes(house, data) == set()
    again = await switched(house, data, "naturalLanguageParam")
    assert again[PARAM]["description"] == WORDS
    bare = await switched(house, described(), "detailed")
    assert bare["parameterValues"] == {}


@pytest.mark.requirement(
    "000:switch.full-to-detailed.restore",
    "000:switch.full-to-detailed.select-tool",
    "000:switch.full-to-detailed.mode",
    "000:switch.full-to-detailed.keep",
    "000:switch.full-to-detailed.clear",
)
async def test_leaving_a_task_needs_a_tool_and_keeps_the_task(house: House) -> None:
    kept = {"parameterValues": {"city": "Cusco"}, "timestamp": now(house)}
    before = tasked(**{KEPT: kept, PARAM: described()[PARAM]})
    body = {"document": holding(before), "node": "call", "mode": "detailed"}
    refused = await house.client.post("/api/v1/edit/mode", json=body, headers=await house.key())
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "MCP_TOOL_REQUIRED")
    data = await switched(house, before, "detailed", tool="forecast")
    assert (data["mode"], data["toolName"]) == ("detailed", "forecast")
    assert data["parameterValues"] == {"city": "Cusco"}
    assert (PARAM in data, TASK in data) == (False, False)
    assert await codes(house, data) == set()
    again = await switched(house, data, "fullNaturalLanguage")
    assert again[TASK]["taskDescription"] == before[TASK]["taskDescription"]


@pytest.mark.requirement(
    "000:switch.param-and-full.keep",
    "000:switch.param-and-full.mode",
    "000:switch.param-and-full.initialise",
    "000:switch.param-and-full.preserve",
)
async def test_both_language_modes_keep_each_others_words_and_the_values(house: House) -> None:
    kept = {"parameterValues": {"days": 9}, "timestamp": now(house)}
    task = await switched(house, described(WORDS, **{KEPT: kept}), "fullNaturalLanguage")
    assert (task["mode"], task[TASK]["taskDescription"]) == ("fullNaturalLanguage", "")
    back = await switched(house, task, "naturalLanguageParam")
    assert (back["mode"], back["toolName"]) == ("naturalLanguageParam", "forecast")
    assert back[PARAM]["description"] == WORDS
    assert task[KEPT] == back[KEPT] == kept
    begun = await switched(house, tasked(), "naturalLanguageParam", tool="forecast")
    assert begun[PARAM] == {"description": "", "timestamp": now(house)}
    words = tasked()[TASK]["taskDescription"]
    again = await switched(house, begun, "fullNaturalLanguage")
    assert again[TASK]["taskDescription"] == words


def written(tw: Commands, data: dict[str, Any]) -> str:
    (tw.project / "flow.json").write_text(json.dumps(holding(data)), encoding="utf-8")
    return "flow.json"


@pytest.mark.requirement("000:McpNodeMode.default", "000:migration.defaults")
def test_a_node_without_a_mode_is_shown_as_detailed_and_gains_no_field(tw: Commands) -> None:
    data = detailed()
    shown = tw.ok("node", "mode", written(tw, data), "call", "--json").json
    assert shown["mode"] == "detailed"
    tw.ok("workflows", "save", "flow.json")
    saved = json.loads((tw.state / "workflows" / "rules.json").read_text(encoding="utf-8"))
    new = {"mode", PARAM, TASK, KEPT} & saved["nodes"][1]["data"].keys()
    assert (new, saved["nodes"][1]["data"]["parameterValues"]) == (set(), VALUES)


def exported(tw: Commands, data: dict[str, Any]) -> str:
    tw.ok("export", written(tw, data), "--to", "claude-command", "--force")
    return (tw.project / ".claude/commands/rules.md").read_text(encoding="utf-8")


def metadata_in(text: str) -> dict[str, Any]:
    [line] = [line for line in text.splitlines() if line.startswith(COMMENT)]
    assert line.endswith(" -->")
    return json.loads(line.removeprefix(COMMENT).removesuffix(" -->"))


@pytest.mark.requirement("000:ModeExportMetadata.detailed", "000:migration.export-identical")
def test_a_detailed_node_exports_as_before_there_were_modes(tw: Commands) -> None:
    kept = {"parameterValues": {"city": "Cusco"}, "timestamp": "2026-11-01T00:00:00.000Z"}
    old, new = (
        # Without the workflow itself, which `toolweave import` reads.
        [line for line in exported(tw, data).splitlines() if not line.startswith("<!-- toolweave")]
        for data in (detailed(), detailed(mode="detailed", **{KEPT: kept}))
    )
    assert (COMMENT in "\n".join(old), "- `city`: `Lima`" in old) == (False, True)
    assert new == old


@pytest.mark.requirement(
    "000:ModeExportMetadata.comment",
    "000:NaturalLanguageParamMetadata.mode",
    "000:NaturalLanguageParamMetadata.toolName",
    "000:NaturalLanguageParamMetadata.userIntent",
    "000:NaturalLanguageParamMetadata.instructions",
)
@pytest.mark.parametrize("words", [WORDS, 'Close it --> or <!-- open\nit: "weather" `now`'])
def test_an_export_of_described_values_says_how_to_map_them(tw: Commands, words: str) -> None:
    assert metadata_in(exported(tw, described(words))) == {
        "mode": "naturalLanguageParam",
        "serverId": "weather",
        "toolName": "forecast",
        "parameterSchema": TOOL["inputSchema"],
        "userIntent": words,
        "instructions": MESSAGES["000:NaturalLanguageParamMetadata.instructions"],
    }


@pytest.mark.requirement(
    "000:FullNaturalLanguageMetadata.mode",
    "000:FullNaturalLanguageMetadata.serverId",
    "000:FullNaturalLanguageMetadata.userIntent",
    "000:FullNaturalLanguageMetadata.instructions",
    "000:FullNaturalLanguageConfig.availableTools.fallback",
)
def test_an_export_of_a_task_carries_the_tools_of_its_snapshot(tw: Commands) -> None:
    assert tw.ok("servers", "list", "--json").json == []
    data = tasked()
    assert metadata_in(exported(tw, data)) == {
        "mode": "fullNaturalLanguage",
        "serverId": "weather",
        "availableTools": [
            {
                "name": "forecast",
                "description": "Forecasts.",
                "parameterSchema": TOOL["inputSchema"],
            }
        ],
        "userIntent": data[TASK]["taskDescription"],
        "instructions": MESSAGES["000:FullNaturalLanguageMetadata.instructions"],
    }


@pytest.mark.requirement(
    "000:run.detailed", "000:run.naturalLanguageParam", "000:run.fullNaturalLanguage"
)
def test_a_node_of_each_mode_runs(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s", TOOL)
    tw.add("weather", server)

    def called(data: dict[str, Any]) -> list[Any]:
        before = len(server.heard("tools/call"))
        tw.ok("run", written(tw, data), "--json", **NO_OTHERS)
        return [one["arguments"] for one in server.heard("tools/call")[before:]]

    assert called(detailed(parameterValues={"city": "Lima", "days": 3})) == [
        {"city": "Lima", "days": 3}
    ]
    with ScriptedModel().running() as model:
        add(tw, model)
        model.answers(calls("forecast", {"city": "Bogotá", "days": 5}))
        assert called(described(WORDS)) == [{"city": "Bogotá", "days": 5}]
        assert WORDS in json.dumps(model.heard[-1].body, ensure_ascii=False)
        model.answers(
            calls("forecast", {"city": "Lima"}), calls("forecast", {"city": "Quito"}), says("Same.")
        )
        assert called(tasked()) == [{"city": "Lima"}, {"city": "Quito"}]
