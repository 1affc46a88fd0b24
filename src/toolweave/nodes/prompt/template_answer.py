"""`template_answer`: a flow's template, filled, and what a model says to it.

Made of `template` nodes of a library's flow where a model is configured; no file has it.
"""

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.resources.model import ModelQuestion, Said
from toolweave.nodes.prompt.template import TemplateNode


class TemplateAnswer:
    """Fills the text and asks the default model."""

    types = ("template_answer",)
    # Asked again after a crash, a model answers again: nothing in the world was changed.
    effect = "keyed"

    async def run(self, context: NodeContext) -> Outcome:
        """The model's answer. Raises `Invalid`: `MISSING_VARIABLES`, before anything is asked."""
        filled = TemplateNode().compute(context.given).value
        asking = context.resources.model
        reply = await asking.ask(ModelQuestion(messages=(Said(text=str(filled)),)))
        return Outcome(reply.message.text)


plain = TemplateAnswer()
