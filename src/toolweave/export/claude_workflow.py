"""A dynamic workflow of Claude Code: a script that runs the graph, an agent for each step.

The script begins with `meta`, a plain literal, as Claude Code requires; then come the steps as
data, and the code that is the same for every workflow (`claude_workflow.js`). It cannot ask the
user: at a question it returns, and is run again with the answer.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files as packaged

from toolweave.export.agent_page import SUB_AGENT, SUB_FLOW, AgentPage, pages_of
from toolweave.export.agents import agent_files, description_of
from toolweave.export.comment import safe_json
from toolweave.export.diagram import ASKING, GROUP, NOTES, branch_labels, edge_label
from toolweave.export.embedded_graph import carried_in_script, signed
from toolweave.export.exporter import ExportedFile
from toolweave.export.features import lacking
from toolweave.export.file_names import stem_of
from toolweave.export.guide import node_section
from toolweave.export.inputs import input_lines
from toolweave.export.target_terms import CLAUDE
from toolweave.export.user_text import one_line
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.model import OUTPUT_PORT, Edge, Node, Workflow
from toolweave.workflow.modes import text_at

TERMS = replace(CLAUDE, agent="A workflow of Claude Code", ask_user=None, options=frozenset())
_PASSING = frozenset({"start", "end", "TRIGGER"})
_TASKS: dict[str, str] = {
    "prompt": "Do what this prompt says, with its variables filled in:",
    "mcp": "Call this tool of this MCP server:",
    SUB_AGENT: "Do this:",
    SUB_FLOW: "Run this flow to its end:",
    "skill": "Use this skill:",
    ASKING: "",
}
_MAX_TITLE = 60


class ClaudeWorkflowTarget:
    """A script in `.claude/workflows`, and the agents it starts."""

    name = "claude-workflow"
    summary = "A dynamic workflow of Claude Code: a script that starts an agent for each step."

    def files(self, workflow: Workflow, graph: Workflow) -> tuple[ExportedFile, ...]:
        """The script, and agent files."""
        pages = pages_of(workflow, TERMS)
        steps = dict(_steps(pages[0]))
        titles = [step["title"] for step in steps.values() if step["kind"] == "agent"]
        meta: JsonObject = {
            "name": stem_of(workflow),
            "description": description_of(workflow),
            "phases": [{"title": title} for title in dict.fromkeys(map(str, titles))],
        }
        if given := list(input_lines(workflow)):
            meta["whenToUse"] = "Pass args as an object: " + "; ".join(given)
        code = packaged("toolweave.export").joinpath("claude_workflow.js")
        parts = [
            f"export const meta = {safe_json(meta)};",
            "",
            "const STEPS = {",
            *(f"  {safe_json(name)}: {safe_json(step)}," for name, step in steps.items()),
            "};",
            "",
            code.read_text(encoding="utf-8"),
            carried_in_script(graph),
            "",
        ]
        path = f".claude/workflows/{stem_of(workflow)}.js"
        entry = ExportedFile(path, signed("\n".join(parts), workflow, "// {}"))
        return (entry, *agent_files(pages))

    def lacks(self, workflow: Workflow) -> list[Problem]:
        """What the script leaves to the model."""
        return lacking(workflow, TERMS)


def _steps(page: AgentPage) -> Iterator[tuple[str, JsonObject]]:
    """Every step by its id in the diagram, in file order."""
    drawn = NOTES | {GROUP}
    names: dict[str, str] = {}
    for at, node in enumerate(page.workflow.nodes):
        if node.type not in drawn:
            names.setdefault(node.id, page.ids[at])
    edges = [one for one in page.workflow.edges if one.source in names and one.target in names]
    for at, node in enumerate(page.workflow.nodes):
        if names.get(node.id) == page.ids[at]:
            yield page.ids[at], _step(page, at, node, edges, names)


def _step(
    page: AgentPage, at: int, node: Node, edges: list[Edge], names: dict[str, str]
) -> JsonObject:
    out = [edge for edge in edges if edge.source == node.id]
    labels = _choices(node, [edge for edge in out if edge.source_port != "error"])
    after = dict.fromkeys(names[edge.source] for edge in edges if edge.target == node.id)
    following: list[Json] = [
        {
            "to": names[edge.target],
            "choice": labels.get(edge.source_port),
            "onError": edge.source_port == "error",
        }
        for edge in out
    ]
    step: JsonObject = {
        "title": one_line(node.title, _MAX_TITLE) or page.ids[at],
        "kind": _kind(node),
        "task": _task(page, at, node),
        "choices": list[Json](labels.values()),
        "options": list[Json](branch_labels(node.data) if node.type == ASKING else []),
        "after": list[Json](after),
        "next": following,
    }
    if agent := page.agents.get(at) or page.flows.get(text_at(node.data, "subAgentFlowId")):
        step["agentType"] = agent
    return step


def _kind(node: Node) -> str:
    if node.type == ASKING:
        return "ask"
    return "pass" if node.type in _PASSING else "agent"


def _task(page: AgentPage, at: int, node: Node) -> str:
    if node.type in _PASSING:
        return ""
    if node.type == ASKING:
        return text_at(node.data, "questionText")
    what = _TASKS.get(node.type, "Do this step of a workflow:")
    return f"{what}\n\n{node_section(page, at, node)}".strip()


def _choices(node: Node, edges: list[Edge]) -> dict[str, str]:
    """What is chosen for each port, where there is a choice; all different."""
    ports: dict[str, str] = {}
    for edge in edges:
        if edge.source_port not in ports:
            label = edge_label(edge, node) or edge.source_port
            ports[edge.source_port] = label if label not in ports.values() else edge.source_port
    return ports if len(ports) > 1 or (ports and OUTPUT_PORT not in ports) else {}


exporter = ClaudeWorkflowTarget()
