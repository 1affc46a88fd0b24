"""The steps of a workflow: a node, its code, its links, and what does not depend on a run."""

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
from toolweave.workflow.node_queue import queue_of, server_of

MERGE = "FLOW.MERGE"


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two steps, by number."""

    source: int
    target: int
    port: str
    target_port: str


@dataclass(frozen=True)
class PlannedStep:
    """A node with its code and links; `loop` is the innermost loop around it."""

    index: int
    node: Node
    kind: NodeKind
    incoming: tuple[Link, ...]
    outgoing: tuple[Link, ...]
    loop: int | None = None
    # The tools and memories of an agent; they are not steps.
    attached: tuple["PlannedStep", ...] = ()
    # Links from outside its loop, which the loop has waited for.
    outside: tuple[Link, ...] = ()
    # The loops that wait for it, once per link into a body; and how many links this one waits for.
    gated: tuple[int, ...] = ()
    gates: int = 0
    # Links of a drawn workflow to an earlier step, which then runs again.
    back: tuple[Link, ...] = ()

    @property
    def id(self) -> str:
        return self.node.id

    @cached_property
    def template_name(self) -> str:
        """The name of a node's template: the selected one, else the node's own name."""
        selected = self.node.data.get("selectedTemplateId")
        return selected if isinstance(selected, str) and selected else self.node.title

    @cached_property
    def prepared(self) -> Prepared:
        """What does not depend on a run."""
        return prepare(self.node, self.kind.spec)

    @cached_property
    def has_expressions(self) -> bool:
        """Whether binding its input evaluates any."""
        return any(one.prepared.has_templates for one in (self, *self.attached))

    @cached_property
    def effect(self) -> Effect:
        """The effect of an attempt, as configured."""
        code = self.kind.code
        if isinstance(code, ChoosesEffect):
            # An input overrides the setting of the same name, so it decides the effect.
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
        """Whether it needs no waiting: it computes, iterates a loop, or does nothing."""
        return self.is_pure or self.is_loop or self.prepared.is_disabled

    @cached_property
    def only_link(self) -> Link | None:
        """The only incoming link, if there is exactly one."""
        is_alone = len(self.incoming) == 1 and not self.outside and self.node.ref != MERGE
        return self.incoming[0] if is_alone else None

    @cached_property
    def is_end(self) -> bool:
        """Whether its input is the result of the run."""
        return self.node.type in {"end", "result"}

    @cached_property
    def way_out(self) -> frozenset[str]:
        """The ports with an outgoing edge."""
        return frozenset(link.port for link in (*self.outgoing, *self.back))

    @cached_property
    def handles_errors(self) -> bool:
        """Whether its port `error` has an edge."""
        return any(link.port == "error" for link in self.outgoing)

    @cached_property
    def may_stop(self) -> bool:
        """Whether it can end the whole run."""
        return self.kind.may_stop

    @cached_property
    def gathers_s(self) -> int:
        """How long it waits for more branches after the first; 0 is unlimited.

        Only if the workflow says so: a default would drop a branch that waits for a person.
        """
        field = self.kind.gathers_by
        return max(0, _whole(self.node, field, 0)) if field else 0

    @cached_property
    def attempts(self) -> int:
        """The maximum number of attempts."""
        return 1 + max(0, _whole(self.node, "retry_attempts", 3 if self.kind.spec else 0))

    @cached_property
    def queue(self) -> str | None:
        """The queue that its node is bound to."""
        return queue_of(self.node)

    @cached_property
    def servers(self) -> tuple[str, ...]:
        """The servers that the node, and what is attached to it, names."""
        names = dict.fromkeys(server_of(node) for node in self._nodes())
        return tuple(name for name in names if name)

    def _nodes(self) -> tuple[Node, ...]:
        return (self.node, *(step.node for step in self.attached))

    @cached_property
    def timeout_s(self) -> float:
        """The time limit of one attempt; steps of a called workflow have their own limits."""
        if self.kind.calls:
            return math.inf
        return max(1, _whole(self.node, "timeout", 420))


def _whole(node: Node, name: str, default: int) -> int:
    settings = node.data.get("configurations")
    value = settings.get(name) if isinstance(settings, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _given(inputs: JsonObject) -> JsonObject:
    return {name: value for name, value in inputs.items() if value is not None}
