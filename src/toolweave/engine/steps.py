"""The steps of a workflow: a node, its code, its links, and what of all that no run changes."""

import math
from dataclasses import dataclass
from functools import cached_property

from toolweave.catalog.node import (
    ChoosesEffect,
)
from toolweave.catalog.node_kind import NodeKind
from toolweave.catalog.spec import Effect
from toolweave.engine.prepared_step import Prepared, prepare
from toolweave.json_text import JsonObject
from toolweave.workflow.model import Node

MERGE = "FLOW.MERGE"


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two steps, by their numbers."""

    source: int
    target: int
    port: str
    target_port: str


@dataclass(frozen=True)
class PlannedStep:
    """A node with its code and its links; `loop` is the innermost loop it is in the body of."""

    index: int
    node: Node
    kind: NodeKind
    incoming: tuple[Link, ...]
    outgoing: tuple[Link, ...]
    loop: int | None = None
    # The tools and memories of an agent; they are no steps of the run.
    attached: tuple["PlannedStep", ...] = ()
    # Links from outside of its loop: what they carry, its loop has waited for.
    outside: tuple[Link, ...] = ()
    # The loops that wait for it, once for each link into a body; and how many this one waits for.
    gated: tuple[int, ...] = ()
    gates: int = 0

    @property
    def id(self) -> str:
        return self.node.id

    @cached_property
    def template_name(self) -> str:
        """The name of a node's template: the one that was selected, else the node's own name."""
        selected = self.node.data.get("selectedTemplateId")
        return selected if isinstance(selected, str) and selected else self.node.title

    @cached_property
    def prepared(self) -> Prepared:
        """What of it no run changes."""
        return prepare(self.node, self.kind.spec)

    @cached_property
    def effect(self) -> Effect:
        """What a try of it does to the world, as it is configured."""
        code = self.kind.code
        if isinstance(code, ChoosesEffect):
            # An input wins over the setting of its name, so it decides what will be done.
            prepared = self.prepared
            return code.effect_of({**prepared.config, **_given(prepared.inputs)})
        return self.kind.effect

    @cached_property
    def is_pure(self) -> bool:
        """Whether it is computed rather than run."""
        return self.kind.pure is not None

    @cached_property
    def is_loop(self) -> bool:
        """Whether it runs a body."""
        return self.kind.loop is not None

    @cached_property
    def is_computed(self) -> bool:
        """Whether it needs no waiting: it computes, takes the turns of a loop, or does nothing."""
        return self.is_pure or self.is_loop or self.prepared.is_disabled

    @cached_property
    def only_link(self) -> Link | None:
        """The link that everything comes in by, where there is but one."""
        is_alone = len(self.incoming) == 1 and not self.outside and self.node.ref != MERGE
        return self.incoming[0] if is_alone else None

    @cached_property
    def is_end(self) -> bool:
        """Whether what comes in here is what the run gives."""
        return self.node.type in {"end", "result"}

    @cached_property
    def way_out(self) -> frozenset[str]:
        """The ports that something hangs on."""
        return frozenset(link.port for link in self.outgoing)

    @cached_property
    def handles_errors(self) -> bool:
        """Whether something hangs on its port `error`."""
        return any(link.port == "error" for link in self.outgoing)

    @cached_property
    def may_stop(self) -> bool:
        """Whether it can end the whole run."""
        return self.kind.may_stop

    @cached_property
    def gathers_s(self) -> int:
        """How long it waits for more branches after the first came; 0 is for as long as it takes.

        Only where the workflow says so: a default would drop a branch that waits for a person.
        """
        field = self.kind.gathers_by
        return max(0, _whole(self.node, field, 0)) if field else 0

    @cached_property
    def attempts(self) -> int:
        """How often it is tried at most."""
        return 1 + max(0, _whole(self.node, "retry_attempts", 3 if self.kind.spec else 0))

    @cached_property
    def timeout_s(self) -> float:
        """How long one try may take; steps of a called workflow have limits of their own."""
        if self.kind.calls:
            return math.inf
        return max(1, _whole(self.node, "timeout", 420))


def _whole(node: Node, name: str, default: int) -> int:
    settings = node.data.get("configurations")
    value = settings.get(name) if isinstance(settings, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _given(inputs: JsonObject) -> JsonObject:
    return {name: value for name, value in inputs.items() if value is not None}
