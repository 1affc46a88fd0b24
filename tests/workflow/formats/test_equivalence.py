"""A translated expression gives what the original gives, or is not offered."""

import json

import pytest
from tests.workflow.checks.building import known
from tests.workflow.formats.equivalence.comparison import (
    LANGUAGES,
    Case,
    Compared,
    LanguageName,
    compare_all,
    node_command,
    offered,
    texts_of,
)
from tests.workflow.formats.equivalence.documents import SCHEMA
from tests.workflow.formats.equivalence.generated import generated

from toolweave.problems import Problem
from toolweave.workflow.report import examine

# The least number of texts that are translated or ours, so that exactness is not had by refusing.
LEAST = {"javascript": 230, "python": 180, "jinja": 34}


def problems(*texts: str) -> list[Problem]:
    """The problems of delays whose number of seconds is one of the texts."""
    nodes = [
        {
            "id": f"wait{at}",
            "type": "FLOW",
            "name": f"wait{at}",
            "data": {"subtype": "DELAY", "configurations": {"duration_seconds": text}},
        }
        for at, text in enumerate(texts)
    ]
    start = {"id": "go", "type": "TRIGGER", "name": "go", "data": {"subtype": "MANUAL"}}
    edges = [
        {"id": one["id"], "from": "go", "to": one["id"], "fromPort": "output", "toPort": "input"}
        for one in nodes
    ]
    document = {
        "id": "w",
        "name": "w",
        "version": "1.0.0",
        "inputSchema": SCHEMA,
        "nodes": [start, *nodes],
        "connections": edges,
    }
    found = examine(json.dumps(document), known()).problems
    return [one for one in found if one.pointer.endswith("duration_seconds")]


pytestmark = pytest.mark.skipif(not node_command(), reason="needs node")


@pytest.fixture(scope="module")
def compared() -> list[Compared]:
    return compare_all()


def test_the_table_has_hundreds_of_expressions() -> None:
    assert len({*texts_of("javascript"), *texts_of("python"), *texts_of("jinja")}) >= 600


def test_no_translation_gives_another_value(compared: list[Compared]) -> None:
    wrong = [
        f"{one.case} became {one.cel}: {one.different[0][1:]}" for one in compared if one.different
    ]
    assert wrong == []


def test_a_translation_works_for_every_value_that_the_schema_allows(
    compared: list[Compared],
) -> None:
    failing = [
        f"{one.case} became {one.cel}: {one.failed[0]}"
        for one in compared
        if one.case.is_typed and one.failed
    ]
    assert failing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_of_a_generated_expression_gives_another_value(
    language: LanguageName,
) -> None:
    asked = [
        Case(language, text, is_condition=False, is_typed=True) for text in generated(language, 300)
    ]
    found = compare_all(asked)
    wrong = [
        f"{one.case} became {one.cel}: {one.different[0][1:]}" for one in found if one.different
    ]
    assert wrong == []
    assert sum(one.cel is not None and not one.is_native for one in found) >= 50


@pytest.mark.parametrize("language", sorted(LEAST))
def test_most_expressions_are_translated(compared: list[Compared], language: str) -> None:
    found = [
        one
        for one in compared
        if one.case.language == language and one.case.is_typed and not one.case.is_condition
    ]
    assert sum(one.cel is not None for one in found) >= LEAST[language]


def test_what_does_not_fit_the_field_is_not_offered() -> None:
    """A translation that gives no number is no fix of a number of seconds."""
    found = problems("{{ trigger.name.trim() === 'a' }}", "{{ trigger.tags.map(x => x) }}")
    assert [one.patch for one in found if one.patch] == []
    assert [one.severity for one in found].count("error") == 2


@pytest.mark.parametrize(
    "text",
    [
        "trigger.name.strip() extra",
        "trigger.name.strip() + trigger.n",  # Python adds no number to a text
        "trigger.unknown_field.strip()",
        "trigger.n.strip()",
        "len(trigger.active) + 1",
    ],
)
def test_what_is_not_read_to_its_end_or_has_wrong_types_is_not_offered(text: str) -> None:
    found, is_right = offered(Case("python", text, is_condition=False, is_typed=True))
    assert (found, is_right) == (None, False)
