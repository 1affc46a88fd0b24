"""Copies the templates that a flow's nodes name from the library into the nodes.

So a run keeps the texts it started with, whatever happens to the repository. A missing template is
noted in its node, which fails when it runs; earlier results stay.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.library.templates import PromptTemplate
from toolweave.workflow.model import Node, Workflow

# Returns a template by the name a node has for it, or why there is none.
Find = Callable[[str], Awaitable[PromptTemplate]]

TEMPLATE = "template"
FAULT = "templateFault"
VALUES = "variableValues"


async def prepare(workflow: Workflow, find: Find) -> Workflow:
    """Return the flow with every template in its node."""
    found: dict[str, PromptTemplate | ToolweaveError] = {}
    for node in workflow.nodes:
        name = asked_for(node)
        if name is not None and name not in found:
            try:
                found[name] = await find(name)
            except ToolweaveError as error:
                found[name] = error
    given = _given_values(workflow)
    nodes = tuple(
        _prepared(node, found, given) if node.type == TEMPLATE else node for node in workflow.nodes
    )
    return replace(workflow, nodes=nodes)


def asked_for(node: Node) -> str | None:
    """Return the template of the library that a node names."""
    if node.type != TEMPLATE:
        return None
    for key in ("selectedTemplateId", "templateId"):
        name = node.data.get(key)
        if isinstance(name, str) and name:
            return name
    return None


def _prepared(
    node: Node,
    found: Mapping[str, PromptTemplate | ToolweaveError],
    given: frozenset[str],
) -> Node:
    wanted = asked_for(node)
    own = node.data.get(VALUES)
    values: JsonObject = own if isinstance(own, dict) else {}
    template = found[wanted] if wanted is not None else None
    if isinstance(template, ToolweaveError):
        fault: JsonObject = {"code": template.code, "message": template.message}
        return replace(node, data={**node.data, FAULT: fault})
    data: JsonObject = {key: value for key, value in node.data.items() if key != FAULT}
    if template is not None:
        # Values of multi_input nodes take precedence over a template's defaults.
        defaults = {key: one for key, one in template.defaults.items() if key not in given}
        values = {**defaults, **values}
        data |= {"template": template.text, "selectedTemplateId": wanted}
    return replace(node, data={**data, VALUES: values})


def _given_values(workflow: Workflow) -> frozenset[str]:
    names: set[str] = set()
    for node in workflow.nodes:
        values = node.data.get("values")
        if node.type in {"multi_input", "input"} and isinstance(values, dict):
            names |= values.keys()
    return frozenset(names)
