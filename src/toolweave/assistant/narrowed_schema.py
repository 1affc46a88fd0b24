"""A tool's schema for one request to a small model: only values that the request contains.

A small model copies and chooses better than it writes. Numbers become a choice of the request's
numbers, texts a choice of its quoted passages or word sequences; optional fields that nothing in
the request can fill are left out. Fields of other types are unchanged.
"""

from collections.abc import Callable, Iterable
from importlib import import_module

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

MAX_WORDS = 40
MAX_SPAN_WORDS = 12
_QUOTED = pattern(r'["“]([^"”]+)["”]')
_NUMBERS = pattern(r"-?\d+(?:\.\d+)?|[a-z]+")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORDS = {word: number for number, word in enumerate((*_WORDS, "eleven", "twelve"))}
_EDGES = " ,.;:!?\"“”'()"
_NUMERIC = ("number", "integer")
_NOT_PLAIN = frozenset({"enum", "const", "pattern", "format"})
# Shorter choices, such as language codes, are found in words that do not mean them.
MIN_CHOICE_CHARS = 3


def narrowed_schema(schema: JsonObject, request: str) -> JsonObject:
    """Return the schema with the choices that `request` offers."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    listed = schema.get("required")
    required = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    fields = {name: one for name, one in properties.items() if isinstance(one, dict)}
    narrowing = _Narrowing(fields, required, request)
    kept: JsonObject = {}
    for name, one in properties.items():
        found = narrowing.field(name, one) if isinstance(one, dict) else one
        if found is not None:
            kept[name] = found
    needed: list[Json] = [name for name in kept if name in narrowing.needed]
    return {**schema, "properties": kept, "required": needed}


class _Narrowing:
    def __init__(self, fields: dict[str, JsonObject], required: list[str], request: str) -> None:
        self.needed = set(required)
        self._request = request
        self._numbers = numbers_in(request)
        self._plain = [name for name, one in fields.items() if _is_plain(one)]
        quoted = quoted_in(request)
        enough = max(1, sum(name in self.needed for name in self._plain))
        self._is_quoted = len(quoted) >= enough
        self._texts = quoted if self._is_quoted else spans_in(request)
        numeric = [name for name, one in fields.items() if one.get("type") in _NUMERIC]
        # Numbers that no required field takes are for optional ones, in their order.
        self._left = len(self._numbers) - sum(name in self.needed for name in numeric)

    def field(self, name: str, schema: JsonObject) -> JsonObject | None:
        """Return the narrowed schema of a field; `None` to leave it out."""
        if name in self._plain:
            return self._text(name, schema)
        kind = schema.get("type")
        if kind in _NUMERIC:
            return self._number(name, schema)
        if "enum" in schema:
            return self._choice(name, schema)
        if kind == "string" and isinstance(schema.get("pattern"), str):
            return self._pattern(name, schema)
        if kind == "array":
            return self._list(schema)
        return schema

    def _text(self, name: str, schema: JsonObject) -> JsonObject:
        most = schema.get("maxLength")
        fitting = [one for one in self._texts if not isinstance(most, int) or len(one) <= most]
        if self._is_quoted and len(self._plain) == 1:
            self.needed.add(name)
        return _chosen(schema, fitting) if fitting else schema

    def _number(self, name: str, schema: JsonObject) -> JsonObject | None:
        fitting = [one for one in self._numbers if _is_within(one, schema)]
        if name not in self.needed:
            if not fitting or self._left <= 0:
                return None
            self._left -= 1
            self.needed.add(name)
        return _chosen(schema, fitting) if fitting else schema

    def _choice(self, name: str, schema: JsonObject) -> JsonObject:
        choices = schema.get("enum")
        words = f" {self._request.lower()} "
        for edge in _EDGES:
            words = words.replace(edge, " ")
        named = [
            one
            for one in (choices if isinstance(choices, list) else [])
            if isinstance(one, str) and len(one) >= MIN_CHOICE_CHARS and f" {one.lower()} " in words
        ]
        if not named:
            return schema
        self.needed.add(name)
        return _chosen(schema, named)

    def _pattern(self, name: str, schema: JsonObject) -> JsonObject | None:
        fitting = [one for one in spans_in(self._request) if _matches(one, schema)]
        if fitting:
            return _chosen(schema, fitting)
        return schema if name in self.needed else None

    def _list(self, schema: JsonObject) -> JsonObject:
        items = schema.get("items")
        if not self._numbers or not isinstance(items, dict) or items.get("type") not in _NUMERIC:
            return schema
        return {
            "type": "array",
            "items": {"enum": [*self._numbers]},
            "minItems": 1,
            "maxItems": len(self._numbers),
        }


def _chosen(schema: JsonObject, values: Iterable[Json]) -> JsonObject:
    kept = {name: schema[name] for name in ("type", "description") if name in schema}
    return {**kept, "enum": [*values]}


def _matches(text: str, schema: JsonObject) -> bool:
    # Loaded for the few fields with a pattern.
    is_valid: Callable[[Json, Json], bool] = import_module("jsonschema_rs").is_valid
    try:
        return is_valid({"pattern": schema["pattern"]}, text)
    except ValueError:
        return False  # a pattern that cannot be evaluated


def _is_plain(schema: JsonObject) -> bool:
    return schema.get("type") == "string" and not _NOT_PLAIN & schema.keys()


def _is_within(value: float, schema: JsonObject) -> bool:
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(least, int | float) and value < least:
        return False
    if isinstance(most, int | float) and value > most:
        return False
    return schema.get("type") == "number" or value == int(value)


def numbers_in(request: str) -> list[int | float]:
    """Return the numbers of a request outside quotes, also small ones in words."""
    found: list[int | float] = []
    for match in _NUMBERS.finditer(_QUOTED.sub(" ", request).lower()):
        text = match[0]
        if text in _NUMBER_WORDS:
            found.append(_NUMBER_WORDS[text])
        elif not text.isalpha():
            found.append(float(text) if "." in text else int(text))
    return list(dict.fromkeys(found))


def quoted_in(request: str) -> list[str]:
    """Return the quoted passages of a request."""
    return list(dict.fromkeys(match[1] for match in _QUOTED.finditer(request)))


def spans_in(request: str) -> list[str]:
    """Return the word sequences of a request of one paragraph; nothing for a longer one."""
    words = request.split()
    if len(words) > MAX_WORDS or "\n" in request.strip():
        return []
    found = (
        " ".join(words[begin:end]).strip(_EDGES)
        for begin in range(len(words))
        for end in range(begin + 1, min(len(words), begin + MAX_SPAN_WORDS) + 1)
    )
    return [span for span in dict.fromkeys(found) if span]
