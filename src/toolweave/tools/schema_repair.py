"""JSON Schemas as people write them from memory, and the schema that they mean.

Type names of programming languages, `required: true` in a property, properties as a list or
without their object. Where it could mean two things, a part stays as it is.
"""

from collections.abc import Mapping

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.tools.keywords import TYPES
from toolweave.tools.meaning import meant

MAX_DEPTH = 20
_LISTED = pattern(r"[\w-]+(?:\s*[,|;]\s*[\w-]+)*")
_COMMA = pattern(r"\s*[,|;]\s*")
# Types of other systems that are texts of a form.
_FORMATS = {
    "date": "date",
    **dict.fromkeys(("datetime", "timestamp"), "date-time"),
    "time": "time",
    **dict.fromkeys(("email", "mail"), "email"),
    **dict.fromkeys(("url", "uri", "link"), "uri"),
    **dict.fromkeys(("uuid", "guid"), "uuid"),
}
# What an object says about itself.
_BESIDE = frozenset({"type", "required", "title", "description", "default", "$id", "examples"})
# With one of these it is a schema already, whatever else it says.
_KEYWORDS = frozenset(
    {"$ref", "$schema", "$defs", "properties", "allOf", "anyOf", "oneOf", "not", "const", "enum"}
    | {"additionalProperties", "items", "if", "patternProperties"}
)


def meant_schema(schema: Json, depth: int = 0) -> Json:
    """The schema that is meant; an equal one where nothing is foreign."""
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return schema
    if depth == 0:
        schema = _unwrapped(schema)
    if depth == 0 and _is_bare(schema):
        schema = {"type": "object", "properties": schema}
    schema = _levelled(schema)
    made: JsonObject = dict(schema)
    if isinstance(named := made.get("type"), str) and named not in TYPES:
        form = _FORMATS.get(_plain(named))
        made["type"] = _type(named) or ("string" if form else named)
        if form and made["type"] == "string":
            made.setdefault("format", form)
    if isinstance(options := made.get("enum"), str) and _LISTED.fullmatch(options):
        made["enum"] = [*_COMMA.split(options)]
    if "items" in made:
        made["items"] = _property(made["items"], depth)
    if isinstance(listed := made.get("properties"), list):
        made["properties"] = _by_name(listed) or listed
    known = made.get("properties")
    if isinstance(known, dict):
        _of_object(made, known, depth)
    return made


def _unwrapped(schema: JsonObject) -> JsonObject:
    """The schema inside an object that has nothing else, as some interfaces want it."""
    if len(schema) != 1:
        return schema
    ((key, inner),) = schema.items()
    if not isinstance(inner, dict) or not isinstance(inner.get("properties"), dict):
        return schema
    return inner if _plain(key).endswith("schema") else schema


def _levelled(schema: JsonObject) -> JsonObject:
    """The schema with properties that stand beside its type, and `required` that stands in them."""
    if schema.get("type") == "object" and not _KEYWORDS & schema.keys():
        inner = {key: one for key, one in schema.items() if key not in _BESIDE}
        if inner and all(isinstance(one, dict) and _is_property(one) for one in inner.values()):
            outer = {key: one for key, one in schema.items() if key not in inner}
            return {**outer, "properties": inner}
    known = schema.get("properties")
    names = known.get("required") if isinstance(known, dict) else None
    if isinstance(known, dict) and isinstance(names, list) and "required" not in schema:
        others: JsonObject = {key: one for key, one in known.items() if key != "required"}
        if names and all(one in others for one in names if isinstance(one, str)):
            return {**schema, "properties": others, "required": names}
    return schema


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").casefold()


def _of_object(made: JsonObject, known: Mapping[str, Json], depth: int) -> None:
    made.setdefault("type", "object")
    properties: JsonObject = {}
    needed: list[str] = []
    for name, one in known.items():
        if isinstance(one, dict) and isinstance(one.get("required"), bool):
            needed += [name] if one["required"] else []
            one = {key: value for key, value in one.items() if key != "required"}
        properties[name] = _property(one, depth)
    made["properties"] = properties
    required = made.get("required")
    if isinstance(required, str) and _LISTED.fullmatch(required):
        names: list[Json] = [*_COMMA.split(required)]
        required = names if all(one in properties for one in names) else made["required"]
        made["required"] = required
    if needed and (required is None or isinstance(required, list)):
        given = required or []
        made["required"] = [*given, *(one for one in needed if one not in given)]


def _property(one: Json, depth: int) -> Json:
    """A property, which some write as the name of its type only."""
    if isinstance(one, str):
        return {"type": found} if (found := _type(one)) else one
    return meant_schema(one, depth + 1)


def _type(named: str) -> str | None:
    found = meant(named, TYPES)
    return found[0] if len(found) == 1 else None


def _is_bare(schema: JsonObject) -> bool:
    """Whether it holds properties only, without the object around them."""
    if not schema or _KEYWORDS & schema.keys() or isinstance(schema.get("type"), str | list):
        return False
    return all(_is_property(one) for one in schema.values())


def _is_property(one: Json) -> bool:
    if isinstance(one, dict):
        return isinstance(one.get("type"), str) or bool(_KEYWORDS & one.keys())
    return isinstance(one, str) and _type(one) is not None


def _by_name(listed: list[Json]) -> JsonObject | None:
    """`[{"name": "a", "type": "string"}]` as `{"a": {"type": "string"}}`."""
    found: JsonObject = {}
    for one in listed:
        name = one.get("name") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(name, str) or name in found:
            return None
        found[name] = {key: value for key, value in one.items() if key != "name"}
    return found
