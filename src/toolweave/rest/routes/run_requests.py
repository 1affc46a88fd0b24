"""What a request says that starts, answers or forks a run."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from toolweave.engine.events import Choice
from toolweave.rest.request_body import RequestBody, one_of
from toolweave.rest.routes.runs import PRINTABLE
from toolweave.workflow.ids import MAX_NAME


class StartRunRequest(RequestBody):
    """What to run: a stored workflow by name, or a workflow document."""

    model_config = one_of(workflow="string", document="object")

    workflow: str | None = Field(
        None, pattern=PRINTABLE, max_length=MAX_NAME, description="The name of a stored workflow"
    )
    # Any: a workflow in any dialect; its reader reports what is wrong with it.
    document: dict[str, Any] | None = Field(
        None, description="A workflow in any dialect instead; also needs `workflows:write`"
    )
    inputs: dict[str, Any] = Field(
        default_factory=dict[str, Any], description="The inputs of the run"
    )
    once_key: str | None = Field(
        None,
        max_length=200,
        pattern=PRINTABLE,
        description="Idempotency key: a second request with the same key returns the first run",
    )
    use_pins: bool = Field(
        False,
        alias="usePins",
        description="Use the outputs pinned in `document` instead of executing their nodes",
    )
    trigger: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The trigger of `document` that `inputs` are an event of; others do not start",
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.workflow is None) == (self.document is None):
            raise ValueError("give either 'workflow' (a name) or 'document'")
        if self.trigger is not None and self.document is None:
            raise ValueError("'trigger' needs 'document'")
        if self.use_pins and self.document is None:
            raise ValueError("'usePins' needs 'document': stored workflows run without pinned data")
        return self


class AnswerRequest(RequestBody):
    """The answer to a waiting step, or the decision about an uncertain one."""

    model_config = one_of(reply=None, choice="string")

    step: str = Field(min_length=1, max_length=1_000, description="The step's key")
    # Any: whatever the step asks for.
    reply: Any = Field(None, description="The answer to a waiting step")
    choice: Choice | None = Field(None, description="What to do about an uncertain step")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.choice is None) == ("reply" not in self.model_fields_set):
            raise ValueError("give 'reply' for a waiting step, or 'choice' for an uncertain one")
        return self


class PatchOperation(RequestBody):
    """An operation of a JSON Patch."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str = Field(pattern=r"^/data(/|$)", description="A pointer into the input: `/data/…`")
    from_: str | None = Field(None, alias="from", pattern=r"^/data(/|$)")
    # Any: a part of the input.
    value: Any = None


class ForkRunRequest(RequestBody):
    """The node to start from, and changes to its input or to the workflow."""

    from_: str = Field(alias="from", min_length=1, max_length=1_000, description="A node's id")
    edit: list[PatchOperation] | None = Field(
        None, max_length=1_000, description='JSON Patch of `{"data": INPUT}`'
    )
    # Any: a workflow in any dialect.
    document: dict[str, Any] | None = Field(
        None, description="The changed workflow; also needs `workflows:write`"
    )
    use_pins: bool = Field(
        False,
        alias="usePins",
        description="Use the outputs pinned in `document` instead of executing their nodes",
    )
    recorded: bool = Field(
        False,
        description="Answer requests of steps from what the run recorded, and stop at the first "
        "one that is not recorded: the new run failed there, and a fork of it continues live",
    )
