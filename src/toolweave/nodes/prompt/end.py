"""`end` and `result`: where a run ends; what comes in here is what the run gives."""

from toolweave.catalog.node import NodeInput, Outcome


class End:
    """Gives what came in."""

    types = ("end", "result")
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """What came in."""
        return Outcome(given.incoming)


plain = End()
