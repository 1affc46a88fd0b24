"""What a call of a tool answers, in the shape of `tools/call`."""

from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from tests.catalog.builders import our_knowledge
from tests.tools.strategies import steady

from toolweave.catalog.tool_definitions import listed
from toolweave.catalog.tool_service import ToolService
from toolweave.json_text import Json, JsonObject, read

TOOLBOX = ToolService(our_knowledge)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=10), below, max_size=3)
    ),
    max_leaves=8,
)
ARGUMENTS = ("type_filter", "nodes", "query", "after", "tag", "limit", "max_tokens")


def text_of(answer: JsonObject) -> str:
    (block,) = cast("list[JsonObject]", answer["content"])
    assert block["type"] == "text"
    return cast("str", block["text"])


def test_it_lists_what_it_knows() -> None:
    assert TOOLBOX.definitions == listed()
    assert TOOLBOX.knows("search_nodes")
    assert not TOOLBOX.knows("search_node")
    assert TOOLBOX.did_you_mean("search_node") == "did you mean 'search_nodes'?"
    assert (
        TOOLBOX.did_you_mean("elephant")
        == "there are get_node_types, get_node_details, search_nodes"
    )


def test_an_answer_is_given_as_data_and_as_the_same_in_text() -> None:
    answer = TOOLBOX.call("get_node_types", {"type_filter": "FLOW"})
    assert not answer["isError"]
    assert answer["structuredContent"] == our_knowledge().node_types("FLOW")
    assert read(text_of(answer)) == answer["structuredContent"]


def test_a_refusal_lists_every_problem_with_its_place_and_what_to_do() -> None:
    answer = TOOLBOX.call("get_node_details", {"nodes": [{"node_type": 1}], "what": 2})
    assert answer["isError"]
    shown = cast("JsonObject", answer["structuredContent"])
    problems = cast("list[JsonObject]", shown["problems"])
    assert {str(problem["pointer"]) for problem in problems} >= {"/nodes/0/node_type", "/what"}
    lines = text_of(answer).split("\n")
    assert lines[0] == "The arguments of get_node_details are wrong."
    assert len(lines) == 1 + len(problems)
    assert any("/nodes/0/node_type" in line and "[MCP_" in line for line in lines)


def test_an_unknown_type_or_node_is_a_refusal_too() -> None:
    by_type = TOOLBOX.call("get_node_types", {"type_filter": "ELEPHANT"})
    assert by_type["isError"]
    assert "there is no node type 'ELEPHANT'" in text_of(by_type)
    assert "(it is one of TRIGGER" in text_of(by_type)
    after: JsonObject = {"node_type": "ELEPHANT", "subtype": "TRUNK"}
    assert TOOLBOX.call("search_nodes", {"query": "", "after": after})["isError"]


def test_the_knowledge_of_the_moment_is_asked() -> None:
    asked: list[str] = []

    def now() -> object:
        asked.append("now")
        return our_knowledge()

    toolbox = ToolService(now)  # type: ignore[arg-type]
    toolbox.call("get_node_types", {})
    toolbox.call("get_node_types", {})
    assert asked == ["now", "now"]


@steady(300)
@given(
    st.sampled_from(["get_node_types", "get_node_details", "search_nodes"]),
    st.dictionaries(st.sampled_from(ARGUMENTS), json_values, max_size=4),
)
def test_any_arguments_get_an_answer(name: str, arguments: dict[str, Json]) -> None:
    answer = TOOLBOX.call(name, arguments)
    assert isinstance(answer["isError"], bool)
    assert text_of(answer)
