"""Workflows in which one text of a user stands everywhere a user can write, and hostile texts."""

from functools import cache
from itertools import pairwise
from typing import Any

import yaml
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from toolweave.catalog.spec import NodeSpec
from toolweave.export.convert import export
from toolweave.export.exporter import Export, ExportedFile
from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

STAMP = "2025-11-16T10:30:00.000Z"
# Pieces that end, open or run something somewhere on the way to an agent.
PIECES = (
    *(
        "-->",
        "--!>",
        "<!--",
        "```",
        "````",
        "`",
        "~~~",
        "---",
        "...",
        "\n",
        "\r",
        "\r\n",
        "\t",
        " ",
    ),
    *(
        ":",
        ": ",
        " #",
        "#",
        "|",
        "'",
        '"',
        "\\",
        "{",
        "}",
        "{{x}}",
        "[x](y)",
        "]]>",
        "<b>",
        "</",
        "&lt;",
    ),
    *("\x00", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u202e", "\ufeff", "\U000e0041", "\uffff"),
    *("!`", "`!", "$ARGUMENTS", "@x", "%%", "%%{init: {}}%%", "- ", "* ", "> ", "1. ", "=", "end"),
    *("toolweave:workflow: {}", "<!-- toolweave:workflow: {} -->", "a", "é", "漢", "😀", "no", "~"),
)
HOSTILE = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join) | st.text(
    min_size=1, max_size=20
)


@cache
def specs() -> tuple[NodeSpec, ...]:
    """The catalog."""
    return tuple(node.spec for node in discover())


def exported(workflow: Workflow, target: str) -> Export:
    """The export with the real catalog."""
    return export(workflow, target, specs=specs())


def entry(workflow: Workflow, target: str = "claude-skill") -> str:
    """The text of the entry."""
    return exported(workflow, target).files[0].text


def a_workflow(*nodes: Node, name: str = "flow", **more: Any) -> Workflow:
    """These nodes, one after the other."""
    edges = tuple(
        Edge(EdgeId(f"e{at}"), before.id, after.id)
        for at, (before, after) in enumerate(pairwise(nodes))
    )
    return Workflow(WorkflowId("wf"), name, nodes, edges, **more)


def a_node(kind: str, data: JsonObject, *, name: str = "step", id: str | None = None) -> Node:
    """A node of this type, its type as its id."""
    return Node(NodeId(id or kind), kind, name, data=data)


def speaking(text: str) -> Workflow:
    """A workflow with a node of every kind, and `text` in every place that is the user's."""
    named: JsonObject = {"label": text, "description": text}
    tool: JsonObject = {
        "serverId": text,
        "toolName": text,
        "toolDescription": text,
        "parameters": [{"name": text, "type": "string", "required": True, "description": text}],
    }
    task: JsonObject = {
        "taskDescription": text,
        "availableTools": [{"serverId": text, "name": text, "description": text}],
        "timestamp": STAMP,
    }
    kinds: tuple[tuple[str, JsonObject], ...] = (
        ("start", {"label": text}),
        ("prompt", {"prompt": text, "variables": {text: text}}),
        ("subAgent", {**named, "agentDefinition": text, "prompt": text, "model": text}),
        ("subAgentFlow", {**named, "subAgentFlowId": "flow"}),
        ("askUserQuestion", {"questionText": text, "options": [named, named]}),
        ("ifElse", {"evaluationTarget": text, "branches": [{"label": text, "condition": text}]}),
        ("skill", {"name": text, "description": text, "skillPath": text, "executionPrompt": text}),
        ("codex", {"prompt": text, "model": text, "reasoningEffort": text}),
        ("FLOW", {"subtype": text, "configurations": {"expression": text}}),
        ("end", {"label": text}),
    )
    modes: tuple[JsonObject, ...] = (
        {**tool, "parameterValues": {text: text, "list": [text]}, "validationStatus": text},
        {
            **tool,
            "mode": "naturalLanguageParam",
            "naturalLanguageParamConfig": {"description": text, "timestamp": STAMP},
        },
        {"serverId": text, "mode": "fullNaturalLanguage", "fullNaturalLanguageConfig": task},
    )
    nodes = [a_node(kind, data, name=text) for kind, data in kinds]
    nodes += [a_node("mcp", data, name=text, id=f"mcp{at}") for at, data in enumerate(modes)]
    nodes.append(Node(NodeId("g"), "group", text, data={"label": text}))
    options: dict[str, Json] = {
        "allowedTools": text,
        "model": text,
        "argumentHint": text,
        "context": text,
        "hooks": {text: [text]},
    }
    below = a_workflow(a_node("prompt", {"prompt": text}, name=text), name=text, description=text)
    return a_workflow(
        *nodes,
        name=text,
        description=text,
        subflows=(Workflow(WorkflowId("flow"), text, below.nodes, description=text),),
        extras={"slashCommandOptions": options},
    )


def front_of(file: ExportedFile) -> dict[str, Any]:
    """The frontmatter of a file, as a YAML reader understands it."""
    assert file.text.startswith("---\n")
    block, _, _ = file.text[4:].partition("\n---\n")
    found = yaml.safe_load(block)
    assert isinstance(found, dict)
    return found  # pyright: ignore[reportUnknownVariableType] # of the YAML reader


def body_of(text: str) -> str:
    """What stands after the frontmatter."""
    return text[4:].partition("\n---\n")[2]


def tokens_of(text: str) -> list[Token]:
    """The blocks of a Markdown text."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def skeleton(text: str) -> list[str]:
    """What the blocks of a text are, whatever they say."""
    found: list[str] = []
    for token in tokens_of(text):
        inside = [child.type for child in token.children or ()]
        marks = [kind for kind in inside if kind in {"code_inline", "html_inline"}]
        found.append(" ".join([token.type, token.tag, *marks]))
    return found
