"""Which nodes can follow a node, and why."""

import re

import pytest
from tests.catalog.builders import (
    a_live_tool,
    a_spec,
    entries,
    live_catalog,
    live_knowledge,
    our_catalog,
    our_knowledge,
    our_spec,
    refs,
)

from toolweave.catalog.live import spec_of
from toolweave.catalog.spec import Field, FieldType, NodeSpec
from toolweave.catalog.successors import followers, is_mistake
from toolweave.errors import Invalid

HUMAN = [spec for spec in our_catalog() if spec.type == "HUMAN_IN_THE_LOOP"]


def gives(kind: FieldType, name: str = "thing") -> NodeSpec:
    return a_spec("GIVER", outputs=(Field(name, kind, "It."),))


def takes(kind: FieldType, name: str = "wanted") -> NodeSpec:
    return a_spec("TAKER", inputs=(Field(name, kind, "It.", required=True),))


@pytest.mark.parametrize("human", HUMAN, ids=lambda spec: spec.ref)
def test_neither_a_condition_nor_a_model_follows_a_person(human: NodeSpec) -> None:
    found = {one.spec.ref for one in followers(our_catalog(), human, limit=100)}
    assert "FLOW.IF" not in found
    assert not any(ref.startswith("AI_AGENT.") for ref in found)
    assert {"EXTERNAL_ACTION.SLACK", "FLOW.DELAY"} <= found
    assert is_mistake(human, our_spec("FLOW.IF"))
    assert not is_mistake(our_spec("TRIGGER.CRON"), our_spec("FLOW.IF"))


def test_nothing_follows_a_node_without_outputs_and_no_trigger_follows_anything() -> None:
    assert followers(our_catalog(), a_spec(output_ports=()), limit=100) == []
    for spec in our_catalog():
        found = followers(our_catalog(), spec, limit=100)
        assert not any(one.spec.type == "TRIGGER" for one in found)


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        ("array", "array", True),
        ("integer", "float", True),
        ("float", "integer", True),
        ("any", "array", True),
        ("string", "any", True),
        ("string", "array", False),
        ("object", "integer", False),
        # What a node gave as a whole is an object, and any value can be put into a text.
        ("string", "object", True),
        ("array", "string", True),
    ],
)
def test_what_is_required_must_be_fed_by_something_of_its_type(
    given: FieldType, wanted: FieldType, fits: bool
) -> None:
    assert bool(followers([takes(wanted)], gives(given), limit=1)) == fits


def test_what_has_a_default_or_is_optional_need_not_be_fed() -> None:
    optional = a_spec(inputs=(Field("items", "array", "It."),))
    filled = a_spec(inputs=(Field("items", "array", "It.", [], required=True),))
    assert followers([filled], gives("boolean"), limit=1)
    (only,) = followers([optional], gives("boolean"), limit=1)
    assert only.because(gives("boolean")) == "needs no input"


def test_a_field_of_the_same_name_fits_best_and_one_that_shares_a_word_next() -> None:
    before = gives("string", "message_text")
    same = a_spec("SAME", inputs=(Field("message_text", "string", "It."),))
    alike = a_spec("ALIKE", inputs=(Field("message", "string", "It."),))
    typed = a_spec("TYPED", inputs=(Field("body", "string", "It."),))
    other = a_spec("OTHER", inputs=(Field("count", "integer", "It."),))
    found = followers([other, typed, alike, same], before, limit=10)
    assert [one.spec.subtype for one in found] == ["SAME", "ALIKE", "TYPED", "OTHER"]
    assert found[0].because(before) == "GIVER.message_text → SAME.message_text"


def _is_true(because: str, before: NodeSpec, after: NodeSpec) -> bool:
    """Whether a reason holds for these two nodes."""
    outputs = {one.name: one for one in before.outputs}
    inputs = {one.name: one for one in after.inputs}
    if because == "needs no input":
        return all(not one.required or one.default is not None for one in after.inputs)
    numbers = {"integer", "float"}
    if found := re.fullmatch(r"(\S+)\.(\w+) → (\S+)\.(\w+)", because):
        given, wanted = outputs[found[2]], inputs[found[4]]
        shared = set(found[2].split("_")) & set(found[4].split("_"))
    elif found := re.fullmatch(r"(\S+)\.(\w+) takes the type of (\S+)\.(\w+)", because):
        given, wanted, shared = outputs[found[4]], inputs[found[2]], {"type"}
    else:
        found = re.fullmatch(r"(\S+)\.(\w+) takes all that (\S+) gives", because)
        return found is not None and inputs[found[2]].type in {"object", "any", "string"}
    types = {given.type, wanted.type}
    return bool(shared) and (len(types) == 1 or "any" in types or types <= numbers)


def test_every_reason_why_a_node_can_follow_is_true() -> None:
    reasons = 0
    for before in our_catalog():
        for one in followers(our_catalog(), before, limit=100):
            assert _is_true(one.because(before), before, one.spec), (before.ref, one.spec.ref)
            reasons += 1
    assert reasons > 1_000
    assert not _is_true("needs no input", gives("string"), takes("string"))


def test_names_that_many_nodes_carry_along_say_nothing() -> None:
    before = a_spec("B", outputs=(Field("metadata", "object", "M."), Field("x", "string", "X.")))
    carried = a_spec("CARRIED", inputs=(Field("metadata", "object", "M."),))
    real = a_spec("REAL", inputs=(Field("y", "string", "Y."),))
    assert [one.spec.subtype for one in followers([carried, real], before, limit=2)] == [
        "REAL",
        "CARRIED",
    ]


def test_between_equals_our_own_nodes_come_first() -> None:
    live = spec_of(a_live_tool(inputSchema={"type": "object"}))
    found = followers([live, a_spec("ZZZ")], gives("string"), limit=2)
    assert [one.spec.type for one in found] == ["FLOW", "TOOL"]


def test_a_search_can_be_narrowed_to_what_follows_a_node() -> None:
    knowledge = our_knowledge()
    answer = knowledge.search("", after=("TRIGGER", "GITHUB"), limit=100)
    assert answer["after"] == "TRIGGER.GITHUB"
    assert "FLOW.SORT" not in refs(answer)
    assert all("because" in one for one in entries(answer, "results"))
    with_words = knowledge.search("approval", after=("HIL", "SLACK_INTERACTION"), limit=100)
    assert with_words["after"] == "HUMAN_IN_THE_LOOP.SLACK_INTERACTION"
    assert "Auto-corrected" in str(with_words["warning"])
    assert "FLOW.IF" not in refs(with_words)
    assert refs(with_words)[0].startswith("HUMAN_IN_THE_LOOP.")
    assert len(entries(knowledge.search("message", after=("FLOW", "IF"), limit=2), "results")) == 2


def test_live_tools_follow_and_are_followed_like_nodes() -> None:
    knowledge = live_knowledge()
    found = knowledge.search("", after=("TOOL", "MCP:fetch/fetch"), type_filter="AI_AGENT")
    assert len(entries(found, "results")) == 6
    tools = knowledge.search("", after=("TRIGGER", "WEBHOOK"), type_filter="TOOL", limit=100)
    assert any("MCP:" in ref for ref in refs(tools))
    assert len(live_catalog()) > 400


def test_an_unknown_node_to_follow_is_refused_with_a_hint() -> None:
    with pytest.raises(Invalid) as caught:
        our_knowledge().search("x", after=("FLOW", "SLACK"))
    assert caught.value.code == "NODE_UNKNOWN"
    (problem,) = caught.value.problems
    assert problem.pointer == "/after"
    assert "'EXTERNAL_ACTION.SLACK'" in problem.hint
