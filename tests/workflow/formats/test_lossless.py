"""Nothing is lost: a file read and written again, through every other dialect, any JSON at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady
from tests.workflow.strategies import JSON, WORKFLOWS, documents

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.workflow.formats import discover
from toolweave.workflow.formats.format import FORMAT_NAMES, Format, FormatName
from toolweave.workflow.formats.load import dump, load
from toolweave.workflow.model import Workflow

FORMATS: dict[FormatName, Format] = {format.name: format for format in discover()}
PAIRS = [(one, other) for one in FORMAT_NAMES for other in FORMAT_NAMES if one != other]


def _text(document: Json) -> str:
    """Text tells apart what `==` does not: key order, 1 and true and 1.0."""
    return json_text.write(document)


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
def test_a_document_read_and_written_is_the_same_document(dialect: FormatName) -> None:
    format = FORMATS[dialect]

    @steady(50)
    @given(documents(dialect))
    def check(document: Json) -> None:
        assert _text(format.write(format.read(document).workflow)) == _text(document)

    check()


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
def test_any_json_read_and_written_is_the_same_json(dialect: FormatName) -> None:
    format = FORMATS[dialect]

    @steady(50)
    @given(JSON)
    def check(document: Json) -> None:
        assert _text(format.write(format.read(document).workflow)) == _text(document)

    check()


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_document_converted_there_and_back_is_the_same_document(
    one: FormatName, other: FormatName
) -> None:
    @steady(25)
    @given(documents(one))
    def check(document: Json) -> None:
        there = FORMATS[other].write(FORMATS[one].read(document).workflow)
        back = FORMATS[one].write(FORMATS[other].read(there).workflow)
        assert _text(back) == _text(document)

    check()


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
def test_any_workflow_written_and_read_is_the_same_workflow(dialect: FormatName) -> None:
    format = FORMATS[dialect]

    @steady(50)
    @given(WORKFLOWS)
    def check(workflow: Workflow) -> None:
        assert format.read(format.write(workflow)).workflow == workflow

    check()


@steady(60)
@given(WORKFLOWS, st.sampled_from(PAIRS))
def test_any_workflow_converted_there_and_back_is_the_same_workflow(
    workflow: Workflow, pair: tuple[FormatName, FormatName]
) -> None:
    one, other = (FORMATS[name] for name in pair)
    there = other.write(one.read(one.write(workflow)).workflow)
    assert one.read(one.write(other.read(there).workflow)).workflow == workflow


@steady(60)
@given(WORKFLOWS, st.sampled_from(FORMAT_NAMES))
def test_a_file_we_wrote_is_known_again_by_its_text_alone(
    workflow: Workflow, dialect: FormatName
) -> None:
    text = dump(workflow, dialect)
    loaded = load(text)
    assert loaded.workflow == workflow
    assert dump(loaded.workflow, loaded.format) == text


@steady(60)
@given(st.one_of([documents(name) for name in FORMAT_NAMES]), st.sampled_from(FORMAT_NAMES))
def test_a_file_converted_there_and_back_by_its_text_alone_is_the_same_file(
    document: Json, other: FormatName
) -> None:
    text = json_text.write(document, pretty=True) + "\n"
    first = load(text)
    there = dump(first.workflow, other)
    assert dump(load(there).workflow, first.format) == text


@steady(50)
@given(st.one_of([documents(name) for name in FORMAT_NAMES]))
def test_a_document_survives_a_journey_through_all_dialects(document: Json) -> None:
    first = load(json_text.write(document))
    workflow = first.workflow
    for name in (*FORMAT_NAMES, *reversed(FORMAT_NAMES)):
        workflow = FORMATS[name].read(FORMATS[name].write(workflow)).workflow
    assert workflow == first.workflow
    assert _text(FORMATS[first.format].write(workflow)) == _text(document)
