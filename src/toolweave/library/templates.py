"""Prompt templates in all forms of repositories, parsed into one, and filled once.

A file holds a list of templates, one template, or the older form of sections with `{{name}}`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolweave import json_text
from toolweave.cel.language import Value
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.problems import did_you_mean
from toolweave.workflow.prompt_templates import as_single, fill_prompt, read_prompt


@dataclass(frozen=True, slots=True)
class Variable:
    """A placeholder name; without a default it is required."""

    name: str
    description: str | None = None
    default: Json = None
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class ValueSet:
    """Values stored together under a name."""

    id: str
    name: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A text with `{name}` placeholders and what is known of the names."""

    name: str
    id: str | None
    text: str
    title: str | None = None
    description: str | None = None
    version: str | None = None
    variables: tuple[Variable, ...] = ()
    sets: tuple[ValueSet, ...] = ()
    # Files of the repository that its prompt carries, by path.
    attachments: tuple[str, ...] = ()

    @property
    def defaults(self) -> JsonObject:
        """Return the values of names that have one."""
        return {one.name: one.default for one in self.variables if one.default is not None}

    def as_json(self) -> JsonObject:
        """Return it as JSON."""
        shown: JsonObject = {
            "name": self.name,
            "id": self.id,
            "title": self.title or self.name,
            "description": self.description,
            "version": self.version,
            "template": self.text,
            "variables": [_shown_variable(one) for one in self.variables],
            "variableValueSets": [_shown_set(one) for one in self.sets],
            "attachments": list(self.attachments) or None,
        }
        return {key: value for key, value in shown.items() if value is not None}


def read_templates(document: Json, stem: str) -> Iterator[PromptTemplate]:
    """Return every template of a file. Raises `PARSE_ERROR` for a file of another form."""
    if isinstance(document, dict):
        listed = document.get("templates")
        if isinstance(listed, list):
            for one in listed:
                if isinstance(one, dict) and isinstance(one.get("template"), str):
                    yield _template(one, None)
            return
        if isinstance(document.get("template"), str):
            yield _template(document, stem)
            return
        if isinstance(document.get("results"), list):
            yield _sections(document, stem)
            return
    raise Invalid(
        "PARSE_ERROR",
        "this is not a template file: it has neither 'templates' nor 'template' nor 'results'",
    )


def again(shown: Json) -> PromptTemplate:
    """Parse the output of `as_json`."""
    document = shown if isinstance(shown, dict) else {}
    return _template(document, _text(document, "name"))


def template_named(templates: Sequence[PromptTemplate], wanted: str) -> PromptTemplate:
    """Return a template by name, title or id. Raises `TEMPLATE_NOT_FOUND`."""
    for place in ("name", "id", "title"):
        for template in templates:
            if getattr(template, place) == wanted:
                return template
    raise NotFound(
        "TEMPLATE_NOT_FOUND",
        f"Template not found: {wanted[:200]}",
        hint=did_you_mean(wanted, [one.name for one in templates])
        or "`toolweave library show NAME` lists the templates",
    )


def fill(template: PromptTemplate, values: Mapping[str, Json]) -> str:
    """Return the text with every name filled in once."""
    known = {**template.defaults, **values}
    placeholders = read_prompt(template.text, "single").placeholders
    names = dict.fromkeys(placeholder.content for placeholder in placeholders)
    found = {name: _value_of(name, known) for name in names}
    missing = [name for name, value in found.items() if value is None]
    if missing:
        raise Invalid(
            "MISSING_VARIABLES",
            f"Missing required variables: {', '.join(missing)}",
            hint="give each of them a value",
            facts={"variables": missing},
        )
    filled = fill_prompt(template.text, lambda name: found[name] or Value(None), "single")
    return filled.value if isinstance(filled.value, str) else ""


def _value_of(name: str, known: Mapping[str, Json]) -> Value | None:
    """The value of a name, or of a path such as `city.name`; nothing where it is not known."""
    if name in known:
        return Value(known[name])
    value: Json = dict(known)
    for step in name.split("."):
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    return Value(value)


def _template(document: JsonObject, stem: str | None) -> PromptTemplate:
    metadata = document.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    title = _text(document, "title") or _text(document, "name") or _text(about, "name")
    text = as_single(str(document.get("template", "")))
    return PromptTemplate(
        name=stem or title or _text(document, "id") or "template",
        id=_text(document, "id"),
        text=text,
        title=title,
        description=_text(document, "description") or _text(about, "description"),
        version=_text(document, "version") or _text(about, "version"),
        variables=_variables(document.get("variables"), text),
        sets=tuple(_sets(document.get("variableValueSets"))),
        attachments=_attachments(document.get("attachments")),
    )


def _attachments(listed: Json) -> tuple[str, ...]:
    names = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    if listed is not None and (not isinstance(listed, list) or len(names) < len(listed)):
        raise Invalid("PARSE_ERROR", "'attachments' must be a list of file names")
    return tuple(names)


def _sections(document: JsonObject, stem: str) -> PromptTemplate:
    """Parse the older form: sections of text."""
    metadata = document.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    parts: list[str] = []
    results = document["results"]
    for one in results if isinstance(results, list) else ():
        if isinstance(one, dict) and isinstance(one.get("content"), str):
            section = _text(one, "section")
            content = as_single(str(one["content"]))
            parts.append(f"## {section}\n\n{content}" if section else content)
    # A single section is the text itself.
    text = parts[0].partition("\n\n")[2] or parts[0] if len(parts) == 1 else "\n\n".join(parts)
    return PromptTemplate(
        name=stem,
        id=_text(about, "id"),
        text=text,
        title=_text(about, "name"),
        description=_text(about, "description"),
        version=_text(about, "version"),
        variables=_variables(document.get("variables"), text),
        sets=tuple(_sets(document.get("variableValueSets"))),
    )


def _variables(declared: Json, text: str) -> tuple[Variable, ...]:
    """Return declared variables, then those used only in the text."""
    found: dict[str, Variable] = {}
    for one in declared if isinstance(declared, list) else ():
        if isinstance(one, str):
            found[one] = Variable(one)
        elif isinstance(one, dict) and (name := _text(one, "name") or _text(one, "key")):
            default = one.get("default", one.get("value"))
            is_required = one.get("required") is not False and default is None
            found[name] = Variable(name, _text(one, "description"), default, is_required)
    for placeholder in read_prompt(text, "single").placeholders:
        found.setdefault(placeholder.content, Variable(placeholder.content))
    return tuple(found.values())


def _sets(listed: Json) -> Iterator[ValueSet]:
    for at, one in enumerate(listed if isinstance(listed, list) else ()):
        values = one.get("values") if isinstance(one, dict) else None
        if isinstance(one, dict) and isinstance(values, dict):
            name = _text(one, "name") or f"set {at + 1}"
            yield ValueSet(_text(one, "id") or str(at + 1), name, _texts(values))


def _texts(values: JsonObject) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json_text.write(value)
        for name, value in values.items()
    }


def _text(document: JsonObject, key: str) -> str | None:
    value = document.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def _shown_variable(one: Variable) -> JsonObject:
    shown: JsonObject = {"name": one.name, "required": one.is_required}
    if one.description:
        shown["description"] = one.description
    return shown if one.default is None else {**shown, "default": one.default}


def _shown_set(one: ValueSet) -> JsonObject:
    return {"id": one.id, "name": one.name, "values": dict(one.values)}
