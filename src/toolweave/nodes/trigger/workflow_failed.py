"""TRIGGER.WORKFLOW_FAILED: start when another workflow's run goes wrong."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.trigger._delivery import Accepted, Refused, text_at, texts
from toolweave.nodes.trigger._outputs import started

STATUSES = ("failed", "partial", "cancelled")


class WorkflowFailed:
    """Starts a run for each run of another workflow that ended badly."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="WORKFLOW_FAILED",
        summary="Start the workflow when a run of another workflow fails.",
        effect="keyed",
        configurations=(
            Field(
                "workflows",
                "array",
                "Workflows that are watched, by name: [Nightly import]; empty means all others.",
                [],
                items="string",
            ),
            Field(
                "statuses",
                "array",
                "How the run must have ended.",
                ["failed", "partial"],
                options=STATUSES,
                items="string",
            ),
            Field(
                "error_codes",
                "array",
                "Errors that count, by code: [STEP_TIMEOUT]; empty means any.",
                [],
                items="string",
            ),
        ),
        outputs=(
            Field("trigger_time", "string", "When the run started: 2026-03-02T09:30:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("workflow", "string", "The workflow that failed."),
            Field("failed_run_id", "string", "Id of the run that failed."),
            Field("status", "string", "How it ended.", options=STATUSES),
            Field("error", "object", "Code, message and node of what went wrong."),
            Field("started_at", "string", "When the failed run began."),
            Field("finished_at", "string", "When it ended."),
            Field("trigger_message", "string", "One line that says what started the run."),
        ),
        input_ports=(),
        tags=("trigger", "error", "alert"),
        keywords=(
            *("error", "failure", "failed", "alert", "alarm", "incident"),
            *("broken", "notify", "crash", "exception"),
        ),
        guidance=(
            "A run that was started by this trigger never starts another one by failing, so an "
            "alert that fails cannot go round in circles."
        ),
        examples=(
            Example(
                "Report every failure",
                "Any other workflow whose run fails or ends in part.",
                {},
            ),
            Example(
                "Guard the nightly import",
                "One workflow, and cancelled runs too.",
                {
                    "workflows": ["Nightly import"],
                    "statuses": ["failed", "partial", "cancelled"],
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The run that failed."""
        known: JsonObject = {"status": "failed", "trigger_message": "Started by hand"}
        return Outcome(started(self.spec, given, known))


def accepts(config: JsonObject, failed: JsonObject, *, own: str) -> Accepted:
    """The outputs for a run that ended, if it is one that counts; `own` is the watching workflow.

    `failed` has the outputs of the node, and `trigger`, what had started that run.
    """
    workflow, status = text_at(failed, "workflow"), text_at(failed, "status")
    if workflow == own:
        return Refused("it is a run of the watching workflow itself")
    if failed.get("trigger") == "workflow_failed":
        return Refused("that run was itself started by a failure")
    watched = texts(config.get("workflows"))
    if watched and workflow not in watched:
        return Refused(f"workflow {workflow!r} is not watched")
    if status not in texts(config.get("statuses")):
        return Refused(f"it ended as {status!r}")
    codes, code = texts(config.get("error_codes")), text_at(failed, "error.code")
    if codes and code not in codes:
        return Refused(f"the error {code!r} is not among the codes")
    outputs = {name: value for name, value in failed.items() if name != "trigger"}
    return {**outputs, "trigger_message": f"{workflow!r} ended as {status}"}


node = WorkflowFailed()
