"""Members of an object, or of the only item of a list, that stand beside it. Pure."""

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.misspelling import MAX_COMPARED
from toolweave.tools.special_keys import Fix
from toolweave.tools.value_preview import shown
from toolweave.tools.violations import Explainer, Violation

_MAX_LISTED = 8
# The parts of a node, which are no members of a setting or an input.
PARTS = frozenset({"configurations", "inputParams", "input_params"})


def gathered(
    fault: Violation, name: str, strange: list[str], known: JsonObject, explainer: Explainer
) -> Fix | None:
    """Put members that stand beside a missing object into it, if all of them belong there."""
    given = fault.value if isinstance(fault.value, dict) else {}
    made = _made_of(given, strange, known.get(name), explainer)
    if made is None:
        return None
    whole: JsonObject = {key: one for key, one in given.items() if key not in strange}
    whole[name] = made
    path = pointer(*fault.path) if fault.path else ""
    return _as_members(strange, name), ({"op": "replace", "path": path, "value": whole},)


def members_of_one(
    fault: Violation, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Fix | None:
    """Put several unknown members into the only field that is not set and has all of them."""
    strange = [key for key in parent if key not in known and key not in PARTS]
    if not 1 < len(strange) <= MAX_COMPARED:
        return None
    free = [name for name in known if name not in parent]
    made = {name: _made_of(parent, strange, known.get(name), explainer) for name in free}
    found = [(name, value) for name, value in made.items() if value is not None]
    if len(found) != 1:
        return None
    ((name, value),) = found
    outer = fault.path[:-1]
    steps: list[dict[str, Json]] = [
        {"op": "remove", "path": pointer(*outer, key)} for key in strange
    ]
    steps.append({"op": "add", "path": pointer(*outer, name), "value": value})
    return _as_members(strange, name), tuple(steps)


def _made_of(
    given: JsonObject, strange: list[str], schema: Json, explainer: Explainer
) -> JsonObject | list[Json] | None:
    """The object that members make, or the list of it alone; None if one belongs elsewhere."""
    if not isinstance(schema, dict):
        return None
    is_listed = schema.get("type") == "array"
    inside = schema.get("items") if is_listed else schema
    takes = explainer.properties(inside) if isinstance(inside, dict) else {}
    if not strange or not takes or not set(strange) <= takes.keys():
        return None
    inner: JsonObject = {key: given[key] for key in strange}
    made: JsonObject | list[Json] = [inner] if is_listed else inner
    return made if explainer.fits(schema, made) else None


def _as_members(names: list[str], of: str) -> str:
    return f"write {', '.join(map(shown, names[:_MAX_LISTED]))} as members of {of!r}"
