"""FLOW.LOOP: do a part of the workflow again and again."""

from toolweave.catalog.spec import Example, Field, NodeSpec, Port


class Loop:
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
                "CEL for while, looked at before each iteration, over data (the last result, at "
                "first the input): `data.status != 'ready'`.",
                multiline=True,
            ),
            Field("start_value", "integer", "First number of for_range.", 0),
            Field("end_value", "integer", "Last number of for_range, included.", 10),
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
                "Path of the list for for_each: data.users; without it loop_data is taken.",
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
            Field("final_result", "any", "Result of the last iteration; data if there was none."),
            Field("iteration_results", "array", "Result of each iteration, in order."),
            Field("successful_iterations", "integer", "Iterations that worked."),
            Field("failed_iterations", "integer", "Iterations that failed."),
        ),
        output_ports=(
            Port(
                "loop",
                "One iteration, with the number or item under iteration_variable.",
                aliases=("iteration",),
            ),
            Port("done", "Taken once, after the last iteration.", aliases=("completed",)),
        ),
        tags=("flow", "loop", "iteration"),
        keywords=(
            *("loop", "repeat", "iterate", "each", "for", "while"),
            *("list", "items", "again", "retry", "pages", "batch"),
        ),
        guidance=(
            "Connect the body to `loop` and what follows to `done`; the body needs no edge back. "
            "What the body's last node gives is the result of the iteration; without a body it "
            "is what `loop` gave, such as `{page: 1}`. In while, `loop` gives data as well."
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
                    "final_result": {"page": 3},
                    "iteration_results": [{"page": 1}, {"page": 2}, {"page": 3}],
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
                    "final_result": {"user": {"name": "Grace"}},
                    "iteration_results": [
                        {"user": {"name": "Ada"}},
                        {"user": {"name": "Grace"}},
                    ],
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


node = Loop()
