"""The static checks of catalog nodes: what a node's start would refuse, validation refuses.

A node contributes its checks (`NodeSpec.checks`) and calls them with the resolved values when it
runs. Here they get the values of the document; a refusal of a templated value is no problem, as
its value is known only at run time.
"""

from collections.abc import Iterator

from toolweave.catalog.node_input import NodeInput, by_own_names, with_defaults
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.cel_fields import cel_texts
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.checks.dependent_settings import missing_settings
from toolweave.workflow.checks.expressions import is_enabled
from toolweave.workflow.checks.templated_values import has_template
from toolweave.workflow.json_patch import steps_of
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

CONFIGURATIONS = "configurations"
INPUTS = "inputParams"
_ATTACHABLE = frozenset({"TOOL", "MEMORY"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield what the nodes themselves refuse of their configurations and inputs."""
    for index, node, spec in catalog_nodes(case):
        if spec.checks and is_enabled(node) and _is_step(case, node):
            yield from _problems(index, node, spec)


def _problems(index: int, node: Node, spec: NodeSpec) -> Iterator[Problem]:
    config, inputs = object_at(node.data, CONFIGURATIONS), object_at(node.data, INPUTS)
    given = NodeInput(
        with_defaults(config, spec.all_configurations), by_own_names(inputs, spec.inputs)
    )
    for static in spec.checks:
        try:
            static(given)
        except Invalid as refused:
            at = _place(refused)
            is_certain = refused.facts.get("certain") is True or _is_certain(given, at)
            if at and is_certain and not _is_known(node, spec, at):
                part = INPUTS if given.inputs.get(at[0]) is not None else CONFIGURATIONS
                yield Problem(
                    refused.code,
                    pointer("nodes", index, "data", part, *at),
                    refused.message,
                    hint=refused.hint,
                )


def _is_step(case: CheckContext, node: Node) -> bool:
    """Whether the node is run as a step; an agent gives an attached one its inputs."""
    return node.type not in _ATTACHABLE or bool(case.graph.incoming(node.id))


def _place(refused: Invalid) -> tuple[str, ...]:
    """Return the steps to the refused value; none for a wrong type, which `values` reports."""
    if "expected" in refused.facts:
        return ()
    at, field = refused.facts.get("at"), refused.facts.get("field")
    if isinstance(at, str):
        return tuple(steps_of(at))
    return tuple(field.split(".")) if isinstance(field, str) else ()


def _is_certain(given: NodeInput, at: tuple[str, ...]) -> bool:
    """Whether no template could make the value at this place another one."""
    value: Json = given.value(at[0]) if at else None
    for step in at[1:]:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            break
    return not has_template(value)


def _is_known(node: Node, spec: NodeSpec, at: tuple[str, ...]) -> bool:
    """Whether another check reports it: a required setting, a CEL text, or a wrong type."""
    if any(path.split(".")[0] == at[0] for path in missing_settings(node, spec)):
        return True
    config = object_at(node.data, CONFIGURATIONS)
    required = (field.name for field in spec.all_configurations if field.required)
    if len(at) == 1 and at[0] not in config and at[0] in required:
        return True
    texts = cel_texts(spec, config)
    return any(tuple(map(str, text.at)) == at for text in texts)
