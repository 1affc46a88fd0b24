"""The parameters of a tool, as they are compared with the words of a request."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from toolweave.assistant.extraction.amounts import seconds_of_unit
from toolweave.assistant.extraction.english import roles, words
from toolweave.assistant.extraction.tokens import name_parts, outline_of, quoted_in, stem, stems_of
from toolweave.assistant.extraction.value_classes import expected_classes
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

Kind = Literal["number", "boolean", "choice", "shaped", "text", "list", "other"]
# Parameters whose value is a passage, and those whose value is the name of something.
_PASSAGE = {stem(word) for word in words("passages")}
_LABEL = {stem(word) for word in words("labels")}
_HEADING = {stem(word) for word in words("headings")}
_PLACE = {stem(word) for word in words("places")}
_PHONE = {stem(word) for word in ("phone", "telephone", "mobile", "fax")}
_EMAIL = {stem(word) for word in ("email", "mail")}
_CALENDAR = words("days") | words("months")
_DATES = {stem(word) for word in ("day", "weekday", "date", "month", "time", "when", "due")}
_PREPOSITIONS = frozenset(roles())
_PHRASE = pattern(r"[.,;:()]")
MIN_PHONE_DIGITS = 4
_MAX_REFERENCES = 8


@dataclass(frozen=True, slots=True)
class ParameterField:
    """One parameter; `schema` has no references and no `null`."""

    name: str
    schema: JsonObject
    is_required: bool
    kind: Kind
    # Its unit of time, in seconds.
    seconds: float | None = None
    name_words: frozenset[str] = frozenset()
    name_stems: frozenset[str] = frozenset()
    description_stems: frozenset[str] = frozenset()
    choices: tuple[Json, ...] = ()
    # Values that the schema names as examples, in lower case.
    examples: frozenset[str] = frozenset()
    # How its values are put together, if its description is one word that shows it: `w/w`.
    outline: str | None = None
    # What its values look like by its own words: `path`.
    classes: frozenset[str] = frozenset()
    # Prepositions that end a phrase of its description: `Branch to start from`.
    prepositions: frozenset[str] = frozenset()
    is_nullable: bool = False

    @property
    def is_passage(self) -> bool:
        """Whether its value is a longer text rather than a name."""
        return self._last_stem in _PASSAGE

    @property
    def is_label(self) -> bool:
        """Whether its value names something."""
        return self._last_stem in _LABEL

    @property
    def is_heading(self) -> bool:
        """Whether its value is a name that may be a whole sentence."""
        return self._last_stem in _HEADING

    @property
    def is_place(self) -> bool:
        """Whether its value may be `City, Country`."""
        is_described = self.description.lower().startswith(("address", "place", "location"))
        return bool(self.name_stems & _PLACE) or is_described or "City, " in self.description

    @property
    def is_phone(self) -> bool:
        """Whether its value is the number of a phone."""
        return bool(self.name_stems & _PHONE) and self.kind in {"text", "shaped"}

    def may_look(self, text: str) -> bool:
        """Whether a text can be its value: a phone number has digits, a day's name is for days."""
        if text.lower() in _CALENDAR:
            return bool(self.name_stems & _DATES)
        if self.is_phone:
            return sum(letter.isdigit() for letter in text) >= MIN_PHONE_DIGITS
        return self._last_stem not in _EMAIL or "@" in text

    @property
    def _last_stem(self) -> str:
        parts = name_parts(self.name)
        return stem(parts[-1]) if parts else ""

    @property
    def description(self) -> str:
        """What the schema says about it."""
        return str(self.schema.get("description", ""))


def fields_of(schema: JsonObject) -> list[ParameterField]:
    """Return the parameters that a schema of an object lists."""
    properties = schema.get("properties")
    listed = schema.get("required")
    required = listed if isinstance(listed, list) else []
    return [
        _field(name, _resolved(one, schema), name in required, _takes_null(one))
        for name, one in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(one, dict)
    ]


def _field(name: str, schema: JsonObject, is_required: bool, is_nullable: bool) -> ParameterField:
    description = str(schema.get("description", ""))
    parts = name_parts(name)
    choices = schema.get("enum")
    return ParameterField(
        name=name,
        schema=schema,
        is_required=is_required,
        is_nullable=is_nullable,
        kind=_kind(schema),
        seconds=seconds_of_unit(name, description),
        name_words=frozenset(parts),
        name_stems=frozenset(stem(part) for part in parts),
        description_stems=frozenset(stems_of(description)),
        choices=tuple(choices) if isinstance(choices, list) else (),
        examples=frozenset(_examples(schema, description)),
        outline=_outline(description),
        classes=expected_classes(name, description),
        prepositions=frozenset(_stranded(description)),
    )


def _takes_null(schema: JsonObject) -> bool:
    kinds, options = schema.get("type"), schema.get("anyOf")
    has_null = isinstance(kinds, list) and "null" in kinds
    return has_null or (isinstance(options, list) and {"type": "null"} in options)


def _stranded(description: str) -> Iterator[str]:
    """Return prepositions that end a phrase, so that a value stands after them in a request."""
    for phrase in _PHRASE.split(description.lower()):
        word = phrase.split()[-1] if phrase.split() else ""
        if word in _PREPOSITIONS:
            yield word


def _outline(description: str) -> str | None:
    """Return the form that a description of one word shows, such as `owner/name`."""
    shown = outline_of(description.strip("`'\". "))
    return shown if shown.startswith("w") and len(shown) > 1 and " " not in shown else None


def _examples(schema: JsonObject, description: str) -> Iterator[str]:
    given = schema.get("examples")
    yield from (str(one).lower() for one in (given if isinstance(given, list) else []))
    yield from (one.lower() for one in quoted_in(description))


def _kind(schema: JsonObject) -> Kind:
    kind = schema.get("type")
    if "const" in schema:
        return "other"
    if isinstance(schema.get("enum"), list):
        return "choice"
    if kind in {"number", "integer"}:
        return "number"
    if kind == "boolean":
        return "boolean"
    if kind == "array":
        return "list"
    if kind != "string":
        return "other"
    return "shaped" if schema.keys() & {"pattern", "format"} else "text"


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Follow references within the schema, and leave out `null` as an alternative."""
    for _ in range(_MAX_REFERENCES):
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            schema = {**_at(root, reference), **{k: v for k, v in schema.items() if k != "$ref"}}
            continue
        kinds = schema.get("type")
        if isinstance(kinds, list):
            given = [kind for kind in kinds if kind != "null"]
            return {**schema, "type": given[0]} if len(given) == 1 else schema
        options = schema.get("anyOf") or schema.get("oneOf")
        given = [
            one
            for one in (options if isinstance(options, list) else [])
            if isinstance(one, dict) and one.get("type") != "null"
        ]
        if len(given) != 1:
            return schema
        rest = {name: one for name, one in schema.items() if name not in {"anyOf", "oneOf"}}
        schema = {**given[0], **rest}
    return schema


def _at(root: JsonObject, reference: str) -> JsonObject:
    place: Json = root
    for name in reference.removeprefix("#/").split("/"):
        name = name.replace("~1", "/").replace("~0", "~")
        place = place.get(name) if isinstance(place, dict) else None
    return place if isinstance(place, dict) else {}
