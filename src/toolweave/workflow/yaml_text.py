"""YAML at the border, as strict as our JSON: no aliases, no tags, no duplicate keys, bounded.

Built from the parser's events, so nothing is constructed, expanded or recursed into. Plain scalars
are read as JSON's types and nothing else: `on`, `0644` and dates are text, keys are always text.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

import yaml

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import pointer

MAX_BYTES = 256 * 1024
_INTEGER = pattern(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = pattern(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def read_yaml(data: bytes, *, max_depth: int) -> Json:
    """The one document in `data`."""
    if len(data) > MAX_BYTES:
        raise Invalid("YAML_INVALID", f"the YAML has {len(data)} bytes; the limit is {MAX_BYTES}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid("YAML_INVALID", f"not UTF-8: {error.reason}") from None
    building = _Building(max_depth)
    try:
        for event in _events(text):
            building.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise Invalid(
            "YAML_INVALID",
            f"not YAML: {error.problem} at line {line} column {column}",
            facts={"line": line, "column": column, "pointer": building.place},
        ) from None
    except yaml.YAMLError as error:
        raise Invalid("YAML_INVALID", f"not YAML: {error}") from None
    return building.value


def _events(text: str) -> Iterator[yaml.Event]:
    # Any: the stubs leave the events of `parse` untyped.
    return cast("Iterator[yaml.Event]", cast(Any, yaml).parse(text, Loader=yaml.CSafeLoader))


@dataclass(slots=True)
class _Open:
    value: list[Json] | JsonObject
    step: str | int | None
    key: str | None = None


@dataclass(slots=True)
class _Building:
    max_depth: int
    value: Json = None
    open: list[_Open] = field(default_factory=list[_Open])
    documents: int = 0

    @property
    def place(self) -> str:
        steps = [found.step for found in self.open if found.step is not None]
        if self.open and self.open[-1].key is not None:
            steps.append(self.open[-1].key)
        return pointer(*steps)

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, "aliases are not supported; repeat the value")
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self._refuse(event, "the file has several documents; expected one")
        if isinstance(event, yaml.NodeEvent):
            self._take_node(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()

    def _take_node(self, event: yaml.NodeEvent) -> None:
        # Any: which node events have a tag, the stubs do not say.
        if event.anchor is not None or cast(Any, event).tag is not None:
            self._refuse(event, "anchors and tags are not supported; write the plain value")
        if isinstance(event, yaml.ScalarEvent):
            self._place(event, _scalar(event), str(event.value))
            return
        if len(self.open) >= self.max_depth:
            self._refuse(event, f"nested more than {self.max_depth} deep")
        container: list[Json] | JsonObject = {} if isinstance(event, yaml.MappingStartEvent) else []
        step = self._place(event, container, None)
        self.open.append(_Open(container, step))

    def _place(self, event: yaml.Event, value: Json, as_key: str | None) -> str | int | None:
        """Put a value where the next one belongs, and say which step that is."""
        if not self.open:
            self.value = value
            return None
        top = self.open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
            return len(top.value) - 1
        if top.key is None:
            if as_key is None:
                self._refuse(event, "keys must be text, not a list or an object")
            top.key = as_key
            if as_key in top.value:
                self._refuse(event, f"the key {as_key!r} appears twice in one object")
            return None
        key, top.key = top.key, None
        top.value[key] = value
        return key

    def _refuse(self, event: yaml.Event, why: str) -> NoReturn:
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        raise Invalid(
            "YAML_INVALID",
            f"{why} (line {line} column {column})",
            facts={"line": line, "column": column, "pointer": self.place},
        )


def _scalar(event: yaml.ScalarEvent) -> Json:
    text = str(event.value)
    if not event.implicit[0]:  # quoted, or a block of text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text
