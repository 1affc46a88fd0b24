"""Which new property an old one has become: renamed, or moved into or out of an object.

Certain only if a name in another spelling, the description or an unchanged definition says so and
nothing else fits as well. Similar names and positions make a pair likely.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from toolweave.json_text import JsonObject
from toolweave.recording.migration.schema_view import (
    ITEMS,
    Certainty,
    SchemaPath,
    SchemaProperty,
    description_of,
    has_same_rules,
    kind_of,
    may_mean_other,
)
from toolweave.tools.key_meaning import renamed
from toolweave.tools.meaning import plain_word

# A shorter description may stand at several properties by chance.
TELLING_CHARS = 15
SIMILAR = 0.6
# More old and new properties than this are not compared with each other.
MAX_COMPARED = 10_000
MAX_TEXT = 300
# A better score than another by less than this decides nothing.
CLOSE = 0.25
_SURE, _GOOD = 10.0, 5.0

PairKind = Literal["renamed", "moved", "exchanged"]


@dataclass(frozen=True, slots=True)
class PropertyPair:
    """An old property and the new one it has become."""

    old: SchemaProperty
    new: SchemaProperty
    certainty: Certainty
    reason: str
    # Whether its old name is still there and means something else.
    is_exchanged: bool = False

    @property
    def kind(self) -> PairKind:
        """Whether only its name is another one."""
        if self.is_exchanged:
            return "exchanged"
        return "renamed" if self.old.path[:-1] == self.new.path[:-1] else "moved"


@dataclass(frozen=True, slots=True)
class _Candidate:
    old: SchemaProperty
    new: SchemaProperty
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class PairedProperties:
    """The pairs, and old properties that several new ones fit equally."""

    pairs: tuple[PropertyPair, ...]
    unclear: dict[SchemaPath, tuple[SchemaPath, ...]]


def pair_properties(
    gone: Sequence[SchemaProperty], came: Sequence[SchemaProperty]
) -> PairedProperties:
    """Pair properties that are gone with new ones; each is used once."""
    if len(gone) * len(came) > MAX_COMPARED:
        return PairedProperties((), {})
    compared = (_compare(old, new) for old in gone for new in came)
    candidates: list[_Candidate] = [one for one in compared if one is not None]
    pairs: list[PropertyPair] = []
    unclear: dict[SchemaPath, tuple[SchemaPath, ...]] = {}
    open_: list[_Candidate] = sorted(candidates, key=_order)
    while open_:
        best = open_[0]
        rivals = [
            one
            for one in open_[1:]
            if one.score >= min(best.score, _SURE) - CLOSE
            and (one.old is best.old or one.new is best.new)
        ]
        if rivals and best.score < _SURE:
            unclear[best.old.path] = tuple(
                one.new.path for one in (best, *rivals) if one.old is best.old
            )
            open_ = [one for one in open_ if one.old is not best.old]
            continue
        is_certain = best.score >= _SURE and not rivals
        pairs.append(
            PropertyPair(best.old, best.new, "certain" if is_certain else "likely", best.reason)
        )
        open_ = [one for one in open_ if not _overlaps(one, best)]
    settled = [one for one in gone if one.path not in unclear]
    pairs += list(_only_ones(settled, came, pairs))
    return PairedProperties(tuple(pairs), unclear)


def _order(one: _Candidate) -> tuple[bool, int, float]:
    """Sure ones come first; of those, an object before its properties."""
    is_sure = one.score >= _SURE
    return not is_sure, len(one.old.path) + len(one.new.path) if is_sure else 0, -one.score


def _overlaps(one: _Candidate, used: _Candidate) -> bool:
    return _is_related(one.old.path, used.old.path) or _is_related(one.new.path, used.new.path)


def _is_related(one: SchemaPath, other: SchemaPath) -> bool:
    """Whether one place is the other, or lies in it."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _compare(old: SchemaProperty, new: SchemaProperty) -> _Candidate | None:
    if _arrays(old.path) != _arrays(new.path):
        return None
    for rule in (_says_so, _same_name, _same_definition, _similar):
        if result := rule(old, new):
            return _Candidate(old, new, *result)
    return None


def _only_ones(
    gone: Sequence[SchemaProperty], came: Sequence[SchemaProperty], pairs: Sequence[PropertyPair]
) -> Iterator[PropertyPair]:
    """Pair what is left: the only old and the only new property of a type, if nothing is said."""
    old_paths = [pair.old.path for pair in pairs]
    new_paths = [pair.new.path for pair in pairs]
    left = [one for one in gone if not any(_is_related(one.path, path) for path in old_paths)]
    free = [one for one in came if not any(_is_related(one.path, path) for path in new_paths)]
    for old in left:
        alike = [one for one in free if _may_be(old, one)]
        others = [one for one in left if alike and _may_be(one, alike[0])]
        is_said = any(description_of(one.schema) for one in alike)
        if len(alike) == 1 and len(others) == 1 and not is_said:
            reason = f"the only new parameter of the type of {old.name!r}, which is gone"
            yield PropertyPair(old, alike[0], "likely", reason)


def _may_be(old: SchemaProperty, new: SchemaProperty) -> bool:
    is_same_level = old.path[:-1] == new.path[:-1]
    return is_same_level and _is_same_kind(old.schema, new.schema)


def _arrays(path: SchemaPath) -> SchemaPath:
    """The path up to the last array: a value cannot move out of one."""
    last = max((at for at, step in enumerate(path) if step == ITEMS), default=-1)
    return path[: last + 1]


def _is_same_level(old: SchemaProperty, new: SchemaProperty) -> bool:
    return old.path[:-1] == new.path[:-1]


def _is_same_kind(old: JsonObject, new: JsonObject) -> bool:
    kind = kind_of(old)
    return kind is not None and kind == kind_of(new)


_Found = tuple[float, str]


def _says_so(old: SchemaProperty, new: SchemaProperty) -> _Found | None:
    """`formerly query` in the new description, `use search instead` in the old one."""
    if not _is_same_kind(old.schema, new.schema):
        return None
    was = r"(?:formerly|previously|renamed from|replaces|was(?: called| named)?|old name:?)"
    if _mentions(description_of(new.schema), was, old.name):
        return _SURE + 2, f"its description says that it was {old.name!r}"
    now = r"(?:use|renamed to|replaced by|superseded by|see)"
    if _mentions(description_of(old.schema), now, new.name):
        return _SURE + 2, f"the old description says to use {new.name!r}"
    return None


def _mentions(text: str, words: str, name: str) -> bool:
    pattern = rf"(?i:\b{words})\s+(?:the\s+)?[`'\"]?{re.escape(name)}(?![\w-])"
    return re.search(pattern, text) is not None


def _same_name(old: SchemaProperty, new: SchemaProperty) -> _Found | None:
    if plain_word(old.name) != plain_word(new.name):
        return None
    is_same = has_same_rules(old.schema, new.schema)
    texts = description_of(old.schema), description_of(new.schema)
    is_sure = is_same and (texts[0] == texts[1] or not may_mean_other(old.schema, new.schema))
    if old.name == new.name:
        where = ".".join(new.path[:-1]) or "the top level"
        return (_SURE + 1 if is_sure else _GOOD), f"the same parameter, now in {where}"
    if _is_same_level(old, new):
        return (
            _SURE + 1 if is_sure else _GOOD
        ), f"the same name as {old.name!r} in another spelling"
    return None


def _same_definition(old: SchemaProperty, new: SchemaProperty) -> _Found | None:
    text = description_of(old.schema)
    if text != description_of(new.schema) or not has_same_rules(old.schema, new.schema):
        return None
    if not _is_same_level(old, new):
        return None
    reason = f"the definition and description of {old.name!r} are unchanged"
    is_sure = len(text) >= TELLING_CHARS and old.is_required == new.is_required
    if is_sure:
        return _SURE, reason
    return (_GOOD - 1, reason) if text else _similar(old, new)


def _similar(old: SchemaProperty, new: SchemaProperty) -> _Found | None:
    if not _is_same_level(old, new) or not _is_same_kind(old.schema, new.schema):
        return None
    names = _ratio(old.name, new.name)
    if renamed(old.name, [new.name]):
        names = max(names, 0.9)
    texts = _ratio(description_of(old.schema), description_of(new.schema))
    is_here = old.position == new.position
    score = names + texts / 2 + (0.2 if is_here else 0)
    if names < SIMILAR and texts < 0.7:
        return None
    place = " at the same position" if is_here else ""
    return score, f"similar to {old.name!r} and of the same type{place}"


def _ratio(one: str, other: str) -> float:
    if not one or not other:
        return 0.0
    return SequenceMatcher(None, one.lower()[:MAX_TEXT], other.lower()[:MAX_TEXT]).ratio()
