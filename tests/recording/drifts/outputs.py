"""Changes to what a tool returns. Each returns whether it could be made."""

import copy
from collections.abc import Callable

from tests.recording.drifts.draft import SCALARS, Draft, other_style, synonym
from tests.tools.example import example_value

from toolweave.json_text import JsonObject

Mutation = Callable[[Draft], bool]


def output_style(draft: Draft) -> bool:
    """A field of the result is spelt in another way."""
    name = _field(draft)
    new = other_style(name) if name else None
    return name is not None and new is not None and _renamed(draft, name, new)


def output_synonym(draft: Draft) -> bool:
    """A field of the result has another name and the same description."""
    name = _field(draft)
    if name is None or len(str(_fields(draft)[name].get("description", ""))) < 15:
        return False
    new = synonym(name, set(_fields(draft)))
    return new is not None and _renamed(draft, name, new)


def output_removed(draft: Draft) -> bool:
    """A field of the result is gone."""
    name = _field(draft)
    if name is None or draft.right_result is None:
        return False
    del _fields(draft)[name]
    _require(draft, name, None)
    draft.right_result.pop(name)
    draft.moved[name] = None
    draft.is_open = True
    return True


def output_nested(draft: Draft) -> bool:
    """A field of the result moves into an object."""
    name = _field(draft)
    fields = _fields(draft)
    if name is None or draft.right_result is None or "details" in fields:
        return False
    fields["details"] = {"type": "object", "properties": {name: fields.pop(name)}}
    _require(draft, name, "details")
    draft.right_result["details"] = {name: draft.right_result.pop(name)}
    draft.moved[name] = f"details.{name}"
    return True


def output_added(draft: Draft) -> bool:
    """One more field in the result."""
    name = _field(draft)
    fields = _fields(draft)
    if name is None or "took" in fields:
        return False
    fields["took"] = {"type": "integer", "description": "How long it took."}
    draft.moved[name] = name
    draft.still_fits = True
    return True


OUTPUT: dict[str, Mutation] = {
    one.__name__: one
    for one in (output_style, output_synonym, output_removed, output_nested, output_added)
}


def _fields(draft: Draft) -> dict[str, JsonObject]:
    schema = draft.new.get("outputSchema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportReturnType]


def _field(draft: Draft) -> str | None:
    """Choose a field that the example of a result has."""
    result, problems = example_value(draft.new.get("outputSchema"))
    if problems or not isinstance(result, dict):
        return None
    for name, schema in _fields(draft).items():
        value, wrong = example_value(schema)
        if not wrong:
            result.setdefault(name, value)
    found = [
        name
        for name, schema in _fields(draft).items()
        if name in result and schema.get("type") in (*SCALARS, "array", "object")
    ]
    draft.result, draft.right_result = result, copy.deepcopy(result)
    return draft.random.choice(found) if found else None


def _renamed(draft: Draft, name: str, new: str) -> bool:
    fields = _fields(draft)
    if draft.right_result is None or new in fields:
        return False
    items = [(new if key == name else key, one) for key, one in fields.items()]
    fields.clear()
    fields.update(items)
    _require(draft, name, new)
    draft.right_result[new] = draft.right_result.pop(name)
    draft.moved[name] = new
    return True


def _require(draft: Draft, old: str, new: str | None) -> None:
    schema = draft.new["outputSchema"]
    assert isinstance(schema, dict)
    needed = schema.get("required")
    if isinstance(needed, list) and old in needed:
        kept = [one for one in needed if one != old]
        schema["required"] = kept if new is None else [*kept, new]
