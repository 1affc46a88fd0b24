"""The one scan for plain documents agrees with the scans it replaces."""

import json
from collections.abc import Iterator

import pytest
from tests.workflow.corpus.bases import bases
from tests.workflow.corpus.right import right_workflows
from tests.workflow.faults.cases import faults, right_documents

from toolweave.json_text import Json
from toolweave.workflow.formats import discover
from toolweave.workflow.formats.foreign_systems import foreign_file
from toolweave.workflow.formats.plain_document import is_plain
from toolweave.workflow.formats.reshape import reshaped
from toolweave.workflow.json_patch import apply_patch


def _documents() -> Iterator[Json]:
    yield from right_documents().values()
    yield from (one.document for one in bases())
    yield from right_workflows(20)
    for folder in ("wrong", "second", "third"):
        for fault in faults(folder):
            try:
                yield json.loads(fault.text)
            except ValueError:
                continue


def _is_read_as_it_is(document: Json) -> bool:
    best = max(discover(), key=lambda one: one.recognises(document))
    after, problems = reshaped(document)
    is_same = foreign_file(document) is None and after is document and not problems
    return is_same and best.name == "toolweave"


def test_plain_document_has_nothing_that_the_other_scans_would_find() -> None:
    found = [(is_plain(one), _is_read_as_it_is(one)) for one in _documents()]

    assert (True, False) not in found
    # Both answers are given often, so that the line above says something.
    assert found.count((True, True)) > 50
    assert found.count((False, False)) > 50


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("/triggers", [{"id": "start"}]),
        ("/edges", []),
        ("/x-toolweave", {"dialect": "ccwf"}),
        ("/nodes/0/subtype", "MANUAL"),
        ("/nodes/0/type", "FLOW.IF"),
        ("/nodes/0/type", "subAgent"),
        ("/nodes/0/data", {"subtype": "IF", "next": "a"}),
        ("/connections/0/to", ["a", "b"]),
        ("/connections/0/source", "a"),
        ("/connections/0", "a -> b"),
        ("/connections", []),
    ],
)
def test_document_with_a_foreign_part_is_not_plain(place: str, value: Json) -> None:
    document = next(one for one in right_workflows(20) if is_plain(one))
    op = "replace" if place == "/connections/0" else "add"  # `add` replaces members of objects

    changed = apply_patch(document, [{"op": op, "path": place, "value": value}])

    assert is_plain(document)
    assert not is_plain(changed)
