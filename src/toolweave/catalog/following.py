"""Which nodes can follow a node: outputs that fit inputs, ranked, with the reason."""

from dataclasses import dataclass

from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import Field, NodeSpec

# 004: the reply of a person is analysed by the node itself.
ANTI_PATTERN = {"HUMAN_IN_THE_LOOP": ("FLOW.IF", "AI_AGENT")}


@dataclass(frozen=True, slots=True)
class Follower:
    """A node that can come next; `because` says which output feeds which input."""

    spec: NodeSpec
    score: int
    because: str


def followers(catalog: Catalog, spec: NodeSpec, *, limit: int = 10) -> list[Follower]:
    """The nodes that fit best after `spec`; triggers start workflows, so none is among them."""
    if not spec.output_ports:
        return []
    found = [
        _fit(spec, other)
        for other in catalog
        if other.input_ports and other.ref != spec.ref and not is_mistake(spec, other)
    ]
    ranked = sorted((one for one in found if one), key=lambda one: (-one.score, one.spec.ref))
    return ranked[:limit]


def is_mistake(before: NodeSpec, after: NodeSpec) -> bool:
    """Whether `after` repeats what `before` already does."""
    refs = ANTI_PATTERN.get(before.type, ())
    return after.ref in refs or after.type in refs


def _fit(before: NodeSpec, after: NodeSpec) -> Follower | None:
    best: tuple[int, str] | None = None
    for output in before.outputs:
        for wanted in after.inputs:
            score = _field_fit(output, wanted)
            if score and (best is None or score > best[0]):
                best = (score, f"{before.subtype}.{output.name} → {after.subtype}.{wanted.name}")
    if best is None:
        # Every node receives what the one before it gave, whatever its fields are called.
        takes_anything = not any(wanted.required for wanted in after.inputs)
        return Follower(after, 1, "takes any input") if takes_anything else None
    return Follower(after, *best)


def _field_fit(output: Field, wanted: Field) -> int:
    same_type = output.type == wanted.type or {output.type, wanted.type} <= {"integer", "float"}
    if not same_type:
        return 0
    score = 2 + (2 if wanted.required else 0)
    if output.name == wanted.name:
        return score + 4
    shared = set(output.name.split("_")) & set(wanted.name.split("_"))
    return score + 1 if shared else score
