"""Names as people and models write them: which node they mean, and when none is taken."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.catalog.builders import a_live_tool, a_spec, live_catalog, our_catalog
from tests.tools.builders import corpus
from tests.tools.strategies import steady

from toolweave.catalog.corrections import CorrectedName, UnknownName, correct, correct_type
from toolweave.catalog.index import Catalog
from toolweave.catalog.live import specs_of

MEANT = [
    # case, spaces, hyphens, dots, camel case
    ("flow", "if", "FLOW.IF"),
    ("  Flow ", " If\t", "FLOW.IF"),
    ("ai-agent", "openai-chatgpt", "AI_AGENT.OPENAI_CHATGPT"),
    ("AI AGENT", "Anthropic Claude", "AI_AGENT.ANTHROPIC_CLAUDE"),
    ("aiAgent", "googleGemini", "AI_AGENT.GOOGLE_GEMINI"),
    ("Action", "HttpRequest", "ACTION.HTTP_REQUEST"),
    ("ACTION", "HTTPRequest", "ACTION.HTTP_REQUEST"),
    ("human.in.the.loop", "slack.interaction", "HUMAN_IN_THE_LOOP.SLACK_INTERACTION"),
    # `_NODE`, on either name
    ("ACTION_NODE", "HTTP_REQUEST", "ACTION.HTTP_REQUEST"),
    ("FLOW", "IF_NODE", "FLOW.IF"),
    ("AI_AGENT_NODE", "OPENAI_CHATGPT_NODE", "AI_AGENT.OPENAI_CHATGPT"),
    # the type in the subtype, the subtype in the type, both in one
    ("TRIGGER", "TRIGGER_MANUAL", "TRIGGER.MANUAL"),
    ("TRIGGER", "MANUAL_TRIGGER", "TRIGGER.MANUAL"),
    ("TRIGGER_MANUAL", "MANUAL", "TRIGGER.MANUAL"),
    ("TRIGGER_MANUAL", "", "TRIGGER.MANUAL"),
    ("FLOW", "FLOW.IF", "FLOW.IF"),
    ("FLOW.IF", "IF", "FLOW.IF"),
    ("FLOW.IF", "FLOW.IF", "FLOW.IF"),
    ("", "FLOW.IF", "FLOW.IF"),
    ("NODE", "FLOW_IF", "FLOW.IF"),
    ("ACTION", "EXTERNAL_ACTION.SLACK", "EXTERNAL_ACTION.SLACK"),
    # swapped
    ("MANUAL", "TRIGGER", "TRIGGER.MANUAL"),
    ("HTTP_REQUEST", "ACTION_NODE", "ACTION.HTTP_REQUEST"),
    ("slack", "trigger", "TRIGGER.SLACK"),
    # short names of types
    ("HIL", "MANUAL_REVIEW", "HUMAN_IN_THE_LOOP.MANUAL_REVIEW"),
    ("HITL", "GMAIL_INTERACTION", "HUMAN_IN_THE_LOOP.GMAIL_INTERACTION"),
    ("HUMAN_IN_LOOP", "MANUAL_REVIEW", "HUMAN_IN_THE_LOOP.MANUAL_REVIEW"),
    ("EXT", "NOTION", "EXTERNAL_ACTION.NOTION"),
    ("LLM", "ANTHROPIC_CLAUDE", "AI_AGENT.ANTHROPIC_CLAUDE"),
    ("MCP", "SLACK_MCP_TOOL", "TOOL.SLACK_MCP_TOOL"),
    # words that say nothing within a type
    ("EXTERNAL_ACTION", "DISCORD", "EXTERNAL_ACTION.DISCORD_ACTION"),
    ("EXTERNAL_ACTION", "SLACK_ACTION", "EXTERNAL_ACTION.SLACK"),
    ("HIL", "SLACK", "HUMAN_IN_THE_LOOP.SLACK_INTERACTION"),
    ("TOOL", "SLACK", "TOOL.SLACK_MCP_TOOL"),
    ("TOOL", "NOTION_TOOL", "TOOL.NOTION_MCP_TOOL"),
    # a word more or less
    ("AI_AGENT", "OPENAI", "AI_AGENT.OPENAI_CHATGPT"),
    ("MEMORY", "VECTOR", "MEMORY.VECTOR_DATABASE"),
    ("FLOW", "IF_ELSE", "FLOW.IF"),
    ("FLOW", "FOR_LOOP", "FLOW.LOOP"),
    ("TRIGGER", "GITHUB_PUSH", "TRIGGER.GITHUB"),
    ("EXTERNAL_ACTION", "TELEGRAM_SEND_MESSAGE", "EXTERNAL_ACTION.TELEGRAM_ACTION"),
    # misspelt
    ("FLOW", "WAITT", "FLOW.WAIT"),
    ("FLOW", "MREGE", "FLOW.MERGE"),
    ("FLOW", "OSRT", "FLOW.SORT"),
    ("FLOW", "IFF", "FLOW.IF"),
    ("TRIGER", "WEBHOK", "TRIGGER.WEBHOOK"),
    ("MEMROY", "VECTR_DATABSE", "MEMORY.VECTOR_DATABASE"),
    ("AI_AGNET", "ANTROPIC_CLAUDE", "AI_AGENT.ANTHROPIC_CLAUDE"),
    ("ACTIONS", "HTTP_REQUESTS", "ACTION.HTTP_REQUEST"),
    ("AI_AGENT", "ANTROPICCLAUDE", "AI_AGENT.ANTHROPIC_CLAUDE"),
    # another type, where the subtype is unmistakable and the role the same
    ("ACTION", "SLACK", "EXTERNAL_ACTION.SLACK"),
    ("EXTERNAL_ACTION", "HTTP_REQUEST", "ACTION.HTTP_REQUEST"),
    ("ACTION", "IF", "FLOW.IF"),
    ("EXTERNAL_ACTION", "SLACK_INTERACTION", "HUMAN_IN_THE_LOOP.SLACK_INTERACTION"),
    ("SOMETHING", "HTTP_REQUEST", "ACTION.HTTP_REQUEST"),
    # letters of other scripts that look the same, full width, invisible ones
    ("FL\u041eW", "\u0406F", "FLOW.IF"),
    ("\u0391CTION", "HTTP_R\u0415QUEST", "ACTION.HTTP_REQUEST"),
    ("\uff26\uff2c\uff2f\uff37", "\uff49\uff46", "FLOW.IF"),
    ("FL\u200bOW", "I\u200dF", "FLOW.IF"),
]
NOT_MEANT = [
    # two nodes could be meant: what both hints name
    ("FLOW", "SLACK", {"TRIGGER.SLACK", "EXTERNAL_ACTION.SLACK"}),
    ("INTEGRATION", "SLACK", {"TRIGGER.SLACK", "EXTERNAL_ACTION.SLACK"}),
    ("HIL", "EMAIL_INTERACTION", {"HUMAN_IN_THE_LOOP.GMAIL_INTERACTION"}),
    ("HIL", "EMAIL", {"HUMAN_IN_THE_LOOP.GMAIL_INTERACTION", "EXTERNAL_ACTION.EMAIL"}),
    ("MEMORY", "VECTOR_STORE", {"MEMORY.VECTOR_DATABASE", "MEMORY.KEY_VALUE_STORE"}),
    ("FLOW", "DELAY_UNTIL", {"FLOW.DELAY", "FLOW.WAIT"}),
    ("FLOW", "MERGE_SORT", {"FLOW.MERGE", "FLOW.SORT"}),
    ("FLOW.IF", "LOOP", {"FLOW.IF", "FLOW.LOOP"}),
    ("ACTION", "TRIGGER.SLACK", {"EXTERNAL_ACTION.SLACK"}),
    # a trigger is no action
    ("TRIGGER", "HTTP_REQUEST", {"ACTION.HTTP_REQUEST", "TRIGGER.WEBHOOK"}),
    ("ACTION", "CRON", {"TRIGGER.CRON"}),
    ("TRIGGER", "MANUAL_REVIEW", {"HUMAN_IN_THE_LOOP.MANUAL_REVIEW", "TRIGGER.MANUAL"}),
    # another product, not another spelling
    ("TRIGGER", "GITLAB", {"TRIGGER.GITHUB"}),
    ("TOOL", "MOTION_MCP_TOOL", {"TOOL.NOTION_MCP_TOOL"}),
    ("EXTERNAL_ACTION", "GOOGLE_DRIVE", {"EXTERNAL_ACTION.GOOGLE_CALENDAR"}),
    ("TRIGGER", "SCHEDULE", {"TRIGGER.CRON"}),
    # nothing at all
    ("FLOW", "TELEPORT", set[str]()),
    ("FLOW", "FLOW", set[str]()),
    ("FLOW", "", set[str]()),
    ("", "", set[str]()),
    ("???", "\u4f60\u597d", set[str]()),
]


@pytest.mark.parametrize(("node_type", "subtype", "ref"), MEANT)
def test_a_name_that_can_mean_one_node_only_is_taken_for_it_with_a_warning(
    node_type: str, subtype: str, ref: str
) -> None:
    found = correct(our_catalog(), node_type, subtype)
    assert isinstance(found, CorrectedName)
    assert found.spec.ref == ref
    assert found.warning is not None
    assert found.warning.startswith("Auto-corrected: ")
    assert ref in found.warning or "_NODE" in found.warning


@pytest.mark.parametrize(("node_type", "subtype", "named"), NOT_MEANT)
def test_where_two_could_be_meant_none_is_taken_and_the_hint_names_them(
    node_type: str, subtype: str, named: set[str]
) -> None:
    found = correct(our_catalog(), node_type, subtype)
    assert isinstance(found, UnknownName)
    assert {ref for ref in named if repr(ref) in found.hint} == named
    assert ("did you mean" in found.hint) == bool(named)


@pytest.mark.parametrize("node_type", ["ACTION", "FLOW", "HUMAN_IN_THE_LOOP"])
def test_the_suffix_of_the_seed_gets_its_very_words(node_type: str) -> None:
    subtype = our_catalog().types()[node_type][0]
    found = correct(our_catalog(), f"{node_type}_NODE", subtype)
    assert isinstance(found, CorrectedName)
    assert found.warning == (
        f"Auto-corrected: '{node_type}_NODE' → '{node_type}'. "
        "Please use correct format without '_NODE' suffix."
    )


def test_an_exact_name_has_no_warning() -> None:
    for spec in live_catalog():
        assert correct(live_catalog(), spec.type, spec.subtype) == CorrectedName(spec)


def test_an_unknown_subtype_is_told_with_those_there_are() -> None:
    found = correct(our_catalog(), "MEMORY", "ELEPHANT")
    assert found == UnknownName(
        "Node subtype not found: 'MEMORY.ELEPHANT'",
        "search_nodes (`toolweave catalog search`) finds a node by its purpose",
        (
            *("VECTOR_DATABASE", "CONVERSATION_BUFFER", "KEY_VALUE_STORE"),
            *("DOCUMENT_STORE", "ENTITY", "KNOWLEDGE_BASE"),
        ),
    )


def test_an_unknown_type_is_told_with_the_types_there_are() -> None:
    found = correct(our_catalog(), "ELEPHANT", "TRUNK")
    assert isinstance(found, UnknownName)
    assert found.error == "Node type not found: 'ELEPHANT.TRUNK'"
    assert "HUMAN_IN_THE_LOOP" in found.hint
    assert found.available_subtypes == ()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("trigger", "TRIGGER"),
        ("Triggers", "TRIGGER"),
        ("ai agent", "AI_AGENT"),
        ("hil", "HUMAN_IN_THE_LOOP"),
        ("External-Action", "EXTERNAL_ACTION"),
        ("TOOL_NODE", "TOOL"),
        ("LOOP", None),
        ("LOGIN", None),
        ("", None),
    ],
)
def test_a_type_alone_is_mended_for_filters(name: str, meant: str | None) -> None:
    assert correct_type(name) == meant


@steady(200)
@given(st.text(max_size=600), st.text(max_size=600))
def test_any_two_texts_get_an_answer(node_type: str, subtype: str) -> None:
    found = correct(live_catalog(), node_type, subtype)
    assert isinstance(found, CorrectedName | UnknownName)
    if isinstance(found, UnknownName):
        assert len(found.error) < 400
        assert len(found.hint) < 1500


def test_lone_surrogates_in_a_name_are_not_repeated() -> None:
    found = correct(our_catalog(), "\ud800", "\udfff")
    assert isinstance(found, UnknownName)
    assert (found.error + found.hint).encode()


@steady(200)
@given(st.randoms(use_true_random=False))
def test_one_wrong_letter_never_leads_to_another_node(randomness: random.Random) -> None:
    spec = randomness.choice(list(our_catalog()))
    at = randomness.randrange(len(spec.subtype))
    letter = randomness.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    wrong = randomness.choice(
        [
            spec.subtype[:at] + letter + spec.subtype[at:],
            spec.subtype[:at] + letter + spec.subtype[at + 1 :],
            spec.subtype[:at] + spec.subtype[at + 1 :],
        ]
    )
    found = correct(our_catalog(), spec.type, wrong)
    assert isinstance(found, UnknownName) or found.spec == spec


LIVE = our_catalog().with_specs(
    specs_of(
        [
            *(a_live_tool("create_issue", server) for server in ("github", "linear")),
            a_live_tool("getUser", "github"),
            a_live_tool("get_item_1", "shop"),
            a_live_tool("make_node", "graph"),
            a_live_tool("notion", "x"),
        ]
    )
)


@pytest.mark.parametrize(
    ("node_type", "subtype", "meant"),
    [
        ("TOOL", "mcp__github__create_issue", "MCP:github/create_issue"),
        ("TOOL", "github/create_issue", "MCP:github/create_issue"),
        ("tool", "MCP:GitHub/createIssue", "MCP:github/create_issue"),
        ("MCP", "linear.create_issue", "MCP:linear/create_issue"),
        ("TOOL", "get_user", "MCP:github/getUser"),
        ("TOOL", "make_node", "MCP:graph/make_node"),
        ("TOOL", "graph/make_node_NODE", "MCP:graph/make_node"),
        ("TOOL", "NOTION", "NOTION_MCP_TOOL"),
    ],
)
def test_the_form_of_a_live_tools_name_is_mended(node_type: str, subtype: str, meant: str) -> None:
    found = correct(LIVE, node_type, subtype)
    assert isinstance(found, CorrectedName)
    assert found.spec.subtype == meant


@pytest.mark.parametrize(
    ("subtype", "named"),
    [
        ("create_issue", {"TOOL.MCP:github/create_issue", "TOOL.MCP:linear/create_issue"}),
        ("create_isue", {"TOOL.MCP:github/create_issue"}),
        ("MCP:shop/get_item_2", {"TOOL.MCP:shop/get_item_1"}),
    ],
)
def test_the_spelling_of_a_live_tools_name_is_only_asked_about(
    subtype: str, named: set[str]
) -> None:
    found = correct(LIVE, "TOOL", subtype)
    assert isinstance(found, UnknownName)
    assert all(repr(ref) in found.hint for ref in named)


@pytest.mark.parametrize(
    ("subtype", "meant"),
    [("MCP:github/create_isue", "MCP:github/create_issue"), ("MCP:linear/create-isue", None)],
)
def test_a_misspelt_tool_is_looked_for_in_the_server_that_is_named(
    subtype: str, meant: str | None
) -> None:
    found = correct(LIVE, "TOOL", subtype)
    assert isinstance(found, CorrectedName)
    assert found.spec.subtype == (meant or "MCP:linear/create_issue")
    assert found.warning is not None
    elsewhere = correct(LIVE, "TOOL", "MCP:slack/slack_post_mesage")
    assert isinstance(elsewhere, UnknownName)
    assert "'slack'" in elsewhere.hint


def test_two_live_tools_that_differ_in_form_only_are_told_apart() -> None:
    catalog = Catalog(specs_of([a_live_tool("getUser"), a_live_tool("get_user")]))
    assert isinstance(correct(catalog, "TOOL", "MCP:box/get_user"), CorrectedName)
    assert isinstance(correct(catalog, "TOOL", "MCP:box/get-user"), UnknownName)


def test_a_wrong_name_shows_some_of_many_live_tools_and_all_of_ours() -> None:
    found = correct(live_catalog(), "TOOL", "ELEPHANT")
    assert isinstance(found, UnknownName)
    assert len(corpus()) > len(found.available_subtypes) > 5
    assert found.available_subtypes[:5] == tuple(our_catalog().types()["TOOL"])


def test_our_nodes_of_one_name_with_different_types_are_both_kept() -> None:
    catalog = Catalog([a_spec("SLACK", type="MEMORY"), a_spec("SLACK", type="FLOW")])
    found = correct(catalog, "ELEPHANT", "SLACK")
    assert isinstance(found, UnknownName)
    assert "'FLOW.SLACK' or 'MEMORY.SLACK'" in found.hint
