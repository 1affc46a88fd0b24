"""`prompt`: a text with `{{name}}` placeholders, filled; `answeredBy: model` asks a model."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.cel.language import Result, Value
from toolweave.workflow.named_values import named_value
from toolweave.workflow.prompt_templates import fill_prompt


class Prompt:
    """Fills `{{name}}` of a prompt; a name that nothing is known of stays as it is."""

    types = ("prompt",)
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """The filled text."""

        def resolve(name: str) -> Result | None:
            found, value = named_value(name, given.names, given.config.get("variables"))
            return Value(value) if found else None

        filled = fill_prompt(given.config.get("prompt"), resolve, "double").value
        return Outcome(filled if isinstance(filled, str) else "")


plain = Prompt()
