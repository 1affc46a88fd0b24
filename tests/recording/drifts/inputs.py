"""Changes to which parameters a tool takes. Each returns whether it could be made."""

from tests.recording.drifts.draft import SCALARS, Draft, other_style, synonym, words_of
from tests.recording.drifts.values import VALUES, Mutation
from tests.tools.example import example_value

from toolweave.json_text import Json, JsonObject


def rename_style(draft: Draft) -> bool:
    """`max_results` becomes `maxResults`."""
    name = draft.pick(*SCALARS, "array", "object", plain=False)
    new = other_style(name) if name else None
    if name is None or new is None or new in draft.properties:
        return False
    draft.rename(name, new)
    return True


def rename_synonym(draft: Draft) -> bool:
    """Another name at the same place, with the same description."""
    name = draft.pick(*SCALARS, "array", plain=False)
    new = synonym(name, set(draft.properties)) if name else None
    if name is None or new is None or len(draft.said(name)) < 15:
        return False
    draft.rename(name, new)
    return True


def rename_said(draft: Draft) -> bool:
    """An unrelated name whose description says what it was."""
    name = draft.pick(*SCALARS, plain=False)
    if name is None or "subject" in draft.properties:
        return False
    draft.rename(name, "subject")
    draft.properties["subject"]["description"] = f"What it is about (formerly `{name}`)."
    return True


def rename_bare(draft: Draft) -> bool:
    """An unrelated name at the end without a description: it could be something else."""
    name = draft.pick(*SCALARS)
    if name is None or "zone" in draft.properties:
        return False
    draft.rename(name, "zone")
    moved = {key: one for key, one in draft.properties.pop("zone").items() if key == "type"}
    draft.properties["zone"] = moved
    draft.is_open = True
    return True


def rename_nested(draft: Draft) -> bool:
    """A property of an object parameter is spelt in another way."""
    name = _object_in(draft)
    if name is None:
        return False
    value, inner = draft.call[name], draft.properties[name]["properties"]
    assert isinstance(value, dict)
    assert isinstance(inner, dict)
    for key in [*inner]:
        new = other_style(key)
        if new is None or new in inner or key not in value:
            continue
        items = [(new if one == key else one, schema) for one, schema in inner.items()]
        draft.properties[name]["properties"] = dict(items)
        needed = draft.properties[name].get("required")
        if isinstance(needed, list):
            draft.properties[name]["required"] = [new if one == key else one for one in needed]
        renamed = {new if one == key else one: part for one, part in value.items()}
        draft.set_right(name, renamed)
        return True
    return False


def replaced(draft: Draft) -> bool:
    """A parameter goes; an unrelated optional one of the same type comes at its place."""
    name = draft.pick("string")
    if name is None or name in draft.required or "locale" in draft.properties:
        return False
    draft.rename(name, "locale")
    draft.properties["locale"] = {"type": "string", "description": "Language of the messages."}
    if draft.right is not None:
        del draft.right["locale"]
    draft.is_open = True
    return True


def replaced_required(draft: Draft) -> bool:
    """A required parameter goes; an unrelated required one of the same type comes."""
    name = draft.pick("string")
    if name is None or name not in draft.required or "workspace" in draft.properties:
        return False
    draft.rename(name, "workspace")
    draft.properties["workspace"] = {"type": "string", "description": "The workspace to use."}
    draft.forget()
    return True


def split(draft: Draft) -> bool:
    """A text becomes two."""
    name = draft.pick("string")
    if name is None:
        return False
    schema = draft.properties.pop(name)
    for part in (f"{name}_first", f"{name}_second"):
        draft.properties[part] = {**schema, "description": f"A part of {name}."}
        draft.required.append(part)
    if name in draft.required:
        draft.required.remove(name)
    draft.forget()
    return True


def swapped(draft: Draft) -> bool:
    """Two texts exchange their names."""
    one, two = draft.pick("string"), draft.pick("string")
    if one is None or two is None or draft.right is None:
        return False
    here, there = draft.properties[one], draft.properties[two]
    if len(draft.said(one)) < 5 or len(draft.said(two)) < 5 or here == there:
        return False
    draft.properties[one], draft.properties[two] = there, here
    draft.give(one, "first")
    draft.give(two, "second")
    draft.right[one], draft.right[two] = "second", "first"
    draft.is_open = True
    return True


def nest_in(draft: Draft) -> bool:
    """Some parameters move into one object."""
    names = [name for name in (draft.pick(*SCALARS, plain=False) for _ in range(2)) if name]
    if not names or "options" in draft.properties:
        return False
    needed: list[Json] = [name for name in names if name in draft.required]
    inner: JsonObject = {name: draft.properties.pop(name) for name in names}
    draft.properties["options"] = {"type": "object", "properties": inner, "required": needed}
    draft.touched.add("options")
    for name in needed:
        draft.required.remove(name)
    if needed:
        draft.required.append("options")
    if draft.right is not None:
        moved: JsonObject = {name: draft.right.pop(name) for name in names}
        draft.right["options"] = moved
    return True


def nest_out(draft: Draft) -> bool:
    """The properties of an object parameter become parameters."""
    name = _object_in(draft)
    if name is None or draft.right is None:
        return False
    value, inner = draft.call[name], draft.properties[name]["properties"]
    assert isinstance(value, dict)
    assert isinstance(inner, dict)
    if set(inner) & set(draft.properties):
        return False
    needed = draft.properties[name].get("required")
    del draft.properties[name]
    for key, schema in inner.items():
        assert isinstance(schema, dict)
        draft.properties[key] = schema
        draft.touched.add(key)
    if name in draft.required:
        draft.required.remove(name)
        draft.required.extend(needed if isinstance(needed, list) else [])
    del draft.right[name]
    draft.right.update(value)
    return True


def required_with_default(draft: Draft) -> bool:
    """A new required parameter that says what it is by default."""
    if "encoding" in draft.properties:
        return False
    said = "How texts are encoded."
    draft.properties["encoding"] = {"type": "string", "default": "utf-8", "description": said}
    draft.required.append("encoding")
    draft.set_right("encoding", "utf-8")
    draft.touched.add("encoding")
    return True


def required_without_default(draft: Draft) -> bool:
    """A new required parameter."""
    if "tenant" in draft.properties:
        return False
    draft.properties["tenant"] = {"type": "string", "description": "The tenant to act for."}
    draft.required.append("tenant")
    draft.touched.add("tenant")
    draft.forget()
    return True


def now_required(draft: Draft) -> bool:
    """An optional parameter with a default that the call leaves out has to be given."""
    name = draft.pick(*SCALARS, given=False, plain=False)
    if name is None or draft.properties[name].get("default") is None:
        return False
    draft.required.append(name)
    draft.set_right(name, draft.properties[name]["default"])
    return True


def now_required_other_default(draft: Draft) -> bool:
    """As before, and the default is another one: the call meant the old one."""
    name = draft.pick("integer", given=False)
    default = draft.properties[name].get("default") if name else None
    if name is None or not isinstance(default, int) or "maximum" in draft.properties[name]:
        return False
    draft.required.append(name)
    draft.properties[name]["default"] = default + 1
    draft.set_right(name, default)
    draft.is_open = True
    return True


def default_changed(draft: Draft) -> bool:
    """A parameter that the call leaves out means something else now."""
    name = draft.pick("integer", "boolean", given=False)
    default = draft.properties[name].get("default") if name else None
    if name is None or not isinstance(default, int) or "maximum" in draft.properties[name]:
        return False
    draft.properties[name]["default"] = not default if isinstance(default, bool) else default + 1
    draft.set_right(name, default)
    draft.is_open = True
    return True


def removed(draft: Draft) -> bool:
    """A parameter that the call gives is gone; what it did may matter."""
    name = draft.pick(*SCALARS, "array", "object", plain=False)
    if name is None or draft.right is None:
        return False
    del draft.properties[name]
    if name in draft.required:
        draft.required.remove(name)
    del draft.right[name]
    draft.is_open = True
    return True


def removed_unused(draft: Draft) -> bool:
    """A parameter that the call leaves out is gone."""
    name = draft.pick(*SCALARS, "array", "object", given=False, plain=False)
    if name is None:
        return False
    # One with a default had an effect.
    if "default" in draft.properties[name]:
        return False
    del draft.properties[name]
    draft.still_fits = True
    return True


def optional_added(draft: Draft) -> bool:
    """A new optional parameter."""
    if "verbosity" in draft.properties:
        return False
    draft.properties["verbosity"] = {"type": "integer", "description": "How much is reported."}
    draft.touched.add("verbosity")
    draft.still_fits = True
    return True


def description_only(draft: Draft) -> bool:
    """The tool is described in other words."""
    draft.new["description"] = f"{draft.new.get('description', '')} See the manual for examples."
    draft.still_fits = True
    return True


def annotations_changed(draft: Draft) -> bool:
    """The tool says that it destroys something."""
    given = draft.new.get("annotations")
    draft.new["annotations"] = {
        **(given if isinstance(given, dict) else {}),
        "destructiveHint": not (isinstance(given, dict) and given.get("destructiveHint")),
    }
    draft.still_fits = True
    return True


def tool_renamed(draft: Draft) -> bool:
    """The tool has another name and is the same otherwise."""
    name = str(draft.old["name"])
    draft.new["name"] = other_style(name) or f"{'_'.join(words_of(name))}_v2"
    return draft.new["name"] != name


SINGLE: dict[str, Mutation] = {
    one.__name__: one
    for one in (
        *(rename_style, rename_synonym, rename_said, rename_bare, rename_nested),
        *(replaced, replaced_required, split, swapped, nest_in, nest_out),
        *(required_with_default, required_without_default, now_required),
        *(now_required_other_default, default_changed, removed, removed_unused, optional_added),
        *(description_only, annotations_changed, tool_renamed),
    )
} | VALUES


def _object_in(draft: Draft) -> str | None:
    """Choose an object parameter with known properties, and give all of them."""
    name = draft.pick("object") or draft.pick("object", given=False)
    inner = draft.properties[name].get("properties") if name else None
    if name is None or not isinstance(inner, dict) or not inner:
        return None
    given = {key: example_value(schema) for key, schema in inner.items()}
    value: JsonObject = {key: one for key, (one, wrong) in given.items() if not wrong}
    draft.give(name, value)
    return name
