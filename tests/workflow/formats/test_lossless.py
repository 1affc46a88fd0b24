"""Nothing is lost: a file read and written again, through every other dialect, any JSON at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.workflow.strategies import JSON, WORKFLOWS, documents, steady

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.workflow.formats import discover
from toolweave.workflow.formats.format import FORMAT_NAMES, Format, FormatName
from toolweave.workflow.formats.load import load
from toolweave.workflow.model import Workflow

FORMATS: dict[FormatName, Format] = {format.name: format for format in discover()}
PAIRS = [(one, other) for one in FORMAT_NAMES for other in FORMAT_NAMES if one != other]


def _text(document: Json) -> str:
    """Text tells apart what `==` does not: key order, 1 and true and 1.0."""
    return json_text.write(document)


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
def test_a_document_read_and_written_is_the_same_document(dialect: FormatName) -> None:
    format = FORMATS[dialect]

    @steady(150)
    @given(documents(dialect))
    def check(document: Json) -> None:
        assert _text(format.write(format.read(document).workflow)) == _text(document)

    check()


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
def test_any_json_read_and_written_is_the_same_json(dialect: FormatName) -> None:
    format = FORMATS[dialect]

    @steady(150)
    @given(JSON)
    def check(document: Json) -> None:
        assert _text(format.write(format.read(document).workflow)) == _text(document)

    check()


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_document_converted_there_and_back_is_the_same_document(
    one: FormatName, other: FormatName
) -> None:
    @steady(60)
    @given(documents(one))
    def check(document: Json) -> None:
        there = FORMATS[other].write(FORMATS[one].read(document).workflow)
        back = FORMATS[one].write(FORMATS[other].read(there).workflow)
        assert _text(back) == _text(document)

    check()


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
def test_any_workflow_written_and_read_is_the_same_workflow(dialect: FormatName) -> None:
    format = FORMATS[dialect]

    @steady(150)
    @given(WORKFLOWS)
    def check(workflow: Workflow) -> None:
        assert format.read(format.write(workflow)).workflow == workflow

    check()


@steady(100)
@given(st.one_of([documents(name) for name in FORMAT_NAMES]))
def test_a_document_survives_a_journey_through_all_dialects(document: Json) -> None:
    first = load(json_text.write(document))
    workflow = first.workflow
    for name in (*FORMAT_NAMES, *reversed(FORMAT_NAMES)):
        workflow = FORMATS[name].read(FORMATS[name].write(workflow)).workflow
    assert workflow == first.workflow
    assert _text(FORMATS[first.format].write(workflow)) == _text(document)
