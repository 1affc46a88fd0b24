"""Rules of the flow format that do not stop a run: version, moments, labels, named templates.

A library shows these with its flows, so they need nothing but the flow itself.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from toolweave.catalog.index import Catalog
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks import identity, limits, names
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.checks.edges import kind_problems
from toolweave.workflow.formats.flow import OWN_TYPES
from toolweave.workflow.model import Node, Workflow

CODE = "FLOW_RULE_BROKEN"
# These rules look at no clock.
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
SEMVER = pattern(r"\d+\.\d+\.\d+")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield the broken rules of a flow, as warnings."""
    if case.format == "flow" and not case.is_subflow:
        yield from broken_rules(case.workflow)


def all_broken_rules(workflow: Workflow) -> Iterator[Problem]:
    """Yield every broken rule of a flow by itself, also those that have a check of their own."""
    case = CheckContext(workflow, KnownEnvironment(Catalog(()), _NO_TIME), "flow")
    yield from broken_rules(workflow)
    yield from names.check(case)
    yield from identity.check(case)
    yield from limits.check(case)
    for index, edge in case.edges:
        yield from kind_problems(case, index, edge)


def broken_rules(workflow: Workflow) -> Iterator[Problem]:
    """Yield the rules that no other check covers."""
    if not any(node.type in OWN_TYPES for node in workflow.nodes):
        return  # another program's flow, with rules of its own
    if not SEMVER.fullmatch(workflow.version):
        message = f"the version is {shown(workflow.version)}; expected is a form such as 1.0.0"
        yield _warning(("version",), message)
    for field, moment in (("createdAt", workflow.created_at), ("updatedAt", workflow.updated_at)):
        if moment is not None and not _is_moment(moment):
            message = f"{shown(moment)} is not an ISO 8601 time such as 2026-01-31T12:00:00Z"
            yield _warning((field,), message)
    for index, node in enumerate(workflow.nodes):
        if node.type in OWN_TYPES:
            yield from _node(node, index)
    if all(node.type in OWN_TYPES for node in workflow.nodes):
        yield from _untyped_edges(workflow)


def _untyped_edges(workflow: Workflow) -> Iterator[Problem]:
    for index, edge in enumerate(workflow.edges):
        if edge.kind is None:
            message = f"the edge from {shown(edge.source)} to {shown(edge.target)} has no type"
            yield _warning(("connections", index), f"{message}; expected data or chain")


def _node(node: Node, index: int) -> Iterator[Problem]:
    place = ("nodes", index)
    if not node.name.strip():
        yield _warning((*place, "name"), f"the node {shown(node.id)} has no label")
    if node.type == "template" and not _named_template(node):
        message = f"the node {shown(node.id)} names no saved template in 'selectedTemplateId'"
        yield _warning((*place, "data"), message)
    for key in _missing_in(node):
        yield _warning((*place, "data"), f"the node {shown(node.id)} has no {key!r}")


def _missing_in(node: Node) -> Iterator[str]:
    """Yield the fields that the flow format requires of a node."""
    has_variables = bool(node.data.get("variables"))
    if node.type == "multi_input" and not has_variables:
        yield "variables"
    # A template in the `config` form has neither of these.
    if node.type == "template" and {"selectedTemplateId", "variables"} & node.data.keys():
        if not has_variables:
            yield "variables"
        if not isinstance(node.data.get("template"), str):
            yield "template"


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
