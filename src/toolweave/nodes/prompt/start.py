"""`start`: where a run begins; gives what the run was started with."""

from toolweave.catalog.node import NodeInput, Outcome


class Start:
    """Passes the run's inputs on."""

    types = ("start",)
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """The inputs."""
        return Outcome(given.incoming)


plain = Start()
