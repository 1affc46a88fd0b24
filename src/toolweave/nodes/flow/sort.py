"""FLOW.SORT: put a list in order."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._items import check_sorting, field_of, in_order


def read_order(given: NodeInput) -> tuple[str, str]:
    """The field and the direction; the input's win. Raises `SORT_INVALID`."""
    override = given.record("sort_override")
    path = _text(override, "sort_field", given.text("sort_field"))
    direction = _text(override, "order", given.text("order"))
    name = "order" if path else "sort_field"
    check_sorting(path, direction, ("sort_override", name) if name in override else (name,))
    return path, direction


def _text(override: JsonObject, name: str, configured: str) -> str:
    value = override.get(name)
    if value is None:
        return configured
    if isinstance(value, str):
        return value
    message = f"'sort_override' holds {value!r:.80}, which is no text"
    raise refused_at(("sort_override", name), "SORT_INVALID", message)


class Sort:
    """Orders a list by one field of its items."""

    may_be_heavy = True
    spec = NodeSpec(
        type="FLOW",
        subtype="SORT",
        summary="Put a list in order by a field of its items.",
        effect="pure",
        configurations=(
            Field(
                "sort_field",
                "string",
                "Path of the value to sort by: user.name; items without it come last.",
                required=True,
            ),
            Field(
                "order",
                "string",
                "Ascending or descending; equal items keep their order.",
                "asc",
                options=("asc", "desc"),
            ),
        ),
        inputs=(
            Field("data", "array", "Items to sort.", required=True),
            Field("metadata", "object", "Notes on the items; not used."),
            Field(
                "sort_override",
                "object",
                'Takes the place of the configuration: {"sort_field": "price", "order": "desc"}.',
                members="{sort_field, order: asc|desc}",
            ),
        ),
        outputs=(
            Field("sorted_data", "array", "The items in order."),
            Field(
                "sort_stats",
                "object",
                "Counts: total_items, and items_sorted, those that have the field.",
                members="{total_items: integer, items_sorted: integer}",
            ),
            Field(
                "original_indices",
                "array",
                "Where each sorted item was before, from 0.",
                items="integer",
            ),
        ),
        tags=("flow", "sort", "list"),
        keywords=(
            *("sort", "order", "rank", "arrange", "ascending"),
            *("descending", "highest", "lowest", "newest", "alphabetical"),
        ),
        checks=(read_order,),
        examples=(
            Example(
                "By name",
                "Ascending; the item without a name comes last.",
                {"sort_field": "name", "order": "asc"},
                {
                    "data": [
                        {"name": "Grace"},
                        {"name": None},
                        {"name": "Ada"},
                    ]
                },
                {
                    "sorted_data": [{"name": "Ada"}, {"name": "Grace"}, {"name": None}],
                    "sort_stats": {"total_items": 3, "items_sorted": 2},
                    "original_indices": [2, 0, 1],
                },
            ),
            Example(
                "Highest score first",
                "A nested number, descending; equal scores keep their order.",
                {"sort_field": "exam.score", "order": "desc"},
                {
                    "data": [
                        {"id": "a", "exam": {"score": 78}},
                        {"id": "b", "exam": {"score": 92}},
                        {"id": "c", "exam": {"score": 78}},
                    ]
                },
                {
                    "sorted_data": [
                        {"id": "b", "exam": {"score": 92}},
                        {"id": "a", "exam": {"score": 78}},
                        {"id": "c", "exam": {"score": 78}},
                    ],
                    "sort_stats": {"total_items": 3, "items_sorted": 3},
                    "original_indices": [1, 0, 2],
                },
            ),
            Example(
                "Other order at run time",
                "The input asks for the lowest price first.",
                {"sort_field": "name"},
                {
                    "data": [{"name": "pen", "price": 3}, {"name": "ink", "price": 2}],
                    "sort_override": {"sort_field": "price", "order": "asc"},
                },
                {
                    "sorted_data": [{"name": "ink", "price": 2}, {"name": "pen", "price": 3}],
                    "original_indices": [1, 0],
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The items in order, and where each was."""
        items, (path, direction) = given.listing("data"), read_order(given)
        places = in_order(items, path, direction)
        having = sum(field_of(item, path) is not None for item in items)
        stats: Json = {"total_items": len(items), "items_sorted": having}
        return Outcome(
            {
                "sorted_data": [items[place] for place in places],
                "sort_stats": stats,
                "original_indices": list[Json](places),
            }
        )


node = Sort()
