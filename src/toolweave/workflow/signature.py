"""The input and output schemas of a workflow: declared in its file or derived from its nodes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import cast

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.checks.prompt_names import PromptNames, variables_of
from toolweave.workflow.model import OUTPUT_PORT, Edge, Node, NodeId, Workflow
from toolweave.workflow.scope.references import references_of
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.shapes import ValueShape

RESULT = "result"
MAX_DEPTH = 4

_INPUTS = "inputSchema"
_OUTPUT = "outputSchema"
_UNGIVEN = frozenset({"MISSING_VARIABLES", "PROMPT_NAME_UNKNOWN"})
_GIVING = frozenset({"multi_input", "input"})
_ENDS = frozenset({"end", "result"})
_STARTS = frozenset({"start", "trigger", "TRIGGER"})
_ANYTHING: JsonObject = {
    "anyOf": [{"type": kind} for kind in ("string", "number", "boolean", "object", "array", "null")]
}

Specs = Callable[[Node], NodeSpec | None]


@dataclass(frozen=True, slots=True)
class WorkflowSignature:
    """The two object schemas; the output only if it is known before a run."""

    inputs: JsonObject
    output: JsonObject | None


def signature(workflow: Workflow, known: KnownEnvironment) -> WorkflowSignature:
    """Return the input and output schemas of a workflow."""

    def specs(node: Node) -> NodeSpec | None:
        subtype = node.data.get("subtype")
        return known.catalog.get(node.type, subtype) if isinstance(subtype, str) else None

    scope = Scope(workflow, specs, known.tools_of)
    return WorkflowSignature(_inputs(workflow, scope, specs), _output(workflow, scope))


def _inputs(workflow: Workflow, scope: Scope, specs: Specs) -> JsonObject:
    declared = workflow.extras.get(_INPUTS)
    if isinstance(declared, dict):
        return {"type": "object", **declared}
    properties: JsonObject = {}
    needs: dict[str, list[bool | None]] = {}
    for name, schema, is_needed in _asked(workflow, scope, specs):
        properties.setdefault(name, schema)
        needs.setdefault(name, []).append(is_needed)
    # A workflow that asks once whether a name is there works without it.
    required: list[Json] = [name for name, uses in needs.items() if any(uses) and None not in uses]
    # The run's input may have more.
    return {"type": "object", "properties": properties, "required": required}


def _output(workflow: Workflow, scope: Scope) -> JsonObject | None:
    declared = workflow.extras.get(_OUTPUT)
    if isinstance(declared, dict):
        return declared if declared.get("type") == "object" else _wrapped(declared)
    ends = [node for node in workflow.nodes if node.type in _ENDS]
    if len(ends) != 1:
        return None
    shape = scope.value_of(NodeId(ends[0].id))
    if shape.is_unknown or shape.is_limited:
        return None
    schema = schema_of(shape)
    return schema if schema.get("type") == "object" else _wrapped(schema)


def schema_of(shape: ValueShape, depth: int = 0) -> JsonObject:
    """Return a schema that allows at least the values of a shape."""
    if shape.is_unknown or depth > MAX_DEPTH:
        return {}
    kinds: list[str] = sorted(shape.kinds - {"integer", "fraction"})
    if "fraction" in shape.kinds:
        kinds.append("number")
    elif "integer" in shape.kinds:
        kinds.append("integer")
    made: list[Json] = [_of_kind(kind, shape, depth) for kind in kinds]
    # Not a list of types: some clients accept only one.
    return cast("JsonObject", made[0]) if len(made) == 1 else {"anyOf": made}


def _of_kind(kind: str, shape: ValueShape, depth: int) -> JsonObject:
    schema: JsonObject = {"type": kind}
    # An empty schema is omitted: clients warn about it.
    if kind == "object":
        fields = {name: schema_of(field, depth + 1) for name, field in shape.fields.items()}
        if known := {name: field for name, field in fields.items() if field}:
            schema["properties"] = dict[str, Json](known)
    items = schema_of(shape.items, depth + 1) if shape.items is not None else {}
    if kind == "array" and items:
        schema["items"] = items
    return schema


def _wrapped(schema: JsonObject) -> JsonObject:
    """Wrap other types in an object with one field: clients require an object."""
    return {"type": "object", "properties": {RESULT: schema}, "required": [RESULT]}


def _asked(
    workflow: Workflow, scope: Scope, specs: Specs
) -> Iterator[tuple[str, JsonObject, bool | None]]:
    """Yield names read from the run's input.

    Each with whether every run fails without it; `None` if the workflow expects that it is missing.
    """
    naming = PromptNames(scope)
    for node in workflow.nodes:
        if node.type in _GIVING:
            valued = _valued(node)
            for name in variables_of(node):
                yield name, {"type": "string"}, name not in valued
        for asked in scope.asked_by(node):
            if asked.language in {"prompt", "flow"}:
                unknown = naming.unknown(node, asked)
                if (
                    unknown is not None
                    and unknown.code in _UNGIVEN
                    and "." not in asked.placeholder.content
                ):
                    yield asked.placeholder.content, {"type": "string"}, True
    yield from _by_path(workflow, scope, specs)


def _by_path(
    workflow: Workflow, scope: Scope, specs: Specs
) -> Iterator[tuple[str, JsonObject, bool | None]]:
    """`trigger.who` or `start.who`, unless the trigger itself gives it."""
    given = {
        field.name
        for node in workflow.nodes
        if node.type == "TRIGGER" and (spec := specs(node)) is not None
        for field in spec.outputs
    }
    starts = {node.id for node in workflow.nodes if node.type in _STARTS}
    always = _always_run(workflow)
    for node in workflow.nodes:
        roots: set[str] = {"trigger", *starts}
        sources = {edge.source for edge in workflow.edges if edge.target == node.id}
        if sources and sources <= starts:
            roots |= {"data", "input"}  # what came in is the run's input
        for path, is_needed in _paths(node, scope, specs):
            if len(path) > 1 and path[0] in roots and (name := path[1]) not in given:
                yield name, dict(_ANYTHING), is_needed and node.id in always


def _paths(node: Node, scope: Scope, specs: Specs) -> Iterator[tuple[tuple[str, ...], bool | None]]:
    """The paths that a node's expressions and prompts read, as far as they are names.

    Each with whether the node fails without it; `None` if the expression allows for it.
    """
    for use in references_of(node, specs(node)):
        names = takewhile(lambda step: isinstance(step, str), use.reference.path)
        # A path inside a larger expression may not be evaluated: `a || trigger.b`.
        is_needed = use.asked.is_binding and use.asked.path is not None
        yield tuple(map(str, names)), None if use.reference.is_optional else is_needed
    for asked in scope.asked_by(node):
        if asked.language in {"prompt", "flow"} and "." in asked.placeholder.content:
            yield tuple(asked.placeholder.content.strip().split(".")), False


def _always_run(workflow: Workflow) -> set[NodeId]:
    """The nodes that every run reaches: those behind the start without any choice."""
    starts = [node.id for node in workflow.nodes if node.type in _STARTS]
    if len(starts) != 1:
        return set()
    leaving: dict[NodeId, list[Edge]] = {}
    for edge in workflow.edges:
        leaving.setdefault(edge.source, []).append(edge)
    always, waiting = {starts[0]}, [starts[0]]
    while waiting:
        edges = leaving.get(waiting.pop(), [])
        if any(edge.source_port != OUTPUT_PORT or edge.condition for edge in edges):
            continue
        for edge in edges:
            if edge.target not in always:
                always.add(edge.target)
                waiting.append(edge.target)
    return {node.id for node in workflow.nodes if node.id in always and not _is_disabled(node)}


def _is_disabled(node: Node) -> bool:
    settings = node.data.get("configurations")
    return isinstance(settings, dict) and settings.get("enabled") is False


def _valued(node: Node) -> set[str]:
    """Variables of an input node that have a value of their own."""
    variables = node.data.get("variables")
    if isinstance(variables, dict):
        return set(variables)
    listed = variables if isinstance(variables, list) else []
    return {
        str(cast("JsonObject", one)["key"])
        for one in listed
        if isinstance(one, dict) and "key" in one and "value" in one
    }
