"""What follows of a specification alone for the flow of data: what its nodes give and pass on."""

from dataclasses import dataclass, replace
from typing import Literal

from toolweave.catalog.schema import output_schema
from toolweave.catalog.spec import NodeSpec
from toolweave.workflow.shapes import UNKNOWN, ValueShape, of_schema


@dataclass(frozen=True, slots=True)
class NodeOutputs:
    """What a node of a specification gives.

    `carried` is what goes along its edges: its value, its own input `data` as it is, or a field
    `data` of which nothing is known.
    """

    value: ValueShape
    takes_data: bool
    carried: Literal["value", "data", "unknown"]


def given_by(spec: NodeSpec) -> NodeOutputs:
    """What nodes of a specification give."""
    takes_data = any(one.name == "data" for one in spec.inputs)
    passed = next((one for one in spec.outputs if one.name == "data"), None)
    if spec.origin is not None or passed is None:
        return NodeOutputs(_value_of(spec), takes_data, "value")
    is_same = spec.type == "FLOW" and passed.type == "any"
    return NodeOutputs(_value_of(spec), takes_data, "data" if is_same else "unknown")


def _value_of(spec: NodeSpec) -> ValueShape:
    if spec.origin is not None:
        schema = spec.origin.output_schema
        if schema is None:
            return UNKNOWN
        given = of_schema(schema)
        # Read by the tool's own names, as of an MCP node, or by those of the catalog entry.
        names = {one.name: UNKNOWN for one in spec.outputs if one.name not in given.fields}
        return replace(given, fields={**given.fields, **names})
    if not spec.outputs:
        return UNKNOWN
    found = of_schema(output_schema(spec))
    if spec.type == "TRIGGER":
        return replace(found, others="any")  # what the run was started with, whatever that is
    # A node gives what its specification names; one that passes its input on is often read as if
    # it gave that, and what a tool of another system gives is that system's business.
    is_passing = spec.type == "TOOL" or any(one.name == "data" for one in spec.outputs)
    return replace(found, others="unsaid" if is_passing else "none")
