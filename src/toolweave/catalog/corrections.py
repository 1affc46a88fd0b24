"""What was meant: names as models and people write them, mapped to the node they mean.

Corrects a `_NODE` suffix, case, separators, prefixes, swapped names, words too
many or too few and misspellings as well, always with a warning. Where two nodes could be meant
none is taken: both are named in the hint. The spelling of a live tool is only corrected within the
server that the name spells out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from toolweave.catalog.index import Catalog
from toolweave.catalog.names import (
    TYPES,
    Named,
    NameIndex,
    Words,
    core_of,
    skeleton,
    without_suffix,
    words_of,
)
from toolweave.catalog.replaced_nodes import instead_of
from toolweave.catalog.server_names import close_tools, misspelt_tools, server_of, tools_of
from toolweave.catalog.spec import NODE_TYPES, NodeSpec, NodeType

MAX_SUGGESTIONS = 3
MAX_LIVE_SUBTYPES = 20
MAX_COMPARED = 500
CLOSE = 60


@dataclass(frozen=True, slots=True)
class CorrectedName:
    """A matched node, with a warning if the name was corrected."""

    spec: NodeSpec
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownName:
    """No match: the reason, the alternatives and a hint."""

    error: str
    hint: str
    available_subtypes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A name in parts: the type, if it is one, and the words of both halves."""

    type: NodeType | None
    subtype: Words


# Words that turn a name into another one's.
_LIKENESS = frozenset({"COMPATIBLE"})


def correct(catalog: Catalog, node_type: str, subtype: str) -> CorrectedName | UnknownName:
    """The node meant by two names."""
    if (spec := catalog.get(node_type, subtype)) is not None:
        return CorrectedName(spec)
    if (named := server_of(node_type, subtype)) is not None:
        return _within_server(catalog, node_type, subtype, named)
    readings = list(_readings(node_type, subtype))
    for look in (_by_form, _by_subtype, _by_spelling):
        looked = (look(catalog.names, asked) for asked in readings)
        found = {spec.ref: spec for spec in looked if spec is not None}
        if len(found) == 1:
            ((_, spec),) = found.items()
            return CorrectedName(spec, _warning(node_type, subtype, spec))
        if found:  # the two names contradict each other
            break
    return _missing(catalog, node_type, subtype, readings)


def _within_server(
    catalog: Catalog, node_type: str, subtype: str, named: tuple[str, str]
) -> CorrectedName | UnknownName:
    """A tool of the server that a name spells out; no other server's, and no node of ours."""
    server, tool = named
    tools = tools_of(catalog, server)
    name = f"{shown(node_type)}.{shown(subtype)}"
    if not tools:
        known = sorted({spec.origin.server for spec in catalog.of_type("TOOL") if spec.origin})
        servers = f"it is one of {', '.join(known[:MAX_LIVE_SUBTYPES])}" if known else "none is"
        hint = f"no approved tools of a server {shown(server)!r} are known; {servers}"
        return UnknownName(f"Node subtype not found: {name!r}", hint)
    fitting = tools.get(skeleton(words_of(tool))) or misspelt_tools(tools, tool, _is_misspelt)
    if len(fitting) == 1:
        return CorrectedName(fitting[0], _warning(node_type, subtype, fitting[0]))
    close = fitting or close_tools(tools, tool)
    meant = " or ".join(repr(spec.ref) for spec in close[:MAX_SUGGESTIONS])
    hint = f"did you mean {meant}?" if meant else f"these are the tools of {server!r}"
    some = islice(chain.from_iterable(tools.values()), MAX_LIVE_SUBTYPES)
    listed = dict.fromkeys(spec.subtype for spec in (*close, *some))
    return UnknownName(f"Node subtype not found: {name!r}", hint, tuple(listed))


def correct_type(name: str) -> NodeType | None:
    """The type meant by a name alone, for filters."""
    return _type_of(words_of(name))


def _readings(node_type: str, subtype: str) -> Iterator[_Asked]:
    """What the two names can be: as given, one name that holds both, or swapped."""
    kind, name = words_of(node_type), words_of(subtype)
    outer, inner = _in_one(node_type), _in_one(subtype)
    stated = _type_of(kind) or (outer.type if outer is not None else None)
    yield _Asked(stated, name)
    if stated == "MCP":  # who says MCP and the name of a tool means a TOOL
        yield _Asked("TOOL", name)
    if outer is not None and _type_of(kind) is None:
        yield outer
    # Who says ACTION and TRIGGER.SLACK may mean either.
    if inner is not None and (stated is None or _are_kin(stated, inner.type)):
        yield inner
    if (swapped := _type_of(name)) is not None:
        yield _Asked(swapped, kind)


def _in_one(text: str) -> _Asked | None:
    """`TRIGGER.MANUAL`, or `TRIGGER_MANUAL` where only a name of one half is expected."""
    head, dot, tail = text.partition(".")
    if dot and (known := _type_of(words_of(head))) is not None:
        return _Asked(known, words_of(tail))
    words = words_of(text)
    for count in range(len(words) - 1, 0, -1):
        if (known := TYPES.get(skeleton(words[:count]))) is not None:
            return _Asked(known, words[count:])
    return None


def _are_kin(one: NodeType, other: NodeType | None) -> bool:
    """Whether two types share a word: an EXTERNAL_ACTION is an ACTION."""
    return other is not None and bool(set(one.split("_")) & set(other.split("_")))


def _type_of(words: Words) -> NodeType | None:
    given = skeleton(without_suffix(words))
    if given in TYPES:
        return TYPES[given]
    close: list[NodeType] = [
        known for known in NODE_TYPES if _is_misspelt(given, known.replace("_", ""))
    ]
    return close[0] if len(close) == 1 else None


def _by_form(names: NameIndex, asked: _Asked) -> NodeSpec | None:
    """The same letters, whatever the case, the separators and the words that say nothing."""
    if asked.type is None:
        return None
    words = without_suffix(asked.subtype)
    for form in dict.fromkeys((skeleton(words), skeleton(core_of(asked.type, words)))):
        if spec := _only(names.in_type.get((asked.type, form), [])):
            return spec
    if asked.type != "TOOL":
        return None
    # A live tool never gets in the way of a node of ours; its name may well end in `_node`.
    return names.live.get(skeleton(asked.subtype)) or names.live.get(skeleton(words))


def _by_subtype(names: NameIndex, asked: _Asked) -> NodeSpec | None:
    """A node of another type, if its subtype is unmistakable and it has the same role."""
    found = names.anywhere.get(skeleton(without_suffix(asked.subtype)), [])
    if asked.type is None:
        return _only(found)
    kin = [spec for spec in found if _are_kin(asked.type, spec.type)]
    if len(kin) == 1:
        return kin[0]
    spec = _only(found)
    # A trigger in the place of an action is another workflow, not another spelling.
    is_same_role = spec is not None and (spec.type == "TRIGGER") == (asked.type == "TRIGGER")
    return spec if is_same_role else None


def _by_spelling(names: NameIndex, asked: _Asked) -> NodeSpec | None:
    """A node of the type asked for: a word more or less, or a letter or two wrong."""
    if asked.type is None or skeleton(without_suffix(asked.subtype)) in names.anywhere:
        return None
    given = core_of(asked.type, asked.subtype)
    ours = names.ours.get(asked.type, [])
    matches: tuple[Callable[[Named], bool], ...] = (
        lambda named: bool(given) and set(given) < set(named.core) and not _is_like(named, given),
        lambda named: bool(named.core) and set(named.core) < set(given),
        lambda named: _is_typo(given, named.core, names.known_words),
    )
    for match in matches:
        fitting = [named for named in ours if match(named)]
        if len(fitting) == 1 and not _points_elsewhere(given, fitting[0], ours):
            return fitting[0].spec
        if fitting:
            return None
    return None


def _is_like(named: Named, given: Words) -> bool:
    """Whether a node is only like what was asked for: `OPENAI_COMPATIBLE` is not OpenAI's."""
    return bool(_LIKENESS & (set(named.core) - set(given)))


def _points_elsewhere(given: Words, chosen: Named, ours: list[Named]) -> bool:
    """Whether a word that is left over speaks for another node: `DELAY_UNTIL` for WAIT."""
    left = set(given) - set(chosen.core) - chosen.keywords
    return any(left & named.keywords for named in ours if named is not chosen)


def _is_typo(given: Words, known: Words, known_words: set[str]) -> bool:
    """Whether every word is right or misspelt; a word that exists elsewhere is no misspelling."""
    if len(given) != len(known):
        joined, other = skeleton(given), skeleton(known)
        return not set(given) & known_words and _is_misspelt(joined, other)
    return all(
        one == other or (one not in known_words and _is_misspelt(one, other))
        for one, other in zip(given, known, strict=True)
    )


def _is_misspelt(given: str, known: str) -> bool:
    """A letter off, in long words two; the first letter is right, and so are all digits."""
    allowed = 1 if len(known) < 8 else 2
    if given[:1] != known[:1] and given[:2] != known[1::-1]:
        return False
    if [one for one in given if one.isdigit()] != [one for one in known if one.isdigit()]:
        return False
    return len(given) > 2 and OSA.distance(given, known, score_cutoff=allowed) <= allowed


def _only(found: list[NodeSpec]) -> NodeSpec | None:
    return found[0] if len(found) == 1 else None


def _warning(node_type: str, subtype: str, spec: NodeSpec) -> str:
    if node_type == f"{spec.type}_NODE" and subtype == spec.subtype:
        return (
            f"Auto-corrected: '{node_type}' → '{spec.type}'. "
            "Please use correct format without '_NODE' suffix."
        )
    return (
        f"Auto-corrected: '{shown(node_type)}.{shown(subtype)}' → '{spec.ref}'. "
        f"Please use node_type '{spec.type}' and subtype '{spec.subtype}'."
    )


def shown(name: str, most: int = 60) -> str:
    """A name from outside as a message can repeat it: short, and text that can be written."""
    return name[:most].encode(errors="replace").decode()


def _missing(catalog: Catalog, node_type: str, subtype: str, readings: list[_Asked]) -> UnknownName:
    name = f"{shown(node_type)}.{shown(subtype)}"
    types: list[NodeType] = [asked.type for asked in readings if asked.type is not None]
    known = types[0] if types else None
    others = (instead_of(asked.subtype) for asked in readings)
    if known is not None and (instead := next(filter(None, others), None)):
        return UnknownName(
            f"Node subtype not found: {name!r}", instead, _subtypes(catalog, known, [])
        )
    meant = _suggestions(catalog.names, known, readings)
    hints = [f"did you mean {' or '.join(repr(spec.ref) for spec in meant)}?"] if meant else []
    if known is None:
        hints.append(
            f"node_type is one of {', '.join(NODE_TYPES)}; get_node_types lists their subtypes"
        )
        return UnknownName(f"Node type not found: {name!r}", " ".join(hints))
    hints.append("search_nodes (`toolweave catalog search`) finds a node by its purpose")
    subtypes = _subtypes(catalog, known, meant)
    return UnknownName(f"Node subtype not found: {name!r}", " ".join(hints), subtypes)


def _subtypes(catalog: Catalog, known: NodeType, meant: list[NodeSpec]) -> tuple[str, ...]:
    """The subtypes of a type, ours first; of live tools the close ones and a few others."""
    ours = (named.spec for named in catalog.names.ours.get(known, []))
    close = (spec for spec in meant if spec.type == known)
    live = (spec for spec in catalog.of_type(known) if spec.origin is not None)
    shown = (*ours, *close, *islice(live, MAX_LIVE_SUBTYPES))
    return tuple(dict.fromkeys(spec.subtype for spec in shown))


def _suggestions(
    names: NameIndex, known: NodeType | None, readings: list[_Asked]
) -> list[NodeSpec]:
    scored: dict[str, tuple[float, NodeSpec]] = {}
    for asked in readings:
        for score, spec in _scored(names, known, asked.subtype):
            if score >= CLOSE and score > scored.get(spec.ref, (0.0, spec))[0]:
                scored[spec.ref] = (score, spec)
    best = sorted(scored.values(), key=lambda pair: (-pair[0], pair[1].ref))
    return [spec for _, spec in best[:MAX_SUGGESTIONS]]


def _scored(
    names: NameIndex, known: NodeType | None, words: Words
) -> Iterator[tuple[float, NodeSpec]]:
    text = skeleton(words)
    yield from ((100.0, spec) for spec in names.anywhere.get(text, []))
    distinctive = core_of(known, words) if known is not None else words
    for named in (named for ours in names.ours.values() for named in ours if distinctive):
        bonus = 10.0 if named.spec.type == known else 0.0
        shared = 70.0 if set(distinctive) & set(named.core) else 0.0
        keywords = 50.0 if set(distinctive) & named.keywords else 0.0
        letters = fuzz.ratio(skeleton(distinctive), skeleton(named.core)) - 15.0
        yield max(shared, keywords, letters) + bonus, named.spec
    if known in {None, "TOOL"} and names.live:
        yield from _scored_live(names, words)


def _scored_live(names: NameIndex, words: Words) -> Iterator[tuple[float, NodeSpec]]:
    """Live tools that share a word, the rarest word first, so that none is compared with all."""
    compared: list[str] = []
    for word in sorted(set(words), key=lambda word: len(names.live_words.get(word, []))):
        compared += names.live_words.get(word, [])[: MAX_COMPARED - len(compared)]
    close = process.extract(
        skeleton(words).removeprefix("MCP"),
        compared,
        scorer=fuzz.ratio,
        score_cutoff=CLOSE,
        limit=MAX_SUGGESTIONS,
    )
    for letters, score, _ in close:
        if (spec := names.live[letters]) is not None:
            yield score, spec
