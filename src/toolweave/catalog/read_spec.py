"""Reads a specification from the catalog's JSON, in its legacy (`parameters`) or modern form.

What `serialise` writes is read back to the same answer, so both forms are served alike.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from toolweave.catalog.names import TYPES, skeleton, without_suffix, words_of
from toolweave.catalog.spec import (
    INPUT,
    OUTPUT,
    DataFormat,
    Effect,
    Example,
    Field,
    FieldType,
    NodeSpec,
    Port,
)
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer

FIELD_TYPES: dict[str, FieldType] = {
    "string": "string",
    "integer": "integer",
    "float": "float",
    "boolean": "boolean",
    "object": "object",
    "array": "array",
    "any": "any",
    # Older names.
    "number": "float",
    "enum": "string",
    "json": "object",
    "list": "array",
    "url": "string",
    "file": "string",
    "cron_expression": "string",
}
_PYTHON_TYPES: dict[FieldType, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "float": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_EFFECTS: tuple[Effect, ...] = ("pure", "keyed", "once")

T = TypeVar("T")


def read_spec(raw: JsonObject) -> NodeSpec:
    """The specification in `raw`. Raises `Invalid`: `SPEC_INVALID`, with every problem."""
    reader = _Reader()
    spec = reader.spec(raw)
    if reader.problems or spec is None:
        first = reader.problems[0]
        message = f"the specification cannot be read: {first.pointer or '/'}: {first.message}"
        raise Invalid("SPEC_INVALID", message, problems=reader.problems)
    return spec


class _Reader:
    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def spec(self, raw: JsonObject) -> NodeSpec | None:
        name = "node_type" if "node_type" in raw else "type"
        node_type = TYPES.get(skeleton(without_suffix(words_of(self._text(raw, name, ())))))
        if node_type is None:
            self._fault((name,), "expected one of the eight node types, such as ACTION")
        subtype = self._text(raw, "subtype", ())
        if not subtype:
            self._fault(("subtype",), "expected a text that is not empty")
        effects: list[Effect] = [known for known in _EFFECTS if raw.get("effect") == known]
        spec = NodeSpec(
            node_type or "ACTION",
            subtype,
            self._text(raw, "description", ()),
            effects[0] if effects else "once",
            configurations=tuple(self._configurations(raw)),
            inputs=tuple(self._fields(raw, "input_params_schema", "input_params")),
            outputs=tuple(self._fields(raw, "output_params_schema", "output_params")),
            input_ports=self._ports(raw, "input_ports", () if node_type == "TRIGGER" else (INPUT,)),
            output_ports=self._ports(raw, "output_ports", (OUTPUT,)),
            tags=self._texts(raw, "tags", ()),
            guidance=self._text(raw, "guidance", ()) or None,
            attached_nodes=self._texts(raw, "attached_nodes", ()),
            examples=tuple(self._list(raw, "examples", (), self._example)),
            version=self._text(raw, "version", ()) or "1.0.0",
        )
        return None if self.problems else spec

    def _configurations(self, raw: JsonObject) -> Iterator[Field]:
        if "configurations" in raw:
            return self._fields(raw, "configurations")
        return iter(self._list(raw, "parameters", (), self._parameter))

    def _fields(self, raw: JsonObject, *names: str) -> Iterator[Field]:
        key = next((name for name in names if name in raw), names[0])
        for name, body in self._object(raw, key, ()).items():
            if isinstance(body, dict):
                yield self._field(name, body, (key, name), default=body.get("default"))
            else:
                self._fault((key, name), "expected an object")

    def _parameter(self, body: JsonObject, at: tuple[str | int, ...]) -> Field:
        name = self._text(body, "name", at)
        if not name:
            self._fault((*at, "name"), "every parameter needs a name")
        return self._field(name, body, at, default=body.get("default_value"))

    def _field(
        self, name: str, body: JsonObject, at: tuple[str | int, ...], *, default: Json
    ) -> Field:
        kind = self._type(body.get("type", "string"), (*at, "type"))
        if default is not None and not _is_a(default, kind):
            self._fault((*at, "default"), f"expected a value of type {kind}")
        schema = body.get("schema")
        return Field(
            name,
            kind,
            self._text(body, "description", at),
            default,
            required=body.get("required") is True,
            minimum=self._number(body, "min", at),
            maximum=self._number(body, "max", at),
            options=self._texts(body, "options" if "options" in body else "enum_values", at),
            is_open=body.get("options_open") is True,
            sensitive=body.get("sensitive") is True,
            multiline=body.get("multiline") is True,
            pattern=self._text(body, "validation_pattern", at) or None,
            aliases=self._texts(body, "aliases", at),
            items=self._type(body["items"], (*at, "items")) if "items" in body else None,
            used_when=self._texts(body, "used_when", at),
            schema=schema if isinstance(schema, dict) else None,
        )

    def _ports(self, raw: JsonObject, key: str, otherwise: tuple[Port, ...]) -> tuple[Port, ...]:
        return tuple(self._list(raw, key, (), self._port)) if key in raw else otherwise

    def _port(self, body: JsonObject, at: tuple[str | int, ...]) -> Port:
        form = self._object(body, "data_format", at)
        most = self._number(body, "max_connections", at)
        schema = self._object(body, "validation_schema", at)
        return Port(
            self._text(body, "name", at),
            self._text(body, "description", at),
            type=self._text(body, "type", at) or "main",
            required=body.get("required") is True,
            max_connections=-1 if most is None else int(most),
            data_format=DataFormat(
                self._text(form, "mime_type", (*at, "data_format")),
                self._text(form, "schema", (*at, "data_format")) or None,
                self._texts(form, "examples", (*at, "data_format")),
            )
            if form
            else None,
            validation_schema=schema or None,
            aliases=self._texts(body, "aliases", at),
        )

    def _example(self, body: JsonObject, at: tuple[str | int, ...]) -> Example:
        expected = self._object(body, "expected_output", at)
        port, *also = self._texts(body, "ports", at) or ("output",)
        return Example(
            self._text(body, "name", at),
            self._text(body, "description", at),
            self._object(body, "configurations", at),
            self._object(body, "input_params", at),
            expected if "expected_output" in body else None,
            port=port,
            also=tuple(also),
        )

    def _type(self, given: Json, at: tuple[str | int, ...]) -> FieldType:
        known = FIELD_TYPES.get(given.lower()) if isinstance(given, str) else None
        if known is None:
            self._fault(at, f"expected one of {', '.join(FIELD_TYPES)}")
        return known or "any"

    def _list(
        self,
        raw: JsonObject,
        key: str,
        at: tuple[str | int, ...],
        read: Callable[[JsonObject, tuple[str | int, ...]], T],
    ) -> list[T]:
        found: list[T] = []
        value = raw.get(key)
        if value is not None and not isinstance(value, list):
            self._fault((*at, key), "expected a list")
        for index, entry in enumerate(value if isinstance(value, list) else []):
            if isinstance(entry, dict):
                found.append(read(entry, (*at, key, index)))
            else:
                self._fault((*at, key, index), "expected an object")
        return found

    def _object(self, raw: JsonObject, key: str, at: tuple[str | int, ...]) -> JsonObject:
        value = raw.get(key)
        if value is not None and not isinstance(value, dict):
            self._fault((*at, key), "expected an object")
        return value if isinstance(value, dict) else {}

    def _text(self, raw: JsonObject, key: str, at: tuple[str | int, ...]) -> str:
        value = raw.get(key)
        if value is not None and not isinstance(value, str):
            self._fault((*at, key), "expected a text")
        return value if isinstance(value, str) else ""

    def _texts(self, raw: JsonObject, key: str, at: tuple[str | int, ...]) -> tuple[str, ...]:
        value = raw.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self._fault((*at, key), "expected a list of texts")
            return ()
        return tuple(cast("list[str]", value))

    def _number(self, raw: JsonObject, key: str, at: tuple[str | int, ...]) -> float | None:
        value = raw.get(key)
        if value is not None and not _is_a(value, "float"):
            self._fault((*at, key), "expected a number")
        return cast("float", value) if _is_a(value, "float") else None

    def _fault(self, at: tuple[str | int, ...], message: str) -> None:
        self.problems.append(Problem("SPEC_INVALID", pointer(*at), message))


def _is_a(value: Json, kind: FieldType) -> bool:
    if kind == "any":
        return True
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _PYTHON_TYPES[kind])
