"""Who judges branch conditions in natural language: decided once, when a run begins."""

from dataclasses import replace

from toolweave.catalog.resources.model import ModelCaller
from toolweave.json_text import JsonObject
from toolweave.nodes.prompt.branch import Branch
from toolweave.nodes.prompt.model_answer import ANSWERED_BY, MODEL
from toolweave.workflow.model import Workflow

KNOWN = 64


class AnswerSource:
    """Marks the branches of a workflow, whose conditions a model may judge, if there is one.

    Prompts and templates ask a model only if their own `answeredBy` says so.

    The mark stands in the run's own document, so any process that continues the run does the same.
    """

    def __init__(self, caller: ModelCaller) -> None:
        self._caller = caller
        # By identity, which holds as long as they are here.
        self._known: dict[int, tuple[Workflow, Workflow]] = {}

    async def __call__(self, workflow: Workflow) -> Workflow:
        """The workflow as it is run."""
        _, marked = self._known.get(id(workflow), (None, None))
        if marked is None:
            marked = _marked(workflow)
            if len(self._known) >= KNOWN:
                del self._known[next(iter(self._known))]
            self._known[id(workflow)] = (workflow, marked)
        if marked is workflow or not await self._caller.configured():
            return workflow
        return marked


def _marked(workflow: Workflow) -> Workflow:
    nodes = tuple(
        replace(node, data=_answered(node.data))
        if node.type in Branch.types and ANSWERED_BY not in node.data
        else node
        for node in workflow.nodes
    )
    if all(one is other for one, other in zip(nodes, workflow.nodes, strict=True)):
        return workflow
    return replace(workflow, nodes=nodes)


def _answered(data: JsonObject) -> JsonObject:
    return {**data, ANSWERED_BY: MODEL}
