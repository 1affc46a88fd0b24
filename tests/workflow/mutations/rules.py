"""Faults made by general rules from any right document: names, values, levels, references, edges.

A rule knows no node. What it changes is found by the catalog: names and options of fields, their
types, and where templates stand. Each fault has one right answer, the document it was made from.
"""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from tests.workflow.mutations.words import OTHER_LANGUAGES, SAME

from toolweave.catalog.spec import Field, NodeSpec

# Any: documents are JSON that rules put faults into.
Document = dict[str, Any]
PARTS = ("configurations", "inputParams")


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: the rule, the place, and the document or the text with it."""

    rule: str
    at: tuple[str, ...]
    document: Document | None
    text: str | None = None
    detail: str = ""
    # Without the member that has another name: only what a node needs has its own name.
    lacking: Document | None = None
    # Whether it has several answers, so that a patch is a guess.
    is_unclear: bool = False
    # Another right document.
    accepted: Document | None = None


def words_of(name: str) -> list[str]:
    """The words of a name with underscores."""
    return name.split("_")


def camel(name: str) -> str:
    """`maxTokens` for `max_tokens`."""
    head, *rest = words_of(name)
    return head + "".join(one.title() for one in rest)


def _plural(name: str) -> str:
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith("s") and not name.endswith("ss"):
        return name[:-1]
    return name[:-1] + "ies" if name.endswith("y") and name[-2] not in "aeiou" else name + "s"


def _synonyms(name: str) -> Iterator[str]:
    words = words_of(name)
    for at, word in enumerate(words):
        for line in SAME:
            same = line.split()
            if word == same[0] or (word in same[1:] and len(words) > 1):
                for other in same:
                    if other != word:
                        yield "_".join([*words[:at], other, *words[at + 1 :]])


def _foreign(name: str) -> Iterator[str]:
    words = words_of(name)
    if all(word in OTHER_LANGUAGES for word in words):
        for at in range(2):
            found = [OTHER_LANGUAGES[word] for word in words]
            yield "_".join(one[min(at, len(one) - 1)] for one in found)


def _short(name: str) -> Iterator[str]:
    words = words_of(name)
    if any(len(word) > 7 for word in words):
        yield "_".join(word[:4] if len(word) > 7 else word for word in words)


def typos(name: str) -> Iterator[tuple[str, str]]:
    """A name with two letters swapped, one left out, and one twice."""
    at = len(name) // 2
    if len(name) > 4 and name[at] != name[at - 1] and "_" not in name[at - 1 : at + 1]:
        yield "swapped", name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
    if len(name) > 4:
        yield "dropped", name[:at] + name[at + 1 :]
        yield "doubled", name[:at] + name[at] + name[at:]


def names(name: str, spec: NodeSpec) -> Iterator[tuple[str, str]]:
    """Other writings of a name, each with its rule."""
    words = words_of(name)
    yield "name-upper", name.upper()
    yield "name-spaced", " " + name + " "
    yield "name-colon", name + ":"
    yield "name-plural", _plural(name)
    yield from ((f"name-{kind}", one) for kind, one in typos(name))
    if len(words) > 1:
        yield "name-camel", camel(name)
        yield "name-pascal", "".join(one.title() for one in words)
        yield "name-kebab", name.replace("_", "-")
        yield "name-title", " ".join(one.title() for one in words)
        yield "name-joined", "".join(words)
        yield "name-dotted", ".".join(words)
        yield "name-reordered", "_".join((words[-1], *words[:-1]))
        yield "name-last-word", words[-1]
    yield from (("name-synonym", one) for one in _synonyms(name))
    yield from (("name-language", one) for one in _foreign(name))
    yield from (("name-short", one) for one in _short(name))
    vendor = spec.subtype.lower().split("_")[0]
    if not name.startswith(vendor):
        yield "name-vendor", f"{vendor}_{name}"
    for more in ("value", "param", "field"):
        if more not in words:
            yield "name-suffix", f"{name}_{more}"
    for more in ("my", "the", "node", "input"):
        if more not in words:
            yield "name-prefix", f"{more}_{name}"


def _options(value: str, field: Field) -> Iterator[tuple[str, Any]]:
    words = re.split(r"[_\-\s]", value)
    yield "option-upper", value.upper() if value != value.upper() else value.lower()
    yield "option-title", value.title()
    yield "option-spaced", f" {value} "
    yield "option-quoted", f'"{value}"'
    yield "option-stopped", f"{value}."
    yield "option-plural", _plural(value)
    yield "option-list", [value]
    yield "option-object", {"value": value}
    yield "option-field", f"{field.name}_{value}"
    yield "option-dotted", f"{field.name}.{value}"
    yield "option-namespace", f"{field.name.title().replace('_', '')}.{value.upper()}"
    yield from ((f"option-{kind}", one) for kind, one in typos(value))
    if len(words) > 1:
        yield "option-camel", camel("_".join(words))
        yield "option-kebab", "-".join(words) if "_" in value else "_".join(words)
        yield "option-words", " ".join(one.title() for one in words)
        yield "option-joined", "".join(words)
        yield "option-reordered", "_".join((words[-1], *words[:-1]))
    yield from (("option-synonym", one) for one in _synonyms("_".join(words)))
    yield from (("option-language", one) for one in _foreign("_".join(words)))


def _unit_of(field: Field) -> str | None:
    found = re.search(r"_(seconds|minutes|hours|days|ms)$", field.name)
    return found[1] if found else None


def _numbers(value: float, field: Field) -> Iterator[tuple[str, Any]]:
    yield "number-text", str(value)
    yield "number-padded", f" {value} "
    yield "number-list", [value]
    yield "number-object", {"value": value}
    yield "number-quoted", f"'{value}'"
    if isinstance(value, int):
        yield "number-decimal-text", f"{value}.0"
        if value >= 1000:
            yield "number-grouped", f"{value:_}"
            yield "number-comma", f"{value:,}"
    if field.type == "float" and 0 < value < 1:
        yield "number-percent", f"{round(value * 100)}%"
        yield "number-decimal-comma", str(value).replace(".", ",")
    if (unit := _unit_of(field)) is not None:
        yield "number-unit", f"{value} {unit}"
        yield "number-unit", f"{value}{unit[:2] if unit == 'ms' else unit[0]}"
        if unit == "seconds" and isinstance(value, int) and value % 60 == 0 and value:
            yield "number-unit", f"{value // 60} minutes"
            yield "number-unit", f"PT{value // 60}M"
    last = words_of(field.name)[-1]
    if unit is None and last.endswith("s"):
        yield "number-noun", f"{value} {last}"


def _texts(value: str) -> Iterator[tuple[str, Any]]:
    yield "text-list", [value]
    yield "text-object", {"value": value}
    yield "text-object", {"type": "string", "value": value}
    if re.fullmatch(r"https://[\w.-]+/\S*", value) and "{{" not in value:
        yield "text-no-scheme", value.removeprefix("https://")
        yield "text-one-slash", value.replace("://", ":/", 1)
        yield "text-angle", f"<{value}>"
        yield "text-markdown-link", f"[{value}]({value})"
        yield "text-quoted", f'"{value}"'
        yield "text-scheme-typo", value.replace("https", "htps", 1)
    if re.fullmatch(r"[\w.-]+@[\w.-]+", value):
        yield "text-mailto", f"mailto:{value}"
        yield "text-angle", f"<{value}>"


def _lists(value: list[Any]) -> Iterator[tuple[str, Any]]:
    texts = [one for one in value if isinstance(one, str)]
    yield "list-json", json.dumps(value)
    yield "list-object", {"items": value}
    yield "list-object", {"value": value}
    yield "list-nested", [value]
    yield "list-numbered", {str(at): one for at, one in enumerate(value)}
    if len(value) == 1:
        yield "list-bare", value[0]
    if texts == value and all(re.fullmatch(r"[\w@./-]+", one) for one in texts):
        if len(value) > 1:
            yield "list-comma", ", ".join(texts)
            yield "list-semicolon", ";".join(texts)
            yield "list-lines", "\n".join(texts)
            yield "list-bullets", "\n".join(f"- {one}" for one in texts)
            yield "list-spaces", " ".join(texts)
        yield "list-of-objects", [{"value": one} for one in texts]
        yield "list-of-objects", [{"name": one} for one in texts]
        yield "list-python", repr(texts)
        yield "list-flags", dict.fromkeys(texts, True)


def _objects(value: dict[str, Any], field: Field) -> Iterator[tuple[str, Any]]:
    yield "object-json", json.dumps(value)
    yield "object-list", [value]
    yield "object-value", {"value": value}
    yield "object-named", {field.name: value}
    yield "object-python", repr(value)
    if all(isinstance(one, str | int | float | bool) for one in value.values()):
        yield "object-pairs", [{"name": key, "value": one} for key, one in value.items()]
        yield "object-pairs", [{"key": key, "value": one} for key, one in value.items()]
        yield "object-tuples", [[key, one] for key, one in value.items()]
        yield "object-singles", [{key: one} for key, one in value.items()]
        if all(_is_plain(one) for one in value.values()):
            yield "object-lines", "\n".join(f"{key}: {one}" for key, one in value.items())


def _is_plain(value: Any) -> bool:
    """Whether a value is read as itself where a line does not say that it is a text."""
    try:
        return json.loads(str(value)) == value
    except ValueError:
        return isinstance(value, str)


def inner_names(value: Any, field: Field) -> Iterator[tuple[str, Any, Any]]:
    """Other names of a member of an object in a value: the rule, the value, and without it."""
    if field.type not in {"object", "array"}:
        return
    items = cast("list[Any]", value if isinstance(value, list) else [value])
    for at, given in enumerate(items[:2]):
        item = cast("Document", given if isinstance(given, dict) else {})
        for key in item:
            without = {name: one for name, one in item.items() if name != key}
            for rule, other in _inner(key):
                if other not in item:
                    new = {(other if name == key else name): one for name, one in item.items()}
                    yield f"inner-{rule}", _put(value, at, new), _put(value, at, without)


def _inner(key: str) -> Iterator[tuple[str, str]]:
    yield "upper", key.upper()
    yield from typos(key)
    if "_" in key:
        yield "camel", camel(key)
        yield "kebab", key.replace("_", "-")
    yield from (("synonym", one) for one in _synonyms(key))
    yield from (("language", one) for one in _foreign(key))


def _put(value: Any, at: int, item: Any) -> Any:
    return [*value[:at], item, *value[at + 1 :]] if isinstance(value, list) else item


def _switches(value: bool) -> Iterator[tuple[str, Any]]:
    for one in (str(value), str(value).lower(), "yes" if value else "no", int(value)):
        yield "switch-text", one
    yield "switch-list", [value]
    yield "switch-object", {"value": value}
    yield "switch-word", "on" if value else "off"
    yield "switch-word", "enabled" if value else "disabled"


def _items(value: list[Any], field: Field) -> Iterator[tuple[str, Any]]:
    for one in value:
        if isinstance(one, str) and one in field.options and not field.is_open:
            for rule, other in _options(one, field):
                if isinstance(other, str):
                    yield f"item-{rule}", [other if it == one else it for it in value]


def values(value: Any, field: Field) -> Iterator[tuple[str, Any]]:
    """Other writings of a value that say the same, each with its rule."""
    match value:
        case bool():
            yield from _switches(value)
        case int() | float():
            yield from _numbers(value, field)
        case str() if field.options and value in field.options and not field.is_open:
            yield from _options(value, field)
        case str() if "{{" not in value and field.type == "string":
            yield from _texts(value)
        case list() if value and field.type == "array":
            yield from _lists(cast("list[Any]", value))
            yield from _items(cast("list[Any]", value), field)
        case dict() if value and field.type == "object":
            yield from _objects(cast("Document", value), field)
        case _:
            return


_CONTAINERS = {
    "configurations": ("config", "configuration", "settings", "options", "parameters", "params"),
    "inputParams": ("inputs", "input", "input_params", "arguments", "args", "params", "with"),
}


def _changed(document: Document, at: int, change: Callable[[Document], object]) -> Document:
    made = deepcopy(document)
    change(made["nodes"][at])
    return made


def levels(document: Document, at: int) -> Iterator[Mutation]:
    """Keys and parts one level up or down, in the other part, or under another name."""
    for part in PARTS:
        given: Document = document["nodes"][at]["data"].get(part) or {}
        other = PARTS[1 - PARTS.index(part)]
        for name in given:
            yield from _moved(document, at, part, name, other)
        for rule, detail, change in _whole_part(part) if given else ():
            made = _changed(document, at, change)
            yield Mutation(rule, (f"/nodes/{at}",), made, None, f"{part} {detail}")


_Change = Callable[[Document], object]


def _whole_part(part: str) -> Iterator[tuple[str, str, _Change]]:
    def wrap(one: Document, name: str) -> None:
        one["data"][part] = {name: one["data"][part]}

    def rename(one: Document, name: str) -> None:
        one["data"][name] = one["data"].pop(part)

    def outside(one: Document, name: str) -> None:
        one[name] = one["data"].pop(part)

    def spread(one: Document) -> None:
        one["data"] |= one["data"].pop(part)

    for name in (part, "parameters", "values"):
        yield "level-wrapped", name, partial(wrap, name=name)
    for name in _CONTAINERS[part]:
        yield "part-renamed", name, partial(rename, name=name)
        yield "part-outside", name, partial(outside, name=name)
    yield "part-beside-data", "", partial(outside, name=part)
    yield "part-spread", "", spread


def _moved(document: Document, at: int, part: str, name: str, other: str) -> Iterator[Mutation]:
    place = f"/nodes/{at}"

    def up(one: Document) -> None:
        one["data"][name] = one["data"][part].pop(name)

    def out(one: Document) -> None:
        one[name] = one["data"][part].pop(name)

    def across(one: Document) -> None:
        one["data"].setdefault(other, {})[name] = one["data"][part].pop(name)

    def down(one: Document) -> None:
        one["data"][part]["options"] = {name: one["data"][part].pop(name)}

    for rule, change in (
        ("level-up", up),
        ("level-out", out),
        ("level-across", across),
        ("level-down", down),
    ):
        yield Mutation(rule, (place,), _changed(document, at, change), None, name)


def kinds(document: Document, at: int) -> Iterator[Mutation]:
    """The type and subtype of a node in other writings."""
    node = document["nodes"][at]
    kind, subtype = node["type"], node["data"]["subtype"]

    def with_kind(new: str, sub: str | None = None) -> Document:
        def change(one: Document) -> None:
            one["type"] = new
            one["data"].pop("subtype")
            if sub is not None:
                one["data"]["subtype"] = sub

        return _changed(document, at, change)

    for rule, made in (
        ("kind-joined", with_kind(f"{kind}.{subtype}")),
        ("kind-joined", with_kind(f"{kind}/{subtype}")),
        ("kind-joined", with_kind(f"{kind}_{subtype}")),
        ("kind-subtype-only", with_kind(subtype)),
        ("kind-lower", with_kind(kind.lower(), subtype.lower())),
        ("kind-camel", with_kind(camel(kind.lower()), camel(subtype.lower()))),
        ("kind-kebab", with_kind(kind, subtype.lower().replace("_", "-"))),
        ("kind-title", with_kind(kind.title(), subtype.title())),
        ("kind-node", with_kind(f"{kind}_NODE", subtype)),
        ("kind-swapped", with_kind(subtype, kind)),
        ("kind-full-subtype", with_kind(kind, f"{kind}.{subtype}")),
        ("kind-prefixed", with_kind(kind, f"{kind}_{subtype}")),
        ("kind-node", with_kind(kind, f"{subtype}_NODE")),
        ("kind-camel-node", with_kind(f"{camel(subtype.lower())}Node")),
    ):
        yield Mutation(rule, (f"/nodes/{at}",), made)
    for rule, one in typos(subtype):
        yield Mutation(f"kind-{rule}", (f"/nodes/{at}",), with_kind(kind, one), None, one)
    for key in ("sub_type", "subType", "kind", "nodeType", "operation"):

        def rename(one: Document, key: str = key) -> None:
            one["data"][key] = one["data"].pop("subtype")

        yield Mutation("kind-key", (f"/nodes/{at}",), _changed(document, at, rename), None, key)
