"""A checker for engines of tests and benchmarks whose workflows are not what is tested."""

from toolweave.workflow.formats.format import LoadedWorkflow


class Unchecked:
    """A `WorkflowChecker` that accepts every workflow."""

    async def require_valid(self, loaded: LoadedWorkflow) -> None:
        """Accept it."""
