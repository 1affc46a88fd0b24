"""The rules of the three modes, as `validate` and `fix` report them at every door."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from anyio import to_thread
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.seeds.asking import ask, mcp_client
from tests.seeds.requirements import REQUIREMENTS

from mcp_server.approving import approve
from rest.conftest import house
from rest.drawn import drawn
from rest.house import House

__all__ = ["house", "tw"]

mark = pytest.mark
# Tests that are no coroutines use fixtures that are, whichever comes first.
pytestmark = [mark.anyio, mark.usefixtures("anyio_backend")]

MESSAGES = {one.id: one.message for one in REQUIREMENTS if one.message}
NOW = datetime.now(UTC)
PARAM, TASK, KEPT = (
    "naturalLanguageParamConfig",
    "fullNaturalLanguageConfig",
    "preservedDetailedConfig",
)
TOOL: dict[str, Any] = {
    "name": "forecast",
    "description": "Forecasts the weather of a city.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
        },
        "required": ["city"],
    },
}
PARAMETERS: list[Any] = [
    {"name": "city", "type": "string", "required": True},
    {
        "name": "days",
        "type": "integer",
        "required": False,
        "validation": {"minimum": 1, "maximum": 14},
    },
]
Problem = tuple[str, str, str]


def ago(**time: float) -> str:
    written = (NOW - timedelta(**time)).isoformat(timespec="milliseconds")
    return written.replace("+00:00", "Z")


# Any: nodes as plain JSON, also invalid ones. `None` leaves a field out.
def node(data: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**data, **more}.items() if value is not None}


def detailed(**more: Any) -> dict[str, Any]:
    """As the visual editor wrote it before there were modes."""
    data = {
        "serverId": "weather",
        "toolName": "forecast",
        "toolDescription": "Forecasts.",
        "parameters": PARAMETERS,
        "parameterValues": {"city": "Lima"},
        "outputPorts": 1,
    }
    return node(data, more)


def described(words: Any = "The next three days in Lima", at: Any = None, **more: Any) -> Any:
    config = {"description": words, "timestamp": at or ago(hours=5)}
    return node(detailed(mode="naturalLanguageParam", parameterValues=None), {PARAM: config} | more)


def tasked(task: Any = "Compare the weather of Lima and Quito", **more: Any) -> dict[str, Any]:
    config: dict[str, Any] = {
        "taskDescription": task,
        "availableTools": [
            {
                "serverId": "weather",
                "name": "forecast",
                "description": "Forecasts.",
                "parameters": PARAMETERS,
            }
        ],
        "timestamp": ago(days=2),
    }
    config = node(config, more.pop("config", {}))
    data = {"mode": "fullNaturalLanguage", "serverId": "weather", "toolName": "", TASK: config}
    return node(data, {"toolDescription": ""} | more)


def with_tool(entry: Any) -> dict[str, Any]:
    return tasked(config={"availableTools": [*tasked()[TASK]["availableTools"], entry]})


def keeping(values: Any, at: str) -> dict[str, Any]:
    return {KEPT: {"parameterValues": values, "timestamp": at}}


def error(code: str, place: str) -> Problem:
    return code, place, "error"


def warning(code: str, place: str) -> Problem:
    return code, place, "warning"


GOOD = [
    pytest.param(
        detailed(),
        marks=mark.requirement("000:PreservedDetailedConfig.optional"),
    ),
    pytest.param(
        detailed(mode="detailed", **keeping({"city": "Oslo"}, ago(days=90))),
        marks=mark.requirement("000:McpNodeData.preservedDetailedConfig"),
    ),
    pytest.param(
        described("ten chars!", **keeping({"days": 2}, ago(days=90))),
        marks=mark.requirement("000:McpNodeData.preservedDetailedConfig"),
    ),
    pytest.param(
        tasked("twenty characters ok", **keeping({"zone": 5}, ago(days=90))),
        marks=mark.requirement("000:McpNodeData.preservedDetailedConfig"),
    ),
    pytest.param(
        tasked("x" * 10_000, config={"timestamp": ago(days=6, hours=23)}),
        marks=mark.requirement("000:FullNaturalLanguageConfig.taskDescription.max"),
    ),
    pytest.param(
        with_tool({"serverId": "weather", "name": "now", "description": "", "parameters": []}),
        marks=mark.requirement("000:FullNaturalLanguageConfig.availableTools"),
    ),
]
WRONG = [
    pytest.param(
        described(None),
        [error("MCP_NL_DESC_EMPTY", f"{PARAM}/description")],
        marks=mark.requirement("000:NaturalLanguageParamConfig.description"),
    ),
    pytest.param(
        described(["three", "days"]),
        [error("MCP_NODE_FIELD_INVALID", f"{PARAM}/description")],
        marks=mark.requirement("000:NaturalLanguageParamConfig.description"),
    ),
    pytest.param(
        described("In Lima."),
        [error("MCP_NL_DESC_TOO_SHORT", f"{PARAM}/description")],
        marks=mark.requirement("000:NaturalLanguageParamConfig.description.min"),
    ),
    pytest.param(
        described("\t \n \u3000" * 4),
        [error("MCP_NL_DESC_EMPTY", f"{PARAM}/description")],
        marks=mark.requirement("000:NaturalLanguageParamConfig.description.trim"),
    ),
    pytest.param(
        detailed(**{PARAM: described()[PARAM]}),
        [warning("MCP_MODE_CONFIG_MISMATCH", PARAM)],
        marks=mark.requirement(
            "000:NaturalLanguageParamConfig.mode",
            "000:McpNodeData.detailed.forbidden",
            "000:MCP_MODE_CONFIG_MISMATCH",
        ),
    ),
    pytest.param(
        tasked(**{PARAM: described()[PARAM]}),
        [warning("MCP_MODE_CONFIG_MISMATCH", PARAM)],
        marks=mark.requirement(
            "000:NaturalLanguageParamConfig.mode", "000:McpNodeData.fullNaturalLanguage.forbidden"
        ),
    ),
    pytest.param(
        tasked(None),
        [error("MCP_NL_DESC_EMPTY", f"{TASK}/taskDescription")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.taskDescription"),
    ),
    pytest.param(
        tasked("Compare two cities."),
        [error("MCP_NL_DESC_TOO_SHORT", f"{TASK}/taskDescription")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.taskDescription.min"),
    ),
    pytest.param(
        tasked("y" * 10_001),
        [error("MCP_NL_DESC_TOO_LONG", f"{TASK}/taskDescription")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.taskDescription.max"),
    ),
    pytest.param(
        tasked("\n" * 25),
        [error("MCP_NL_DESC_EMPTY", f"{TASK}/taskDescription")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.taskDescription.trim"),
    ),
    pytest.param(
        tasked(config={"availableTools": []}),
        [error("MCP_TOOL_LIST_EMPTY", f"{TASK}/availableTools")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.availableTools.min"),
    ),
    pytest.param(
        with_tool({"name": "now", "parameters": [{"name": "at", "type": "moment"}]}),
        [error("MCP_TOOL_SCHEMA_INVALID", f"{TASK}/availableTools/1/parameters/0/type")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.availableTools.schema"),
    ),
    pytest.param(
        with_tool({"name": "now", "inputSchema": {"type": "string"}}),
        [error("MCP_TOOL_SCHEMA_INVALID", f"{TASK}/availableTools/1/inputSchema/type")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.availableTools.schema"),
    ),
    pytest.param(
        with_tool({"parameters": []}),
        [error("MCP_TOOL_SCHEMA_INVALID", f"{TASK}/availableTools/1/name")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.availableTools"),
    ),
    pytest.param(
        tasked(config={"timestamp": "Nov 16, 2025"}),
        [warning("MCP_TIMESTAMP_INVALID", f"{TASK}/timestamp")],
        marks=mark.requirement("000:FullNaturalLanguageConfig.timestamp"),
    ),
    pytest.param(
        tasked(config={"timestamp": ago(days=7, minutes=1)}),
        [warning("MCP_TOOL_LIST_STALE", f"{TASK}/availableTools")],
        marks=mark.requirement("000:integrity.stale-tools"),
    ),
    pytest.param(
        detailed(**{TASK: tasked()[TASK]}),
        [warning("MCP_MODE_CONFIG_MISMATCH", TASK)],
        marks=mark.requirement(
            "000:FullNaturalLanguageConfig.mode", "000:McpNodeData.detailed.forbidden"
        ),
    ),
    pytest.param(
        described(**{TASK: tasked()[TASK]}),
        [warning("MCP_MODE_CONFIG_MISMATCH", TASK)],
        marks=mark.requirement(
            "000:FullNaturalLanguageConfig.mode", "000:McpNodeData.naturalLanguageParam.forbidden"
        ),
    ),
    pytest.param(
        tasked(toolName="forecast", toolDescription="Forecasts."),
        [
            warning("MCP_MODE_CONFIG_MISMATCH", "toolName"),
            warning("MCP_MODE_CONFIG_MISMATCH", "toolDescription"),
        ],
        marks=mark.requirement("000:McpNodeData.fullNaturalLanguage.forbidden"),
    ),
    pytest.param(
        described(**{PARAM: None}),
        [error("MCP_MODE_CONFIG_MISMATCH", PARAM)],
        marks=mark.requirement(
            "000:MCP_MODE_CONFIG_MISMATCH", "000:McpNodeData.naturalLanguageParam.required"
        ),
    ),
    pytest.param(
        tasked(**{TASK: "Compare the weather of Lima and Quito"}),
        [error("MCP_MODE_CONFIG_MISMATCH", TASK)],
        marks=mark.requirement("000:McpNodeData.fullNaturalLanguage.required"),
    ),
    pytest.param(
        detailed(serverId="\t", toolName="  "),
        [error("MCP_NODE_FIELD_INVALID", "serverId"), error("MCP_NODE_FIELD_INVALID", "toolName")],
        marks=mark.requirement("001:McpNodeData.serverId", "001:McpNodeData.toolName"),
    ),
    pytest.param(
        described(**keeping({"city": 4, "days": 40, "gone": 1}, ago(days=1))),
        [
            warning("MCP_PARAMETER_INVALID_TYPE", f"{KEPT}/parameterValues/city"),
            warning("MCP_PARAMETER_CONSTRAINT_VIOLATED", f"{KEPT}/parameterValues/days"),
        ],
        marks=mark.requirement("000:PreservedDetailedConfig.parameterValues"),
    ),
    pytest.param(
        described(**{KEPT: {"timestamp": ago(days=1)}}),
        [error("MCP_NODE_FIELD_INVALID", KEPT)],
        marks=mark.requirement("000:PreservedDetailedConfig.parameterValues"),
    ),
    pytest.param(
        detailed(**keeping({}, "2026-11-16 09:00")),
        [warning("MCP_TIMESTAMP_INVALID", f"{KEPT}/timestamp")],
        marks=mark.requirement("000:PreservedDetailedConfig.timestamp"),
    ),
]


@pytest.fixture(scope="module", autouse=True)
async def weather(house: House) -> None:
    """An approved server; the clock of the house shows the time of the command line."""
    await approve(house.home, "weather", TOOL)
    house.clock.seconds = (NOW - datetime(2026, 11, 16, tzinfo=UTC)).total_seconds()


async def asked(house: House, path: str, data: dict[str, Any]) -> Any:
    return await ask(house, "POST", f"edit/{path}", document=holding(data))


def holding(data: dict[str, Any]) -> dict[str, Any]:
    return drawn("rules", {"id": "call", "type": "mcp", "name": "call", "data": data})


# The requirement that prescribes the text of a code, where it is not called like the code.
ENTRY_OF = {"MCP_TOOL_LIST_STALE": "integrity.stale-tools"}


def lengths(data: dict[str, Any]) -> dict[str, int]:
    """What the text about a short description says."""
    if data.get("mode") == "naturalLanguageParam":
        return {"length": len(data.get(PARAM, {}).get("description") or ""), "min": 10}
    config = data.get(TASK)
    words = "" if config is None or isinstance(config, str) else config.get("taskDescription")
    return {"length": len(words or ""), "min": 20}


def at_node(problems: list[dict[str, Any]]) -> list[Problem]:
    prefix = "/nodes/1/data/"
    return sorted(
        (one["code"], one["pointer"].removeprefix(prefix), one["severity"])
        for one in problems
        if one["pointer"].startswith(prefix)
    )


@pytest.mark.parametrize("data", GOOD)
async def test_a_node_that_keeps_the_rules_has_no_problem(
    house: House, data: dict[str, Any]
) -> None:
    assert at_node((await asked(house, "validate", data))["problems"]) == []


@pytest.mark.parametrize(("data", "expected"), WRONG)
async def test_a_broken_rule_is_reported_at_its_place_and_a_certain_repair_is_made(
    house: House, data: dict[str, Any], expected: list[Problem]
) -> None:
    found = (await asked(house, "validate", data))["problems"]
    assert at_node(found) == sorted(expected)
    for one in found:
        text = MESSAGES.get(f"000:{ENTRY_OF.get(one['code'], one['code'])}")
        assert text is None or one["message"] == text.format(**lengths(data))
    if all("patch" in one for one in found):
        fixed = await asked(house, "fix", data)
        assert (at_node(fixed["problems"]), len(fixed["mended"])) == ([], len(expected))


REQUIRED = [
    pytest.param(
        detailed(),
        {"serverId", "toolName", "toolDescription", "parameters", "parameterValues"},
        marks=mark.requirement(
            "000:McpNodeData.detailed.required",
            "001:McpNodeData.serverId",
            "001:McpNodeData.toolName",
            "001:McpNodeData.toolDescription",
        ),
    ),
    pytest.param(
        described(),
        {"serverId", "toolName", "toolDescription", "parameters", PARAM},
        marks=mark.requirement("000:McpNodeData.naturalLanguageParam.required"),
    ),
    pytest.param(
        tasked(),
        {"serverId", TASK},
        marks=mark.requirement("000:McpNodeData.fullNaturalLanguage.required"),
    ),
]


@pytest.mark.parametrize(("data", "fields"), REQUIRED)
async def test_each_mode_needs_exactly_its_fields(
    house: House, data: dict[str, Any], fields: set[str]
) -> None:
    missed: set[str] = set()
    for field in data.keys() - {"mode"}:
        left = {key: value for key, value in data.items() if key != field}
        found = at_node((await asked(house, "validate", left))["problems"])
        missed |= {place.split("/")[0] for _, place, _ in found}
    assert missed == fields


TIMES = [
    pytest.param(
        "2025-12-24T18:00:00Z",
        "2025-12-24T18:00:00.000Z",
        marks=mark.requirement("000:NaturalLanguageParamConfig.timestamp"),
    ),
    pytest.param(
        "2025-12-24T18:00:00.5-05:00",
        "2025-12-24T23:00:00.500Z",
        marks=mark.requirement("000:timestamp.format"),
    ),
    pytest.param("24.12.2025 18:00", None, marks=mark.requirement("000:timestamp.format")),
    pytest.param(
        "2025-02-29T18:00:00.000Z", None, marks=mark.requirement("000:timestamp.valid-date")
    ),
    pytest.param(
        "2025-12-24T18:60:00.000Z", None, marks=mark.requirement("000:timestamp.valid-date")
    ),
]


@pytest.mark.parametrize(("written", "repaired"), TIMES)
async def test_a_timestamp_is_a_moment_in_the_one_form(
    house: House, written: str, repaired: str | None
) -> None:
    expected = [warning("MCP_TIMESTAMP_INVALID", f"{PARAM}/timestamp")]
    data = described(at=written)
    assert at_node((await asked(house, "validate", data))["problems"]) == expected
    fixed = await asked(house, "fix", data)
    now = house.clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert fixed["document"]["nodes"][1]["data"][PARAM]["timestamp"] == (repaired or now)


async def test_the_command_line_and_mcp_report_what_rest_reports(
    house: House, tw: Commands
) -> None:
    rows: list[Any] = [row.values[0] for row in [*GOOD, *WRONG]]
    files = [f"{number}.json" for number in range(len(rows))]
    for file, row in zip(files, rows, strict=True):
        (tw.project / file).write_text(json.dumps(holding(row)), encoding="utf-8")
    ran = await to_thread.run_sync(lambda: tw("validate", *files, "--json"))
    async with mcp_client(house) as client:
        for row, on_terminal in zip(rows, ran.json, strict=True):
            rest = at_node((await asked(house, "validate", row))["problems"])
            answer = await client.call_tool("validate_workflow", {"workflow": holding(row)})
            assert answer.structured_content is not None
            assert at_node(answer.structured_content["problems"]) == rest
            # The home of the command line does not know the server.
            shown = at_node(on_terminal["problems"])
            assert [one for one in shown if one[0] != "MCP_SERVER_NOT_FOUND"] == rest
