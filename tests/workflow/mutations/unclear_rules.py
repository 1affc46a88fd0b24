"""Faults with two readings, and two at once: what a fix may not decide, or must decide twice.

Those of `unclear` rules have several answers or none, so that a patch is a guess. The others have
one, the document they were made from; any other valid document is a wrong fix.
"""

import re
import zlib
from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any, cast

from tests.workflow.mutations.rules import PARTS, Document, Mutation, typos

from toolweave.catalog.spec import Field, NodeSpec

Fields = dict[str, dict[str, Field]]
_COMPARED = re.compile(r"\s*([\w.]+)\s*(==|!=|>=|<=|>|<)\s*('[^']*'|\"[^\"]*\"|[\d.]+)\s*")
_REFERENCE = re.compile(r"\{\{\s*([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)+)\s*\}\}")
MAX_PAIRS = 2
# Rules by which a document does not always tell what it was made from.
UNDECIDED = frozenset(
    {"swapped-values", "option-of-other", "name-between", "left-out", "reference-of-other"}
)


def fields_of(spec: NodeSpec) -> Fields:
    """The settings and the inputs of a node by their names."""
    given = (spec.all_configurations, spec.inputs)
    return {
        part: {one.name: one for one in fields} for part, fields in zip(PARTS, given, strict=True)
    }


def unclear(document: Document, at: int, spec: NodeSpec) -> Iterator[Mutation]:
    """Every fault of this kind in one node."""
    fields = fields_of(spec)
    yield from _swapped_values(document, at, fields)
    yield from _options_of_others(document, at, fields)
    yield from _between_options(document, at, fields)
    yield from _between_names(document, at, fields)
    yield from _two_at_once(document, at, fields)
    yield from _left_out(document, at, fields)
    yield from _numbers(document, at, fields)
    yield from _conditions(document, at, fields)


def _given(document: Document, at: int, part: str) -> Document:
    found: Document = document["nodes"][at]["data"].get(part) or {}
    return found


def _made(
    document: Document, at: int, part: str, values: Document, rule: str, detail: str, *, open: bool
) -> Mutation:
    nodes = list(document["nodes"])
    nodes[at] = {**nodes[at], "data": {**nodes[at]["data"], part: values}}
    made = {**document, "nodes": nodes}
    return Mutation(rule, (f"/nodes/{at}",), made, None, detail, is_unclear=open)


def _own(document: Document, at: int, fields: Fields) -> Iterator[tuple[str, Document, Field]]:
    for part, known in fields.items():
        given = _given(document, at, part)
        for name in given:
            if name in known:
                yield part, given, known[name]


def _swapped_values(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """The values of two settings, exchanged."""
    for part, known in fields.items():
        given = _given(document, at, part)
        for one, other in combinations([name for name in given if name in known], 2):
            if given[one] != given[other]:
                new = {**given, one: given[other], other: given[one]}
                detail = f"{one} <-> {other}"
                yield _made(document, at, part, new, "swapped-values", detail, open=False)


def _options_of_others(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """A value that another setting of the node has as an option."""
    for part, given, field in _own(document, at, fields):
        for other in fields[part].values():
            for option in other.options[:2] if other.name != field.name else ():
                if option not in field.options and option != given[field.name]:
                    new = {**given, field.name: option}
                    detail = f"{field.name} = {option!r} of {other.name}"
                    yield _made(document, at, part, new, "option-of-other", detail, open=False)


def _between_options(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """A word that is as near to one option as to another."""
    for part, given, field in _own(document, at, fields):
        options = [*field.options]
        if field.is_open:
            continue
        for one, other in list(combinations(options, 2))[:60]:
            for rule, value in _common(one, other, options):
                new = {**given, field.name: value}
                detail = f"{field.name} = {value!r} ({one}, {other})"
                yield _made(document, at, part, new, rule, detail, open=True)


def _common(one: str, other: str, options: list[str]) -> Iterator[tuple[str, Any]]:
    mine, theirs = re.split(r"[_\-]", one), re.split(r"[_\-]", other)
    known = {each.lower() for each in options}
    shared = [
        "_".join(words)
        for size in (1, 2)
        for words, same in ((mine[:size], theirs[:size]), (mine[-size:], theirs[-size:]))
        if words == same and len(words) < min(len(mine), len(theirs))
    ]
    yield from (
        ("unclear-option-word", text) for text in dict.fromkeys(shared) if text not in known
    )
    begin = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    if begin and one[:begin].rstrip("_-") not in {*known, *shared}:
        yield "unclear-option-start", one[:begin].rstrip("_-")
    if len(one) == len(other) >= 3 and sum(a != b for a, b in zip(one, other, strict=True)) == 1:
        yield "unclear-option-letter", f"{one[:begin]}x{one[begin + 1 :]}"
    for text in (f"{one}|{other}", f"{one} or {other}", f"{one}_{other}"):
        if text not in known:
            yield "unclear-option-both", text
    yield "unclear-option-list", [one, other]


def _between_names(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """A setting under a word that another free setting has too."""
    for part, given, field in _own(document, at, fields):
        known = fields[part]
        rest = {key: value for key, value in given.items() if key != field.name}
        for other in known.values():
            if other.name == field.name or other.name in given:
                continue
            for rule, name in _common(field.name, other.name, list(known)):
                if rule in {"unclear-option-word", "unclear-option-start"} and len(name) > 2:
                    new = {**rest, name: given[field.name]}
                    detail = f"{field.name} -> {name} ({other.name})"
                    yield _made(document, at, part, new, "name-between", detail, open=False)


def _changes(given: Document, field: Field) -> list[tuple[str, str, Any]]:
    """Misspellings of a setting's name and of its option: the rule, the name and the value."""
    name, value = field.name, given[field.name]
    found = [(kind, wrong, value) for kind, wrong in typos(name)]
    if isinstance(value, str) and value in field.options and not field.is_open:
        found += [(f"value-{kind}", name, wrong) for kind, wrong in typos(value)]
    return found


def _two_at_once(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """Two misspellings in one node, of two settings or of a name and its value."""
    for part, known in fields.items():
        given = _given(document, at, part)
        taken = {*known}
        for one, other in combinations([name for name in given if name in known], 2):
            pairs = [
                (mine, theirs)
                for mine in _changes(given, known[one])
                for theirs in _changes(given, known[other])
                if {mine[1], theirs[1]} - {one, other} <= {mine[1], theirs[1]} - taken
            ]
            pairs.sort(key=lambda pair: zlib.crc32(repr(pair).encode()))
            for mine, theirs in pairs[:MAX_PAIRS]:
                new = {
                    {one: mine[1], other: theirs[1]}.get(key, key): {
                        one: mine[2],
                        other: theirs[2],
                    }.get(key, value)
                    for key, value in given.items()
                }
                detail = f"{mine[1]} = {mine[2]!r}; {theirs[1]} = {theirs[2]!r}"
                yield _made(document, at, part, new, "two-misspellings", detail, open=False)


def _left_out(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """A setting or an input that is missing."""
    for part, given, field in _own(document, at, fields):
        rest = {key: value for key, value in given.items() if key != field.name}
        yield _made(document, at, part, rest, "left-out", field.name, open=False)


def _numbers(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """Numbers that say two things."""
    for part, given, field in _own(document, at, fields):
        value = given[field.name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        for text in (
            *(f"{value}-{value * 2}", f"{value} or {value + 1}", f"{value}/{value + 1}"),
            *(f"{value}, {value + 1}", f"{value} {value + 1}", f"more than {value}", f"<{value}"),
        ):
            new = {**given, field.name: text}
            detail = f"{field.name} = {text!r}"
            yield _made(document, at, part, new, "unclear-number", detail, open=True)
        both = {**given, field.name: [value, value + 1]}
        detail = f"{field.name} = {both[field.name]!r}"
        yield _made(document, at, part, both, "unclear-number-list", detail, open=True)


def _conditions(document: Document, at: int, fields: Fields) -> Iterator[Mutation]:
    """Conditions that two languages read in two ways."""
    for part, given, field in _own(document, at, fields):
        text = given[field.name]
        found = _COMPARED.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            continue
        path, operator, value = found.groups()
        for other in (
            f"{path} {operator} {value} or 'other'",
            f"{path} {operator} {value} || 7",
            f"!{path} {operator} {value}",
            f"{path} {operator} {value} {path} != 'x'",
            f"{path} {operator} {value} and",
            f"{path} {operator} {value}, {path} != 'x'",
            f"{path} {operator} {value}; {path} != 'x'",
            f"{path} {operator} {value} if {path}",
            f"{path} {operator}",
            f"{path} {value}",
            f"{path} ? {value}",
            f"{path} ~ {value}",
            f"{path} <> = {value}",
            f"{path} > 1,500",
            f"{path} between {value}",
            f"{path} & {value}",
        ):
            new = {**given, field.name: other}
            detail = f"{field.name} = {other!r}"
            yield _made(document, at, part, new, "unclear-condition", detail, open=True)


def other_nodes(document: Document) -> Iterator[Mutation]:
    """References and edges that name another node, or one that is as near as the right one."""
    ids = [str(one["id"]) for one in document["nodes"]]
    text_of = [(at, one) for at, one in enumerate(document["nodes"])]
    for at, node in text_of:
        for path, text in strings(node.get("data", {})):
            if (found := _REFERENCE.search(text)) is None or found[1] not in ids:
                continue
            for other in ids:
                if other != found[1] and other != ids[at]:
                    new = text.replace(found[0], f"{{{{ {other}{found[2]} }}}}", 1)
                    made = _with_text(document, at, path, new)
                    place = (f"/nodes/{at}",)
                    yield Mutation("reference-of-other", place, made, None, new)
            twin = _with_twin(document, ids, found[1])
            new = text.replace(found[0], f"{{{{ {found[1]}z{found[2]} }}}}", 1)
            made = _with_text(twin, at, path, new)
            yield Mutation("unclear-reference", (f"/nodes/{at}",), made, None, new, is_unclear=True)
    for at, edge in enumerate(_edges(document)):
        for end in ("from", "to"):
            twin = _with_twin(document, ids, edge[end])
            twin["connections"][at] = {**edge, end: f"{edge[end]}z"}
            place = (f"/connections/{at}",)
            yield Mutation("unclear-end", place, twin, None, f"{edge[end]}z", is_unclear=True)


def _edges(document: Document) -> list[Document]:
    given = document.get("connections")
    listed = cast("list[Any]", given) if isinstance(given, list) else []
    return [one for one in listed if isinstance(one, dict) and {"from", "to"} <= one.keys()]


def _with_twin(document: Document, ids: list[str], id: str) -> Document:
    """The document with a second node like one of them, with `s` behind its id."""
    made = deepcopy(document)
    if f"{id}s" in ids or id not in ids:
        return made
    twin = deepcopy(made["nodes"][ids.index(id)])
    made["nodes"].append({**twin, "id": f"{id}s", "name": f"{twin.get('name', id)} again"})
    for edge in _edges(document):
        if id in {edge["from"], edge["to"]}:
            ends = {end: f"{id}s" if edge[end] == id else edge[end] for end in ("from", "to")}
            made["connections"].append({**edge, **ends, "id": f"{edge.get('id')}-s"})
    return made


def strings(
    value: Any, at: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every text in a value with the steps to it."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, list | dict):
        inner = cast("Document | list[Any]", value)
        items: Any = inner.items() if isinstance(inner, dict) else enumerate(inner)
        for key, one in items:
            yield from strings(one, (*at, key))


def _with_text(document: Document, at: int, path: tuple[str | int, ...], text: str) -> Document:
    made = deepcopy(document)
    owner: Any = made["nodes"][at]["data"]
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = text
    return made
