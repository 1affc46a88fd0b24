"""FLOW.IF: go one of two ways."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec, Port
from toolweave.workflow.expression_values import condition


class If:
    """Passes its input on by `true` or by `false`."""

    spec = NodeSpec(
        type="FLOW",
        subtype="IF",
        summary="Go one of two ways, by a condition on the data.",
        effect="pure",
        configurations=(
            Field(
                "condition_expression",
                "string",
                "CEL that gives true or false, over data, context and variables: "
                "`data.amount > 100 && data.status == 'open'`.",
                required=True,
                multiline=True,
            ),
        ),
        inputs=(
            Field(
                "data",
                "any",
                "What the condition reads; it is passed on unchanged.",
                required=True,
            ),
            Field("context", "object", "More values for the condition, as `context.name`."),
            Field("variables", "object", "Variables for the condition, as `variables.name`."),
        ),
        outputs=(
            Field("data", "any", "The input, unchanged.", required=True),
            Field("condition_result", "boolean", "What the condition gave."),
        ),
        output_ports=(
            Port("true", "Taken when the condition holds."),
            Port("false", "Taken when it does not."),
        ),
        tags=("flow", "condition", "branch"),
        keywords=(
            *("if", "else", "condition", "branch", "decision", "compare"),
            *("when", "check", "route", "threshold", "logic"),
        ),
        guidance=(
            "Do not put it after a HUMAN_IN_THE_LOOP node: that already leaves by confirmed, "
            "rejected, unrelated or timeout. A field that may be missing is asked for with "
            "`has(data.field)`. A whole and a decimal number cannot be added: write `double(x)`."
        ),
        examples=(
            Example(
                "Above a limit",
                "A score of 95 is above 80.",
                {"condition_expression": "data.score > 80"},
                {"data": {"user": "u-1", "score": 95}},
                {"data": {"user": "u-1", "score": 95}, "condition_result": True},
                port="true",
            ),
            Example(
                "Several conditions",
                "The account is not verified, so it goes the other way.",
                {
                    "condition_expression": "data.status == 'active' && data.verified "
                    "&& data.score >= 70"
                },
                {"data": {"status": "active", "verified": False, "score": 85}},
                {
                    "data": {"status": "active", "verified": False, "score": 85},
                    "condition_result": False,
                },
                port="false",
            ),
            Example(
                "Field that may be missing",
                "A limit from the variables, and a discount that is not there.",
                {
                    "condition_expression": "!has(data.discount) "
                    "&& data.total > variables.limit && data.country in ['DE', 'FR']"
                },
                {"data": {"total": 250, "country": "FR"}, "variables": {"limit": 200}},
                {"data": {"total": 250, "country": "FR"}, "condition_result": True},
                port="true",
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """What came in, by the way the condition says."""
        holds = condition(given.text("condition_expression"), given.names)
        value = {"data": given.value("data"), "condition_result": holds}
        return Outcome(value, ("true" if holds else "false",))


node = If()
