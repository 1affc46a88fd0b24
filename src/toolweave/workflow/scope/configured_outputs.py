"""What a node gives by its configuration: the fields that a form, a schema or a list names."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at
from toolweave.workflow.shapes import UNKNOWN, ValueShape, of_fields, of_kind, of_schema, of_value

_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})
_CALLED = "FLOW.SUBWORKFLOW"
_RECORDS = of_fields({}, "any").kinds | of_kind("array").kinds


def is_configured(ref: str | None) -> bool:
    """Whether the value of a node depends on its configuration."""
    return ref in _CONFIGURED or ref == _CALLED


def with_configured(
    ref: str | None, value: ValueShape, settings: JsonObject, data: ValueShape
) -> ValueShape:
    """The value of a node with what its configuration says of it; `data` is its input."""
    if ref == _CALLED and settings.get("output", "details") != "details":
        return UNKNOWN
    if ref not in _CONFIGURED:
        return value
    name, described = _CONFIGURED[ref]
    return replace(value, fields={**value.fields, name: described(settings, data)})


def _extracted(settings: JsonObject, data: ValueShape) -> ValueShape:
    if schema := settings.get("output_schema"):
        found = of_schema(schema)
        return found if found.kinds <= of_kind("object").kinds else UNKNOWN
    fields = settings.get("fields")
    if not isinstance(fields, dict):
        return UNKNOWN
    return of_fields({name: _of_type(kind) for name, kind in fields.items()}, "none")


def _of_type(kind: Json) -> ValueShape:
    if isinstance(kind, dict):
        return of_schema(kind)
    is_known = isinstance(kind, str) and kind in _TYPES
    return of_schema({"type": [kind if is_known else "string", "null"]})


def _form(field: str) -> Callable[[JsonObject, ValueShape], ValueShape]:
    def filled(settings: JsonObject, data: ValueShape) -> ValueShape:
        schema = settings.get(field)
        found = of_schema(schema) if isinstance(schema, dict) and schema else UNKNOWN
        # A form that nobody filled in is empty.
        return replace(found, others="unsaid", needed=frozenset()) if found.fields else UNKNOWN

    return filled


def _changed(settings: JsonObject, data: ValueShape) -> ValueShape:
    """The records of SET_FIELDS; what stays of the input is named if the input is known."""
    made = {path.partition(".")[0]: UNKNOWN for path in _paths(settings)}
    made |= {path: of_value(value) for path, value in _literals(settings.get("set"))}
    if settings.get("keep_others", True) is False:
        return ValueShape(_RECORDS, made, "none")
    lost = {*_keys(settings.get("rename")), *_texts(settings.get("remove"))}
    kept = {name: shape for name, shape in data.fields.items() if name not in lost}
    return ValueShape(_RECORDS, {**kept, **made}, data.others, data.rest)


def _paths(settings: JsonObject) -> Iterable[str]:
    renamed = settings.get("rename")
    yield from _texts(list(renamed.values()) if isinstance(renamed, dict) else [])
    yield from _keys(settings.get("set"))
    yield from _keys(settings.get("expressions"))


def _literals(values: Json) -> Iterable[tuple[str, Json]]:
    for path, value in values.items() if isinstance(values, dict) else ():
        if "." not in path and not (isinstance(value, str) and "{{" in value):
            yield path, value


def _keys(value: Json) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, dict) else ()


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


# By node: the output, and what describes it.
_CONFIGURED: dict[str, tuple[str, Callable[[JsonObject, ValueShape], ValueShape]]] = {
    "AI_AGENT.EXTRACT": ("data", _extracted),
    "HUMAN_IN_THE_LOOP.FORM": ("form_data", _form("form_schema")),
    "HUMAN_IN_THE_LOOP.MCP_ELICITATION": ("form_data", _form("requested_schema")),
    "ACTION.SET_FIELDS": ("data", _changed),
}


def runs(node: Node) -> bool | None:
    """Whether a catalog node runs; nothing where that is known only when it runs."""
    enabled = object_at(node.data, "configurations").get("enabled", True)
    return None if isinstance(enabled, str) else enabled is not False
