"""What of a workflow a target cannot express, each with what happens instead."""

from collections.abc import Iterator

from toolweave.export.agent_page import SUB_AGENT
from toolweave.export.agents import AGENT_FIELDS, MAX_DESCRIPTION, agent_field
from toolweave.export.diagram import ASKING
from toolweave.export.entry import OPTIONS, options_of
from toolweave.export.guide import others_in
from toolweave.export.target_terms import TargetTerms
from toolweave.export.user_text import one_line
from toolweave.problems import Problem, pointer
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import text_at

Steps = tuple[str | int, ...]


def lacking(workflow: Workflow, terms: TargetTerms) -> list[Problem]:
    """Everything that is lost or only described, as warnings."""
    found = [
        _lack((OPTIONS, key), terms, f"option {key!r}", "it is left out")
        for key in options_of(workflow)
        if key not in terms.options
    ]
    if len(one_line(workflow.description or "")) > MAX_DESCRIPTION:
        what = f"room for a description of more than {MAX_DESCRIPTION} characters"
        found.append(_lack(("description",), terms, what, "it is cut"))
    return [*found, *_in_flow(workflow, terms, ())]


def _in_flow(flow: Workflow, terms: TargetTerms, at: Steps) -> Iterator[Problem]:
    for index, node in enumerate(flow.nodes):
        yield from _in_node(node, terms, (*at, "nodes", index))
    for index, node in others_in(flow.nodes):
        what = f"nodes of type {node.ref or node.type!r}"
        yield _lack((*at, "nodes", index), terms, what, "it is described for the model to act out")
    for index, below in enumerate(flow.subflows):
        yield from _in_flow(below, terms, (*at, "subAgentFlows", index))


def _in_node(node: Node, terms: TargetTerms, at: Steps) -> Iterator[Problem]:
    if node.type == SUB_AGENT:
        yield from _in_agent(node, terms, at)
    elif node.type == ASKING and terms.ask_user is None:
        instead = "the model asks in the conversation"
        yield _lack(at, terms, "tool that asks the user", instead)
    elif node.type == "skill" and terms.skill is None:
        yield _lack(at, terms, "tool that runs skills", "the model reads the skill's file")


def _in_agent(node: Node, terms: TargetTerms, at: Steps) -> Iterator[Problem]:
    if terms.agents is None:
        is_alone = terms.sub_agent is None
        where = "in the same conversation" if is_alone else f"by `{terms.sub_agent}`"
        yield _lack(at, terms, "files for sub-agents", f"it is written out, and run {where}")
        if text_at(node.data, "builtInType"):
            what = "built-in agents of this kind"
            yield _lack((*at, "data", "builtInType"), terms, what, "only its name is exported")
    for key in AGENT_FIELDS:
        if agent_field(node, key) and key not in terms.agent_fields:
            what = f"field {key!r} of sub-agents"
            yield _lack((*at, "data", key), terms, what, "it is left out or only mentioned")


def _lack(at: Steps, terms: TargetTerms, what: str, instead: str) -> Problem:
    return Problem(
        "EXPORT_FEATURE_LACKING",
        pointer(*at),
        f"{terms.agent} has no {what}; {instead}",
        severity="warning",
    )
