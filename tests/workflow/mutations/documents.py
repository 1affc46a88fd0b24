"""Right documents: every example of every built-in node behind a trigger, and those of all sets."""

import json
from collections.abc import Iterator
from functools import cache
from typing import cast

from tests.catalog.builders import our_catalog
from tests.workflow.corpus.bases import Document, edge, node, whole
from tests.workflow.faults.cases import right_documents

from toolweave.catalog.spec import NODE_TYPES, Example, NodeSpec
from toolweave.workflow.formats.load import convert, load

AT = 1  # the node under test
SETS = ("", "fourth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth")


@cache
def specs() -> tuple[NodeSpec, ...]:
    """The built-in nodes that stand behind another one or begin a workflow."""
    found = (spec for kind in NODE_TYPES for spec in our_catalog().of_type(kind))
    return tuple(one for one in found if one.origin is None)


def example_documents() -> Iterator[tuple[str, Document, int, NodeSpec]]:
    """The documents with the place of their node."""
    for spec in specs():
        for number, example in enumerate(spec.examples, 1):
            name = f"{spec.subtype.lower().replace('_', '-')}-{number}"
            yield name, *_document(spec, example, name), spec


def _document(spec: NodeSpec, example: Example, name: str) -> tuple[Document, int]:
    parts = {"configurations": example.configurations, "inputParams": example.input_params}
    it = node("it", spec.ref, **{key: value for key, value in parts.items() if value})
    if spec.type == "TRIGGER":
        return whole(name, [it], []), 0
    go = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})
    return whole(name, [go, it], [edge("go", "it")]), AT


def set_documents() -> Iterator[tuple[str, Document]]:
    """The right documents of all sets, in the canonical dialect."""
    plain = right_documents()
    for name in SETS:
        for key, document in right_documents(name).items():
            if not name or key not in plain:
                made = convert(load(json.dumps(document)).workflow, "toolweave")
                yield f"{name}{key}", cast("Document", made)


def steps_of(document: Document) -> Iterator[tuple[int, NodeSpec]]:
    """The places of the nodes of the catalog in a document."""
    known = {one.ref: one for one in specs()}
    for at, one in enumerate(document["nodes"]):
        ref = f"{one.get('type')}.{one.get('data', {}).get('subtype')}"
        if ref in known:
            yield at, known[ref]
