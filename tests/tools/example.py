"""A small valid value for a parameter or a whole tool: always the same, only what is required.

Options and defaults come first. A text with a pattern is chosen from well-known texts; where none
matches, an optional value is omitted and a required one is reported as impossible.
"""

from collections.abc import Iterable, Iterator

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.tools.dialect import DEFAULT, validator_for
from toolweave.tools.parameter import Constraints, Kind, Parameter
from toolweave.tools.read_schema import read_schema
from toolweave.tools.schema import CompiledSchema, compile_schema
from toolweave.tools.tool import Tool
from toolweave.tools.write_schema import write_constraints

MAX_FILLED = 100

_BY_FORMAT: dict[str, str] = {
    "uri": "https://example.com",
    "url": "https://example.com",
    "uri-reference": "/example",
    "email": "user@example.com",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "date": "2025-01-01",
    "date-time": "2025-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
    "json-pointer": "/example",
    "regex": ".*",
}
# Candidates for a pattern; the first match is the example.
_WORDS = (
    *("example", "a", "A", "1", "0", "AB", "A1", "a1", "abc", "ABC", "Example", "EXAMPLE"),
    *("ABC-1", "ABC-123", "abc-123", "1:1", "1:2", "1.0.0", "1.0", "v1", "v1.0.0", "12", "123"),
    *("1234", "12345", "123456", "+15555550100", "00:00", "00:00:00", "2025", "2025-01", "en"),
    *("en-US", "US", "us-east-1", "USD", "#ffffff", "ffffff", "0x1", "deadbeef", "/", "/example"),
    *("./example", "example.txt", "example.png", "example.json", "owner/repo", "@example"),
    *("#example", "C0123456789", "U0123456789", "arn:aws:s3:::example", "192.0.2.0/24"),
    *("2025-01-01to2025-01-02", "a" * 24, "0" * 24, "0" * 32, "a" * 40, "0" * 40, "0" * 64, ""),
    *_BY_FORMAT.values(),
)


class _Impossible(Exception):
    """No example could be generated; the message has the reason."""


def example_arguments(tool: Tool) -> tuple[JsonObject | None, list[str]]:
    """Return valid arguments for `tool`, or the reason why none were found."""
    value, reasons = example_value(tool.input_schema)
    return (value, reasons) if isinstance(value, dict) else (None, reasons)


def example_value(schema: Json) -> tuple[Json, list[str]]:
    """Return a value that matches `schema`; null and the reason if none was found."""
    compiled = compile_schema(schema)
    tree = read_schema(schema)
    reason = "no candidate is valid" if compiled.is_usable else "the schema is not usable"
    for with_defaults in (True, False) if compiled.is_usable else ():
        try:
            value = _Maker(with_defaults=with_defaults).value(tree)
        except _Impossible as impossible:
            reason = str(impossible)
        else:
            if _fits(compiled, value):
                return value, []
    return None, [reason]


def _fits(compiled: CompiledSchema, value: Json) -> bool:
    return compiled.judge(value).verdict == "valid"


class _Maker:
    def __init__(self, *, with_defaults: bool) -> None:
        self._with_defaults = with_defaults

    def value(self, parameter: Parameter) -> Json:
        """Return the example of one parameter; null only if nothing else is valid."""
        if self._with_defaults and parameter.has_default and parameter.default is not None:
            return parameter.default
        try:
            return self._made(parameter)
        except _Impossible:
            if parameter.nullable:
                return None
            raise

    def _made(self, parameter: Parameter) -> Json:
        if parameter.recursive_ref is not None:
            raise _Impossible(f"{parameter.name!r} contains itself")
        if (options := parameter.constraints.enum) is not None:
            if not options:
                raise _Impossible(f"no value is allowed for {parameter.name!r}")
            return options[0]
        match parameter.kind:
            case "object":
                return self._object(parameter)
            case "array":
                return self._array(parameter)
            case "union":
                return self._union(parameter)
            case kind:
                return _scalar(kind, parameter)

    def _union(self, parameter: Parameter) -> Json:
        *others, last = parameter.variants
        for variant in others:
            try:
                return self.value(variant)
            except _Impossible:
                continue
        return self.value(last)

    def _object(self, parameter: Parameter) -> Json:
        value: JsonObject = {
            one.name: self.value(one) for one in parameter.properties if one.required
        }
        least = min(parameter.constraints.min_properties or 0, MAX_FILLED)
        for name, one in self._further(parameter) if len(value) < least else ():
            try:
                value.setdefault(name, self.value(one))
            except _Impossible:
                continue
            if len(value) >= least:
                break
        return value

    def _further(self, parameter: Parameter) -> Iterator[tuple[str, Parameter]]:
        """Yield further keys of an object: optional ones, by pattern, then any."""
        yield from ((one.name, one) for one in parameter.properties)
        yield from (
            (_word(Constraints(pattern=one.name)), one) for one in parameter.pattern_properties
        )
        if parameter.extra is False:
            return
        each = Parameter("value", "any") if parameter.extra is True else parameter.extra
        if parameter.keys is not None:
            names = parameter.keys.constraints.enum or (self.value(parameter.keys),)
            yield from ((str(name), each) for name in names)
        yield from ((f"key{index}", each) for index in range(1, MAX_FILLED))

    def _array(self, parameter: Parameter) -> Json:
        limits, fixed = parameter.constraints, parameter.prefix_items
        least = min(limits.min_items or 0, MAX_FILLED)
        usual = len(fixed) if limits.max_items is None else min(len(fixed), limits.max_items)
        each = parameter.items or Parameter("item", "any")
        items: list[Json] = []
        for index in range(max(least, usual)):
            one = fixed[index] if index < len(fixed) else each
            item = self.value(one)
            if limits.unique_items:
                item = _another(item, one, items)
            items.append(item)
        return items


def _another(item: Json, parameter: Parameter, taken: Iterable[Json]) -> Json:
    """Return `item` or a variation that is not in `taken`."""
    known = {canonical(one) for one in taken}
    options = (item, *(parameter.constraints.enum or _variations(item)))
    for option in options:
        if canonical(option) not in known:
            return option
    raise _Impossible(f"there are too few different values for {parameter.name!r}")


def _variations(item: Json) -> Iterator[Json]:
    for index in range(1, MAX_FILLED + 1):
        if isinstance(item, str):
            yield f"{item}{index}"
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield item + index


def _scalar(kind: Kind, parameter: Parameter) -> Json:
    match kind:
        case "string":
            return _word(parameter.constraints)
        case "number" | "integer":
            return _number(parameter)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return "example"


def _word(constraints: Constraints) -> str:
    """Return the first candidate that meets the constraints, resized if needed."""
    try:
        obeys = validator_for(write_constraints(constraints), DEFAULT).is_valid
    except ValueError:
        raise _Impossible(f"the pattern {constraints.pattern!r} is not linear") from None
    least = min(constraints.min_length or 0, 10_000)
    known = _BY_FORMAT.get(constraints.format or "", "example")
    for word in (known, *_WORDS):
        longer = word * (least // max(len(word), 1) + 1)
        for text in (word, longer[: constraints.max_length], longer[:least]):
            if obeys(text):
                return text
    raise _Impossible(f"no known text fits the pattern {constraints.pattern!r}")


def _number(parameter: Parameter) -> Json:
    """Return the first of zero, one and the limits that meets all constraints."""
    limits = parameter.constraints
    step = limits.multiple_of or (1 if parameter.kind == "integer" else 0.001)
    obeys = validator_for(write_constraints(limits) | {"type": parameter.kind}, DEFAULT).is_valid
    ends = (limits.minimum, limits.exclusive_minimum, limits.maximum, limits.exclusive_maximum)
    near = [
        (end // step + distance) * step
        for end in ends
        if end is not None
        for distance in (0, 1, -1)
    ]
    for value in (0, 1, *(end for end in ends if end is not None), *near):
        whole = int(value) if float(value).is_integer() else value
        if obeys(whole):
            return whole
    raise _Impossible(f"no number was found within the limits of {parameter.name!r}")
