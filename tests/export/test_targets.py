"""Every target: where its files are, their order, the words of its agent, and what it lacks."""

import re
from dataclasses import replace

import pytest
from tests.export.speaking import a_node, a_workflow, body_of, entry, exported, front_of, speaking
from tests.workflow.mcp_nodes import described, detailed, tasked
from tests.workflow.sample_files import sample

from toolweave.errors import Invalid
from toolweave.export import discover
from toolweave.export.convert import exporter_of
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.mode_names import to_editor_names
from toolweave.workflow.model import Node, NodeId, Workflow, WorkflowId

ENTRIES = {
    "antigravity": ".agent/skills/release-notes/SKILL.md",
    "claude-command": ".claude/commands/release-notes.md",
    "claude-skill": ".claude/skills/release-notes/SKILL.md",
    "claude-workflow": ".claude/workflows/release-notes.js",
    "codex": ".codex/skills/release-notes/SKILL.md",
    "copilot-prompt": ".github/prompts/release-notes.prompt.md",
    "copilot-skill": ".github/skills/release-notes/SKILL.md",
    "cursor": ".cursor/skills/release-notes/SKILL.md",
    "gemini": ".gemini/skills/release-notes/SKILL.md",
    "mermaid": "release-notes.mmd",
    "roo": ".roo/skills/release-notes/SKILL.md",
}
MARKDOWN = [name for name in ENTRIES if name not in ("claude-workflow", "mermaid")]


@pytest.mark.parametrize("name", ENTRIES)
def test_a_sticky_note_is_no_step_of_what_is_exported(name: str) -> None:
    note = a_node("stickyNote", {"content": "Remember the milk"}, name="Reminder")
    text = entry(a_workflow(a_node("prompt", {"prompt": "Greet"}, name="Hello"), note), name)
    shown = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    assert "Hello" in shown
    assert "Reminder" not in shown


HEADINGS = [
    "## Workflow Execution Guide",
    "### Execution Methods by Node Type",
    "## Sub-Agent Node Details",
    "## Skill Nodes",
    "## MCP Tool Nodes",
    "## Codex Agent Nodes",
    "## Sub-Agent Flow Nodes",
    "### Prompt Node Details",
    "### AskUserQuestion Node Details",
    "### Branch/If-Else/Switch Node Details",
]
ASKING = {
    "claude-skill": "AskUserQuestion",
    "copilot-prompt": "askQuestions",
    "codex": "request_user_input",
    "gemini": "ask_user",
    "roo": "ask_followup_question",
    "cursor": "AskQuestion",
}


def everything() -> Workflow:
    """The sample with every node of the visual editor."""
    return sample("ccwf/all-node-types.json").workflow


def test_every_target_is_found_and_writes_where_its_agent_looks() -> None:
    assert {one.name: exported(everything(), one.name).files[0].path for one in discover()} == (
        ENTRIES
    )
    assert all(one.summary.endswith(".") for one in discover())


@pytest.mark.parametrize(
    ("target", "folder"),
    [("claude-skill", ".claude"), ("claude-command", ".claude"), ("cursor", ".cursor")],
)
def test_sub_agents_have_files_where_agents_have_a_folder(target: str, folder: str) -> None:
    _, *agents = exported(everything(), target).files
    names = [f"{folder}/agents/{name}.md" for name in ("writer", "reader", "research")]
    assert [file.path for file in agents] == names
    assert front_of(agents[0])["name"] == "writer"
    assert "You write release notes." in agents[0].text


def test_the_frontmatter_of_a_command_has_all_options_in_order() -> None:
    command = exported(everything(), "claude-command").files[0]
    assert list(front_of(command).items()) == [
        ("description", "Every node the visual editor has."),
        ("allowed-tools", "Read,Bash(git:*)"),
        ("model", "sonnet"),
        ("context", "fork"),
        ("disable-model-invocation", True),
        ("argument-hint", "[tag]"),
        ("hooks", {"Stop": [{"hooks": [{"type": "command", "command": "echo done"}]}]}),
    ]
    assert "## MCP Tool Nodes" in command.text
    assert "- **Tool**: `publish`" in command.text


@pytest.mark.parametrize("target", ["codex", "gemini", "roo", "antigravity", "copilot-skill"])
def test_the_frontmatter_of_a_skill_is_its_name_and_description(target: str) -> None:
    assert front_of(exported(everything(), target).files[0]) == {
        "name": "release-notes",
        "description": "Every node the visual editor has.",
    }


@pytest.mark.parametrize("target", MARKDOWN)
def test_the_sections_come_in_their_order(target: str) -> None:
    body = body_of(entry(everything(), target))
    assert body.lstrip().startswith("```mermaid\nflowchart TD\n")
    found = [line for line in body.splitlines() if line in HEADINGS]
    assert found[: len(HEADINGS)] == HEADINGS
    table, agents = body.index("| Group | Nodes |"), body.index("## Sub-Agent Node Details")
    assert body.index("### Execution Methods") < table < agents


@pytest.mark.parametrize(("target", "tool"), ASKING.items())
def test_the_words_of_the_target_are_used(target: str, tool: str) -> None:
    assert f"use the `{tool}` tool" in entry(everything(), target)


@pytest.mark.parametrize("target", ["codex", "roo", "antigravity"])
def test_a_target_without_agent_files_has_agents_and_flows_in_the_text(target: str) -> None:
    export = exported(everything(), target)
    assert len(export.files) == 1
    text = export.files[0].text
    for words in ("You write release notes.", "## Flow `flow-research` (`research`)", "You read"):
        assert words in text


def test_what_a_target_lacks_is_said_with_its_place() -> None:
    assert exported(everything(), "claude-skill").problems == ()
    assert exported(everything(), "mermaid").problems == ()
    lacks = exported(everything(), "antigravity").problems
    assert {problem.code for problem in lacks} == {"EXPORT_FEATURE_LACKING"}
    assert {problem.severity for problem in lacks} == {"warning"}
    places = {problem.pointer for problem in lacks}
    assert {
        *("/slashCommandOptions/hooks", "/slashCommandOptions/model"),
        *("/nodes/3", "/nodes/5", "/nodes/9", "/subAgentFlows/0/nodes/1"),
    } <= places
    argument_hint = "/slashCommandOptions/argumentHint"
    assert argument_hint in places
    assert argument_hint not in {
        problem.pointer for problem in exported(everything(), "copilot-prompt").problems
    }


def test_a_node_of_the_catalog_is_described_and_said_to_be() -> None:
    data: JsonObject = {"subtype": "IF", "configurations": {"condition_expression": "data.n > 1"}}
    workflow = a_workflow(a_node("FLOW", data, name="big?"))
    export = exported(workflow, "claude-skill")
    assert [problem.pointer for problem in export.problems] == ["/nodes/0"]
    assert "### Other Node Details" in export.files[0].text
    assert '"condition_expression": "data.n > 1"' in export.files[0].text


def test_a_tool_of_the_catalog_names_its_server() -> None:
    node = a_node("TOOL", {"subtype": "MCP:time/now"})
    assert "call `now` of the server `time`" in entry(a_workflow(node))


@pytest.mark.parametrize("variables", [{"who": {"name": "Ada"}}, [{"key": "who", "value": [1]}]])
def test_a_variable_is_never_printed_as_an_object(variables: Json) -> None:
    text = entry(a_workflow(a_node("prompt", {"prompt": "{{who}}", "variables": variables})))
    assert re.search(r'^- `who`: `(\{"name":"Ada"\}|\[1\])`$', text, re.MULTILINE)
    assert "[object" not in text


def test_variables_may_be_names_only() -> None:
    data: JsonObject = {"prompt": "{{a}}", "variables": ["a", {"name": "b", "default": 2}, 3]}
    assert "Variables:\n\n- `a`\n- `b`: `2`\n" in entry(a_workflow(a_node("prompt", data)))


@pytest.mark.parametrize("node", [described(), tasked()], ids=["parameters", "task"])
def test_the_drawing_tools_names_of_modes_are_not_taken_for_detailed(node: Node) -> None:
    legacy = replace(node, data=to_editor_names(node.data))
    assert legacy.data != node.data
    assert _mcp_section(legacy) == _mcp_section(node)
    assert "<!-- MCP_NODE_METADATA: " in _mcp_section(legacy)


def _mcp_section(node: Node) -> str:
    text = entry(a_workflow(node))
    return text[text.index("## MCP Tool Nodes") : text.index("<!-- toolweave:workflow")]


@pytest.mark.parametrize("target", ["claude-skill", "cursor"])
def test_nodes_with_one_slug_have_files_of_their_own(target: str) -> None:
    names = ("Writer", "writer", "WRITER!", "writer-2", "漢字", "漢字", "", "../../etc/passwd")
    nodes = [
        a_node("subAgent", {"description": name}, name=name, id=f"n{at}")
        for at, name in enumerate(names)
    ]
    flow = Workflow(WorkflowId("f"), "writer", (replace(nodes[0], id=NodeId("x")),))
    files = exported(replace(a_workflow(*nodes), subflows=(flow,)), target).files
    paths = [file.path for file in files]
    assert len(set(paths)) == len(paths) == len(names) + 3
    assert all(re.fullmatch(r"\.\w+/(skills|agents)/[a-z0-9-]+(/SKILL)?\.md", p) for p in paths)
    named = [front_of(file)["name"] for file in files[1:]]
    assert [path.split("/")[2] for path in paths[1:]] == [f"{name}.md" for name in named]


@pytest.mark.parametrize(
    "name", ["", "   ", "../../x", "/etc/passwd", "a" * 500, "CON", "\0", "漢"]
)
def test_any_name_of_a_workflow_is_a_name_in_its_folder(name: str) -> None:
    for target in ENTRIES:
        for file in exported(speaking(name), target).files:
            stems = file.path.replace("/SKILL", "").split("/")[-1].split(".")[0]
            assert re.fullmatch(r"[a-z0-9-]{1,64}", stems)
            assert ".." not in file.path


@pytest.mark.parametrize(
    ("target", "told"),
    [("claude-skill", "- **Agent**: `below`"), ("roo", "the flow `f` at the end of this text")],
)
def test_a_flow_is_where_its_node_says(target: str, told: str) -> None:
    node = a_node("subAgentFlow", {"subAgentFlowId": "f"})
    lost = a_node("subAgentFlow", {"subAgentFlowId": "gone"}, id="lost")
    flow = Workflow(WorkflowId("f"), "below", (a_node("prompt", {"prompt": "Hi."}),))
    text = entry(a_workflow(node, lost, subflows=(flow, flow)), target)
    assert told in text
    assert "the workflow has no flow `gone`" in text


def test_details_say_what_the_user_chose() -> None:
    text = entry(
        a_workflow(
            a_node("subAgent", {"builtInType": "Explore", "prompt": "Look."}),
            a_node("skill", {"name": "s", "executionMode": "load"}),
            a_node("codex", {"promptMode": "ai-generated", "prompt": "p", "model": "m; rm x"}),
            a_node(
                "askUserQuestion", {"multiSelect": True, "options": [{"label": "A"}, 3]}, id="a"
            ),
            a_node("askUserQuestion", {"useAiSuggestions": True}, id="b"),
            a_node("ifElse", {"branches": [{"label": "A", "condition": "x"}, None]}),
        )
    )
    for words in (
        "- **Built-in agent**: `Explore`",
        "load it as knowledge; do not run it",
        "codex exec --skip-git-repo-check --model 'm; rm x' -",
        "Write the prompt yourself",
        "several answers may be chosen",
        "suggest fitting ones yourself",
    ):
        assert words in text


def test_an_enumeration_is_told_with_its_choices() -> None:
    assert "One of `product`, `api`, `cfn`." in entry(a_workflow(detailed()))


def test_a_long_description_is_cut_and_said_to_be() -> None:
    export = exported(a_workflow(a_node("start", {}), description="word " * 300), "gemini")
    assert len(front_of(export.files[0])["description"]) == 1024
    assert [problem.pointer for problem in export.problems] == ["/description"]


def test_a_built_in_agent_is_told_where_agents_have_none() -> None:
    node = a_node("subAgent", {"builtInType": "Explore"})
    places = [problem.pointer for problem in exported(a_workflow(node), "roo").problems]
    assert places == ["/nodes/0", "/nodes/0/data/builtInType"]


def test_a_workflow_without_name_and_id_is_called_workflow() -> None:
    nameless = Workflow(WorkflowId(""), "")
    assert exported(nameless, "mermaid").files[0].path == "workflow.mmd"


def test_an_unknown_target_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(Invalid) as refused:
        exporter_of("claude-skil")
    assert refused.value.code == "EXPORT_TARGET_UNKNOWN"
    assert refused.value.hint == "did you mean 'claude-skill'?"
