"""Rules of the flow format that do not stop a run: version, moments, labels, named templates.

A library shows these with its flows, so they need nothing but the flow itself.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.limits import MAX_FLOW_EDGE_ID
from toolweave.workflow.checks.names import FLOW_PATTERN, MAX_FLOW_NAME
from toolweave.workflow.model import Node, Workflow

CODE = "FLOW_RULE_BROKEN"
SEMVER = re.compile(r"\d+\.\d+\.\d+")
FLOW_TYPES = frozenset({"template", "multi_input", "result"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield the broken rules of a flow, as warnings."""
    if case.format == "flow" and not case.is_subflow:
        yield from broken_rules(case.workflow)


def all_broken_rules(workflow: Workflow) -> Iterator[Problem]:
    """Yield every broken rule of a flow by itself, also those that have a check of their own."""
    name = workflow.name
    if len(name) > MAX_FLOW_NAME or not FLOW_PATTERN.fullmatch(name):
        expected = f"1 to {MAX_FLOW_NAME} letters, digits, underscores and hyphens"
        yield _warning(("name",), f"the name is {shown(name)}; expected are {expected}")
    yield from broken_rules(workflow)
    for index, edge in enumerate(workflow.edges):
        if len(edge.id) > MAX_FLOW_EDGE_ID:
            message = f"the id has {len(edge.id)} characters; at most {MAX_FLOW_EDGE_ID} are usual"
            yield _warning(("connections", index, "id"), message)


def broken_rules(workflow: Workflow) -> Iterator[Problem]:
    """Yield the rules that no other check covers."""
    if not any(node.type in FLOW_TYPES for node in workflow.nodes):
        return  # another program's flow, with rules of its own
    if not SEMVER.fullmatch(workflow.version):
        message = f"the version is {shown(workflow.version)}; expected is a form such as 1.0.0"
        yield _warning(("version",), message)
    for field, moment in (("createdAt", workflow.created_at), ("updatedAt", workflow.updated_at)):
        if moment is not None and not _is_moment(moment):
            message = f"{shown(moment)} is not an ISO 8601 time such as 2026-01-31T12:00:00Z"
            yield _warning((field,), message)
    for index, node in enumerate(workflow.nodes):
        if node.type in FLOW_TYPES:
            yield from _node(node, index)


def _node(node: Node, index: int) -> Iterator[Problem]:
    place = ("nodes", index)
    if not node.name.strip():
        yield _warning((*place, "name"), f"the node {shown(node.id)} has no label")
    if node.type == "template" and not _named_template(node):
        message = f"the node {shown(node.id)} names no saved template in 'selectedTemplateId'"
        yield _warning((*place, "data"), message)
    variables = node.data.get("variables")
    if node.type == "multi_input" and not variables:
        yield _warning((*place, "data"), f"the node {shown(node.id)} has no 'variables'")


def _named_template(node: Node) -> bool:
    return any(
        isinstance(node.data.get(key), str) and node.data[key]
        for key in ("selectedTemplateId", "templateId")
    )


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text or len(text) == len("2026-01-31")


def _warning(place: tuple[str | int, ...], message: str) -> Problem:
    hint = "the flow runs; other programs that read it may refuse it"
    return Problem(CODE, pointer(*place), message, hint, "warning")
