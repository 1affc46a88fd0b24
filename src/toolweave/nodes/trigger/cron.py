"""TRIGGER.CRON: start at set times."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.trigger._outputs import inputs_of, started
from toolweave.nodes.trigger.schedule import check_expression, check_zone


class Cron:
    """Starts a run whenever the schedule says so."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="CRON",
        summary="Start the workflow on a schedule given as a cron expression.",
        effect="keyed",
        configurations=(
            Field(
                "cron_expression",
                "string",
                "Minute, hour, day of month, month, day of week: `0 9 * * 1-5` is 09:00 on "
                "workdays.",
                required=True,
                pattern=r"^\S+(\s+\S+){4}$",
            ),
            Field(
                "timezone",
                "string",
                "Time zone the expression is read in, by its IANA name: Europe/Berlin.",
                "UTC",
            ),
            Field(
                "max_missed_runs",
                "integer",
                "How many starts missed while the studio was off are made up for.",
                3,
                minimum=1,
                maximum=10,
            ),
        ),
        outputs=(
            Field("trigger_time", "string", "When it really started: 2026-03-02T09:00:01Z."),
            Field("scheduled_time", "string", "When it was due: 2026-03-02T09:00:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("timezone", "string", "Time zone the expression was read in."),
            Field("trigger_message", "string", "One line that says what started the run."),
        ),
        input_ports=(),
        tags=("trigger", "schedule", "time"),
        keywords=(
            *("cron", "schedule", "timer", "daily", "weekly", "hourly"),
            *("every", "periodic", "recurring", "clock", "interval"),
        ),
        checks=(check_expression, check_zone),
        examples=(
            Example(
                "Morning digest",
                "Every day at nine in New York.",
                {"cron_expression": "0 9 * * *", "timezone": "America/New_York"},
            ),
            Example(
                "Weekly clean-up",
                "Sundays at midnight; a missed one is made up for once.",
                {"cron_expression": "0 0 * * 0", "timezone": "UTC", "max_missed_runs": 1},
            ),
            Example(
                "Check in office hours",
                "Every quarter of an hour from nine to five on workdays.",
                {"cron_expression": "*/15 9-17 * * 1-5", "timezone": "Europe/Berlin"},
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """When it was due and when it started; both are the same for a start by hand."""
        run = given.names.get("run")
        began = run.get("started_at") if isinstance(run, dict) else None
        due = inputs_of(given).get("scheduled_time")
        known: JsonObject = {
            "scheduled_time": began,
            "timezone": given.text("timezone"),
            "trigger_message": f"Scheduled for {due}" if due else "Started by hand",
        }
        return Outcome(started(self.spec, given, known))


node = Cron()
