"""What was meant: names as models and people write them, mapped to the node they mean.

Seed 004 mends a `_NODE` suffix; this mends case, spaces, prefixes, swapped names and close
spellings as well. Every correction carries a warning, so that the asker learns the right name.
"""

import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import NODE_TYPES, NodeSpec

CLOSE_TYPE = 80
CLOSE_SUBTYPE = 80
MAX_NAME = 200

TYPE_ALIASES = {
    "HIL": "HUMAN_IN_THE_LOOP",
    "HITL": "HUMAN_IN_THE_LOOP",
    "HUMAN": "HUMAN_IN_THE_LOOP",
    "HUMAN_LOOP": "HUMAN_IN_THE_LOOP",
    "EXT": "EXTERNAL_ACTION",
    "EXTERNAL": "EXTERNAL_ACTION",
    "AI": "AI_AGENT",
    "AGENT": "AI_AGENT",
    "LLM": "AI_AGENT",
    "LOGIC": "FLOW",
    "CONTROL_FLOW": "FLOW",
    "MCP": "TOOL",
    "MCP_TOOL": "TOOL",
}


@dataclass(frozen=True, slots=True)
class Found:
    """The node that was meant, with a warning when the name had to be mended."""

    spec: NodeSpec
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """No node is meant: why, what there is, and what to do."""

    error: str
    hint: str
    available_subtypes: tuple[str, ...] = ()


def correct(catalog: Catalog, node_type: str, subtype: str) -> Found | Missing:
    """The node meant by two names."""
    if (spec := catalog.get(node_type, subtype)) is not None:
        return Found(spec)
    kind, name = _split(_clean(node_type[:MAX_NAME]), _clean(subtype[:MAX_NAME]))
    if (spec := _by_clean_names(catalog, kind, name)) is not None:
        return Found(spec, _warning(node_type, subtype, spec))
    if (spec := _by_close_names(catalog, kind, name)) is not None:
        return Found(spec, _warning(node_type, subtype, spec))
    return _missing(catalog, node_type, subtype, _known_type(kind))


def correct_type(name: str) -> str | None:
    """The type meant by a name alone, for filters."""
    return _known_type(_clean(name[:MAX_NAME]))


def _clean(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).strip().upper()
    return re.sub(r"[\s\-/]+", "_", plain)


def _split(kind: str, name: str) -> tuple[str, str]:
    """`FLOW.IF` in either place, `_NODE` and a repeated type prefix taken apart."""
    for whole in (name, kind):
        head, dot, tail = whole.partition(".")
        if dot and _known_type(head.removesuffix("_NODE")):
            kind, name = head, tail
            break
    kind = kind.removesuffix("_NODE")
    name = name.removesuffix("_NODE")
    known = _known_type(kind) or kind
    return kind, name.removeprefix(f"{known}_").removeprefix(f"{kind}_")


def _known_type(kind: str) -> str | None:
    kind = kind.removesuffix("_NODE")
    if kind in NODE_TYPES:
        return kind
    if kind in TYPE_ALIASES:
        return TYPE_ALIASES[kind]
    close = process.extractOne(kind, NODE_TYPES, scorer=fuzz.ratio, score_cutoff=CLOSE_TYPE)
    return close[0] if close else None


def _by_clean_names(catalog: Catalog, kind: str, name: str) -> NodeSpec | None:
    candidates = [(kind, name), (name, kind)]  # as given, or swapped
    if known := _known_type(kind):
        candidates.insert(1, (known, name))
    if known := _known_type(name):
        candidates.append((known, kind))
    for one, other in candidates:
        if (spec := catalog.get(one, other)) is not None:
            return spec
    return None


def _by_close_names(catalog: Catalog, kind: str, name: str) -> NodeSpec | None:
    known = _known_type(kind)
    if known is not None:
        subtypes = catalog.types().get(known, [])
        close = process.extractOne(name, subtypes, scorer=_likeness, score_cutoff=CLOSE_SUBTYPE)
        if close:
            return catalog.get(known, close[0])
    same_name = [spec for spec in catalog if spec.subtype == name]
    return same_name[0] if len(same_name) == 1 else None


def _likeness(given: str, known: str, **_: object) -> float:
    """Close in letters, or the same but for a word at either end."""
    letters = fuzz.ratio(given, known)
    shorter = min(len(given), len(known))
    if shorter >= 4 and (known.startswith(given) or known.endswith(f"_{given}")):
        return max(letters, 85.0)
    return letters


def _warning(node_type: str, subtype: str, spec: NodeSpec) -> str:
    if node_type.endswith("_NODE") and node_type.removesuffix("_NODE") == spec.type:
        text = (
            f"Auto-corrected: '{node_type}' → '{spec.type}'. "
            "Please use correct format without '_NODE' suffix."
        )
        if subtype == spec.subtype:
            return text
    return (
        f"Auto-corrected: '{node_type}.{subtype}' → '{spec.ref}'. "
        f"Please use node_type '{spec.type}' and subtype '{spec.subtype}'."
    )


def _missing(catalog: Catalog, node_type: str, subtype: str, known: str | None) -> Missing:
    shown = f"{node_type[:60]}.{subtype[:60]}"
    if known is None:
        return Missing(
            f"Node type not found: {shown!r}",
            f"node_type is one of {', '.join(NODE_TYPES)}; get_node_types lists their subtypes",
        )
    subtypes = tuple(catalog.types().get(known, []))
    return Missing(
        f"Node subtype not found: {shown!r}",
        f"{known} has the subtypes {', '.join(subtypes)}; "
        "search_nodes finds a node by what it should do",
        subtypes,
    )
