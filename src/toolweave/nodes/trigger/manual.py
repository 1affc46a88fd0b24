"""TRIGGER.MANUAL: start when a person says so."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.nodes.trigger._outputs import started


class Manual:
    """Starts a run from a button, the command line or an API call."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="MANUAL",
        summary="Start the workflow when a person presses run or calls it by hand.",
        effect="keyed",
        configurations=(
            Field(
                "trigger_name", "string", "Text on the start button: Send report.", "Manual Trigger"
            ),
            Field(
                "description",
                "string",
                "What starting it does, shown beside the button.",
                multiline=True,
            ),
        ),
        outputs=(
            Field("trigger_time", "string", "When it was started: 2026-03-02T09:30:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("user_id", "string", "Who started it."),
            Field("trigger_message", "string", "One line that says what started the run."),
        ),
        input_ports=(),
        tags=("trigger", "manual", "start"),
        keywords=("button", "start", "run", "click", "hand", "on demand", "launch", "user"),
        examples=(
            Example(
                "Monthly report",
                "Somebody asks for the report when the books are closed.",
                {
                    "trigger_name": "Send monthly report",
                    "description": "Collects last month's figures and mails them to finance.",
                },
            ),
            Example(
                "Roll back a release",
                "An operator starts the rollback by hand; it is not tried again by itself.",
                {"trigger_name": "Roll back", "retry_attempts": 0},
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """What it was started with, who and when."""
        message = f"Started by hand: {given.text('trigger_name')}"
        return Outcome(started(self.spec, given, {"trigger_message": message}))


node = Manual()
