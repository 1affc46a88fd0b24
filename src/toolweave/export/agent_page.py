"""A workflow as it is being written for one agent: what its nodes are called, and who runs them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from toolweave.export.diagram import diagram_ids
from toolweave.export.file_names import FileNames, agent_stem
from toolweave.export.target_terms import TargetTerms
from toolweave.export.user_text import code
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import text_at

SUB_AGENT = "subAgent"
SUB_FLOW = "subAgentFlow"


@dataclass(frozen=True, slots=True)
class AgentPage:
    """One workflow or sub-flow, with the names its text uses."""

    workflow: Workflow
    terms: TargetTerms
    ids: tuple[str, ...]
    # The agent file of a node, by the node's place, and of a sub-flow, by its id; a flow that has
    # none is written out and has the name "".
    agents: Mapping[int, str] = field(default_factory=dict[int, str])
    flows: Mapping[str, str] = field(default_factory=dict[str, str])
    # The additional heading level.
    depth: int = 0

    def nodes(self, kinds: Iterable[str]) -> list[tuple[int, Node]]:
        """The nodes of these types with their places, in file order."""
        wanted = frozenset(kinds)
        return [(at, node) for at, node in enumerate(self.workflow.nodes) if node.type in wanted]

    def heading(self, level: int, text: str) -> str:
        """A heading with an empty line before and after it."""
        return f"\n{'#' * min(level + self.depth, 6)} {text}\n"

    def title(self, at: int) -> str:
        """A node in a heading: its id in the diagram, and its name."""
        return f"{code(self.ids[at])} ({code(self.workflow.nodes[at].title)})"


def all_flows(workflow: Workflow) -> list[Workflow]:
    """The workflow itself and every flow below it."""
    found = [workflow]
    for flow in found:
        found += flow.subflows
    return found


def pages_of(workflow: Workflow, terms: TargetTerms) -> list[AgentPage]:
    """A page for the workflow and for each flow below it; agent names are used once."""
    stems = FileNames()
    flows = all_flows(workflow)
    has_files = terms.agents is not None
    agents = [_agents(flow, stems) if has_files else {} for flow in flows]
    names: dict[str, str] = {}
    for flow in flows[1:]:
        if flow.id not in names:
            names[flow.id] = stems.take(agent_stem(flow.name, flow.id)) if has_files else ""
    return [
        AgentPage(flow, terms, tuple(diagram_ids(flow)), agents[at], names)
        for at, flow in enumerate(flows)
    ]


def _agents(flow: Workflow, stems: FileNames) -> dict[int, str]:
    """A name for each sub-agent that is not one the target brings along."""
    return {
        at: stems.take(agent_stem(node.name, node.id, f"agent-{at + 1}"))
        for at, node in enumerate(flow.nodes)
        if node.type == SUB_AGENT and not text_at(node.data, "builtInType")
    }
