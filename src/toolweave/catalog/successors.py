"""Which nodes can follow a node: outputs that fit inputs, ranked, with the reason."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest
from typing import TypeAlias

from toolweave.catalog.spec import Field, FieldType, NodeSpec

# The reply of a person is analysed by the node itself.
ANTI_PATTERN = {"HUMAN_IN_THE_LOOP": ("FLOW.IF", "AI_AGENT")}
# Carried along by many nodes; that two of them do says nothing.
INCIDENTAL = frozenset({"metadata", "context", "variables", "timestamps"})
NUMBERS = frozenset({"integer", "float"})
WHOLE = "*"


@dataclass(frozen=True, slots=True)
class Successor:
    """A node that can come next; `fed` is an output and the input it feeds, if one stands out."""

    spec: NodeSpec
    score: int
    fed: tuple[str, str] | None = None

    def because(self, before: NodeSpec) -> str:
        """Why it can come after `before`."""
        if self.fed is None:
            return "needs no input"
        source, name = self.fed
        if source == WHOLE:
            return f"{self.spec.subtype}.{name} takes all that {before.subtype} gives"
        if shares_a_word(source, name):
            return f"{before.subtype}.{source} → {self.spec.subtype}.{name}"
        return f"{self.spec.subtype}.{name} takes the type of {before.subtype}.{source}"


# How well the outputs feed an input of this name and type: a score (0: not at all) and by what.
_Feeding: TypeAlias = Callable[[str, FieldType], tuple[int, str]]


def followers(specs: Iterable[NodeSpec], before: NodeSpec, *, limit: int) -> list[Successor]:
    """Those of `specs` that can follow `before`, the best first."""

    # Many tools share their inputs, so each kind of input is compared with the outputs once.
    @cache
    def feeding(name: str, kind: FieldType) -> tuple[int, str]:
        fits = ((_fit(output, name, kind), output.name) for output in before.outputs)
        return max((_whole(kind), WHOLE), *fits, key=lambda found: found[0])

    found = (one for spec in specs if (one := _follower(before, spec, feeding)) is not None)
    return nsmallest(
        limit, found, key=lambda one: (-one.score, one.spec.origin is not None, one.spec.ref)
    )


def is_mistake(before: NodeSpec, after: NodeSpec) -> bool:
    """Whether `after` repeats what `before` already does."""
    refs = ANTI_PATTERN.get(before.type, ())
    return after.type in refs or after.ref in refs


def _follower(before: NodeSpec, after: NodeSpec, feeding: _Feeding) -> Successor | None:
    if not before.output_ports or not after.input_ports or is_mistake(before, after):
        return None
    best: int = 1
    fed: tuple[str, str] | None = None
    for wanted in after.inputs:
        score, source = feeding(wanted.name, wanted.type)
        if not score and wanted.required and wanted.default is None:
            return None
        score += 2 if score and wanted.required else 0
        if score > best:
            best, fed = score, (source, wanted.name)
    return Successor(after, best, fed)


def _whole(kind: FieldType) -> int:
    """What the node gave as a whole is an object, and any value can be put into a text."""
    return 1 if kind in {"object", "any", "string"} else 0


def _fit(output: Field, name: str, kind: FieldType) -> int:
    types = {output.type, kind}
    if len(types) > 1 and "any" not in types and not types <= NUMBERS:
        return 0
    if name in INCIDENTAL or output.name in INCIDENTAL:
        return 1
    if output.name == name:
        return 8
    return 4 if shares_a_word(output.name, name) else 2


def shares_a_word(output: str, name: str) -> bool:
    """Whether two fields are called alike."""
    return not set(output.split("_")).isdisjoint(name.split("_"))
