"""JSON Schemas in the settings of nodes: keywords that have no effect, and objects around them.

What a schema cannot be used for is refused by the node itself (`node_settings`).
"""

from collections.abc import Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.schema_slips import without_slips
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.json_patch import difference
from toolweave.workflow.modes import object_at

_FIELDS = ("form_schema", "requested_schema", "output_schema", "response_schema")
_AROUND = frozenset({"name", "strict", "type", "description", "schema", "json_schema"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield schemas that say nothing of what their author means."""
    for index, node, _ in catalog_nodes(case):
        settings = object_at(node.data, "configurations")
        for field in _FIELDS:
            schema = settings.get(field)
            if isinstance(schema, dict) and schema:
                place = pointer("nodes", index, "data", "configurations", field)
                yield from _problems(schema, place)


def _problems(schema: JsonObject, place: str) -> Iterator[Problem]:
    inner = _inside(schema)
    if inner is not None:
        message = "the schema is inside another object, so that it allows everything"
        patch = ({"op": "replace", "path": place, "value": inner},)
        hint = "write the schema itself"
        yield Problem("FIELD_FORM_UNUSUAL", place, message, hint, "warning", patch)
        return
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
