"""Faults of values: names, types, options and limits of configurations and parameters."""

import json
from collections.abc import Iterator
from typing import Any

from tests.workflow.corpus.bases import Base, Document, a_list, an_object, tool, world
from tests.workflow.corpus.faults import Fault, Faults, Fix, cut, drop, put, rename, swapped

from toolweave.catalog.schema import configuration_schema
from toolweave.catalog.spec import NodeSpec

REQUIRED = ("FIELD_REQUIRED", "MCP_PARAMETER_REQUIRED", "INPUT_MISSING")
UNKNOWN = ("FIELD_UNKNOWN", "MCP_PARAMETER_UNKNOWN")
TYPE = ("FIELD_TYPE_INVALID", "MCP_PARAMETER_INVALID_TYPE")
OPTION = ("FIELD_OPTION_INVALID", "MCP_PARAMETER_ENUM_INVALID")
LIMIT = ("FIELD_LIMIT_VIOLATED", "MCP_PARAMETER_CONSTRAINT_VIOLATED")
Steps = tuple[str | int, ...]


def faults(base: Base) -> Iterator[Fault]:
    """Every fault of values that the base has room for."""
    made = Faults(base)
    for at, node in made.nodes():
        data = node.get("data", {})
        if node["type"] == "mcp" and data.get("mode", "detailed") == "detailed":
            yield from _tool(made, at, data)
            if data.get("parameters"):
                schema = (
                    tool(data["serverId"], data["toolName"]).input_schema
                    if _is_ours(base)
                    else None
                )
                schema = schema or _remembered(data)
                yield from _object(made, schema, schema, (at, "data", "parameterValues"))
        spec = _spec(base, node)
        if spec is None:
            continue
        steps, values = _part(at, node, ("configurations", "parameters"))
        if values:
            yield from _part_itself(made, steps, spec)
            schema = configuration_schema(spec)
            yield from _object(made, schema, schema, steps, is_strict=False)
        if spec.origin is not None:
            schema = spec.origin.input_schema
            yield from _object(made, schema, schema, (at, "data", "inputParams"))


def _is_ours(base: Base) -> bool:
    return "/" not in base.name and base.world != "alone"


def _remembered(data: Document) -> Document:
    named = {one["name"]: one for one in data["parameters"]}
    kinds: Document = {
        name: {"type": one["type"], **_limits(one)} for name, one in named.items() if "type" in one
    }
    required = [name for name, one in named.items() if one.get("required")]
    return {"type": "object", "properties": kinds, "required": required}


def _limits(entry: Document) -> Document:
    limits = an_object(entry.get("validation"))
    known = ("enum", "minimum", "maximum", "pattern", "minLength")
    return {key: limits[key] for key in known if key in limits}


def _spec(base: Base, node: Document) -> NodeSpec | None:
    subtype = node.get("subtype", node.get("data", {}).get("subtype"))
    return (
        world(base.world).catalog.get(node["type"], subtype) if isinstance(subtype, str) else None
    )


def _part(at: int, node: Document, names: tuple[str, ...]) -> tuple[Steps, Document]:
    for steps, owner in (((at, "data"), node.get("data", {})), ((at,), node)):
        for name in names:
            if isinstance(owner.get(name), dict):
                return (*steps, name), owner[name]
    return (), {}


def _tool(made: Faults, at: int, data: Document) -> Iterator[Fault]:
    """Names of tools and servers, where something knows them."""
    if not _is_ours(made.base):
        return
    known = made.base.world
    name, server = data["toolName"], data["serverId"]
    steps = (at, "data", "toolName")
    slips = {"tool-swapped": swapped(name), "tool-cut": cut(name), "tool-case": name.upper()}
    slips["tool-hyphen"] = name.replace("_", "-")
    for kind, wrong in slips.items():
        if wrong and wrong != name:
            yield made.made(kind, put(wrong, *steps), "MCP_TOOL_NOT_FOUND", fix="same", place=name)
    is_live = known == "live"
    yield made.made(
        "tool-nonsense", put("quantum", *steps), "MCP_TOOL_NOT_FOUND", grave=is_live, place=name
    )
    yield made.made(
        "tool-lost", drop(*steps), "MCP_TOOL_REQUIRED", "MCP_NODE_FIELD_INVALID", place=name
    )
    steps = (at, "data", "serverId")
    if wrong := swapped(server):
        change = put(wrong, *steps)
        code = "MCP_SERVER_NOT_FOUND"
        yield made.made("server-swapped", change, code, fix="same", grave=is_live, place=name)
    if is_live:
        yield made.made(
            "server-nonsense", put("quantum", *steps), "MCP_SERVER_NOT_FOUND", place=name
        )
    change = drop(*steps)
    yield made.made(
        "server-lost", change, "MCP_SERVER_NOT_FOUND", "MCP_NODE_FIELD_INVALID", place=name
    )


def _part_itself(made: Faults, steps: Steps, spec: NodeSpec) -> Iterator[Fault]:
    """The object of configurations called otherwise, or something else."""
    is_needed = "required" in configuration_schema(spec)
    if steps[-1] != "configurations":
        return
    change = rename("configuration", *steps)
    codes = (*UNKNOWN, *REQUIRED)
    yield made.made("part-cut", change, *codes, fix="same", grave=is_needed, place=spec.ref)
    change = rename("Configurations", *steps)
    yield made.made("part-case", change, *codes, fix="same", grave=is_needed, place=spec.ref)
    change = put([], *steps)
    yield made.made(
        "part-list", change, *TYPE, *REQUIRED, "FIELD_TYPE_WRONG", grave=is_needed, place=spec.ref
    )
    change = put("none", *steps)
    yield made.made("part-text", change, *TYPE, *REQUIRED, "FIELD_TYPE_WRONG", place=spec.ref)


def _object(
    made: Faults, schema: Document, root: Document, steps: Steps, *, is_strict: bool = True
) -> Iterator[Fault]:
    """Faults in an object that a schema describes, and in what is inside it."""
    owner = _at(made, steps)
    known = schema.get("properties", {})
    needed = schema.get("required", [])
    is_closed = schema.get("additionalProperties") is False and is_strict
    place = "/".join(map(str, steps))
    for name, value in owner.items():
        part = _meant(known.get(name, {}), root)
        here = (*steps, name)
        # What may come from elsewhere runs: a connection of the user's, what the node before gave.
        is_fed = name == "bot_token" or "inputParams" in steps
        grave = (name in needed and not is_fed) or is_closed
        for kind, wrong in (("name-swapped", swapped(name)), ("name-case", name.upper())):
            if wrong and wrong != name and name in known:
                change = rename(wrong, *here)
                codes = (*UNKNOWN, *REQUIRED)
                yield made.made(
                    kind, change, *codes, fix="same", grave=grave, place=f"{place}/{name}"
                )
        if name in needed:
            fix: Fix = "valid" if "default" in part or "const" in part else "none"
            there = f"{place}/{name}"
            change = drop(*here)
            yield made.made(
                "required-lost", change, *REQUIRED, fix=fix, grave=not is_fed, place=there
            )
            if not _takes(part, "null"):
                change = put(None, *here)
                codes = (*REQUIRED, *TYPE)
                yield made.made("required-null", change, *codes, grave=not is_fed, place=there)
        if not _is_template(value):
            yield from _value(made, part, root, here, value)
    change = put("what", *steps, "quantumField")
    yield made.made("name-nonsense", change, *UNKNOWN, grave=is_closed, place=place)


def _value(
    made: Faults, schema: Document, root: Document, steps: Steps, value: Any
) -> Iterator[Fault]:
    kind = schema.get("type")
    options = {one.casefold() for one in a_list(schema.get("enum")) if isinstance(one, str)}
    if len(options) > 1 and isinstance(value, str):
        yield from _option(made, steps, value)
    elif isinstance(value, bool) and kind == "boolean":
        place = "/".join(map(str, steps))
        wrong = str(value).lower()
        yield made.made("boolean-as-text", put(wrong, *steps), *TYPE, fix="same", place=place)
        yield made.made("boolean-as-word", put("maybe", *steps), *TYPE, place=place)
    elif kind in ("integer", "number") and isinstance(value, int | float):
        yield from _number(made, schema, steps, value)
    elif kind == "string" and isinstance(value, str) and not schema.keys() & {"enum", "const"}:
        yield from _plain_text(made, schema, steps, value)
    elif kind == "array" and isinstance(value, list):
        yield from _array(made, schema, root, steps, a_list(value))
    elif isinstance(value, dict):
        yield from _nested(made, schema, root, steps, an_object(value))


def _option(made: Faults, steps: Steps, value: str) -> Iterator[Fault]:
    place = "/".join(map(str, steps))
    for slip, wrong in (("option-swapped", swapped(value)), ("option-case", value.swapcase())):
        if wrong and wrong != value:
            yield made.made(slip, put(wrong, *steps), *OPTION, fix="same", place=place)
    yield made.made("option-nonsense", put("purple-ish", *steps), *OPTION, place=place)
    yield made.made("option-number", put(7, *steps), *OPTION, *TYPE, place=place)


def _number(made: Faults, schema: Document, steps: Steps, value: float) -> Iterator[Fault]:
    place = "/".join(map(str, steps))
    yield made.made("number-as-text", put(str(value), *steps), *TYPE, fix="same", place=place)
    yield made.made("number-as-word", put("several", *steps), *TYPE, place=place)
    yield made.made("number-as-list", put([value], *steps), *TYPE, place=place)
    if schema["type"] == "integer":
        yield made.made("number-broken", put(value + 0.5, *steps), *TYPE, *LIMIT, place=place)
    if "maximum" in schema:
        change = put(schema["maximum"] + 1, *steps)
        yield made.made("number-too-big", change, *LIMIT, place=place)
    if "minimum" in schema:
        change = put(schema["minimum"] - 1, *steps)
        yield made.made("number-too-small", change, *LIMIT, place=place)


def _plain_text(made: Faults, schema: Document, steps: Steps, value: str) -> Iterator[Fault]:
    place = "/".join(map(str, steps))
    is_plain = not schema.keys() & {"pattern", "format"}
    is_plain &= steps[-1] not in ("bot_token", "condition_expression", "url")
    fix: Fix = "valid" if is_plain else "none"
    yield made.made("text-as-number", put(42, *steps), *TYPE, fix=fix, place=place)
    yield made.made("text-as-object", put({"value": value}, *steps), *TYPE, place=place)
    if "pattern" in schema:
        yield made.made("text-unlike", put("~ ~", *steps), *LIMIT, place=place)
    if schema.get("minLength"):
        yield made.made("text-empty", put("", *steps), *LIMIT, place=place)


def _array(
    made: Faults, schema: Document, root: Document, steps: Steps, value: list[Any]
) -> Iterator[Fault]:
    place = "/".join(map(str, steps))
    wrong = json.dumps(value)
    yield made.made("list-as-text", put(wrong, *steps), *TYPE, fix="same", place=place)
    if len(value) == 1 and isinstance(value[0], str | dict):
        yield made.made("list-as-item", put(value[0], *steps), *TYPE, fix="same", place=place)
    if schema.get("minItems"):
        yield made.made("list-empty", put([], *steps), *LIMIT, place=place)
    items = _meant(schema.get("items", {}), root)
    for at, item in enumerate(value[:1]):
        if isinstance(item, dict) and "properties" in items:
            yield from _object(made, items, root, (*steps, at))
        else:
            yield from _value(made, items, root, (*steps, at), item)


def _nested(
    made: Faults, schema: Document, root: Document, steps: Steps, value: Document
) -> Iterator[Fault]:
    place = "/".join(map(str, steps))
    if schema.get("type") == "object":
        wrong = json.dumps(value)
        yield made.made("object-as-text", put(wrong, *steps), *TYPE, fix="same", place=place)
        yield made.made("object-as-list", put([value], *steps), *TYPE, place=place)
    if "properties" in schema:
        yield from _object(made, schema, root, steps)


def _takes(schema: Document, kind: str) -> bool:
    named = a_list(schema.get("type")) or [schema.get("type")]
    return kind in named or not schema.keys() & {"type", "enum", "const", "properties"}


def _is_template(value: Any) -> bool:
    return "{{" in json.dumps(value)


def _meant(schema: Any, root: Document) -> Document:
    found = an_object(schema)
    while "$ref" in found:
        found = root["$defs"][found["$ref"].rpartition("/")[2]]
    return {} if "oneOf" in found else found


def _at(made: Faults, steps: Steps) -> Document:
    owner: Any = [node for _, node in made.nodes()]
    for step in steps:
        owner = owner[step]
    return owner
