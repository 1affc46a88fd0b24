"""FLOW.LOOP: do a part of the workflow again and again."""

from toolweave.catalog.node import Iteration, NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec, Port
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._extra_names import ExtraNames
from toolweave.nodes.flow._items import check_list, list_at
from toolweave.workflow.expression_values import condition


def check_data(given: NodeInput) -> None:
    """Whether data that stands in the workflow has the list. Raises `NODE_INPUT_INVALID`."""
    if given.text("loop_type") == "for_each":
        check_list(given)


class LoopNode:
    """Runs what is connected to `loop` once an iteration, then goes on by `done`."""

    spec = NodeSpec(
        type="FLOW",
        subtype="LOOP",
        summary="Repeat a part of the workflow over numbers, a list, or while a condition holds.",
        effect="pure",
        configurations=(
            Field(
                "loop_type",
                "string",
                "for_range counts from start_value to end_value, for_each takes a list, while "
                "goes on as long as loop_condition holds.",
                "for_range",
                required=True,
                options=("for_range", "for_each", "while"),
            ),
            Field(
                "loop_condition",
                "string",
                "CEL for while, evaluated before each iteration, over data (the last result, at "
                "first the input): `data.status != 'ready'`.",
                multiline=True,
                used_when=("loop_type", "while"),
            ),
            Field(
                "start_value",
                "integer",
                "First number of for_range.",
                0,
                used_when=("loop_type", "for_range"),
            ),
            Field(
                "end_value",
                "integer",
                "Last number of for_range, included.",
                10,
                used_when=("loop_type", "for_range"),
            ),
            Field(
                "max_iterations",
                "integer",
                "Iterations after which any loop ends.",
                100,
                minimum=1,
                maximum=10_000,
            ),
            Field(
                "iteration_variable",
                "string",
                "Name the body gets the number or item under: page.",
                "index",
                pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
            ),
            Field(
                "array_path",
                "string",
                "Path of the list for for_each: data.users; without it loop_data or data is taken.",
                used_when=("loop_type", "for_each"),
            ),
            Field(
                "break_on_error",
                "boolean",
                "Whether the first failed iteration ends the loop; else it is counted.",
                True,
            ),
            Field("collect_results", "boolean", "Whether iteration_results is filled.", True),
        ),
        inputs=(
            Field("data", "any", "What the loop starts from.", required=True),
            Field("context", "object", "More values for the condition, as `context.name`."),
            Field("loop_data", "array", "List for for_each when array_path is not set."),
        ),
        outputs=(
            Field("final_result", "any", "Result of the last iteration that worked; else data."),
            Field(
                "iteration_results",
                "array",
                'Result of each iteration, in order; {"error": ...} for one that failed.',
            ),
            Field("successful_iterations", "integer", "Iterations that worked."),
            Field("failed_iterations", "integer", "Iterations that failed."),
        ),
        output_ports=(
            Port(
                "loop",
                "One iteration; it gives the number or item, in while the last result.",
                aliases=("iteration",),
            ),
            Port("done", "Taken once, after the last iteration.", aliases=("completed",)),
        ),
        checks=(check_data,),
        tags=("flow", "loop", "iteration"),
        keywords=(
            *("loop", "repeat", "iterate", "each", "for", "while"),
            *("list", "items", "again", "retry", "pages", "batch"),
        ),
        guidance=(
            "Connect the body to `loop` and what follows to `done`; the body needs no edge back. "
            "What the body's last node gives is the result of the iteration; without a body it is "
            "the number or item itself. The body names it by iteration_variable or `loop.item`; "
            "in while these are the number of the iteration, from 0."
        ),
        examples=(
            Example(
                "Three pages",
                "Counts from 1 to 3; nothing is connected to `loop`, so each result is the number.",
                {
                    "loop_type": "for_range",
                    "start_value": 1,
                    "end_value": 3,
                    "iteration_variable": "page",
                },
                {"data": {"site": "docs"}},
                {
                    "final_result": 3,
                    "iteration_results": [1, 2, 3],
                    "successful_iterations": 3,
                    "failed_iterations": 0,
                },
                port="done",
            ),
            Example(
                "Each user",
                "Takes the users out of the data, one an iteration; a failed one is counted.",
                {
                    "loop_type": "for_each",
                    "array_path": "data.users",
                    "iteration_variable": "user",
                    "break_on_error": False,
                },
                {"data": {"users": [{"name": "Ada"}, {"name": "Grace"}]}},
                {
                    "final_result": {"name": "Grace"},
                    "iteration_results": [{"name": "Ada"}, {"name": "Grace"}],
                    "successful_iterations": 2,
                    "failed_iterations": 0,
                },
                port="done",
            ),
            Example(
                "Until it is ready",
                "Asks again while the body's result is not ready, ten times at most.",
                {
                    "loop_type": "while",
                    "loop_condition": "data.status != 'ready'",
                    "max_iterations": 10,
                    "iteration_variable": "attempt",
                    "collect_results": False,
                },
                {"data": {"job": "j-17", "status": "queued"}},
                port="done",
            ),
            Example(
                "Nothing to do",
                "The condition does not hold at first, so the data is the result.",
                {"loop_type": "while", "loop_condition": "data.status != 'ready'"},
                {"data": {"job": "j-17", "status": "ready"}},
                {
                    "final_result": {"job": "j-17", "status": "ready"},
                    "iteration_results": [],
                    "successful_iterations": 0,
                    "failed_iterations": 0,
                },
                port="done",
            ),
        ),
    )

    def items(self, given: NodeInput) -> list[Json] | None:
        """The numbers or the list; nothing for while."""
        most = given.whole("max_iterations")
        match given.text("loop_type"):
            case "for_range":
                first, last = given.whole("start_value"), given.whole("end_value")
                return list(range(first, min(last + 1, first + most)))
            case "for_each":
                return _list(given)[:most]
            case _ if given.text("loop_condition"):
                return None
            case _:
                raise refused_at(
                    ("loop_condition",),
                    "NODE_INPUT_INVALID",
                    "a loop of type while needs 'loop_condition'",
                )

    def continues(self, given: NodeInput, done: int, last: Json) -> bool:
        """Whether the condition holds for what the last iteration gave."""
        if done >= given.whole("max_iterations"):
            return False
        own = {"data": last, **self.names(given, done, None)}
        return condition(given.text("loop_condition"), ExtraNames(own, given.names))

    def width(self, given: NodeInput) -> int:
        """One after the other."""
        return 1

    def names(self, given: NodeInput, index: int, item: Json) -> JsonObject:
        """The number or item by the name it was given; in while, the number of the iteration."""
        if given.text("loop_type") != "while":
            return {given.text("iteration_variable"): item}
        return {
            "loop": {"index": index, "item": index},
            given.text("iteration_variable"): index,
        }

    def stops(self, given: NodeInput, failed: Iteration) -> bool:
        """As it is configured."""
        return given.flag("break_on_error")

    def finish(self, given: NodeInput, turns: list[Iteration]) -> Outcome:
        """The last result, all of them, and how many there are."""
        worked = [turn for turn in turns if turn.error is None]
        results: list[Json] = []
        if given.flag("collect_results"):
            results = [
                turn.value if turn.error is None else {"error": turn.error} for turn in turns
            ]
        value: JsonObject = {
            "final_result": worked[-1].value if worked else given.value("data"),
            "iteration_results": results,
            "successful_iterations": len(worked),
            "failed_iterations": len(turns) - len(worked),
        }
        return Outcome(value, ("done",))


def _list(given: NodeInput) -> list[Json]:
    if path := given.text("array_path"):
        return list_at(given, path)
    if given.value("loop_data") is not None:
        return given.listing("loop_data")
    return given.listing("data")


node = LoopNode()
