"""FLOW.STOP: end here, well or with an error."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import OUTPUT, Example, Field, NodeSpec, Port
from toolweave.errors import Invalid
from toolweave.workflow.expression_values import condition


class Stop:
    """Ends its run with a result or an error, always or if a condition holds."""

    may_stop = True

    spec = NodeSpec(
        type="FLOW",
        subtype="STOP",
        summary="End the run here, with a result or an error, if need be.",
        effect="pure",
        configurations=(
            Field(
                "outcome",
                "string",
                "result: the run ends well, error: it fails with the message.",
                "result",
                required=True,
                options=("result", "error"),
            ),
            Field(
                "when",
                "string",
                "CEL: only if it holds the run ends, else data goes on by `output`: "
                "`size(data.items) == 0`.",
                multiline=True,
            ),
            Field(
                "message",
                "string",
                "What is said of the error.",
                "the workflow stopped here",
                used_when=("outcome", "error"),
            ),
        ),
        inputs=(
            Field(
                "data",
                "any",
                "What the condition reads; it is passed on if the run continues.",
                required=True,
            ),
            Field("result", "any", "What the run gives; without it, data."),
            Field("context", "object", "More values for the condition, as `context.name`."),
            Field("variables", "object", "Variables for the condition, as `variables.name`."),
        ),
        outputs=(
            Field("data", "any", "The result, or the input if it goes on."),
            Field("stopped", "boolean", "Whether the run ended here."),
        ),
        output_ports=(
            OUTPUT,
            Port("stopped", "Taken when the run ends here; nothing behind it runs."),
        ),
        tags=("flow", "end", "guard"),
        keywords=(
            *("stop", "end", "abort", "exit", "return", "terminate"),
            *("fail", "error", "guard", "assert", "early"),
        ),
        guidance=(
            "It ends the whole run, also from within a loop: steps of other branches that run are "
            "cancelled, those that wait end. An error makes the run partial or failed, unless "
            "something is connected to its port `error`: then the run goes on there."
        ),
        examples=(
            Example(
                "Nothing to do",
                "There are items, so the run goes on.",
                {"outcome": "result", "when": "size(data.items) == 0"},
                {"data": {"items": [1, 2]}},
                {"data": {"items": [1, 2]}, "stopped": False},
            ),
            Example(
                "Done early",
                "The answer is known already, so the run ends with it.",
                {"outcome": "result"},
                {"data": {"order": "A-1"}, "result": {"cached": True}},
                {"data": {"cached": True}, "stopped": True},
                port="stopped",
            ),
            Example(
                "Not allowed",
                "An order without a customer is an error.",
                {
                    "outcome": "error",
                    "when": "!has(data.customer)",
                    "message": "order {{ data.order }} has no customer",
                },
                {"data": {"order": "A-1"}},
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The end of the run, or what came in."""
        when, data = given.text("when"), given.value("data")
        if when and not condition(when, given.names):
            return Outcome({"data": data, "stopped": False})
        if given.text("outcome") == "error":
            raise Invalid("FLOW_STOPPED", given.text("message"))
        result = given.value("result")
        return Outcome({"data": data if result is None else result, "stopped": True}, ("stopped",))


node = Stop()
