"""FLOW.SPLIT: make several lists of one."""

from toolweave import json_text
from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.nodes.flow._items import field_of


class Split:
    """Cuts a list into chunks or parts, or sorts its items into groups."""

    may_be_heavy = True
    spec = NodeSpec(
        type="FLOW",
        subtype="SPLIT",
        summary="Cut a list into chunks of a size, into so many parts, or into groups by a field.",
        effect="pure",
        configurations=(
            Field(
                "split_by",
                "string",
                "size: chunks of that many items, parts: so many lists of about the same length, "
                "field: a list for each value of the field.",
                "size",
                required=True,
                options=("size", "parts", "field"),
            ),
            Field(
                "size",
                "integer",
                "Items of a chunk; the last may have fewer.",
                10,
                minimum=1,
                used_when=("split_by", "size"),
            ),
            Field(
                "parts",
                "integer",
                "Lists to make; none is empty.",
                2,
                minimum=1,
                used_when=("split_by", "parts"),
            ),
            Field(
                "field",
                "string",
                "Path of the value to group by: user.country.",
                used_when=("split_by", "field"),
            ),
        ),
        inputs=(Field("data", "array", "Items to split.", required=True),),
        outputs=(
            Field("parts", "array", "The lists, in order: [[1, 2], [3]].", items="array"),
            Field(
                "keys",
                "array",
                "For field: the value each list has in common; null for items without it.",
            ),
            Field("part_count", "integer", "How many lists there are."),
            Field("total_items", "integer", "How many items there were."),
        ),
        tags=("flow", "split", "list"),
        keywords=(
            *("split", "chunk", "batch", "divide", "partition"),
            *("group", "pages", "slices", "pieces", "list"),
        ),
        guidance="To work on the lists one by one, connect FLOW.FOR_EACH behind it.",
        examples=(
            Example(
                "Batches",
                "Two items at a time.",
                {"split_by": "size", "size": 2},
                {"data": [1, 2, 3, 4, 5]},
                {"parts": [[1, 2], [3, 4], [5]], "keys": [], "part_count": 3, "total_items": 5},
            ),
            Example(
                "Halves",
                "Two lists; the first has the odd item.",
                {"split_by": "parts", "parts": 2},
                {"data": [1, 2, 3, 4, 5]},
                {"parts": [[1, 2, 3], [4, 5]], "keys": [], "part_count": 2, "total_items": 5},
            ),
            Example(
                "By country",
                "A list for each country, in the order they come up.",
                {"split_by": "field", "field": "country"},
                {
                    "data": [
                        {"name": "Ada", "country": "GB"},
                        {"name": "Grace", "country": "US"},
                        {"name": "Alan", "country": "GB"},
                    ]
                },
                {
                    "parts": [
                        [{"name": "Ada", "country": "GB"}, {"name": "Alan", "country": "GB"}],
                        [{"name": "Grace", "country": "US"}],
                    ],
                    "keys": ["GB", "US"],
                    "part_count": 2,
                    "total_items": 3,
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The lists."""
        items, keys = given.listing("data"), list[Json]()
        match given.text("split_by"):
            case "size":
                parts = _chunks(items, given.whole("size"))
            case "parts":
                parts = _even(items, given.whole("parts"))
            case _:
                keys, parts = _grouped(items, given.text("field"))
        return Outcome(
            {
                "parts": list[Json](parts),
                "keys": keys,
                "part_count": len(parts),
                "total_items": len(items),
            }
        )


def _chunks(items: list[Json], size: int) -> list[list[Json]]:
    return [items[start : start + size] for start in range(0, len(items), max(size, 1))]


def _even(items: list[Json], wanted: int) -> list[list[Json]]:
    count = min(max(wanted, 1), len(items))
    parts: list[list[Json]] = []
    start = 0
    for index in range(count):
        end = start + len(items) // count + (index < len(items) % count)
        parts.append(items[start:end])
        start = end
    return parts


def _grouped(items: list[Json], path: str) -> tuple[list[Json], list[list[Json]]]:
    if not path:
        message = "to split by field, 'field' must name one"
        raise Invalid("NODE_INPUT_INVALID", message, facts={"field": "field"})
    groups: dict[bytes, tuple[Json, list[Json]]] = {}
    for item in items:
        value = field_of(item, path)
        groups.setdefault(json_text.canonical(value), (value, []))[1].append(item)
    return [value for value, _ in groups.values()], [part for _, part in groups.values()]


node = Split()
