"""Changes to the values that a tool takes. Each returns whether it could be made."""

from collections.abc import Callable

from tests.recording.drifts.draft import SCALARS, Draft, other_style

from toolweave.json_text import Json, JsonObject

Mutation = Callable[[Draft], bool]


def number_to_string(draft: Draft) -> bool:
    """A number is given as text."""
    name = draft.pick("integer", "number")
    value = draft.call.get(name or "")
    if name is None or isinstance(value, bool) or not isinstance(value, int | float):
        return False
    draft.properties[name] = {"type": "string", **draft.description(name)}
    draft.set_right(name, f"{value:g}" if isinstance(value, float) else str(value))
    return True


def number_with_unit(draft: Draft) -> bool:
    """A number becomes a text that also needs a unit."""
    name = draft.pick("integer", "number")
    if name is None:
        return False
    said = f"{draft.said(name)} With a unit, such as '30s' or '5m'."
    draft.properties[name] = {"type": "string", "description": said}
    draft.forget()
    return True


def string_to_integer(draft: Draft) -> bool:
    """A number that was given as text is a number."""
    name = draft.pick("string")
    if name is None or set(draft.properties[name]) - {"type", "description", "title"}:
        return False
    draft.give(name, "42")
    draft.properties[name]["type"] = "integer"
    draft.set_right(name, 42)
    return True


def string_to_integer_words(draft: Draft) -> bool:
    """A text that is no number becomes a number."""
    name = draft.pick("string")
    if name is None or set(draft.properties[name]) - {"type", "description", "title"}:
        return False
    draft.give(name, "a few")
    draft.properties[name]["type"] = "integer"
    draft.forget()
    return True


def boolean_to_words(draft: Draft) -> bool:
    """A switch becomes a choice of words."""
    name = draft.pick("boolean")
    if name is None:
        return False
    value = draft.call[name]
    draft.properties[name] = {
        "type": "string",
        "enum": ["always", "never", "auto"],
        **draft.description(name),
    }
    draft.set_right(name, "always" if value else "never")
    draft.is_open = True
    return True


def enum_style(draft: Draft) -> bool:
    """The option in use is spelt in another way."""
    name = _with_options(draft)
    if name is None:
        return False
    options, used = draft.properties[name]["enum"], draft.call[name]
    assert isinstance(options, list)
    if not isinstance(used, str):
        return False
    new = other_style(used) or used.upper()
    if new in options or new == used:
        return False
    draft.properties[name]["enum"] = [new if one == used else one for one in options]
    _default_to(draft, name, used, new)
    draft.set_right(name, new)
    return True


def enum_synonym(draft: Draft) -> bool:
    """The option in use gets a longer name at the same place."""
    name = _with_options(draft)
    used = draft.call.get(name or "")
    if name is None or not isinstance(used, str) or len(used) < 3:
        return False
    options = draft.properties[name]["enum"]
    assert isinstance(options, list)
    new = f"{used}ed"
    if new in options:
        return False
    draft.properties[name]["enum"] = [new if one == used else one for one in options]
    _default_to(draft, name, used, new)
    draft.set_right(name, new)
    draft.is_open = True
    return True


def enum_replaced(draft: Draft) -> bool:
    """The option in use goes and an unrelated one comes."""
    name = _with_options(draft)
    if name is None:
        return False
    options, used = draft.properties[name]["enum"], draft.call[name]
    assert isinstance(options, list)
    draft.properties[name]["enum"] = ["zzz" if one == used else one for one in options]
    _default_to(draft, name, used, "zzz")
    draft.forget()
    return True


def enum_added(draft: Draft) -> bool:
    """One more option."""
    name = _with_options(draft)
    if name is None:
        return False
    options = draft.properties[name]["enum"]
    assert isinstance(options, list)
    options.append("one_more_option")
    draft.still_fits = True
    return True


def wrap_array(draft: Draft) -> bool:
    """One value becomes a list of values."""
    name = draft.pick("integer", "number", "boolean", "object")
    if name is None:
        return False
    inner = {key: one for key, one in draft.properties[name].items() if key != "description"}
    draft.properties[name] = {"type": "array", "items": inner, **draft.description(name)}
    draft.set_right(name, [draft.call[name]])
    return True


def wrap_words(draft: Draft) -> bool:
    """A text with commas becomes a list of texts."""
    name = draft.pick("string")
    if name is None or set(draft.properties[name]) - {"type", "description", "title"}:
        return False
    draft.give(name, "red,green")
    inner: JsonObject = {"type": "string"}
    draft.properties[name] = {"type": "array", "items": inner, **draft.description(name)}
    draft.set_right(name, ["red", "green"])
    draft.is_open = True
    return True


def unwrap_array(draft: Draft) -> bool:
    """A list of one value becomes that value."""
    name = draft.pick("array")
    value = draft.call.get(name or "")
    if name is None or not isinstance(value, list):
        return False
    items = draft.properties[name].get("items")
    if len(value) != 1 or not isinstance(items, dict) or "type" not in items:
        return False
    draft.properties[name] = {**items, **draft.description(name)}
    draft.set_right(name, value[0])
    return True


def unwrap_many(draft: Draft) -> bool:
    """A list of several values becomes one value: which one is not said."""
    name = draft.pick("array")
    value = draft.call.get(name or "")
    if name is None or not isinstance(value, list) or not value:
        return False
    schema = draft.properties[name]
    items = schema.get("items")
    if not isinstance(items, dict) or "type" not in items or schema.get("uniqueItems"):
        return False
    if int(str(schema.get("maxItems", 9))) < 2:
        return False
    draft.give(name, [value[0], value[0]])
    draft.properties[name] = {**items, **draft.description(name)}
    draft.forget()
    return True


def wrap_object(draft: Draft) -> bool:
    """A value becomes the only property of an object."""
    name = draft.pick(*SCALARS)
    if name is None:
        return False
    inner = {key: one for key, one in draft.properties[name].items() if key != "default"}
    draft.properties[name] = {
        "type": "object",
        "properties": {"value": inner},
        "required": ["value"],
        **draft.description(name),
    }
    draft.set_right(name, {"value": draft.call[name]})
    return True


def tightened(draft: Draft) -> bool:
    """The value of the call is too large now."""
    name = draft.pick("integer", "number")
    value = draft.call.get(name or "")
    if name is None or isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if draft.properties[name].keys() & {"minimum", "exclusiveMinimum", "multipleOf"}:
        return False
    draft.properties[name]["maximum"] = value - 1
    draft.forget()
    return True


def unit_changed(draft: Draft) -> bool:
    """The same number means something else."""
    name = draft.pick("integer", "number")
    if name is None:
        return False
    seconds = {"type": draft.properties[name]["type"], "description": "How long, in seconds."}
    draft.properties[name] = {**seconds, "description": "How long, in milliseconds."}
    before = draft.old["inputSchema"]
    assert isinstance(before, dict)
    draft.old = {**draft.old, "inputSchema": _with_property(before, name, seconds)}
    draft.forget()
    return True


VALUES: dict[str, Mutation] = {
    one.__name__: one
    for one in (
        *(number_to_string, number_with_unit, string_to_integer, string_to_integer_words),
        *(boolean_to_words, enum_style, enum_synonym, enum_replaced, enum_added),
        *(wrap_array, wrap_words, unwrap_array, unwrap_many, wrap_object),
        *(tightened, unit_changed),
    )
}


def _with_property(schema: JsonObject, name: str, value: JsonObject) -> JsonObject:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {**schema, "properties": {**known, name: value}}


def _with_options(draft: Draft) -> str | None:
    name = draft.pick("string", plain=False)
    options = draft.properties[name].get("enum") if name else None
    return name if isinstance(options, list) and len(options) > 1 else None


def _default_to(draft: Draft, name: str, used: Json, new: Json) -> None:
    if draft.properties[name].get("default") == used:
        draft.properties[name]["default"] = new
