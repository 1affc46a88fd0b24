"""Arguments from `name=value` texts, as typed on a command line, converted by the tool's schema.

`nested.name=1` reaches into objects and `items.0=x` into arrays; `tags=a tags=b` makes an array;
any object or array can be given as JSON. A string parameter keeps its text exactly.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.document import Steps
from toolweave.tools.misspelling import closest
from toolweave.tools.parameter import Parameter
from toolweave.tools.read_schema import parameters_of, read_schema
from toolweave.tools.repair import with_article
from toolweave.tools.tool import Tool
from toolweave.tools.unions import has_kind
from toolweave.tools.value_preview import shown

_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
MAX_STEPS = 64


@dataclass(slots=True)
class _Given:
    """The texts for one path, and those for the paths below it."""

    texts: list[str] = field(default_factory=list[str])
    below: "dict[str, _Given]" = field(default_factory=dict[str, "_Given"])


class _Unfit(Exception):
    """The text cannot be converted to this type."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def coerce_arguments(tool: Tool, pairs: Iterable[str]) -> tuple[JsonObject, list[Problem]]:
    """Return the arguments in `pairs`, converted to their types, and the conversion problems."""
    root = read_schema(tool.input_schema)
    whole = Parameter("", "object", properties=parameters_of(root), extra=_extra(root, tool))
    given, problems = _Given(), list[Problem]()
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            problems.append(Problem("USAGE", "", f"{shown(pair)} must have the form name=value"))
            continue
        _place(given, _steps(name, whole)).texts.append(text)
    arguments: JsonObject = {}
    for name, one in given.below.items():
        try:
            arguments[name] = _convert(_child(whole, name, ()), one, (name,))
        except _Unfit as unfit:
            problems.append(unfit.problem)
    return arguments, problems


def _extra(root: Parameter, tool: Tool) -> bool | Parameter:
    # JSON Schema objects are open by default; only an explicit one counts as open.
    says = tool.input_schema.get("additionalProperties")
    return root.extra if says is not None else False


def _steps(name: str, whole: Parameter) -> list[str]:
    """The longest known name first: a parameter may have dots in its own name."""
    known = [one.name for one in whole.properties]
    for own in sorted(known, key=len, reverse=True):
        if name == own:
            return [own]
        if name.startswith(own + "."):
            return [own, *name[len(own) + 1 :].split(".", MAX_STEPS)]
    return name.split(".", MAX_STEPS) if isinstance(whole.extra, Parameter) else [name]


def _place(given: _Given, steps: list[str]) -> _Given:
    for step in steps:
        given = given.below.setdefault(step, _Given())
    return given


def _child(parameter: Parameter, name: str, path: Steps) -> Parameter:
    for one in parameter.properties:
        if one.name == name:
            return one
    if isinstance(parameter.extra, Parameter):
        return parameter.extra
    if parameter.extra or parameter.pattern_properties:
        return Parameter(name, "any")
    names = [one.name for one in parameter.properties]
    meant = closest(name, names)
    listed = ", ".join(repr(one) for one in names[:8])
    raise _Unfit(
        Problem(
            "MCP_PARAMETER_UNKNOWN",
            pointer(*path, name),
            f"{name!r} is unknown",
            hint=f"did you mean {meant!r}?"
            if meant
            else f"available: {listed}"
            if listed
            else None,
        )
    )


def _convert(parameter: Parameter, given: _Given, path: Steps) -> Json:
    if parameter.kind == "union":
        return _union(parameter, given, path)
    if parameter.kind == "object" or (parameter.kind == "any" and given.below):
        return _object(parameter, given, path)
    if parameter.kind == "array":
        return _array(parameter, given, path)
    if given.below:
        raise _Unfit(_wrong(parameter, path, f"{path[-1]!r} has no members"))
    if len(given.texts) > 1:
        raise _Unfit(_wrong(parameter, path, f"{path[-1]!r} is given {len(given.texts)} times"))
    return _scalar(parameter, given.texts[0], path)


def _union(parameter: Parameter, given: _Given, path: Steps) -> Json:
    if parameter.nullable and given.texts == ["null"]:
        return None
    *others, last = _meant(parameter, given)
    for variant in others:
        try:
            return _convert(variant, given, path)
        except _Unfit:
            continue
    return _convert(last, given, path)


def _meant(parameter: Parameter, given: _Given) -> tuple[Parameter, ...]:
    """Return the alternatives to try; only one if its discriminating property is given."""
    tag = given.below.get(parameter.discriminator or "", _Given())
    for variant in parameter.variants:
        for one in variant.properties:
            if one.name == parameter.discriminator and list(one.only_value) == tag.texts:
                return (variant,)
    return parameter.variants


def _object(parameter: Parameter, given: _Given, path: Steps) -> Json:
    value = _whole(parameter, given, path, dict) if given.texts else {}
    if value is None or not isinstance(value, dict):
        return None
    for name, one in given.below.items():
        value[name] = _convert(_child(parameter, name, path), one, (*path, name))
    return value


def _array(parameter: Parameter, given: _Given, path: Steps) -> Json:
    if len(given.texts) == 1 and given.texts[0].lstrip()[:1] in ("[", "n"):
        try:
            return _whole(parameter, given, path, list)
        except _Unfit:
            if given.texts[0].lstrip().startswith("["):
                raise
    ones = [_Given([text]) for text in given.texts]
    for index in sorted(given.below, key=lambda step: (len(step), step)):
        if index != str(len(ones)):
            raise _Unfit(_wrong(parameter, path, f"item {index!r} is out of order"))
        ones.append(given.below[index])
    fixed = parameter.prefix_items
    any_item = parameter.items or Parameter("item", "any")
    return [
        _convert(fixed[index] if index < len(fixed) else any_item, one, (*path, index))
        for index, one in enumerate(ones)
    ]


def _whole(
    parameter: Parameter, given: _Given, path: Steps, kind: type[dict[str, Json]] | type[list[Json]]
) -> Json:
    text = given.texts[-1]
    value = _json(text)
    if isinstance(value, kind) or (value is None and text == "null" and parameter.nullable):
        return value
    raise _Unfit(_wrong(parameter, path, f"{path[-1]!r} is {shown(text)}"))


def _scalar(parameter: Parameter, text: str, path: Steps) -> Json:
    if parameter.kind == "string":
        return text
    if text == "null" and (parameter.nullable or parameter.kind in ("null", "any")):
        return None
    if parameter.kind == "any":
        return _any(parameter, text)
    if parameter.kind == "boolean" and text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    value = _json(text.strip())
    # An integer beyond 64 bits becomes a float: refuse it rather than round it.
    is_exact = parameter.kind != "integer" or isinstance(value, int)
    if value is not None and is_exact and has_kind(value, parameter.kind):
        return value
    raise _Unfit(_wrong(parameter, path, f"{path[-1]!r} is {shown(text)}"))


def _any(parameter: Parameter, text: str) -> Json:
    """Return a matching option, else parsed JSON, else the text."""
    for option in parameter.constraints.enum or ():
        if text == option or (not isinstance(option, str) and text == json_text.write(option)):
            return option
    value = _json(text)
    return text if value is None else value


def _json(text: str) -> Json:
    try:
        return json_text.read(text)
    except Invalid:
        return None


def _wrong(parameter: Parameter, path: Steps, what: str) -> Problem:
    return Problem(
        "MCP_PARAMETER_INVALID_TYPE",
        pointer(*path),
        f"{what}; expected {with_article(parameter.kind)}",
    )
