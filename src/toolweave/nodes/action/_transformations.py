"""The operations of ACTION.DATA_TRANSFORMATION: records in, records and counts out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from toolweave.catalog.node import NodeInput
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import StaticCheck
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
from toolweave.tools.meaning import meant
from toolweave.workflow.expression_values import value_of

# A join of two lists with one common key is their product.
MAX_JOINED = 200_000
JOINS = ("inner", "left")
CODE = "TRANSFORMATION_INVALID"


@dataclass(frozen=True, slots=True)
class Transformed:
    """The result, and what is worth counting."""

    value: Json
    stats: JsonObject = field(default_factory=dict[str, Json])


Operation: TypeAlias = Callable[[NodeInput, Sequence[Json]], Transformed]


def read_mapping(given: NodeInput) -> dict[str, str]:
    """The path of each new field."""
    named = _needed(given, "field_mapping")
    return {name: _text(path, "field_mapping", name) for name, path in named}


def map_fields(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """New records of chosen fields."""
    mapping = read_mapping(given)
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


def read_conditions(given: NodeInput) -> list[Callable[[Json], bool]]:
    """The conditions of a filter."""
    conditions = [
        read_condition(one, index) for index, one in enumerate(given.listing("filter_conditions"))
    ]
    if not conditions:
        raise _lacking("filter", "filter_conditions", "filter_conditions")
    return conditions


def filter_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """The records that fulfil every condition."""
    conditions = read_conditions(given)
    found: list[Json] = [one for one in data if all(holds(one) for holds in conditions)]
    return Transformed(found, {"filtered_out": len(data) - len(found)})


def read_order(given: NodeInput) -> tuple[str, str]:
    """The field and the direction to sort by."""
    config = given.record("sort_config")
    path, direction = config.get("field"), config.get("direction", "asc")
    if not isinstance(path, str) or not path:
        raise _lacking("sort", "sort_config.field", "sort_config", "field")
    if isinstance(direction, str) and direction in {"asc", "desc"}:
        return path, direction
    message = f"the direction of sort_config is {direction!r:.40}; expected 'asc' or 'desc'"
    found = meant(direction, ("asc", "desc")) if isinstance(direction, str) else []
    fix = found[0] if len(found) == 1 else None
    raise refused_at(("sort_config", "direction"), CODE, message, fix=fix)


def sort_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """The records in order; those without the field come last, whatever the direction."""
    path, direction = read_order(given)
    having = [one for one in data if at(one, path) is not None]
    without = [one for one in data if at(one, path) is None]
    having.sort(key=lambda one: order_key(at(one, path)), reverse=direction == "desc")
    return Transformed([*having, *without], {"missing_values": len(without)})


def group_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """A record a group, with the records of it as `items`."""
    paths = _required_paths(given)
    groups = _groups(data, paths)
    found: list[Json] = []
    for items in groups:
        named: JsonObject = {path: at(items[0], path) for path in paths}
        named["items"] = items
        found.append(named)
    return Transformed(found, {"groups": len(groups)})


def read_functions(given: NodeInput) -> dict[str, Callable[[Sequence[Json]], Json]]:
    """The functions of an aggregation by the field each gives."""
    named = _needed(given, "aggregation_functions")
    return {name: read_aggregate(name, text) for name, text in named}


def aggregate_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """A record a group, with what the functions give of it; one in all without groups."""
    functions = read_functions(given)
    paths = _paths(given)
    groups = _groups(data, paths) if paths else [list(data)]
    found: list[Json] = []
    for items in groups:
        named: JsonObject = {path: at(items[0], path) for path in paths} if paths else {}
        found.append(named | {name: compute(items) for name, compute in functions.items()})
    return Transformed(found, {"groups": len(groups)})


def read_join(given: NodeInput) -> tuple[list[str], list[Json], Json]:
    """The fields to join by, the other list, and how."""
    paths, context = _required_paths(given), given.record("context")
    right, how = context.get("right"), context.get("join_type", "inner")
    if not isinstance(right, list):
        raise _lacking("join", "context.right, the other list", "context", "right")
    if how not in JOINS:
        message = f"context.join_type is {how!r:.40}; expected 'inner' or 'left'"
        raise refused_at(("context", "join_type"), CODE, message)
    return paths, right, how


def join_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """Each record with those of `context.right` that are alike at the paths; its own fields win."""
    paths, right, how = read_join(given)
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
            raise Invalid(CODE, message, hint="join by more fields")
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


def read_pivot(given: NodeInput) -> tuple[str, str, Callable[[Sequence[Json]], Json]]:
    """The fields of rows and columns, and what fills a cell."""
    functions = given.record("aggregation_functions") or {"count": "count"}
    match _paths(given):
        case [row, column]:
            pass
        case _:
            what = "two group_by_fields, one for rows and one for columns"
            raise _lacking("pivot", what, "group_by_fields")
    if len(functions) != 1:
        what = "one function in aggregation_functions"
        raise _lacking("pivot", what, "aggregation_functions")
    return row, column, read_aggregate(*next(iter(functions.items())))


def pivot_records(given: NodeInput, data: Sequence[Json]) -> Transformed:
    """A record a row, with a field a column; one function fills the cells, else they count."""
    row, column, compute = read_pivot(given)
    columns = list(dict.fromkeys(cell(at(one, column)) for one in data))
    found: list[Json] = []
    for items in _groups(data, [row]):
        cells = {cell(at(group[0], column)): compute(group) for group in _groups(items, [column])}
        head: JsonObject = {row: at(items[0], row)}
        found.append(head | {name: cells.get(name) for name in columns if name != row})
    return Transformed(found, {"rows": len(found), "columns": len(columns)})


def read_script(given: NodeInput) -> str:
    """The expression of a custom transformation."""
    script = given.text("transformation_script")
    if not script.strip():
        raise _lacking("custom", "transformation_script", "transformation_script")
    return script


def evaluate_script(given: NodeInput, _data: Sequence[Json]) -> Transformed:
    """What the script gives."""
    return Transformed(value_of(read_script(given), given.names))


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


# What of an operation stands in its settings: read by the check, and again when it runs.
_SETTINGS: dict[str, StaticCheck] = {
    "map": read_mapping,
    "filter": read_conditions,
    "aggregate": lambda given: (read_functions(given), _paths(given)),
    "sort": read_order,
    "group_by": lambda given: _required_paths(given),
    "join": read_join,
    "pivot": read_pivot,
    "custom": read_script,
}


def check_operation(given: NodeInput) -> None:
    """Whether the operation has its settings. Raises `TRANSFORMATION_INVALID`."""
    if check := _SETTINGS.get(given.text("operation")):
        check(given)


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
    listed = given.listing("group_by_fields")
    return [_text(path, "group_by_fields", index) for index, path in enumerate(listed)]


def _required_paths(given: NodeInput) -> list[str]:
    paths = _paths(given)
    if not paths:
        raise _lacking(given.text("operation"), "group_by_fields", "group_by_fields")
    return paths


def _needed(given: NodeInput, name: str) -> list[tuple[str, Json]]:
    found = given.record(name)
    if not found:
        raise _lacking(given.text("operation"), name, name)
    return list(found.items())


def _text(value: Json, name: str, index: str | int) -> str:
    if isinstance(value, str) and value:
        return value
    message = f"{name} holds {value!r:.80}; expected the path of a field"
    raise refused_at((name, index), CODE, message)


def _lacking(operation: str, what: str, *at: str) -> Invalid:
    return refused_at(at, CODE, f"the operation {operation!r} needs {what}")
