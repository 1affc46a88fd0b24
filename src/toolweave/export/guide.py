"""The text of an entry: diagram, how to run it, then the sections of its nodes in a fixed order."""

from collections.abc import Iterator

from toolweave.export.agent_page import SUB_AGENT, SUB_FLOW, AgentPage
from toolweave.export.diagram import ASKING, BRANCHING, GROUP, NOTES, diagram, label_of
from toolweave.export.inputs import inputs_section
from toolweave.export.mcp_section import mcp_section
from toolweave.export.sections import (
    branch_section,
    codex_section,
    flow_section,
    other_section,
    prompt_section,
    question_section,
    skill_section,
    sub_agent_section,
)
from toolweave.export.target_terms import TargetTerms
from toolweave.export.user_text import code, fenced
from toolweave.workflow.model import Node

MCP = "mcp"
PROMPT = "prompt"
_DRAWN = NOTES | {"start", "end", GROUP}

# level, heading, types, how one node of them is written; the order is that of formats.md §5.
_SECTIONS = (
    (2, "Sub-Agent Node Details", frozenset({SUB_AGENT}), sub_agent_section),
    (2, "Skill Nodes", frozenset({"skill"}), skill_section),
    (2, "MCP Tool Nodes", frozenset({MCP}), mcp_section),
    (2, "Codex Agent Nodes", frozenset({"codex"}), codex_section),
    (2, "Sub-Agent Flow Nodes", frozenset({SUB_FLOW}), flow_section),
    (3, "Prompt Node Details", frozenset({PROMPT}), prompt_section),
    (3, "AskUserQuestion Node Details", frozenset({ASKING}), question_section),
    (3, "Branch/If-Else/Switch Node Details", BRANCHING, branch_section),
)
KNOWN = _DRAWN.union(*(types for _, _, types, _ in _SECTIONS))


def body(page: AgentPage) -> str:
    """Everything of a page but frontmatter and comments; ends with a newline."""
    parts = [fenced(diagram(page.workflow), "mermaid"), *inputs_section(page), *_guide(page)]
    for level, heading, types, write in _SECTIONS:
        if found := page.nodes(types):
            parts.append(page.heading(level, heading).rstrip())
            for at, node in found:
                parts += [page.heading(level + 1, page.title(at)), *write(page, at, node)]
    if others := others_in(page.workflow.nodes):
        parts.append(page.heading(3, "Other Node Details").rstrip())
        for at, node in others:
            parts += [page.heading(4, page.title(at)), *other_section(page, at, node)]
    return "\n".join(parts) + "\n"


def node_section(page: AgentPage, at: int, node: Node) -> str:
    """The details of one node, as they stand in a page."""
    writers = (write for _, _, types, write in _SECTIONS if node.type in types)
    return "\n".join(next(writers, other_section)(page, at, node)).strip()


def others_in(nodes: tuple[Node, ...]) -> list[tuple[int, Node]]:
    """The nodes no coding agent has a word for: of the catalog, of flows, of unknown types."""
    return [(at, node) for at, node in enumerate(nodes) if node.type not in KNOWN]


def _guide(page: AgentPage) -> Iterator[str]:
    yield page.heading(2, "Workflow Execution Guide")
    yield (
        "Follow the flowchart above from its start to its end, one node at a time. A node gets\n"
        "what the nodes before it produced. At a decision follow only the way whose label holds.\n"
        "The details of each node stand below under its id."
    )
    present = {node.type for node in page.workflow.nodes}
    methods = [line for types, line in _methods(page.terms) if types & present]
    if methods or others_in(page.workflow.nodes):
        yield page.heading(3, "Execution Methods by Node Type")
        yield from methods
        if others_in(page.workflow.nodes):
            yield "- **Other nodes**: do what their details say; work out values yourself."
    yield from _groups(page)


def _methods(terms: TargetTerms) -> list[tuple[frozenset[str], str]]:
    return [
        (frozenset({SUB_AGENT}), f"- **Rectangle nodes, sub-agents**: {_sub_agents(terms)}"),
        (
            frozenset({PROMPT}),
            "- **Rectangle nodes, prompts**: do what the prompt says, its variables filled in.",
        ),
        (
            frozenset({ASKING}),
            f"- **Diamond nodes, AskUserQuestion**: {terms.asking}; the answer is the way on.",
        ),
        (
            BRANCHING,
            "- **Diamond nodes, Branch/If-Else/Switch**: judge the conditions by the results so "
            "far;\n  take the first that holds, else the default.",
        ),
        (frozenset({"skill"}), f"- **Double-framed nodes, skills**: {_skills(terms)}"),
        (
            frozenset({MCP}),
            "- **Double-framed nodes, MCP tools**: call the named tool of the named MCP server.",
        ),
        (
            frozenset({"codex"}),
            f"- **Double-framed nodes, Codex agents**: run the command with the `{terms.terminal}` "
            "tool.",
        ),
        (
            frozenset({SUB_FLOW}),
            f"- **Double-framed nodes, sub-agent flows**: {_sub_agents(terms)}",
        ),
    ]


def _sub_agents(terms: TargetTerms) -> str:
    if terms.agents is not None:
        return f"start the named agent with the `{terms.sub_agent}` tool."
    if terms.sub_agent is not None:
        return f"use the `{terms.sub_agent}` tool with the instructions below."
    return "follow the instructions below yourself, as a task of its own."


def _skills(terms: TargetTerms) -> str:
    if terms.skill is not None:
        return f"use the `{terms.skill}` tool with the named skill."
    return "read the named skill's file and follow it."


def _groups(page: AgentPage) -> Iterator[str]:
    groups = page.nodes({GROUP})
    if not groups:
        return
    inside: dict[str, list[str]] = {}
    for at, node in enumerate(page.workflow.nodes):
        if node.parent is not None:
            inside.setdefault(node.parent, []).append(code(page.ids[at]))
    yield "\n| Group | Nodes |\n|---|---|"
    for _, group in groups:
        label = code(label_of(group)).replace("|", "\\|")
        yield f"| {label} | {', '.join(inside.get(group.id, [])) or '-'} |"
