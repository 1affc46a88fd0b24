"""FLOW.SUBWORKFLOW: run another workflow as a step of this one."""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid


class Subworkflow:
    """Hands its input to another workflow and gives what that gives."""

    calls_workflows = True

    spec = NodeSpec(
        type="FLOW",
        subtype="SUBWORKFLOW",
        summary="Run another stored workflow as one step and go on with its result.",
        # The other run is found again by this step's key, so that it is never started twice.
        effect="keyed",
        configurations=(
            Field("workflow", "string", "Name of the stored workflow.", required=True),
            Field(
                "output",
                "string",
                "What the node gives. details: the result and the name of the workflow; result: "
                "the result itself; data: the result, of which the next node gets only `data`.",
                "details",
                options=("details", "result", "data"),
            ),
        ),
        inputs=(
            Field(
                "data",
                "any",
                "Inputs of the other run, as an object: what its trigger gives.",
                required=True,
            ),
        ),
        outputs=(
            Field("result", "any", "What the other workflow gave."),
            Field("workflow", "string", "Name of the workflow that was run."),
        ),
        tags=("flow", "workflow", "reuse"),
        keywords=(
            *("subworkflow", "call", "reuse", "nested", "child workflow"),
            *("invoke", "module", "function", "another workflow", "execute"),
        ),
        guidance=(
            "The other workflow runs by its own rules: its failure is this node's failure, which "
            "the port `error` takes on. It may wait for people for as long as it takes: this node "
            "waits with it at no cost, and its own `timeout` does not count."
        ),
        examples=(
            Example(
                "Clean the address",
                "A workflow that several others use.",
                {"workflow": "clean-address"},
                {"data": {"street": "12 main st."}},
            ),
            Example(
                "By kind of order",
                "The name comes from the data.",
                {"workflow": "order-{{ data.kind }}"},
                {"data": {"kind": "express", "order": "A-1"}},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """What the other workflow gave, once it is over."""
        name = context.given.text("workflow")
        if not name:
            message = "'workflow' must be the name of a stored workflow"
            raise Invalid("NODE_INPUT_INVALID", message, facts={"field": "workflow"})
        workflows = context.resources.workflows
        ended = await workflows.run(name, context.given.value("data"), context.key)
        if ended is None:
            return Wait()
        result, said = ended
        is_detailed = context.given.text("output") == "details"
        value = {"result": result, "workflow": name} if is_detailed else result
        return Outcome(value, content=said)


node = Subworkflow()
