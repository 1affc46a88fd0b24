"""A tool that is being changed, with a call of it and the call that would be right afterwards."""

import copy
import random
import re
from dataclasses import dataclass, field

from tests.tools.example import example_arguments, example_value

from toolweave.json_text import Json, JsonObject
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool

SCALARS = ("string", "integer", "number", "boolean")


@dataclass(slots=True)
class Draft:
    """A definition under change.

    `call` fits the old definition. `right` is the call with the same meaning after the change; None
    if the definitions do not say. `is_open`: a careful reader of both definitions could not be sure
    of `right`, so that nothing about the changed part may be offered as certain.
    """

    random: random.Random
    old: JsonObject
    new: JsonObject
    call: JsonObject
    right: JsonObject | None
    result: JsonObject | None = None
    right_result: JsonObject | None = None
    # Fields of the result that a workflow reads, and where they are afterwards; None if gone.
    moved: dict[str, str | None] = field(default_factory=dict[str, str | None])
    is_open: bool = False
    # Whether the old call, unchanged, still does the same.
    still_fits: bool = False
    touched: set[str] = field(default_factory=set[str])

    @property
    def properties(self) -> dict[str, JsonObject]:
        """The parameters of the new definition, in place."""
        schema = self.new["inputSchema"]
        assert isinstance(schema, dict)
        found = schema.setdefault("properties", {})
        assert isinstance(found, dict)
        return found  # pyright: ignore[reportReturnType]

    @property
    def required(self) -> list[Json]:
        """The names of required parameters, in place."""
        schema = self.new["inputSchema"]
        assert isinstance(schema, dict)
        found = schema.setdefault("required", [])
        assert isinstance(found, list)
        return found

    def pick(self, *kinds: str, given: bool = True, plain: bool = True) -> str | None:
        """Choose an untouched parameter of one of these types; `plain` means without options."""
        found = [
            name
            for name, schema in self.properties.items()
            if schema.get("type") in kinds
            and name not in self.touched
            and (name in self.call) == given
            and not (plain and ("enum" in schema or "const" in schema))
            and "$ref" not in str(schema)
        ]
        if not found:
            return None
        name = self.random.choice(found)
        self.touched.add(name)
        return name

    def said(self, name: str) -> str:
        """Return the description of a parameter."""
        return str(self.properties[name].get("description", ""))

    def description(self, name: str) -> JsonObject:
        """Return the description of a parameter as a part of a schema."""
        schema = self.properties[name]
        return {"description": schema["description"]} if "description" in schema else {}

    def give(self, name: str, value: Json) -> None:
        """Give a parameter this value, before and after."""
        self.call[name] = value
        if self.right is not None:
            self.right[name] = value

    def rename(self, old: str, new: str) -> None:
        """Rename a parameter in place, and in the right call."""
        items = [(new if key == old else key, one) for key, one in self.properties.items()]
        self.properties.clear()
        self.properties.update(items)
        if old in self.required:
            self.required[self.required.index(old)] = new
        if self.right is not None and old in self.right:
            self.right = {new if key == old else key: one for key, one in self.right.items()}
        self.touched.add(new)

    def set_right(self, name: str, value: Json) -> None:
        """Change the value of a parameter in the right call."""
        if self.right is not None:
            self.right[name] = value

    def forget(self) -> None:
        """Note that no right call follows from the definitions."""
        self.right = None
        self.is_open = True


def a_draft(entry: JsonObject, server: str, rng: random.Random) -> Draft | None:
    """Return a draft with a call that gives all required and some optional parameters."""
    tool = read_tool(server, entry)
    call, _ = example_arguments(tool)
    if call is None:
        return None
    properties = tool.input_schema.get("properties")
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        if name not in call and rng.random() < 0.6:
            value, problems = example_value(schema)
            more: JsonObject = {**call, name: value}
            if not problems and not check_arguments(tool, more):
                call = more
    new = copy.deepcopy(entry)
    return Draft(rng, entry, new, copy.deepcopy(call), copy.deepcopy(call))


def words_of(name: str) -> list[str]:
    """Split a name into its words, in lower case."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def other_style(name: str) -> str | None:
    """Return a name in another spelling: `max_results` as `maxResults`; None if it has one word."""
    words = words_of(name)
    if len(words) < 2:
        return None
    if "_" in name or "-" in name:
        return words[0] + "".join(word.capitalize() for word in words[1:])
    return "_".join(words)


SYNONYMS = {
    "query": "search",
    "path": "file_path",
    "id": "identifier",
    "limit": "max_results",
    "repo": "repository",
    "url": "address",
    "name": "title",
    "text": "content",
    "file": "document",
    "user": "account",
    "page": "page_number",
    "message": "body",
    "key": "issue",
    "start": "begin",
    "end": "until",
    "count": "amount",
    "type": "kind",
}


def synonym(name: str, taken: set[str]) -> str | None:
    """Return another name for the same thing."""
    words = words_of(name)
    for index, word in enumerate(words):
        if word in SYNONYMS:
            renamed = "_".join([*words[:index], SYNONYMS[word], *words[index + 1 :]])
            return renamed if renamed not in taken else None
    renamed = f"target_{'_'.join(words)}"
    return renamed if renamed not in taken else None
