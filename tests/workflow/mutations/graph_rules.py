"""Faults made by rules in references, edges, and in the text of a document."""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, cast

from tests.workflow.mutations.rules import Document, Mutation, camel, typos

_SIMPLE = re.compile(r"\{\{\s*([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)+)\s*\}\}")


def _strings(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, list):
        for index, one in enumerate(cast("list[Any]", value)):
            yield from _strings(one, f"{at}/{index}")
    elif isinstance(value, dict):
        for key, one in cast("Document", value).items():
            yield from _strings(one, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")


def _at(document: Document, steps: list[str]) -> Any:
    owner: Any = document
    for step in steps:
        owner = cast("Any", owner[int(step)] if isinstance(owner, list) else owner[step])
    return owner


def _set(document: Document, at: str, value: Any) -> Document:
    made = deepcopy(document)
    steps = [one.replace("~1", "/").replace("~0", "~") for one in at.split("/")[1:]]
    owner = _at(made, steps[:-1])
    owner[int(steps[-1]) if isinstance(owner, list) else steps[-1]] = value
    return made


def _notations(root: str, path: str, ids: set[str]) -> Iterator[tuple[str, str]]:
    """A reference as other systems write it; `path` begins with a point."""
    whole = root + path
    yield "reference-dollar", f"${{{whole}}}"
    yield "reference-github", f"${{{{ {whole} }}}}"
    yield "reference-equals", f"={{{{ {whole} }}}}"
    yield "reference-three", f"{{{{{{ {whole} }}}}}}"
    yield "reference-one", f"{{{whole}}}"
    yield "reference-percent", f"{{% {whole} %}}"
    yield "reference-angle", f"<{whole}>"
    yield "reference-angle-percent", f"<%= {whole} %>"
    yield "reference-hash", f"#{{{whole}}}"
    yield "reference-at", f"@{{{whole}}}"
    yield "reference-brackets", f"[[{whole}]]"
    yield "reference-percent-signs", f"%{whole}%"
    yield "reference-dollar-inside", f"{{{{ ${whole} }}}}"
    yield "reference-dollar-bare", f"${whole}"
    yield "reference-json-path", f"$.{whole}"
    yield "reference-dify", f"{{{{#{whole}#}}}}"
    yield "reference-optional", f"{{{{ {root}{path.replace('.', '?.')} }}}}"
    if root == "trigger":
        for other in ("input", "inputs", "$input", "$trigger", "event", "request"):
            yield "reference-trigger", f"{{{{ {other}{path} }}}}"
        yield "reference-json", f"{{{{ $json{path} }}}}"
        return
    if root not in ids:
        return
    yield "reference-n8n", f'{{{{ $node["{root}"].json{path} }}}}'
    yield "reference-n8n", f"{{{{ $('{root}').item.json{path} }}}}"
    yield "reference-n8n", f"={{{{ $('{root}').first().json{path} }}}}"
    for before in ("steps", "node", "tasks", "outputs", "results", "context"):
        yield "reference-rooted", f"{{{{ {before}.{root}{path} }}}}"
    for after in ("output", "outputs", "result", "data", "json", "response"):
        if not f"{path}.".startswith(f".{after}."):
            yield "reference-wrapped", f"{{{{ {root}.{after}{path} }}}}"
            yield "reference-rooted-wrapped", f"{{{{ steps.{root}.{after}{path} }}}}"
            if after not in {"output", "result"}:
                yield "reference-rooted-wrapped", f"{{{{ nodes['{root}'].{after}{path} }}}}"


def _same(rule: str, other: str, root: str, path: str) -> str:
    """A translation that says the same as the reference itself."""
    if rule in {"reference-json", "reference-trigger"}:
        return f"{{{{ {'input' if other.startswith('{{ $input') else 'data'}{path} }}}}"
    if wrapped := re.search(r"\b(?:steps\." + re.escape(root) + r"|nodes\['\w+'\])(\.\w+)", other):
        return f"{{{{ {root}{wrapped[1]}{path} }}}}"  # where it has such an output itself
    return f"{{{{ {root}{path} }}}}"


def _names(root: str, path: str) -> Iterator[tuple[str, str]]:
    """A reference with another writing of a name."""
    for kind, one in typos(root):
        if root not in {"trigger", "run"}:
            yield f"root-{kind}", one + path
    if "_" in root:
        yield "root-camel", camel(root) + path
        yield "root-upper", root.upper() + path
    first, *rest = path[1:].split(".")
    below = "".join(f".{one}" for one in rest)
    for kind, one in typos(first):
        yield f"field-{kind}", f"{root}.{one}{below}"
    if "_" in first:
        yield "field-camel", f"{root}.{camel(first)}{below}"
        yield "field-joined", f"{root}.{first.replace('_', '')}{below}"
    yield "field-title", f"{root}.{first.title()}{below}"


def references(document: Document) -> Iterator[Mutation]:
    """Every simple reference in other notations and with other names."""
    ids = {one.get("id") for one in document["nodes"]}
    for at, text in _strings(document):
        found = list(_SIMPLE.finditer(text))
        if not found:
            continue
        one = found[0]
        root, path = one[1], one[2]
        for rule, other in _notations(root, path, ids):
            if other.startswith("=") and one.start():
                continue  # a sign at the beginning of a text
            new = text[: one.start()] + other + text[one.end() :]
            same = text[: one.start()] + _same(rule, other, root, path) + text[one.end() :]
            made, also = _set(document, at, new), _set(document, at, same)
            yield Mutation(rule, (at,), made, None, new, accepted=also)
        for rule, other in _names(root, path):
            new = text[: one.start()] + "{{ " + other + " }}" + text[one.end() :]
            yield Mutation(rule, (at,), _set(document, at, new), None, new)


_ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("start", "end"),
    ("fromNode", "toNode"),
    ("from_node", "to_node"),
    ("sourceNodeId", "targetNodeId"),
    ("source_id", "target_id"),
    ("fromId", "toId"),
    ("parent", "child"),
    ("tail", "head"),
)
_PORT_KEYS = ("sourcePort", "from_port", "sourceHandle", "port", "output", "label", "condition")


def _edge(document: Document, at: int, change: Callable[[Document], object]) -> Document:
    made = deepcopy(document)
    change(made["connections"][at])
    return made


def edges(document: Document) -> Iterator[Mutation]:
    """Edges of the canonical dialect with other keys, ends, ports and forms."""
    listed = document.get("connections")
    if not isinstance(listed, list) or not all(
        isinstance(one, dict) and "from" in one for one in cast("list[Any]", listed)
    ):
        return
    given = cast("list[Document]", listed)
    nodes = {one["id"]: one for one in document["nodes"]}
    for at, one in enumerate(given):
        yield from _of_edge(document, at, one, nodes)
    for source, target in _ENDS:
        made = deepcopy(document)
        made["connections"] = [_with_ends(one, source, target) for one in given]
        yield Mutation("edge-keys", ("/connections",), made, None, source)
    for key in ("edges", "links", "transitions", "wires", "arrows", "flows"):
        made = {(key if name == "connections" else name): one for name, one in document.items()}
        yield Mutation("edge-list", ("", "/connections", f"/{key}"), made, None, key)
    if all(one.get("fromPort", "output") == "output" for one in given):
        made = {**document, "connections": [[one["from"], one["to"]] for one in given]}
        yield Mutation("edge-pairs", ("/connections",), made)
        made = {**document, "connections": [f"{one['from']} -> {one['to']}" for one in given]}
        yield Mutation("edge-arrows", ("/connections",), made)
        mapped: dict[str, list[str]] = {}
        for one in given:
            mapped.setdefault(one["from"], []).append(one["to"])
        yield Mutation("edge-map", ("/connections",), {**document, "connections": mapped})


def _of_edge(
    document: Document, at: int, one: Document, nodes: dict[str, Document]
) -> Iterator[Mutation]:
    place = (f"/connections/{at}",)
    for end in ("from", "to"):
        for kind, other in _ids(one[end], nodes[one[end]].get("name", "")):
            made = _edge(document, at, lambda it, end=end, other=other: it.update({end: other}))
            yield Mutation(f"end-{kind}", place, made, None, other)
    port = one.get("fromPort", "output")
    if port != "output":
        for kind, other in _ports(port):
            made = _edge(document, at, lambda it, other=other: it.update(fromPort=other))
            yield Mutation(f"port-{kind}", place, made, None, f"{port} {other}")
        for key in _PORT_KEYS:

            def rename(it: Document, key: str = key) -> None:
                it[key] = it.pop("fromPort")

            yield Mutation("port-key", place, _edge(document, at, rename), None, key)


def _with_ends(edge: Document, source: str, target: str) -> Document:
    return {{"from": source, "to": target}.get(key, key): one for key, one in edge.items()}


def _ids(id: str, name: str) -> Iterator[tuple[str, str]]:
    yield from typos(id)
    yield "upper", id.upper() if id != id.upper() else id.lower()
    if re.search("[_-]", id):
        yield "camel", camel(id.replace("-", "_"))
        yield "separator", id.replace("_", "-") if "_" in id else id.replace("-", "_")
    if name and name != id:
        yield "name", name


_PORTS = {
    "true": ("True", "yes", "then", "if_true", "onTrue", "TRUE", "wahr"),
    "false": ("False", "no", "else", "if_false", "onFalse", "FALSE", "otherwise"),
    "error": ("Error", "failure", "failed", "on_error", "onError", "catch", "exception"),
    "confirmed": ("confirm", "approved", "yes", "accepted", "Confirmed"),
    "rejected": ("reject", "denied", "no", "declined", "Rejected"),
    "timeout": ("timed_out", "timedOut", "expired", "Timeout"),
    "default": ("else", "otherwise", "fallback", "Default"),
    "loop": ("body", "each", "iteration", "Loop"),
    "done": ("completed", "after", "finished", "Done"),
}


def _ports(port: str) -> Iterator[tuple[str, str]]:
    yield "upper", port.upper()
    yield "title", port.title()
    yield from typos(port)
    yield from (("meaning", one) for one in _PORTS.get(port, ()) if one.lower() != port)


def headers(document: Document) -> Iterator[Mutation]:
    """Keys of the document, of nodes and of edges in other writings."""
    owners = [("", one) for one in ("nodes", "connections", "inputSchema")]
    owners += [(f"/nodes/{at}", key) for at in (0, 1) for key in document["nodes"][at]]
    edges_given = document.get("connections")
    if isinstance(edges_given, list) and edges_given and isinstance(edges_given[0], dict):
        owners += [
            ("/connections/0", key) for key in cast("Document", edges_given[0]) if key != "id"
        ]
    data = document["nodes"][1].get("data")
    if isinstance(data, dict) and "subtype" in data:
        owners += [("/nodes/1/data", key) for key in cast("Document", data)]
    for place, key in owners:
        owner: Document = _at(document, place.split("/")[1:])
        for kind, other in _keys_of(key):
            if key in owner and other not in owner and key not in {"position", "name"}:
                new = {(other if name == key else name): one for name, one in owner.items()}
                made = new if not place else _set(document, place, new)
                yield Mutation(
                    f"header-{kind}", (place, f"{place}/{other}"), made, None, f"{key} -> {other}"
                )


def _keys_of(key: str) -> Iterator[tuple[str, str]]:
    yield "upper", key.upper()
    yield "title", key[0].upper() + key[1:]
    yield "spaced", f"{key} "
    yield "colon", f"{key}:"
    yield from typos(key)
    if "_" in key:
        yield "camel", camel(key)
        yield "kebab", key.replace("_", "-")
    elif key != key.lower():
        snake = re.sub(r"([A-Z])", r"_\1", key).lower()
        yield "snake", snake
        yield "kebab", snake.replace("_", "-")
        yield "lower", key.lower()


def texts(document: Document) -> Iterator[Mutation]:
    """The text of the document as a person or a model leaves it."""
    text, compact = json.dumps(document, indent=2, ensure_ascii=False), json.dumps(document)
    where = ("",)

    def made(rule: str, text: str) -> Mutation:
        return Mutation(rule, where, None, text)

    yield made("text-fence", f"```json\n{text}\n```")
    yield made("text-fence", f"Here is the workflow:\n\n```\n{text}\n```\nIt runs every day.")
    yield made("text-prose", f"Sure! Here it is:\n{text}\nLet me know if it helps.")
    yield made("text-trailing-commas", re.sub(r"(\n\s*[}\]])", r",\1", text))
    yield made("text-line-comments", re.sub(r"(\n\s*\"nodes\")", r"\n// the nodes\1", text))
    yield made("text-hash-comments", re.sub(r"(\n\s*\"nodes\")", r"\n# the nodes\1", text))
    yield made("text-block-comments", text.replace("{\n", "{ /* a */\n", 1))
    yield made("text-unquoted-keys", re.sub(r"\"([A-Za-z_]\w*)\":", r"\1:", text))
    yield made("text-python", repr(document))
    yield made("text-smart-quotes", re.sub(r"\"([A-Za-z_]\w*)\":", "\u201c\\1\u201d:", text))
    yield made("text-bom", "\ufeff" + text)
    yield made("text-double", json.dumps(compact))
    yield made("text-entities", compact.replace("&", "&amp;").replace('"', "&quot;"))
    yield made("text-escaped", compact.replace("\\", "\\\\").replace('"', '\\"'))
    yield made("text-semicolon", text + ";")
    yield made("text-assignment", f"const workflow = {text};")
    yield made("text-assignment", f"workflow = {text}")
    yield made("text-export", f"export default {text}")
    yield made("text-list", f"[{text}]")
    yield made("text-missing-brace", text.rstrip()[:-1])
    yield made("text-extra-brace", text + "}")
    yield made("text-missing-comma", re.sub(r",\n(\s*\"nodes\")", r"\n\1", text))
    yield made("text-double-comma", re.sub(r",\n(\s*\"nodes\")", r",,\n\1", text))
    yield made("text-leading-plus", re.sub(r"(\"x\": )(\d)", r"\1+\2", text))
    yield made("text-equals", re.sub(r"\"(version|name|id)\":", r'"\1"=', text))
    yield made("text-zero-width", text.replace('"nodes"', '"\u200bnodes"', 1))
    yield made("text-nbsp", text.replace("  ", "\u00a0\u00a0"))
