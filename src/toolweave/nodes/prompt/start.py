"""`start`: where a run begins. It passes on the field `output`, else the run's inputs."""

from toolweave.catalog.node import NodeInput, Outcome


class Start:
    """Passes the run's inputs on."""

    types = ("start",)
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """The configured output, else the inputs."""
        return Outcome(given.config.get("output", given.incoming))


plain = Start()
