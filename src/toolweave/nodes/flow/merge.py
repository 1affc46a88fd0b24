"""FLOW.MERGE: bring branches together."""

from dataclasses import dataclass
from datetime import UTC, datetime

from toolweave import json_text
from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.nodes.flow._items import field_of


def read_timestamps(given: NodeInput) -> list[datetime]:
    """When each input came. Raises `MERGE_TIMESTAMPS_INVALID`."""
    return [_moment(one, index) for index, one in enumerate(given.listing("timestamps"))]


class Merge:
    """Makes one list of the lists that several branches give."""

    may_be_heavy = True
    gathers_by = "timeout_seconds"

    spec = NodeSpec(
        type="FLOW",
        subtype="MERGE",
        summary="Bring several branches together and make one list of their lists.",
        effect="pure",
        configurations=(
            Field(
                "merge_strategy",
                "string",
                "concatenate puts all items one after the other; union uses handle_duplicates too.",
                "concatenate",
                required=True,
                options=("concatenate", "union"),
            ),
            Field(
                "merge_key",
                "string",
                "Path that makes two items the same for union: id; without it whole items are "
                "compared.",
                used_when=("merge_strategy", "union"),
            ),
            Field(
                "timeout_seconds",
                "integer",
                "Seconds to wait for slower branches after the first came; only where written, "
                "else all are waited for, even for days.",
                300,
                minimum=1,
                maximum=3600,
            ),
            Field(
                "handle_duplicates",
                "string",
                "For union, of items that are the same: keep_last puts the later one in the "
                "first one's place; remove_duplicates is keep_first.",
                "keep_all",
                options=("keep_all", "keep_first", "keep_last", "remove_duplicates"),
                used_when=("merge_strategy", "union"),
            ),
        ),
        inputs=(
            Field(
                "data",
                "array",
                "What each branch gave: [[1, 2], [3]]; a branch that gives no list counts as one "
                "item.",
                required=True,
            ),
            Field("metadata", "object", "Notes on the inputs; they are not merged."),
            Field(
                "timestamps",
                "array",
                "When each input came: 2026-03-02T09:30:00Z; inputs are then merged in that order.",
                items="string",
            ),
        ),
        outputs=(
            Field("merged_data", "array", "All items, in the order of the inputs."),
            Field(
                "merge_stats",
                "object",
                "Counts: total_inputs, items_merged and duplicates_removed.",
                members="{total_inputs: integer, items_merged: integer, "
                "duplicates_removed: integer}",
            ),
            Field(
                "source_mapping",
                "array",
                "First and last place of what an input gave: "
                '[{"source": "input_1", "range": [0, 2]}].',
                items="object",
                members="[{source, range: array}]",
            ),
        ),
        tags=("flow", "merge", "join"),
        keywords=(
            *("merge", "combine", "concatenate", "union", "append"),
            *("together", "deduplicate", "branches", "fan in", "collect"),
        ),
        checks=(read_timestamps,),
        examples=(
            Example(
                "One after the other",
                "Three lists become one; equal items stay.",
                {"merge_strategy": "concatenate"},
                {"data": [[1, 2], [2], [4, 5]]},
                {
                    "merged_data": [1, 2, 2, 4, 5],
                    "merge_stats": {"total_inputs": 3, "items_merged": 5, "duplicates_removed": 0},
                    "source_mapping": [
                        {"source": "input_1", "range": [0, 1]},
                        {"source": "input_2", "range": [2, 2]},
                        {"source": "input_3", "range": [3, 4]},
                    ],
                },
            ),
            Example(
                "Newer record wins",
                "Same id: the later record takes the place of the earlier one.",
                {
                    "merge_strategy": "union",
                    "merge_key": "id",
                    "handle_duplicates": "keep_last",
                },
                {
                    "data": [
                        [{"id": 1, "team": "Sales"}, {"id": 2, "team": "Design"}],
                        [{"id": 3, "team": "Legal"}, {"id": 1, "team": "Product"}],
                    ]
                },
                {
                    "merged_data": [
                        {"id": 1, "team": "Product"},
                        {"id": 2, "team": "Design"},
                        {"id": 3, "team": "Legal"},
                    ],
                    "merge_stats": {"total_inputs": 2, "items_merged": 3, "duplicates_removed": 1},
                },
            ),
            Example(
                "No item twice",
                "Without a key, items that are equal as a whole are the same.",
                {"merge_strategy": "union", "handle_duplicates": "remove_duplicates"},
                {"data": [["red", "green"], ["green", "blue"]]},
                {
                    "merged_data": ["red", "green", "blue"],
                    "merge_stats": {"total_inputs": 2, "items_merged": 3, "duplicates_removed": 1},
                    "source_mapping": [
                        {"source": "input_1", "range": [0, 1]},
                        {"source": "input_2", "range": [2, 2]},
                    ],
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """All items of all branches."""
        inputs, merged, total = given.listing("data"), list[_Item](), 0
        seen: dict[bytes, int] = {}
        keeps = given.text("handle_duplicates")
        is_plain = given.text("merge_strategy") == "concatenate" or keeps == "keep_all"
        for number in _order(given, len(inputs)):
            came = inputs[number]
            for value in came if isinstance(came, list) else [came]:
                total += 1
                same = None if is_plain else _identity(value, given.text("merge_key"))
                if same is None or same not in seen:
                    if same is not None:
                        seen[same] = len(merged)
                    merged.append(_Item(value, number))
                elif keeps == "keep_last":
                    merged[seen[same]] = _Item(value, merged[seen[same]].source)
        stats: Json = {
            "total_inputs": len(inputs),
            "items_merged": len(merged),
            "duplicates_removed": total - len(merged),
        }
        return Outcome(
            {
                "merged_data": [item.value for item in merged],
                "merge_stats": stats,
                "source_mapping": _mapping(merged),
            }
        )


@dataclass(frozen=True, slots=True)
class _Item:
    value: Json
    source: int


def _identity(value: Json, key: str) -> bytes | None:
    """What makes a value the same as another; nothing for one without the key."""
    compared = field_of(value, key) if key else value
    return None if key and compared is None else json_text.canonical(compared)


def _mapping(merged: list[_Item]) -> list[Json]:
    places: dict[int, list[Json]] = {}
    for place, item in enumerate(merged):
        first = places.setdefault(item.source, [place, place])
        first[1] = place
    return [{"source": f"input_{number + 1}", "range": found} for number, found in places.items()]


def _order(given: NodeInput, inputs: int) -> list[int]:
    moments = read_timestamps(given)
    if not moments:
        return list(range(inputs))
    if len(moments) != inputs:
        message = f"{len(moments)} 'timestamps' for {inputs} inputs; each input needs one"
        raise Invalid("MERGE_TIMESTAMPS_INVALID", message)
    return sorted(range(inputs), key=lambda number: moments[number])


def _moment(value: Json, index: int) -> datetime:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        raise refused_at(
            ("timestamps", index),
            "MERGE_TIMESTAMPS_INVALID",
            f"{value!r:.80} in 'timestamps' is no time",
            hint="write it as 2026-03-02T09:30:00Z",
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


node = Merge()
