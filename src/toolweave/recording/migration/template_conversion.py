"""Converts a template to a new schema: what it gives is known only when the workflow runs."""

from toolweave.cel.templates import read_template
from toolweave.json_text import JsonObject
from toolweave.recording.migration.schema_view import (
    description_of,
    has_same_rules,
    kind_of,
    may_mean_other,
    properties_of,
)
from toolweave.recording.migration.value_conversion import (
    Conversion,
    ConvertedValue,
    UnknownValue,
)
from toolweave.tools.difference import difference

_RUN_TIME = "what the expression gives is known only when the workflow runs"


def convert_template(text: str, old: JsonObject, new: JsonObject) -> Conversion:
    """Return the template for the new schema; None if it fits as it is."""
    if may_mean_other(old, new):
        return UnknownValue("its description differs in a unit, a number or a format")
    if has_same_rules(old, new):
        return None
    change = difference({"inputSchema": old}, {"inputSchema": new}).kind
    if change in ("same", "text_only", "widened"):
        return None
    if _is_converted(text):
        return None
    found = _converted(text, old, new)
    if isinstance(found, ConvertedValue) and description_of(old) != description_of(new):
        return ConvertedValue(found.value, "likely", found.reason)
    return found


def _converted(text: str, old: JsonObject, new: JsonObject) -> Conversion:
    before, after = kind_of(old), kind_of(new)
    template = read_template(text)
    expression = template.placeholders[0].content.strip() if template.is_bare else None
    match before, after:
        case "integer" | "number", "string" if expression and has_no_rules(new):
            certainty = "certain" if before == "integer" else "likely"
            return ConvertedValue(
                f"{{{{ string({expression}) }}}}", certainty, "the number is given as text now"
            )
        case "string", "integer" | "number" if expression:
            name = "int" if after == "integer" else "double"
            return ConvertedValue(
                f"{{{{ {name}({expression}) }}}}", "likely", "the text is given as a number now"
            )
        case "array", "string" | "integer" | "number" | "boolean" if expression:
            return ConvertedValue(
                f"{{{{ ({expression})[0] }}}}", "likely", "one value is expected instead of a list"
            )
        case _, "array" if before not in ("array", None):
            items = new.get("items")
            is_sure = isinstance(items, dict) and has_same_rules(old, items) and before != "string"
            return ConvertedValue(
                [text], "certain" if is_sure else "likely", "a list is expected now"
            )
        case _, "object" if before not in ("object", None):
            return _in_object(text, old, new)
        case _:
            return UnknownValue(_RUN_TIME)


def _is_converted(text: str) -> bool:
    """Whether the template already is what a conversion writes."""
    template = read_template(text)
    content = template.placeholders[0].content.strip() if template.is_bare else ""
    return content.startswith(("string(", "int(", "double(")) or content.endswith(")[0]")


def has_no_rules(schema: JsonObject) -> bool:
    """Whether any value of the type fits."""
    return not schema.keys() & {"enum", "const", "pattern", "format", "minLength", "maxLength"}


def _in_object(text: str, old: JsonObject, new: JsonObject) -> Conversion:
    known = list(properties_of(new))
    needed = [one for one in known if one.is_required] or known
    if len(needed) != 1 or kind_of(needed[0].schema) != kind_of(old):
        return UnknownValue("an object is expected now, and it is not clear where the value goes")
    only = needed[0]
    is_sure = len(known) == 1 and has_same_rules(old, only.schema)
    reason = f"the value is expected as {only.name!r} of an object now"
    return ConvertedValue({only.name: text}, "certain" if is_sure else "likely", reason)
