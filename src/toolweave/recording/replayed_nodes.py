"""Nodes in a replay: their own code where everything they use is recorded, else the outcome."""

from toolweave.catalog.node import Effectful, NodeContext, Outcome, Wait
from toolweave.catalog.node_kind import NodeKind
from toolweave.engine.plan import Kinds
from toolweave.recording.playback import Playback, PlayedResources
from toolweave.recording.replay_mode import is_model_tool, is_timed, replay_mode, request_of
from toolweave.workflow.model import Node

# What the engine asks the code of a node about beside `run`.
_TRAITS = ("effect_of", "gathers_by", "may_stop")


class ReplayedNode:
    """The code of an effect node whose outcome may come from the recording."""

    def __init__(self, kind: NodeKind, code: Effectful, ref: str, played: PlayedResources) -> None:
        self._kind = kind
        self.replayed_code = code
        self._ref = ref
        self._played = played
        for trait in _TRAITS:
            if hasattr(code, trait):
                setattr(self, trait, getattr(code, trait))

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Run the node's own code, or return the recorded outcome."""
        playback = self._played.playback
        assert playback is not None
        request = request_of(self._kind, context.given)
        if not self._takes_outcome(context, playback):
            return await self.replayed_code.run(context)
        if is_timed(self._kind) and not playback.has_outcome(self._ref, request):
            return await self.replayed_code.run(context)
        return playback.outcome(self._ref, request)

    def _takes_outcome(self, context: NodeContext, playback: Playback) -> bool:
        line = playback.steps.get(context.key.partition("/")[2])
        if line is not None and line.kind == self._ref:
            return line.replay == "outcome"
        return replay_mode(self._kind, context.given) == "outcome"


class ReplayedKinds:
    """The nodes of a registry, as they are replayed."""

    def __init__(self, kinds: Kinds, played: PlayedResources) -> None:
        self._kinds = kinds
        self._played = played

    def of(self, node: Node) -> NodeKind | None:
        """Return the code of a node."""
        kind = self._kinds.of(node)
        if kind is None or kind.effectful is None or is_model_tool(kind):
            return kind
        code = ReplayedNode(kind, kind.effectful, node.ref or node.type, self._played)
        return NodeKind(code, kind.effect, kind.spec)
