"""Names as people write them: taken apart into words, and looked up by the forms they come in.

Built once per catalog, on the first name that is not exact; a live tool costs one entry per form.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from toolweave.catalog.spec import NODE_TYPES, NodeSpec, NodeType, SpecOrigin
from toolweave.patterns import pattern

MAX_NAME = 200

TYPE_ALIASES: dict[str, NodeType] = {
    "HIL": "HUMAN_IN_THE_LOOP",
    "HITL": "HUMAN_IN_THE_LOOP",
    "HUMAN": "HUMAN_IN_THE_LOOP",
    "HUMANLOOP": "HUMAN_IN_THE_LOOP",
    "HUMANINLOOP": "HUMAN_IN_THE_LOOP",
    "EXT": "EXTERNAL_ACTION",
    "EXTERNAL": "EXTERNAL_ACTION",
    "AI": "AI_AGENT",
    "AGENT": "AI_AGENT",
    "LLM": "AI_AGENT",
    "LOGIC": "FLOW",
    "CONTROLFLOW": "FLOW",
    "FLOWCONTROL": "FLOW",
    "MCPTOOL": "TOOL",
}
TYPES: dict[str, NodeType] = {
    **{node_type.replace("_", ""): node_type for node_type in NODE_TYPES},
    **TYPE_ALIASES,
}
# Words that say nothing within their type: SLACK_ACTION and SLACK mean one EXTERNAL_ACTION.
IDLE: dict[NodeType, frozenset[str]] = {
    "TRIGGER": frozenset({"TRIGGER"}),
    "AI_AGENT": frozenset({"AI", "AGENT", "LLM"}),
    "ACTION": frozenset({"ACTION"}),
    "EXTERNAL_ACTION": frozenset({"EXTERNAL", "ACTION", "EXT"}),
    "FLOW": frozenset({"FLOW"}),
    "HUMAN_IN_THE_LOOP": frozenset({"HUMAN", "IN", "THE", "LOOP", "HIL", "INTERACTION"}),
    "TOOL": frozenset({"TOOL", "MCP"}),
    "MEMORY": frozenset({"MEMORY"}),
    "MCP": frozenset({"MCP"}),
}
_SUFFIXES = frozenset({"NODE", "NODES", "SPEC"})

# Letters of other scripts that look like Latin capitals.
_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԚԜӀΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "ABESIJKMHOPCTYXQWIABEZHIKMNOPTYX",
)
_CAMEL = pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = pattern(r"[^\W_]+")

Words = tuple[str, ...]


def words_of(name: str) -> Words:
    """`httpRequest`, `HTTP-request` and `Http Request` are all `HTTP`, `REQUEST`."""
    text = name[:MAX_NAME]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(one for one in text if unicodedata.category(one) not in {"Cf", "Cc", "Cs"})
    if not text.islower():
        text = _CAMEL.sub("_", text)
    text = text.upper()
    return tuple(_WORD.findall(text if text.isascii() else text.translate(_LOOK_ALIKES)))


def skeleton(words: Iterable[str]) -> str:
    """The letters alone, so that where a name is parted does not matter."""
    return "".join(words)


def without_suffix(words: Words) -> Words:
    """`ACTION_NODE` is `ACTION`."""
    return words[:-1] if len(words) > 1 and words[-1] in _SUFFIXES else words


def core_of(node_type: NodeType, words: Words) -> Words:
    """Return the words that distinguish a node within its type."""
    return tuple(word for word in without_suffix(words) if word not in IDLE[node_type])


@dataclass(frozen=True, slots=True)
class Named:
    """One of our nodes with the words it goes by."""

    spec: NodeSpec
    core: Words
    keywords: frozenset[str]


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Every name of a catalog by the forms it is written in."""

    # Our nodes by type and skeleton.
    in_type: dict[tuple[str, str], list[NodeSpec]] = field(
        default_factory=dict[tuple[str, str], list[NodeSpec]]
    )
    # Our nodes by the skeleton of their subtype, whatever their type.
    anywhere: dict[str, list[NodeSpec]] = field(default_factory=dict[str, list[NodeSpec]])
    ours: dict[str, list[Named]] = field(default_factory=dict[str, list[Named]])
    # Words of our names, tags and keywords: such a word is not a misspelling.
    known_words: set[str] = field(default_factory=set[str])
    # Live tools by their skeletons, also without `MCP` and without the server; nothing for a
    # skeleton that two of them have.
    live: dict[str, NodeSpec | None] = field(default_factory=dict[str, NodeSpec | None])
    # Skeletons of live tools by the words of their own names.
    live_words: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def read_names(specs: Iterable[NodeSpec]) -> NameIndex:
    """The names of `specs`."""
    names = NameIndex()
    for spec in specs:
        if spec.origin is None:
            _add_ours(names, spec)
        else:
            _add_live(names, spec, spec.origin)
    return names


def _add_ours(names: NameIndex, spec: NodeSpec) -> None:
    words = words_of(spec.subtype)
    core = core_of(spec.type, words)
    keywords = frozenset(word for text in (*spec.keywords, *spec.tags) for word in words_of(text))
    names.anywhere.setdefault(skeleton(words), []).append(spec)
    names.ours.setdefault(spec.type, []).append(Named(spec, core, keywords))
    names.known_words.update(words, keywords)
    for form in {skeleton(words), skeleton(core)}:
        names.in_type.setdefault((spec.type, form), []).append(spec)


def _add_live(names: NameIndex, spec: NodeSpec, origin: SpecOrigin) -> None:
    words = words_of(origin.tool)
    tool = skeleton(words)
    whole = skeleton(words_of(origin.server)) + tool
    for form in {f"MCP{whole}", whole, tool} - {""}:
        names.live[form] = None if form in names.live else spec
    for word in set(words):
        names.live_words.setdefault(word, []).append(whole)
