"""The members of a node's objects, as its specification shows them. Pure.

The catalog types an object by its name only. What is in it stands in its default, in the examples
of the node, and in its description: as JSON, or as a list of words with their values in brackets.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from toolweave import json_text
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.patterns import pattern

ITEM = "*"
Place = tuple[str, ...]
# Nouns for an object whose members the node names, not the author.
_OWN = (
    *("config", "settings", "options", "criteria", "processing", "management", "credentials"),
    *("rules", "range", "limits", "calling", "monitoring", "optimization", "override", "handling"),
)
# Fields whose members are named by authors: what they send, keep, rename or compute.
_AUTHORS = pattern(
    r"by name|names? to|path to|paths? and|values? for|metadata|variables|arguments|headers?\b"
    r"|query|notes on|fields and|further fields|more values|records|kept with|schema|must have"
    r"|what is|what the|data (?:that|the)|by path|inputs? of|question mark",
    re.IGNORECASE,
)
# Fields for anything that is passed on.
_PASSED = frozenset({"data", "content", "body", "context", "result", "value"})
_STOP = frozenset({"for", "or", "and", "without", "also", "where", "any", "the", "a", "as", "only"})
_KEY = pattern(r"\"(\w+)\"\s*:")
_INNER = pattern(r"\{[^{}]*\}|\[[^\[\]]*\]")
_VALUES = pattern(r"\b([a-z]\w*)\s+\(([^()]*)\)")
_ITEM_WORD = pattern(r"([a-z]\w*|[A-Z][A-Z_]{3,})(?:\s[\w\s]{0,40})?")
_CONSTANT = pattern(r"\b[A-Z]+(?:_[A-Z]+)+\b")
_MAX_DEPTH = 5
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})


@dataclass(slots=True)
class Members:
    """The names in an object, values that show their types, and those that a name may have."""

    samples: dict[str, list[Json]] = field(default_factory=dict[str, list[Json]])
    options: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    # Whether the node names all members, so that another name has no effect.
    is_own: bool = False
    # Names that a description lists; the samples may show others by chance.
    listed: set[str] = field(default_factory=set[str])
    # All words of the description; one of them may be a name.
    said: set[str] = field(default_factory=set[str])
    count: int = 0

    @property
    def are_types(self) -> bool:
        """Whether the author's names have types as their values."""
        values = [one for samples in self.samples.values() for one in samples]
        return bool(values) and all(isinstance(one, str) and one in _TYPES for one in values)

    def is_usual(self, name: str) -> bool:
        """Whether every such object has the name."""
        return len(self.samples.get(name, ())) == self.count > 0

    def is_certain(self, name: str) -> bool:
        """Whether a name belongs to every such object, or is listed as one of all names."""
        return name in self.listed or self.is_usual(name)


def members_of(spec: NodeSpec, *, is_input: bool) -> dict[Place, Members]:
    """The members of every object in the settings or the inputs of a node, by their place."""
    found: dict[Place, Members] = {}
    for one in spec.inputs if is_input else spec.configurations:
        if one.type not in {"object", "array"}:
            continue
        examples = [
            (each.input_params if is_input else each.configurations).get(one.name)
            for each in spec.examples
        ]
        is_own = _is_own(one)
        for value in (one.default, *examples, *_written(one.description)):
            _collect(value, (one.name,), found, is_own=is_own)
        _described(one, found, is_own=is_own)
        said = {*re.findall(r"\w+", one.description)}
        for at, members in found.items():
            if at[0] == one.name:
                members.said |= said
    # Objects of one node have names in common, of which a description shows a part.
    shared = {name for members in found.values() if members.is_own for name in members.samples}
    for members in found.values():
        members.said |= shared if members.is_own else set()
    return found


def _is_own(one: Field) -> bool:
    if one.name.split("_")[-1] in _OWN:
        return True
    if one.default and (isinstance(one.default, dict) or one.items not in {"string", None}):
        return True
    is_authors = one.name in _PASSED or _AUTHORS.search(_plain(one.description)) is not None
    return not is_authors and _KEY.search(one.description) is not None


def _collect(value: Json, at: Place, found: dict[Place, Members], *, is_own: bool) -> None:
    if len(at) > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        members = found.setdefault(at, Members())
        members.is_own = members.is_own or is_own
        members.count += 1
        for key, inner in value.items():
            members.samples.setdefault(key, []).append(inner)
            # Of an object in an object only a list has items of a known form.
            is_known = is_own and (isinstance(inner, list) or key.split("_")[-1] in _OWN)
            _collect(inner, (*at, key), found, is_own=is_known)
    elif isinstance(value, list):
        for item in value:
            _collect(item, (*at, ITEM), found, is_own=is_own)


def _written(description: str) -> Iterator[Json]:
    """The JSON values in a description; of one that is cut short only its names."""
    for start, text in _bracketed(description):
        try:
            yield json_text.read(text)
        except Invalid:
            if description[start] == "{":
                yield dict.fromkeys(_KEY.findall(_plain(text[1:-1])))


def _bracketed(text: str) -> Iterator[tuple[int, str]]:
    depth = start = 0
    for at, sign in enumerate(text):
        if sign in "{[":
            start = start if depth else at
            depth += 1
        elif sign in "}]" and depth:
            depth -= 1
            if not depth:
                yield start, text[start : at + 1]


def _described(one: Field, found: dict[Place, Members], *, is_own: bool) -> None:
    """Add the names and values that a description lists as words."""
    at: Place = (one.name,) if one.type == "object" else (one.name, ITEM)
    if not is_own or (one.type == "array" and at not in found):
        return
    members = found.setdefault(at, Members())
    members.is_own = True
    text = one.description
    for name, listed in _VALUES.findall(text):
        words = [word for word in re.split(r",\s*|\s+or\s+", listed) if word]
        is_list = len(words) > 1 and all(re.fullmatch(r"[a-z][\w-]*", word) for word in words)
        if is_list and all(one in words for one in members.samples.get(name, ())):
            members.options[name] = tuple(words)
    for name in _listed_words(text):
        members.samples.setdefault(name, [])
        members.listed.add(name)
    constants = tuple(dict.fromkeys(_CONSTANT.findall(text)))
    if len(constants) > 1:
        for name, samples in members.samples.items():
            if samples and all(sample in constants for sample in samples):
                members.options[name] = constants


def named_in(description: str) -> tuple[str, ...]:
    """The members of an output that its description lists as single words, if it lists some."""
    text = re.sub(r"\([^()]*\)", "", _plain(description)).rstrip(".")
    head, colon, rest = text.partition(":")
    items = re.split(r",\s*(?:and\s+)?|\s+and\s+", (rest if colon else head).strip())
    names = [one for one in items if re.fullmatch(r"[a-z]+(?:_[a-z]+)*", one)]
    is_list = len(names) > 1 and (bool(colon) or "_" in items[0])
    return tuple(names) if is_list else ()


def _listed_words(text: str) -> Iterator[str]:
    for part in re.sub(r"\([^()]*\)", "", _plain(text)).rstrip(".").split(";"):
        head, colon, rest = part.partition(":")
        listed = rest if colon else head
        if not colon and "_" not in listed.split(",")[0].split(" ")[0]:
            continue
        for word in re.split(r",\s*|\s+and\s+|\s+or\s+", listed.strip()):
            match = _ITEM_WORD.fullmatch(word.strip().removeprefix("or ").removeprefix("and "))
            if match and match[1].islower() and match[1] not in _STOP:
                yield match[1]


def _plain(text: str) -> str:
    """A description without the values in it."""
    while (shorter := _INNER.sub("", text)) != text:
        text = shorter
    return text
