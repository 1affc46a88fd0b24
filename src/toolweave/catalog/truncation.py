"""What of a node's answer can go when it must be shorter, the least useful first.

What is required stays longest: an optional field loses its description, then goes; only then are
long lists of options cut, and only at the end do the required fields go.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple, cast

import orjson

from toolweave.json_text import Json, JsonObject

SHORT_TEXT = 200
SHORT_LISTS = (20, 10, 3)
# The same nodes are often asked for together again, with the same room for each.
MAX_KEPT = 4

_FIELDS = ("configurations", "input_params_schema", "output_params_schema")
_PLURALS = {"description": "descriptions", "schema": "schemas"}


class TruncationStep(NamedTuple):
    """One thing to leave out: what is at `path`, or what of it is beyond `keep`."""

    omitted: str
    path: tuple[str | int, ...]
    keep: int | None = None


class Truncatable:
    """A node's answer that can be given shorter, step by step."""

    def __init__(self, body: JsonObject) -> None:
        self.body = body
        self.size = len(orjson.dumps(body))
        self._cut = lru_cache(MAX_KEPT)(self._cut_after)

    @property
    def smallest(self) -> int:
        """The bytes below which it cannot go."""
        return min(self.size, self._sizes[-1])

    def within(self, room: int) -> JsonObject:
        """As much of the body as `room` bytes hold, with `omitted` listing what was left out."""
        if self.size <= room:
            return self.body
        fitting = (count for count, needed in enumerate(self._sizes) if needed <= room)
        count = next(fitting, len(self._sizes) - 1)
        return self._cut(count)

    def _cut_after(self, count: int) -> JsonObject:
        return next(islice(self._shorter(), count, None))

    @cached_property
    def _sizes(self) -> list[int]:
        return [len(orjson.dumps(body)) for body in self._shorter()]

    def _shorter(self) -> Iterator[JsonObject]:
        """The body ever shorter; the parts of one are changed for the next."""
        copy: JsonObject = orjson.loads(orjson.dumps(self.body))
        counts: Counter[str] = Counter()
        for step in steps(self.body):
            counts[step.omitted] += take_out(copy, step)
            yield {**copy, "omitted": dict[str, Json](counts)}
        yield from _briefs(self.body)


def _briefs(body: JsonObject) -> Iterator[JsonObject]:
    ports = cast("list[JsonObject]", body.get("output_ports", []))
    facts: JsonObject = {
        "error": body.get("error"),
        "warning": body.get("warning"),
        "description": str(body.get("description", ""))[:SHORT_TEXT] or None,
        "required": [
            name
            for section in _FIELDS[:2]
            for name, field in _fields(body, section).items()
            if field.get("required")
        ]
        or None,
        "outputs": [port["name"] for port in ports] or None,
    }
    named: JsonObject = {key: str(body[key])[:SHORT_TEXT] for key in ("node_type", "subtype")}
    known = [key for key, value in facts.items() if value is not None]
    for count in range(len(known), -1, -1):
        yield {**named, **{key: facts[key] for key in known[:count]}, "omitted": "all else"}


def steps(body: JsonObject) -> Iterator[TruncationStep]:
    """Everything that can go one by one, in order; the required fields keep their types."""
    yield from _whole(body, "parameters", "default_output_params", "default_input_params")
    yield from _whole(body, "default_configurations")
    yield from _parts(body, _FIELDS, "enum_values")
    examples = cast("list[Json]", body.get("examples") or [])
    yield from (
        TruncationStep("examples", ("examples",), keep) for keep in range(len(examples) - 1, 0, -1)
    )
    yield from _whole(body, "input_ports")
    yield from _port_parts(body, "type", "required", "max_connections", "data_format")
    yield from _parts(body, _FIELDS[::-1], "schema", required=False)
    yield from _parts(body, _FIELDS[::-1], "description", required=False)
    yield from _whole(body, "examples")
    yield from _optional_fields(body)
    yield from _whole(body, "version", "tags", "effect", "attached_nodes")
    yield from _long_options(body)
    yield from _port_parts(body, "validation_schema", "aliases", "description")
    yield from _whole(body, "guidance", "output_params_schema")
    yield from _parts(body, _FIELDS[:2], "schema", required=True)
    yield from _whole(body, "schema_definitions")
    yield from _parts(body, _FIELDS[:2], "description", required=True)
    yield from _shorter_list(("available_subtypes",), body.get("available_subtypes"))
    if len(str(body.get("description", ""))) > SHORT_TEXT:
        yield TruncationStep("description", ("description",), SHORT_TEXT)


def take_out(body: JsonObject, step: TruncationStep) -> int:
    """Do one step; how many things went."""
    *way, last = step.path
    place: Json = body
    for key in way:
        place = cast("dict[str | int, Json]", place)[key]
    holder = cast("dict[str | int, Json]", place)
    value = holder[last]
    if step.keep is None:
        del holder[last]
        return len(value) if isinstance(value, list | dict) and not way else 1
    if isinstance(value, str):
        holder[last] = value[: step.keep - 1] + "…"
        return 1
    long = cast("list[Json]", value)
    holder[last] = long[: step.keep]
    return len(long) - step.keep


def _whole(body: JsonObject, *names: str) -> Iterator[TruncationStep]:
    yield from (TruncationStep(name, (name,)) for name in names if name in body)


def _fields(body: JsonObject, section: str) -> dict[str, JsonObject]:
    return cast("dict[str, JsonObject]", body.get(section, {}))


def _parts(
    body: JsonObject, sections: tuple[str, ...], part: str, *, required: bool | None = None
) -> Iterator[TruncationStep]:
    """One part of each field; `required` says of which."""
    for section in sections:
        for name, field in _fields(body, section).items():
            if part in field and required in {None, field.get("required") is True}:
                yield TruncationStep(_PLURALS.get(part, part), (section, name, part))


def _optional_fields(body: JsonObject) -> Iterator[TruncationStep]:
    """From the last, since the common ones are at the end."""
    for section in ("configurations", "output_params_schema", "input_params_schema"):
        for name, field in reversed(_fields(body, section).items()):
            if not field.get("required"):
                yield TruncationStep(section, (section, name))


def _long_options(body: JsonObject) -> Iterator[TruncationStep]:
    for section in _FIELDS:
        for name, field in _fields(body, section).items():
            if field.get("required"):
                yield from _shorter_list((section, name, "options"), field.get("options"))


def _shorter_list(path: tuple[str, ...], value: Json) -> Iterator[TruncationStep]:
    length = len(value) if isinstance(value, list) else 0
    yield from (TruncationStep(path[-1], path, keep) for keep in SHORT_LISTS if keep < length)


def _port_parts(body: JsonObject, *parts: str) -> Iterator[TruncationStep]:
    ports = cast("list[JsonObject]", body.get("output_ports", []))
    for index, port in enumerate(ports):
        yield from (
            TruncationStep("ports", ("output_ports", index, part)) for part in parts if part in port
        )
