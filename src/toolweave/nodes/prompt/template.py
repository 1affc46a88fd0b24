"""`template`: a flow's text with `{name}` placeholders; `answeredBy: model` asks a model."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.cel.language import Value
from toolweave.errors import Invalid
from toolweave.workflow.named_values import named_value
from toolweave.workflow.prompt_templates import as_single, fill_prompt, read_prompt


class TemplateNode:
    """Fills `{name}` of a flow's template; every name must be known."""

    types = ("template",)
    effect = "pure"

    def compute(self, given: NodeInput) -> Outcome:
        """The filled text."""
        fault = given.config.get("templateFault")
        if isinstance(fault, dict):
            raise Invalid(str(fault.get("code")), str(fault.get("message")))
        text = given.config.get("template")
        if isinstance(text, str):
            text = as_single(text)
        variables = given.config.get("variableValues")
        placeholders = read_prompt(text, "single").placeholders if isinstance(text, str) else ()
        names = dict.fromkeys(placeholder.content for placeholder in placeholders)
        values = {name: named_value(name, given.names, variables) for name in names}
        missing = [name for name, (found, _) in values.items() if not found]
        if missing:
            listed = ", ".join(missing)
            raise Invalid(
                "MISSING_VARIABLES",
                f"Missing required variables: {listed}",
                hint="give them as inputs of the run",
                facts={"variables": missing},
            )
        filled = fill_prompt(text, lambda name: Value(values[name][1]), "single")
        return Outcome(filled.value if isinstance(filled.value, str) else "")


plain = TemplateNode()
