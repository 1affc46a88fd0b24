"""The operations of ACTION.DATA_TRANSFORMATION: records in, records and counts out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from toolweave.catalog.node import NodeInput
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action._record_text import cell
from toolweave.nodes.action._records import (
    MISSING,
    at,
    key_of,
    look,
    order_key,
    read_aggregate,
    read_condition,
    record_at,
)
from toolweave.workflow.expression_values import value_of

# A join of two lists with one common key is their product.
MAX_JOINED = 200_000
JOINS = ("inner", "left")


@dataclass(frozen=True, slots=True)
class Transformed:
    """The result, and what is worth counting."""

    value: Json
    stats: JsonObject = field(default_factory=dict[str, Json])


Operation: TypeAlias = Callable[[NodeInput, Sequence[Json]], Transformed]


def map_fields(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """New records of chosen fields."""
    mapping = {name: _text(path, "field_mapping") for name, path in _needed(given, "field_mapping")}
    keeps = given.flag("preserve_metadata")
    found: list[Json] = []
    missing = 0
    for index in range(len(data)):
        record = record_at(data, index)
        kept = {name: value for name, value in record.items() if keeps and name.startswith("_")}
        values = {name: look(record, path) for name, path in mapping.items()}
        missing += sum(value is MISSING for value in values.values())
        found.append(kept | {name: at(record, path) for name, path in mapping.items()})
    return Transformed(found, {"missing_values": missing})


def filter_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """The records that fulfil every condition."""
    conditions = [read_condition(one) for one in given.listing("filter_conditions")]
    if not conditions:
        raise _lacking("filter", "filter_conditions")
    found: list[Json] = [one for one in data if all(holds(one) for holds in conditions)]
    return Transformed(found, {"filtered_out": len(data) - len(found)})


def sort_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """The records in order; those without the field come last, whatever the direction."""
    config = given.record("sort_config")
    path, direction = config.get("field"), config.get("direction", "asc")
    if not isinstance(path, str) or not path:
        raise _lacking("sort", "sort_config.field")
    if direction not in {"asc", "desc"}:
        message = f"the direction of sort_config is {direction!r:.40}; expected 'asc' or 'desc'"
        raise Invalid("TRANSFORMATION_INVALID", message)
    having = [one for one in data if at(one, path) is not None]
    without = [one for one in data if at(one, path) is None]
    having.sort(key=lambda one: order_key(at(one, path)), reverse=direction == "desc")
    return Transformed([*having, *without], {"missing_values": len(without)})


def group_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """A record a group, with the records of it as `items`."""
    paths = _paths(given)
    if not paths:
        raise _lacking("group_by", "group_by_fields")
    groups = _groups(data, paths)
    found: list[Json] = []
    for items in groups:
        named: JsonObject = {path: at(items[0], path) for path in paths}
        named["items"] = items
        found.append(named)
    return Transformed(found, {"groups": len(groups)})


def aggregate_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """A record a group, with what the functions give of it; one in all without groups."""
    functions = {
        name: read_aggregate(name, text) for name, text in _needed(given, "aggregation_functions")
    }
    paths = _paths(given)
    groups = _groups(data, paths) if paths else [list(data)]
    found: list[Json] = []
    for items in groups:
        named: JsonObject = {path: at(items[0], path) for path in paths} if paths else {}
        found.append(named | {name: compute(items) for name, compute in functions.items()})
    return Transformed(found, {"groups": len(groups)})


def join_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """Each record with those of `context.right` that are alike at the paths; its own fields win."""
    paths, context = _paths(given), given.record("context")
    right, how = context.get("right"), context.get("join_type", "inner")
    if not paths:
        raise _lacking("join", "group_by_fields")
    if not isinstance(right, list):
        raise _lacking("join", "context.right, the other list")
    if how not in JOINS:
        message = f"context.join_type is {how!r:.40}; expected 'inner' or 'left'"
        raise Invalid("TRANSFORMATION_INVALID", message)
    others: dict[bytes, list[JsonObject]] = {}
    for index in range(len(right)):
        others.setdefault(key_of(right[index], paths), []).append(record_at(right, index))
    found: list[Json] = []
    unmatched = 0
    for index in range(len(data)):
        record = record_at(data, index)
        partners = others.get(key_of(record, paths), [])
        unmatched += not partners
        if len(found) + len(partners) > MAX_JOINED:
            message = f"the join gives more than {MAX_JOINED} records"
            raise Invalid("TRANSFORMATION_INVALID", message, hint="join by more fields")
        found += [partner | record for partner in partners]
        if not partners and how == "left":
            found.append(record)
    return Transformed(found, {"unmatched": unmatched})


def flatten_records(_given: NodeInput, data: Sequence[Json]) -> Transformed:
    """Nested objects as dotted names; a list in the list is opened up."""
    found: list[Json] = []
    for item in data:
        found += [_flat(one) for one in (item if isinstance(item, list) else [item])]
    return Transformed(found, {"opened_lists": sum(isinstance(item, list) for item in data)})


def pivot_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """A record a row, with a field a column; one function fills the cells, else they count."""
    paths, functions = _paths(given), given.record("aggregation_functions") or {"count": "count"}
    if len(paths) != 2:
        raise _lacking("pivot", "two group_by_fields, one for rows and one for columns")
    if len(functions) != 1:
        raise _lacking("pivot", "one function in aggregation_functions")
    compute = read_aggregate(*next(iter(functions.items())))
    row, column = paths
    columns = list(dict.fromkeys(cell(at(one, column)) for one in data))
    found: list[Json] = []
    for items in _groups(data, [row]):
        cells = {cell(at(group[0], column)): compute(group) for group in _groups(items, [column])}
        head: JsonObject = {row: at(items[0], row)}
        found.append(head | {name: cells.get(name) for name in columns if name != row})
    return Transformed(found, {"rows": len(found), "columns": len(columns)})


def evaluate_script(given: NodeInput, _data: Sequence[Json]) -> Transformed:
    """What the script gives."""
    script = given.text("transformation_script")
    if not script.strip():
        raise _lacking("custom", "transformation_script")
    return Transformed(value_of(script, given.names))


OPERATIONS: dict[str, Operation] = {
    "map": map_fields,
    "filter": filter_records,
    "aggregate": aggregate_records,
    "sort": sort_records,
    "group_by": group_records,
    "join": join_records,
    "flatten": flatten_records,
    "pivot": pivot_records,
    "custom": evaluate_script,
}


def _groups(data: Sequence[Json], paths: Sequence[str]) -> list[list[Json]]:
    """Records that are alike at the paths, in the order of their first one."""
    groups: dict[bytes, list[Json]] = {}
    for one in data:
        groups.setdefault(key_of(one, paths), []).append(one)
    return list(groups.values())


def _flat(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    found: JsonObject = {}
    left = list(reversed(value.items()))
    while left:
        name, below = left.pop()
        if isinstance(below, dict) and below:
            left += [(f"{name}.{key}", inner) for key, inner in reversed(below.items())]
        else:
            found[name] = below
    return found


def _paths(given: NodeInput) -> list[str]:
    return [_text(path, "group_by_fields") for path in given.listing("group_by_fields")]


def _needed(given: NodeInput, name: str) -> list[tuple[str, Json]]:
    found = given.record(name)
    if not found:
        raise _lacking(given.text("operation"), name)
    return list(found.items())


def _text(value: Json, name: str) -> str:
    if isinstance(value, str) and value:
        return value
    message = f"{name} holds {value!r:.80}; expected the path of a field"
    raise Invalid("TRANSFORMATION_INVALID", message)


def _lacking(operation: str, what: str) -> Invalid:
    return Invalid("TRANSFORMATION_INVALID", f"the operation {operation!r} needs {what}")
