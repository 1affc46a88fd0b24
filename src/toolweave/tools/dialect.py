"""JSON Schema dialects and their validators."""

from typing import Literal

import jsonschema_rs

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.tools.patterns import LINEAR

Dialect = Literal["draft4", "draft6", "draft7", "2019-09", "2020-12"]

DEFAULT: Dialect = "2020-12"
# In these, a `$ref` hides every keyword beside it.
LONE_REFERENCES: frozenset[Dialect] = frozenset({"draft4", "draft6", "draft7"})

_ADDRESSES: dict[str, Dialect] = {
    "json-schema.org/draft-04/schema": "draft4",
    "json-schema.org/draft-06/schema": "draft6",
    "json-schema.org/draft-07/schema": "draft7",
    "json-schema.org/draft/2019-09/schema": "2019-09",
    "json-schema.org/draft/2020-12/schema": "2020-12",
}
_VALIDATORS: dict[Dialect, type[jsonschema_rs.Validator]] = {
    "draft4": jsonschema_rs.Draft4Validator,
    "draft6": jsonschema_rs.Draft6Validator,
    "draft7": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
}


def dialect_of(schema: Json) -> tuple[Dialect, Problem | None]:
    """Return the dialect in `$schema`, 2020-12 by default; with a warning if unknown."""
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    if declared is None:
        return DEFAULT, None
    if isinstance(declared, str):
        address = declared.removesuffix("#").removeprefix("http://").removeprefix("https://")
        if dialect := _ADDRESSES.get(address):
            return dialect, None
    return DEFAULT, Problem(
        "MCP_TOOL_SCHEMA_DIALECT",
        "/$schema",
        f"unknown dialect {str(declared)[:80]!r}; read as {DEFAULT}",
        severity="warning",
    )


def validator_for(
    schema: Json, dialect: Dialect, *, formats: bool = True
) -> jsonschema_rs.Validator:
    """Create a validator without remote references, with formats and linear-time patterns."""
    if not isinstance(schema, dict | bool):
        raise ValueError("a schema is an object or a boolean")
    return _VALIDATORS[dialect](
        schema, offline=True, validate_formats=formats, pattern_options=LINEAR
    )
