"""Finds the recorded entry of a request: by its canonical form, the n-th time the n-th entry.

Nothing here falls back to a live call. A request that is not recorded is refused with the nearest
entry of the same tool and the places where both differ.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from toolweave import json_text
from toolweave.errors import NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.recording.value_difference import ValueDifference, value_differences

MASK_START = "${mask:"
# More differing places than these are counted, not listed.
MAX_SHOWN = 5


def canonical(value: Json) -> Json:
    """Return a value in the form that is compared: whole floats as integers, no `_meta`."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [canonical(one) for one in value]
        case dict():
            return {key: canonical(one) for key, one in value.items()}
        case _:
            return value


def canonical_arguments(
    arguments: JsonObject, schema: Mapping[str, Json] | None, ignored: Sequence[str] = ()
) -> JsonObject:
    """Return arguments in the form that is compared, with the defaults of their schema."""
    filled = with_schema_defaults(arguments, schema or {})
    found = canonical({key: value for key, value in filled.items() if key != "_meta"})
    assert isinstance(found, dict)
    for place in ignored:
        found = _without(found, [_unescaped(part) for part in place.split("/")[1:]])
    return found


def with_schema_defaults(arguments: JsonObject, schema: Mapping[str, Json]) -> JsonObject:
    """Return arguments with the defaults of an object schema, also in nested objects."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return arguments
    filled = dict(arguments)
    for name, part in properties.items():
        if not isinstance(part, dict):
            continue
        value = filled.get(name)
        if isinstance(value, dict):
            filled[name] = with_schema_defaults(value, part)
        elif name not in filled and "default" in part:
            filled[name] = part["default"]
    return filled


def _without(value: JsonObject, path: Sequence[str]) -> JsonObject:
    if not path or path[0] not in value:
        return value
    if len(path) == 1:
        return {key: one for key, one in value.items() if key != path[0]}
    inner = value[path[0]]
    return {**value, path[0]: _without(inner, path[1:])} if isinstance(inner, dict) else value


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def key_of(*parts: Json) -> str:
    """Return the key under which a request is found."""
    return hashlib.sha256(json_text.canonical(list(parts))).hexdigest()[:32]


class Matchable(Protocol):
    """An entry that answers one request."""

    @property
    def seq(self) -> int: ...
    @property
    def step(self) -> str | None: ...


EntryT = TypeVar("EntryT", bound=Matchable)


@dataclass(frozen=True, slots=True)
class Candidate(Generic[EntryT]):
    """An entry and the request it answers, in canonical form."""

    entry: EntryT
    request: Json


@dataclass(slots=True)
class Matcher(Generic[EntryT]):
    """The entries of one kind; each answers once."""

    # What the entries are, for messages: `call`, `request to a model`.
    noun: str
    repeats_last: bool = False
    # By topic (a server's tool, a kind of node), in the order they were recorded.
    _by_topic: dict[str, list[Candidate[EntryT]]] = field(
        default_factory=dict[str, list[Candidate[EntryT]]]
    )
    _by_key: dict[str, list[EntryT]] = field(default_factory=dict[str, list[EntryT]])
    _used: set[int] = field(default_factory=set[int])
    _masks: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, topic: str, request: Json, entry: EntryT) -> None:
        """Add an entry that answers `request`."""
        self._by_topic.setdefault(topic, []).append(Candidate(entry, request))
        self._by_key.setdefault(key_of(topic, request), []).append(entry)

    @property
    def unused(self) -> list[EntryT]:
        """The entries that answered nothing, in order."""
        found = [one.entry for many in self._by_topic.values() for one in many]
        return sorted((one for one in found if one.seq not in self._used), key=lambda one: one.seq)

    def take(self, topic: str, request: Json, step: str | None = None) -> EntryT:
        """Return the next unused entry for a request, of the same step if there is one.

        Raises `NotFound`: `RECORDING_USED_UP`, `RECORDING_NO_MATCH` with the nearest entry.
        """
        same = self._by_key.get(key_of(topic, request)) or self._masked(topic, request)
        if not same:
            raise self._unknown(topic, request, step)
        free = [one for one in same if one.seq not in self._used]
        if not free:
            if self.repeats_last:
                return same[-1]
            raise self._used_up(topic, len(same))
        found = next((one for one in free if one.step == step), free[0])
        self._used.add(found.seq)
        return found

    def use_all_of(self, step: str) -> None:
        """Count the entries of a step as used: its whole outcome was taken."""
        for many in self._by_topic.values():
            self._used |= {one.entry.seq for one in many if one.entry.step == step}

    def has(self, topic: str, request: Json) -> bool:
        """Whether there is an entry for a request, used or not."""
        return key_of(topic, request) in self._by_key

    def _masked(self, topic: str, request: Json) -> list[EntryT]:
        """The entries whose masked values stand where the request has texts, always the same."""
        found: list[EntryT] = []
        for one in self._by_topic.get(topic, ()):
            bound = dict(self._masks)
            if _fits(one.request, request, bound):
                self._masks = bound
                found.append(one.entry)
        return found

    def _used_up(self, topic: str, times: int) -> NotFound:
        often = "once" if times == 1 else f"{times} times"
        return NotFound(
            "RECORDING_USED_UP",
            f"this {self.noun} of {topic!r} is recorded {often} and was made once more",
            hint="record the run again, or allow it with `repeat_last` in the recording's `match`",
            facts={"recorded": times},
        )

    def _unknown(self, topic: str, request: Json, step: str | None) -> NotFound:
        nearest = self._nearest(topic, request, step)
        if nearest is None:
            known = ", ".join(repr(one) for one in sorted(self._by_topic)[:MAX_SHOWN])
            return NotFound(
                "RECORDING_NO_MATCH",
                f"no {self.noun} of {topic!r} is recorded",
                hint=f"recorded: {known}" if known else f"no {self.noun} is recorded at all",
            )
        entry, differing = nearest
        listed = "; ".join(difference_text(one) for one in differing[:MAX_SHOWN])
        return NotFound(
            "RECORDING_NO_MATCH",
            f"this {self.noun} of {topic!r} is not recorded; nearest: entry {entry.seq}, {listed}",
            hint="record a run that makes it; a replay never makes a live call",
            facts={
                "nearest": entry.seq,
                "differences": [one.as_json() for one in differing[:MAX_SHOWN]],
            },
        )

    def _nearest(
        self, topic: str, request: Json, step: str | None
    ) -> tuple[EntryT, list[ValueDifference]] | None:
        """Return the entry with the fewest differences, of those the one of the same step."""
        compared = [
            (one.entry, value_differences(one.request, request))
            for one in self._by_topic.get(topic, ())
        ]
        return min(compared, key=lambda one: (len(one[1]), one[0].step != step), default=None)


def difference_text(one: ValueDifference) -> str:
    """Return a differing place with both values."""
    return f"{one.pointer or '/'}: expected {one.shown_expected}, got {one.shown_actual}"


def fits(recorded: Json, given: Json) -> bool:
    """Whether a value equals a recorded one, where a mask stands for one text each."""
    return _fits(canonical(recorded), canonical(given), {})


def _fits(recorded: Json, given: Json, bound: dict[str, str]) -> bool:
    """Whether a request equals a recorded one, where a mask stands for one text each."""
    match recorded, given:
        case str(), str():
            if recorded == given or not recorded.startswith(MASK_START):
                return recorded == given
            return bound.setdefault(recorded, given) == given
        case dict(), dict():
            return recorded.keys() == given.keys() and all(
                _fits(recorded[key], given[key], bound) for key in recorded
            )
        case list(), list():
            return len(recorded) == len(given) and all(
                _fits(one, other, bound) for one, other in zip(recorded, given, strict=True)
            )
        case _:
            return type(recorded) is type(given) and recorded == given


def find_masks(value: Json, at: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Yield the places of texts that contain a mask."""
    if isinstance(value, str) and MASK_START in value:
        yield pointer(*at) if at else ""
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from find_masks(one, (*at, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from find_masks(one, (*at, number))
