"""FLOW.FOR_EACH: do a part of the workflow for each item of a list."""

from toolweave.catalog.node import Iteration, NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec, Port
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._items import check_list, list_at


class ForEach:
    """Runs what is connected to `loop` for each item, several at a time if wanted."""

    spec = NodeSpec(
        type="FLOW",
        subtype="FOR_EACH",
        summary="Do a part of the workflow for each item of a list, several at the same time.",
        effect="pure",
        configurations=(
            Field(
                "array_path",
                "string",
                "Path of the list: data.users; without it data is the list.",
            ),
            Field(
                "iteration_variable",
                "string",
                "Name the body gets the item under: user.",
                "item",
                pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
            ),
            Field(
                "max_parallel",
                "integer",
                "Items worked on at the same time; 1 for one after the other.",
                1,
                minimum=1,
                maximum=64,
            ),
            Field(
                "continue_on_error",
                "boolean",
                "Whether the others go on after an item failed; else the first failure ends it.",
                False,
            ),
        ),
        inputs=(Field("data", "any", "The list, or what array_path finds it in.", required=True),),
        outputs=(
            Field(
                "results",
                "array",
                "What came of each item, in the order of the list; null for one that failed.",
            ),
            Field("succeeded", "integer", "Items that worked."),
            Field("failed", "integer", "Items that failed."),
            Field(
                "errors",
                "array",
                'Items that failed: [{"index": 3, "code": ..., "message": ...}].',
                items="object",
            ),
        ),
        output_ports=(
            Port("loop", "One item.", aliases=("iteration",)),
            Port("done", "Taken once, after the last item.", aliases=("completed",)),
        ),
        checks=(check_list,),
        tags=("flow", "loop", "list"),
        keywords=(
            *("each", "every", "map", "fan out", "parallel", "concurrent"),
            *("items", "batch", "collect", "iterate", "bulk"),
        ),
        guidance=(
            "Connect the body to `loop` and what follows to `done`; the body needs no edge back. "
            "What the body's last node gives is the result of the item; without a body it is the "
            "item itself. The body names it by iteration_variable or `loop.item`."
        ),
        examples=(
            Example(
                "Five at a time",
                "Each order goes through the body, and one that fails does not stop the others.",
                {
                    "array_path": "data.orders",
                    "iteration_variable": "order",
                    "max_parallel": 5,
                    "continue_on_error": True,
                },
                {"data": {"orders": [{"id": "A-1"}, {"id": "A-2"}]}},
                {
                    "results": [{"id": "A-1"}, {"id": "A-2"}],
                    "succeeded": 2,
                    "failed": 0,
                    "errors": [],
                },
                port="done",
            ),
            Example(
                "The data is the list",
                "Nothing to configure; nothing is connected to `loop`, so items stay as they are.",
                {},
                {"data": ["red", "green"]},
                {"results": ["red", "green"], "succeeded": 2, "failed": 0, "errors": []},
                port="done",
            ),
        ),
    )

    def items(self, given: NodeInput) -> list[Json] | None:
        """The list. Raises `Invalid`: `NODE_INPUT_INVALID` where there is none."""
        path = given.text("array_path")
        return list_at(given, path) if path else given.listing("data")

    def continues(self, given: NodeInput, done: int, last: Json) -> bool:
        """Never asked: the list decides."""
        return False

    def width(self, given: NodeInput) -> int:
        """As many as configured."""
        return given.whole("max_parallel")

    def names(self, given: NodeInput, index: int, item: Json) -> JsonObject:
        """The item by the name it was given."""
        return {given.text("iteration_variable"): item}

    def stops(self, given: NodeInput, failed: Iteration) -> bool:
        """As it is configured."""
        return not given.flag("continue_on_error")

    def finish(self, given: NodeInput, turns: list[Iteration]) -> Outcome:
        """Results in the order of the list, and what failed."""
        errors: list[Json] = [
            {"index": index, "code": turn.error.get("code"), "message": turn.error.get("message")}
            for index, turn in enumerate(turns)
            if turn.error is not None
        ]
        value: JsonObject = {
            "results": [turn.value if turn.error is None else None for turn in turns],
            "succeeded": len(turns) - len(errors),
            "failed": len(errors),
            "errors": errors,
        }
        return Outcome(value, ("done",))


node = ForEach()
