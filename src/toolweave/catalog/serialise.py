"""A specification as seed 004's answers show it: the modern form and the legacy one beside it."""

from collections.abc import Mapping
from typing import Any, cast

from toolweave.catalog.spec import NODE_TYPES, Example, Field, FieldType, NodeSpec, Port
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject

EMPTY: dict[FieldType, Json] = {
    "string": "",
    "integer": 0,
    "float": 0.0,
    "boolean": False,
    "object": {},
    "array": [],
}


def serialise(
    spec: NodeSpec, *, include_examples: bool = True, include_schemas: bool = True
) -> JsonObject:
    """The answer for one node, every field of the seed's schema."""
    body: JsonObject = {
        "node_type": spec.type,
        "subtype": spec.subtype,
        "version": spec.version,
        "description": spec.summary,
        "effect": spec.effect,
    }
    if spec.guidance:
        body["guidance"] = spec.guidance
    body["parameters"] = [_legacy(given) for given in spec.all_configurations]
    body["configurations"] = _fields(spec.all_configurations)
    if include_schemas:
        body["input_params_schema"] = _fields(spec.inputs)
        body["output_params_schema"] = _fields(spec.outputs)
    body |= {
        "default_configurations": {
            given.name: given.default
            for given in spec.all_configurations
            if given.default is not None
        },
        "default_input_params": {given.name: runtime_default(given) for given in spec.inputs},
        "default_output_params": {given.name: runtime_default(given) for given in spec.outputs},
        "input_ports": [_port(port) for port in spec.input_ports],
        "output_ports": [_port(port) for port in spec.output_ports],
        "tags": list(spec.tags),
    }
    if spec.attached_nodes:
        body["attached_nodes"] = list(spec.attached_nodes)
    if include_examples:
        body["examples"] = [_example(example) for example in spec.examples]
    return body


def runtime_default(given: Field) -> Json:
    """The value a new node starts with: its default, else an empty value of its type."""
    return given.default if given.default is not None else EMPTY[given.type]


def example_value(given: Field) -> Json:
    """A plausible value by type, for documentation: the default, an option, or something small."""
    if given.default is not None:
        return given.default
    if given.options:
        return [given.options[0]] if given.type == "array" else given.options[0]
    by_type: dict[FieldType, Json] = {
        "string": f"example {given.name.replace('_', ' ')}",
        "integer": int(given.minimum or 1),
        "float": float(given.minimum or 1.0),
        "boolean": True,
        "object": {"key": "value"},
        "array": ["item"],
    }
    return by_type[given.type]


def read_legacy(raw: Mapping[str, Any]) -> NodeSpec:
    """A specification from its legacy form: `node_type`, `subtype` and a `parameters` list.

    Raises:
        Invalid: `SPEC_INVALID` when it names no known type or a parameter cannot be read.
    """
    node_type = str(raw.get("node_type") or raw.get("type") or "").removesuffix("_NODE")
    subtype = raw.get("subtype")
    if node_type not in NODE_TYPES or not isinstance(subtype, str) or not subtype:
        raise Invalid(
            "SPEC_INVALID",
            f"a specification needs a node_type of {', '.join(NODE_TYPES)} and a subtype",
        )
    parameters = raw.get("parameters", [])
    if not isinstance(parameters, list):
        raise Invalid("SPEC_INVALID", "`parameters` must be a list")
    return NodeSpec(
        type=node_type,
        subtype=subtype,
        summary=str(raw.get("description", "")),
        effect="once",
        version=str(raw.get("version", "1.0.0")),
        configurations=tuple(_read_parameter(entry) for entry in cast("list[Any]", parameters)),
        tags=tuple(str(tag) for tag in raw.get("tags", [])),
    )


_LEGACY_TYPES: dict[str, FieldType] = {
    "number": "float",
    "enum": "string",
    "json": "object",
    "list": "array",
    "url": "string",
    "file": "string",
    "cron_expression": "string",
}


def _read_parameter(entry: Any) -> Field:
    raw = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    if not isinstance(raw.get("name"), str):
        raise Invalid("SPEC_INVALID", "every parameter needs a name")
    given = str(raw.get("type", "string")).lower()
    kind = given if given in EMPTY else _LEGACY_TYPES.get(given, "string")
    return Field(
        raw["name"],
        kind,
        str(raw.get("description", "")),
        raw.get("default_value"),
        required=bool(raw.get("required", False)),
        options=tuple(str(value) for value in raw.get("enum_values") or ()),
        pattern=raw.get("validation_pattern"),
    )


def _fields(fields: tuple[Field, ...]) -> JsonObject:
    return {given.name: _modern(given) for given in fields}


def _modern(given: Field) -> JsonObject:
    body: JsonObject = {
        "type": given.type,
        "default": given.default,
        "description": given.description,
        "required": given.required,
    }
    extras: JsonObject = {
        "min": given.minimum,
        "max": given.maximum,
        "options": list(given.options) or None,
        "options_open": given.is_open or None,
        "sensitive": given.sensitive or None,
        "multiline": given.multiline or None,
        "validation_pattern": given.pattern,
        "aliases": list(given.aliases) or None,
        "items": given.items,
    }
    return body | {key: value for key, value in extras.items() if value is not None}


def _legacy(given: Field) -> JsonObject:
    body: JsonObject = {
        "name": given.name,
        "type": given.type,
        "required": given.required,
        "default_value": given.default,
        "description": given.description,
    }
    if given.options:
        body["enum_values"] = list(given.options)
    if given.pattern:
        body["validation_pattern"] = given.pattern
    return body


def _port(port: Port) -> JsonObject:
    return {
        "name": port.name,
        "type": port.type,
        "required": port.required,
        "description": port.description,
        "max_connections": port.max_connections,
    }


def _example(example: Example) -> JsonObject:
    body: JsonObject = {
        "name": example.name,
        "description": example.description,
        "configurations": example.configurations,
        "input_params": example.input_params,
    }
    if example.expected_output is not None:
        body["expected_output"] = example.expected_output
    return body
