"""The places of a catalog node that a value can stand in, and the values that stand in none. Pure.

A place is known from the specification: settings, inputs, and the members of objects, by the
notation of `member_shapes`, by examples, or by the schema of a tool.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.catalog.member_names import members_of
from toolweave.catalog.member_shapes import member_schema
from toolweave.catalog.schema import field_schema
from toolweave.catalog.spec import COMMON_CONFIGURATIONS, Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.tools.unions import kind_of
from toolweave.workflow.model import Node

PARTS = ("configurations", "inputParams")
_MAX_DEPTH = 3
_COMMON = frozenset(one.name for one in COMMON_CONFIGURATIONS)
_SCALARS = frozenset({"string", "integer", "number", "boolean"})

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeSlot:
    """A place below a node's `data`, and what may stand in it."""

    steps: Steps
    schema: JsonObject
    description: str = ""
    is_required: bool = False

    @property
    def name(self) -> str:
        """The last step."""
        return self.steps[-1]


def slots_of(spec: NodeSpec) -> dict[Steps, NodeSlot]:
    """Every place that the specification names."""
    found = [
        slot
        for part, fields in zip(PARTS, (spec.all_configurations, spec.inputs), strict=True)
        for field in fields
        for slot in _of_field(spec, part, field)
    ]
    return {slot.steps: slot for slot in found}


def _of_field(spec: NodeSpec, part: str, field: Field) -> Iterator[NodeSlot]:
    schema = field_schema(field)
    if field.members is not None:
        schema = {**schema, **member_schema(field.members)}
    elif field.type == "object" and field.schema is None:
        schema = {**schema, **_sampled(spec, part, field.name)}
    for name in (field.name, *field.aliases):
        needed = field.required and field.default is None and name == field.name
        yield NodeSlot((part, name), schema, field.description, needed)
    yield from _members((part, field.name), schema)


def _members(at: Steps, schema: JsonObject) -> Iterator[NodeSlot]:
    known, needed = schema.get("properties"), schema.get("required")
    for name, inner in known.items() if isinstance(known, dict) else ():
        if isinstance(inner, dict) and len(at) <= _MAX_DEPTH:
            about = inner.get("description")
            is_needed = isinstance(needed, list) and name in needed
            text = about if isinstance(about, str) else ""
            yield NodeSlot((*at, name), inner, text, is_needed)
            yield from _members((*at, name), inner)


def _sampled(spec: NodeSpec, part: str, name: str) -> JsonObject:
    """The members that examples show, with the types of their values."""
    members = members_of(spec, is_input=part == PARTS[1]).get((name,))
    if members is None or not members.is_own:
        return {}
    properties: JsonObject = {}
    for key, samples in members.samples.items():
        kinds = {kind_of(one) for one in samples if one is not None}
        options = members.options.get(key)
        is_plain = len(kinds) == 1 and kinds <= _SCALARS
        properties[key] = (
            {"enum": [*options]} if options else {"type": next(iter(kinds))} if is_plain else {}
        )
    return {"properties": properties} if properties else {}


@dataclass(frozen=True, slots=True)
class Stray:
    """A value of a node under a name that its place does not have."""

    steps: Steps
    value: Json

    @property
    def name(self) -> str:
        """The unknown name."""
        return self.steps[-1]


def strays_in(node: Node, slots: dict[Steps, NodeSlot]) -> list[Stray]:
    """The values in the parts of a node that are in no known place."""
    found: list[Stray] = []
    for part in PARTS:
        given = node.data.get(part)
        if isinstance(given, dict):
            found += _strays((part,), given, slots)
    return found


def _strays(at: Steps, given: JsonObject, slots: dict[Steps, NodeSlot]) -> Iterator[Stray]:
    schema = slots[at].schema if at in slots else {}
    is_open = len(at) > 1 and ("properties" not in schema or _takes_others(schema))
    for name, value in given.items():
        below = (*at, name)
        if below in slots:
            if isinstance(value, dict):
                yield from _strays(below, value, slots)
        elif not is_open:
            yield Stray(below, value)


def _takes_others(schema: JsonObject) -> bool:
    return schema.get("additionalProperties") not in (None, False)


def free_slots(node: Node, slots: dict[Steps, NodeSlot]) -> list[NodeSlot]:
    """The places in which nothing stands, and above which nothing else does.

    Not those that every node has: a node may have a time limit of its own beside them.
    """
    own = [slot for slot in slots.values() if slot.steps[-1] not in _COMMON]
    return [slot for slot in own if _is_free(node.data, slot.steps)]


def _is_free(owner: Json, steps: Steps) -> bool:
    for step in steps:
        if owner is None:
            return True
        if not isinstance(owner, dict):
            return False
        owner = owner.get(step)
    return owner is None
