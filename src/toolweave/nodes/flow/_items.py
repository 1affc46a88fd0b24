"""Lists and the items in them: where they are, a field of one, which comes first."""

from dataclasses import replace

from toolweave import json_text
from toolweave.catalog.node import NodeInput
from toolweave.catalog.node_input import refused_at
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.workflow.expression_values import value_of
from toolweave.workflow.scope.loop_items import full_path


def list_at(given: NodeInput, path: str) -> list[Json]:
    """The list that a path leads to: `data.users`, or `users` for the same."""
    found = value_of(full_path(path), given.names)
    if not isinstance(found, list):
        raise Invalid(
            "NODE_INPUT_INVALID",
            f"'array_path' leads to {path!r}, which is no list",
            facts={"field": "array_path"},
        )
    return found


def check_list(given: NodeInput) -> None:
    """Whether data that stands in the workflow has the list. Raises `NODE_INPUT_INVALID`."""
    data, path = given.inputs.get("data"), given.text("array_path")
    if data is not None and path and full_path(path).partition(".")[0] == "data":
        list_at(replace(given, names={"data": data}), path)


def field_of(item: Json, path: str, *, is_nested: bool = True) -> Json:
    """What an item has at `user.name` or `tags.0`; nothing where it has not."""
    for name in path.split(".") if is_nested else (path,):
        if isinstance(item, dict):
            item = item.get(name)
        elif isinstance(item, list) and name.isdecimal() and int(name) < len(item):
            item = item[int(name)]
        else:
            return None
    return item


def is_same(one: Json, other: Json) -> bool:
    """Whether two values are equal as JSON: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def read_order(given: NodeInput, field: str, order: str) -> tuple[str, str]:
    """The field and the direction to sort by. Raises `SORT_INVALID`."""
    path, direction = given.text(field), given.text(order)
    check_sorting(path, direction, (field,) if not path else (order,))
    return path, direction


def check_sorting(path: str, direction: str, at: tuple[str, ...]) -> None:
    """Whether items can be sorted so. Raises `SORT_INVALID`."""
    if not path or direction not in ("asc", "desc"):
        raise refused_at(
            at,
            "SORT_INVALID",
            f"items cannot be sorted by field {path!r} in order {direction!r}",
            hint="name a field, such as user.name, and an order: asc or desc",
        )


def in_order(items: list[Json], path: str, order: str, *, is_nested: bool = True) -> list[int]:
    """The places of the items, sorted by a field; those without it come last."""
    values = {place: field_of(item, path, is_nested=is_nested) for place, item in enumerate(items)}
    having = [place for place, value in values.items() if value is not None]
    having.sort(key=lambda place: _rank(values[place]), reverse=order == "desc")
    return having + [place for place, value in values.items() if value is None]


def _rank(value: Json) -> tuple[int, float, str]:
    """Values of different kinds never meet: yes and no, numbers, texts, then all others."""
    match value:
        case bool():
            return (0, float(value), "")
        case int() | float():
            return (1, value, "")
        case str():
            return (2, 0, value)
        case _:
            return (3, 0, json_text.canonical(value).decode())
