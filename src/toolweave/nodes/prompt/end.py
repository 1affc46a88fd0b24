"""`end` and `result`: where a run ends. Its result is the field `output`, else what comes in."""

from toolweave.catalog.node import NodeInput, Outcome


class End:
    """Returns the result of the run."""

    types = ("end", "result")
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """The configured output, else what came in."""
        return Outcome(given.config.get("output", given.incoming))


plain = End()
