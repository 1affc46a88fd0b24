"""JSON Schemas in the settings of nodes: keywords that have no effect, and objects around them.

What a schema cannot be used for is refused by the node itself (`node_settings`).
"""

from collections.abc import Iterator
from itertools import chain

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.keywords import subschemas
from toolweave.tools.misspelling import misspelt
from toolweave.tools.schema import compile_schema
from toolweave.tools.schema_slips import (
    lost_names,
    without_keywords,
    without_slips,
    wrong_defaults,
)
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.json_patch import difference

READS_CONSTANTS = True
_FORMATS = (
    *("date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname"),
    *("ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template"),
    *("json-pointer", "relative-json-pointer", "regex", "password", "byte", "binary", "markdown"),
    *("int32", "int64", "float", "double", "textarea", "color", "phone", "url"),
)
_AROUND = frozenset({"name", "strict", "type", "description", "schema", "json_schema"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield schemas that say nothing of what their author means."""
    for facts, _, fields in node_table(case).having(_schema_fields):
        for part, *steps in fields if facts.is_nested else ():
            schema: Json = facts.settings if part == "configurations" else facts.inputs
            for step in steps:
                schema = schema.get(step) if isinstance(schema, dict) else None
            if isinstance(schema, dict) and schema:
                place = facts.place + pointer(part, *steps)
                yield from _problems(schema, place)


def _schema_fields(spec: NodeSpec) -> tuple[tuple[str, ...], ...]:
    """The places of settings and inputs that are schemas, as their descriptions say."""
    found: list[tuple[str, ...]] = []
    for part, fields in (("configurations", spec.configurations), ("inputParams", spec.inputs)):
        for one in fields:
            if one.type == "object" and "JSON Schema" in one.description:
                found.append((part, one.name))
            elif one.members and "output_schema: object" in one.members:
                found.append((part, one.name, "output_schema"))
    return tuple(found)


def _problems(schema: JsonObject, place: str) -> Iterator[Problem]:
    inner = _inside(schema)
    if inner is not None:
        message = "the schema is inside another object, so that it allows everything"
        patch = ({"op": "replace", "path": place, "value": inner},)
        hint = "write the schema itself"
        yield Problem("FIELD_FORM_UNUSUAL", place, message, hint, "warning", patch)
        return
    if (fields := _bare_fields(schema)) is not None:
        message = "these are names and types, and no JSON Schema: it allows everything"
        patch = ({"op": "replace", "path": place, "value": fields},)
        hint = 'write {"type": "object", "properties": {…}}'
        yield Problem("FIELD_FORM_UNUSUAL", place, message, hint, "warning", patch)
        return
    yield from _refusing(schema, place)
    meant = without_slips(schema)
    if not isinstance(meant, dict) or meant == schema:
        return
    for step in difference(schema, meant):
        if step["op"] == "replace" and str(step["path"]).endswith("/pattern"):
            continue
        steps = difference(schema, meant)
        patch = tuple({**one, "path": f"{place}{one['path']}"} for one in steps)
        message = "the schema has a keyword that does not exist and has no effect"
        at = place + str(step["path"]).rpartition("/")[0]
        yield Problem("FIELD_FORM_UNUSUAL", at, message, "use the right keyword", "warning", patch)
        return


def _bare_fields(schema: JsonObject) -> JsonObject | None:
    """The schema of `{"name": "string", "count": "integer"}`."""
    types = {"string", "integer", "number", "boolean", "array", "object"}
    is_bare = all(isinstance(one, str) and one in types for one in schema.values())
    if not is_bare or schema.keys() & {"type", "$ref"}:
        return None
    return {"type": "object", "properties": {key: {"type": one} for key, one in schema.items()}}


def _refusing(schema: JsonObject, place: str) -> Iterator[Problem]:
    """Yield keywords that no validator reads, and lists of values without any."""
    for problem in compile_schema(schema).problems:
        if problem.code != "MCP_TOOL_LIMIT_EXCEEDED":
            at, message = place + problem.pointer, f"the schema: {problem.message}"
            yield Problem("FIELD_FORM_UNUSUAL", at, message, problem.hint, "warning")
    for problem in chain(wrong_defaults(schema), lost_names(schema), without_keywords(schema)):
        at = place + problem.pointer
        yield Problem("FIELD_FORM_UNUSUAL", at, problem.message, problem.hint, "warning")
    waiting: list[tuple[str, JsonObject]] = [("", schema)]
    while waiting:
        at, one = waiting.pop()
        if one.get("enum") == []:
            message = "'enum' is empty, so that no value is allowed"
            yield Problem("FIELD_FORM_UNUSUAL", f"{place}{at}/enum", message, None, "warning")
        if isinstance(form := one.get("format"), str) and form not in _FORMATS:
            at_form, meant = f"{place}{at}/format", misspelt(form, _FORMATS)
            message = f"there is no format {shown(form)}, so that every text is allowed"
            patch = ({"op": "replace", "path": at_form, "value": meant},) if meant else None
            hint = f"did you mean {meant!r}?" if meant else None
            yield Problem("FIELD_FORM_UNUSUAL", at_form, message, hint, "warning", patch)
        inner = ((pointer(*steps), below) for _, steps, below in subschemas(one))
        waiting += [(at + step, below) for step, below in inner if isinstance(below, dict)]


def _inside(schema: JsonObject) -> JsonObject | None:
    """The schema in `{"schema": …}` or `{"type": "json_schema", "json_schema": …}`."""
    inner: Json = schema
    while (
        isinstance(inner, dict)
        and inner.keys() <= _AROUND
        and inner.keys()
        & {
            "schema",
            "json_schema",
        }
    ):
        inner = inner.get("json_schema") or inner.get("schema")
    return inner if isinstance(inner, dict) and inner is not schema else None
