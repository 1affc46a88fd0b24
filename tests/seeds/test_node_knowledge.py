"""The knowledge of nodes over REST and on the command line: types, details, search and cost."""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from anyio import to_thread
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.nodes.catalog_table import TABLE

from mcp_server.approving import approve, ground_of
from rest.conftest import house
from rest.drawn import drawn
from rest.house import House

__all__ = ["house", "tw"]

pytestmark = pytest.mark.anyio

# Any: answers as plain JSON.
Details = dict[str, Any]
LATER = {"MEMORY.DOCUMENT_STORE", "MEMORY.EPISODIC_MEMORY", "MEMORY.GRAPH_MEMORY"}
REPLIES = ["confirmed", "rejected", "unrelated", "timeout"]
TYPES = (
    *("TRIGGER", "AI_AGENT", "ACTION", "EXTERNAL_ACTION", "FLOW"),
    *("HUMAN_IN_THE_LOOP", "TOOL", "MEMORY"),
)
ALWAYS = {"timeout", "retry_attempts", "enabled"}
SECRET = re.compile(r"(sk-|xox[abp]-|gh[ps]_|ya29\.|AKIA|eyJ)[A-Za-z0-9_-]{12,}")
VAULT = re.compile(r".*\$\{vault:[^}]+\}.*")


async def asked(house: House, tool: str, **arguments: Any) -> Any:
    answer = await house.invoke(tool, arguments, await house.key("tools:execute"))
    result = answer.json()["result"]
    assert not result["isError"], result
    return result["structuredContent"]


async def details(house: House, *refs: str, **more: Any) -> list[Details]:
    nodes = [dict(zip(("node_type", "subtype"), ref.split(".", 1), strict=True)) for ref in refs]
    return (await asked(house, "get_node_details", nodes=nodes, **more))["nodes"]


@pytest.fixture(scope="module")
async def served(house: House) -> dict[str, Details]:
    """Every node that is listed, as it is described."""
    types = await asked(house, "get_node_types")
    refs = [f"{kind}.{subtype}" for kind, subtypes in types.items() for subtype in subtypes]
    found = [
        one
        for at in range(0, len(refs), 10)
        for one in await details(house, *refs[at : at + 10], max_tokens=100_000)
    ]
    return dict(zip(refs, found, strict=True))


@pytest.mark.requirement(
    "004:spec.TRIGGER.MANUAL",
    "004:spec.TRIGGER.WEBHOOK",
    "004:spec.TRIGGER.CRON",
    "004:spec.TRIGGER.GITHUB",
    "004:spec.TRIGGER.SLACK",
    "004:spec.TRIGGER.EMAIL",
    "004:spec.AI_AGENT.OPENAI_CHATGPT",
    "004:spec.AI_AGENT.ANTHROPIC_CLAUDE",
    "004:spec.AI_AGENT.GOOGLE_GEMINI",
    "004:spec.EXTERNAL_ACTION.SLACK",
    "004:spec.EXTERNAL_ACTION.GITHUB",
    "004:spec.EXTERNAL_ACTION.NOTION",
    "004:spec.EXTERNAL_ACTION.GOOGLE_CALENDAR",
    "004:spec.EXTERNAL_ACTION.FIRECRAWL",
    "004:spec.EXTERNAL_ACTION.DISCORD_ACTION",
    "004:spec.EXTERNAL_ACTION.TELEGRAM_ACTION",
    "004:spec.ACTION.HTTP_REQUEST",
    "004:spec.ACTION.DATA_TRANSFORMATION",
    "004:spec.FLOW.IF",
    "004:spec.FLOW.LOOP",
    "004:spec.FLOW.MERGE",
    "004:spec.FLOW.FILTER",
    "004:spec.FLOW.SORT",
    "004:spec.FLOW.WAIT",
    "004:spec.FLOW.DELAY",
    "004:spec.HUMAN_IN_THE_LOOP.SLACK_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.GMAIL_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.DISCORD_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION",
    "004:spec.HUMAN_IN_THE_LOOP.MANUAL_REVIEW",
    "004:spec.TOOL.NOTION_MCP_TOOL",
    "004:spec.TOOL.GOOGLE_CALENDAR_MCP_TOOL",
    "004:spec.TOOL.SLACK_MCP_TOOL",
    "004:spec.TOOL.FIRECRAWL_MCP_TOOL",
    "004:spec.TOOL.DISCORD_MCP_TOOL",
    "004:spec.MEMORY.VECTOR_DATABASE",
    "004:spec.MEMORY.CONVERSATION_BUFFER",
    "004:spec.MEMORY.KEY_VALUE_STORE",
)
@pytest.mark.parametrize("ref", [ref for ref in TABLE if ref not in LATER])
async def test_a_node_of_the_seed_has_its_fields_and_requires_what_it_says(
    served: dict[str, Details], ref: str
) -> None:
    row, given = TABLE[ref], served[ref]
    sections = {
        "configurations": {
            name: one for name, one in given["configurations"].items() if name not in ALWAYS
        },
        "inputs": given["input_params_schema"],
        "outputs": given["output_params_schema"],
    }
    assert {name: list(fields) for name, fields in sections.items()} == {
        name: row[name] for name in sections
    }
    required = [
        f"{section}.{name}"
        for section, fields in sections.items()
        for name, one in fields.items()
        if one.get("required")
    ]
    assert sorted(required) == sorted(row["required"])
    assert given["configurations"].keys() >= ALWAYS


@pytest.mark.requirement(
    "004:registry.types",
    "004:registry.get",
    "004:registry.all",
    "004:registry.count",
    "004:NodeDetails.node_type",
    "004:NodeDetails.subtype",
    "004:NodeDetails.version",
    "004:NodeDetails.description",
    "004:NodeDetails.tags",
    "004:NodeDetails.examples",
    "004:NodeDetails.attached_nodes",
)
async def test_each_node_of_the_eight_types_is_described(
    house: House, tw: Commands, served: dict[str, Details]
) -> None:
    assert len(served) >= 50
    # Ours beyond the seed come last.
    assert tuple(await asked(house, "get_node_types")) == (*TYPES, "MCP")
    for ref, given in served.items():
        assert f"{given['node_type']}.{given['subtype']}" == ref
        assert "warning" not in given
        assert re.fullmatch(r"\d+\.\d+\.\d+", given["version"])
        assert re.fullmatch(r"[A-Z].{9,}\.", given["description"])
        assert given["tags"]
        assert given["examples"]
        assert ("attached_nodes" in given) == ref.startswith("AI_AGENT.")
    refs = ("MEMORY.ENTITY", "FLOW.SWITCH")
    shown = await to_thread.run_sync(lambda: tw.ok("catalog", "show", *refs, "--json").json)
    assert shown == [served[ref] for ref in refs]


@pytest.mark.requirement(
    "004:NodeDetails.parameters",
    "004:NodeDetails.configurations",
    "004:NodeDetails.input_params_schema",
    "004:NodeDetails.output_params_schema",
    "004:NodeDetails.default_configurations",
    "004:NodeDetails.default_input_params",
    "004:NodeDetails.default_output_params",
    "004:registry.legacy-format",
    "004:registry.modern-format",
    "004:registry.one-answer",
)
async def test_fields_are_described_in_both_forms_which_agree(served: dict[str, Details]) -> None:
    seen: set[str] = set()
    for given in served.values():
        fields = given["configurations"]
        older = [
            {
                "name": name,
                "type": one["type"],
                "required": one["required"],
                "default_value": one.get("default"),
                "description": one["description"],
                **({"enum_values": one["options"]} if "options" in one else {}),
                **{key: one[key] for key in ("validation_pattern",) if key in one},
            }
            for name, one in fields.items()
        ]
        assert given["parameters"] == older
        defaults = {name: one["default"] for name, one in fields.items() if "default" in one}
        assert given["default_configurations"].items() >= defaults.items()
        for one in fields.values():
            assert one.get("enum_values") == one.get("options")
            seen |= one.keys()
        for name, one in given["input_params_schema"].items():
            assert one.keys() >= {"type", "description", "required"}
            assert name in given["default_input_params"]
        for one in given["output_params_schema"].values():
            assert one.keys() >= {"type", "description"}
        assert given["default_output_params"].keys() == given["output_params_schema"].keys()
    wanted = {"type", "default", "description", "required", "min", "max", "options"}
    assert seen >= wanted | {"enum_values", "validation_pattern"}


@pytest.mark.requirement("004:NodeDetails.sample")
async def test_the_fields_of_the_seeds_sample_are_known_by_its_names(
    served: dict[str, Details],
) -> None:
    given = served["AI_AGENT.OPENAI_CHATGPT"]
    names: set[str] = set()
    for section in ("configurations", "input_params_schema", "output_params_schema"):
        for name, one in given[section].items():
            names |= {name, *one.get("aliases", ())}
    assert names >= {"model_version", "temperature", "system_prompt", "user_input", "output"}
    assert given["configurations"]["temperature"]["max"] == 2


@pytest.mark.requirement(
    "004:NodeDetails.input_ports", "004:NodeDetails.output_ports", "004:hil.ports"
)
async def test_ports_are_described_and_a_question_has_four_ways_out(
    served: dict[str, Details],
) -> None:
    keys = {"name", "type", "required", "description", "max_connections"}
    for ref, given in served.items():
        ports = [*given["input_ports"], *given["output_ports"]]
        assert all(port.keys() >= keys for port in ports)
        assert bool(given["input_ports"]) == (given["node_type"] != "TRIGGER")
        if ref.endswith(("_INTERACTION", "MANUAL_REVIEW")):
            assert [port["name"] for port in given["output_ports"]] == REPLIES
            reply = given["output_params_schema"]["ai_classification"]
            assert reply["options"] == REPLIES


@pytest.mark.requirement("004:security.no-secrets-in-specs")
async def test_no_description_of_a_node_holds_a_secret(served: dict[str, Details]) -> None:
    secrets = 0
    for given in served.values():
        assert not SECRET.search(str(given))
        for example in given["examples"]:
            for name, value in example["configurations"].items():
                if given["configurations"][name].get("sensitive") and isinstance(value, str):
                    assert VAULT.fullmatch(value), (given["subtype"], name)
                    secrets += 1
    assert secrets > 10


@pytest.mark.requirement(
    "004:tool.get_node_details",
    "004:tool.get_node_details.batch",
    "004:tool.get_node_details.unknown",
    "004:tool.get_node_details.degrades",
    "004:NodeDetails.warning",
    "004:NodeDetails.error",
)
async def test_a_batch_comes_in_order_and_what_is_unknown_spoils_nothing(house: House) -> None:
    refs = ("FLOW_NODE.SORT", "GIRAFFE.NECK", "MEMORY.ELEPHANT", "TRIGGER.CRON", "FLOW.DELAY")
    sort, giraffe, elephant, *rest = await details(house, *refs)
    assert (sort["node_type"], sort["subtype"]) == ("FLOW", "SORT")
    assert sort["warning"] == (
        "Auto-corrected: 'FLOW_NODE' → 'FLOW'. Please use correct format without '_NODE' suffix."
    )
    assert giraffe["error"] == "Node type not found: 'GIRAFFE.NECK'"
    assert giraffe["hint"]
    assert elephant["error"] == "Node subtype not found: 'MEMORY.ELEPHANT'"
    assert "KEY_VALUE_STORE" in elephant["available_subtypes"]
    assert [one["subtype"] for one in rest] == ["CRON", "DELAY"]
    assert not any({"error", "warning"} & one.keys() for one in rest)


@pytest.mark.requirement(
    "004:tool.get_node_details.include_examples", "004:tool.get_node_details.include_schemas"
)
async def test_examples_and_schemas_are_left_out_only_if_that_is_said(house: House) -> None:
    schemas = {"input_params_schema", "output_params_schema"}
    [usual] = await details(house, "FLOW.MERGE")
    assert usual.keys() >= {"examples", *schemas}
    [brief] = await details(house, "FLOW.MERGE", include_examples=False)
    assert "examples" not in brief
    assert brief.keys() >= schemas
    [bare] = await details(house, "FLOW.MERGE", include_schemas=False)
    assert "examples" in bare
    assert not schemas & bare.keys()


@pytest.mark.requirement("004:tool.get_node_types.type_filter")
@pytest.mark.parametrize("written", ["MEMORY", "memory_node", "Memory"])
async def test_a_filter_leaves_one_type(house: House, tw: Commands, written: str) -> None:
    found = await asked(house, "get_node_types", type_filter=written)
    assert found.keys() - {"warning"} == {"MEMORY"}
    assert "VECTOR_DATABASE" in found["MEMORY"]
    command = ("catalog", "types", "--type", written, "--json")
    listed = await to_thread.run_sync(lambda: tw.ok(*command).json)
    assert listed == {"MEMORY": found["MEMORY"]}


@pytest.mark.requirement("004:tool.search_nodes")
@pytest.mark.parametrize(
    ("query", "ref"),
    [
        ("put a list in order", "FLOW.SORT"),
        ("attachment_types", "TRIGGER.EMAIL"),
        ("unrelated reply", "HUMAN_IN_THE_LOOP."),
    ],
)
async def test_a_search_finds_words_of_texts_parameters_and_ports(
    house: House, tw: Commands, query: str, ref: str
) -> None:
    found = (await asked(house, "search_nodes", query=query, limit=5))["results"]
    assert f"{found[0]['node_type']}.{found[0]['subtype']}".startswith(ref)
    command = ("catalog", "search", query, "--limit", "5", "--json")
    assert await to_thread.run_sync(lambda: tw.ok(*command).json) == found


@pytest.mark.requirement("004:future.semantic-search")
@pytest.mark.parametrize(
    ("query", "ref"),
    [
        ("every weekday morning", "TRIGGER.CRON"),
        ("let my boss decide before it goes out", "HUMAN_IN_THE_LOOP."),
        ("put the newest first", "FLOW.SORT"),
        ("take only the cheap ones", "FLOW.FILTER"),
        ("jede Nacht um drei", "TRIGGER.CRON"),
        ("download a web page", "ACTION.HTTP_REQUEST"),
    ],
)
async def test_a_search_finds_what_is_meant_in_other_words(
    house: House, query: str, ref: str
) -> None:
    found = (await asked(house, "search_nodes", query=query, limit=5))["results"]
    refs = [f"{one['node_type']}.{one['subtype']}" for one in found]
    assert any(one.startswith(ref) for one in refs), refs


@pytest.mark.requirement("004:future.compatibility")
async def test_it_can_be_asked_what_fits_after_a_node(house: House) -> None:
    review = {"node_type": "HUMAN_IN_THE_LOOP", "subtype": "GMAIL_INTERACTION"}
    found = (await asked(house, "search_nodes", query="", after=review, limit=100))["results"]
    refs = {f"{one['node_type']}.{one['subtype']}" for one in found}
    assert {"EXTERNAL_ACTION.NOTION", "FLOW.WAIT"} <= refs
    assert not {ref for ref in refs if ref == "FLOW.IF" or ref.startswith(("AI_", "TRIGGER."))}


@pytest.mark.requirement("004:example-by-type")
async def test_a_node_without_examples_gets_one_by_the_types_of_its_fields(tw: Commands) -> None:
    fields: dict[str, Any] = {
        "count": {"type": "integer"},
        "deep": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
    }
    schema = {"type": "object", "properties": fields, "required": ["count", "deep", "names"]}
    tool = {"name": "count_up", "description": "Counts up.", "inputSchema": schema}
    async with ground_of(tw.state) as home:
        await approve(home, "abacus", tool)
    command = ("catalog", "show", "TOOL.MCP:abacus/count_up", "--json")
    [given] = await to_thread.run_sync(lambda: tw.ok(*command).json)
    [example] = given["examples"]
    filled = example["input_params"]
    assert filled.keys() == {"count", "deep", "names"}
    assert [type(filled[name]) for name in ("count", "deep", "names")] == [int, bool, list]


@pytest.mark.requirement("004:registry.in-memory")
async def test_nodes_are_described_without_a_database(tw: Commands) -> None:
    await to_thread.run_sync(lambda: _described_without_a_database(tw))


def _described_without_a_database(tw: Commands) -> None:
    whole = tw.ok("catalog", "show", "FLOW.LOOP", "--json").json
    (tw.state / "toolweave.db").write_bytes(b"no database" * 100)
    assert tw("catalog", "stats").code == 1
    assert tw.ok("catalog", "show", "FLOW.LOOP", "--json").json == whole
    assert len(tw.ok("catalog", "types", "--json").json) == len(TYPES) + 1


@pytest.mark.requirement("004:hil.anti-pattern")
@pytest.mark.parametrize(
    ("kind", "subtype", "is_mistake"),
    [("FLOW", "IF", True), ("AI_AGENT", "GOOGLE_GEMINI", True), ("FLOW", "DELAY", False)],
)
async def test_a_reply_that_is_read_twice_is_pointed_out(
    house: House, kind: str, subtype: str, is_mistake: bool
) -> None:
    ask = {"id": "ask", "type": "HUMAN_IN_THE_LOOP", "name": "ask"}
    after = {"id": "x", "type": kind, "name": "x", "data": {"subtype": subtype}}
    document = drawn("twice", {**ask, "data": {"subtype": "DISCORD_INTERACTION"}}, after)
    document["connections"][1]["fromPort"] = "confirmed"
    answer = await house.client.post(
        "/api/v1/edit/validate", json={"document": document}, headers=await house.key()
    )
    found = [one["code"] for one in answer.json()["problems"]]
    assert ("HIL_ANALYSED_TWICE" in found) == is_mistake


async def fastest_ms(work: Callable[[], Awaitable[object]]) -> float:
    """The processor's time of the fastest of some requests: other work only adds to it."""
    best = float("inf")
    for _ in range(12):
        started = time.thread_time()
        await work()
        best = min(best, time.thread_time() - started)
    return best * 1000


@pytest.mark.requirement("004:performance.list", "004:performance.one", "004:performance.ten")
async def test_lists_and_details_take_a_few_milliseconds(
    house: House, served: dict[str, Details]
) -> None:
    key = await house.key("tools:read", "tools:execute")
    refs = [ref for ref in served if ref in TABLE][:10]

    async def invoke(count: int) -> None:
        nodes = [dict(zip(("node_type", "subtype"), ref.split(".", 1), strict=True))
                 for ref in refs[:count]]  # fmt: skip
        answer = await house.invoke("get_node_details", {"nodes": nodes}, key)
        assert len(answer.json()["result"]["structuredContent"]["nodes"]) == count

    assert await fastest_ms(lambda: house.client.get("/api/v1/mcp/tools", headers=key)) < 10
    # The whole request, the answer read by the client included.
    assert await fastest_ms(lambda: invoke(1)) < 5 + 5
    assert await fastest_ms(lambda: invoke(10)) < 30
