"""What follows of a specification alone for the flow of data: what its nodes give and pass on."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from toolweave.catalog.member_names import named_in
from toolweave.catalog.schema import output_schema
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.workflow.shapes import (
    OBJECT,
    TEXT,
    UNKNOWN,
    ValueShape,
    of_fields,
    of_kind,
    of_schema,
)

_BLOCK = (
    *("type", "text", "mimeType", "uri", "data", "bytes", "stored", "href"),
    *("name", "title", "description", "annotations", "size", "icons"),
)
_TEXT_ANSWER = of_fields(
    {
        "text": TEXT,
        "json": UNKNOWN,
        "content": replace(
            of_kind("array"),
            items=of_fields(dict.fromkeys(_BLOCK, UNKNOWN), "unsaid"),
        ),
    },
    "unsaid",
)

# Ports by which a node's value can always be read.
VALUE_PORTS = ("output", "result")
_WITH_ONE_VALUE = frozenset({"mcp", "prompt", "template", "start", "multi_input", "input"})
# What went wrong, and what the port `error` of a node gives.
_ERROR = of_fields(dict.fromkeys(("code", "message", "node"), TEXT), "unsaid")
FAILED = of_fields({"error": _ERROR}, "none")
_WITH_ERROR = frozenset({"TRIGGER.WORKFLOW_FAILED"})


@dataclass(frozen=True, slots=True)
class NodeOutputs:
    """What a node of a specification gives.

    `carried` is what goes along its edges: its value, its own input `data` as it is, or a field
    `data` of which nothing is known.
    """

    value: ValueShape
    takes_data: bool
    carried: Literal["value", "data", "unknown"]
    ports: frozenset[str]


def given_by(spec: NodeSpec) -> NodeOutputs:
    """What nodes of a specification give."""
    takes_data = any(one.name == "data" for one in spec.inputs)
    ports = frozenset(name for port in spec.output_ports for name in (port.name, *port.aliases))
    if not spec.passes_data:
        return NodeOutputs(_value_of(spec), takes_data, "value", ports)
    is_same = spec.type == "FLOW" and spec.outputs[0].type == "any"
    return NodeOutputs(_value_of(spec), takes_data, "data" if is_same else "unknown", ports)


def read_ports(kind: str, spec: NodeSpec | None, used: Iterable[str]) -> tuple[str, ...] | None:
    """The names by which a node's value can be read, `used` among them; None if not known."""
    if spec is not None:
        known = [name for port in spec.output_ports for name in (port.name, *port.aliases)]
        return tuple(dict.fromkeys((*VALUE_PORTS, *known, *used, "error")))
    if kind in _WITH_ONE_VALUE:
        return tuple(dict.fromkeys((*VALUE_PORTS, *used, "error")))
    return None


def answer_shape(schema: JsonObject | None) -> ValueShape:
    """What a tool gives by its output schema; without one its text, read as JSON if it is some.

    Such a tool may answer with structured content nevertheless.
    """
    return _TEXT_ANSWER if schema is None else of_schema(schema)


def _value_of(spec: NodeSpec) -> ValueShape:
    if spec.origin is not None:
        return answer_shape(spec.origin.output_schema)
    if not spec.outputs:
        return UNKNOWN
    found = of_schema(output_schema(spec))
    listed = {one.name: named_in(one.description) for one in spec.outputs if one.type == "object"}
    known = {
        name: of_fields(dict.fromkeys(names, UNKNOWN), "unsaid")
        for name, names in listed.items()
        if names and not found.fields[name].fields
    }
    if known:
        found = replace(found, fields={**found.fields, **known})
    if spec.ref in _WITH_ERROR:
        found = replace(found, fields={**found.fields, "error": _ERROR})
    if spec.type == "TRIGGER":
        # Started by hand, a run may be given anything beside them; an event has these only.
        return replace(found, others="any" if spec.subtype == "MANUAL" else "none")
    # What a tool of another system gives is that system's business.
    return replace(found, others="unsaid" if spec.type == "TOOL" else "none")


def started_with(outputs: ValueShape, declared: ValueShape) -> ValueShape:
    """The value of a trigger: its outputs, and what the run may be started with beside them."""
    if declared is OBJECT:
        return outputs
    is_closed = "none" in {declared.others, outputs.others}
    fields = {**declared.fields, **outputs.fields}
    return replace(outputs, fields=fields, others="none" if is_closed else "unsaid")
