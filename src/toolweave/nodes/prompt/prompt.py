"""`prompt`: a text with `{{name}}` holes, filled; with a model, its answer."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.cel.language import Result, Value
from toolweave.cel.templates import substitute
from toolweave.workflow.named_values import named_value


class Prompt:
    """Fills `{{name}}` of a prompt; a name that nothing is known of stays as it is."""

    types = ("prompt",)
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """The filled text."""

        def resolve(name: str) -> Result | None:
            found, value = named_value(name, given.names, given.config.get("variables"))
            return Value(value) if found else None

        filled = substitute(given.config.get("prompt"), resolve, style="names").value
        return Outcome(filled if isinstance(filled, str) else "")


plain = Prompt()
