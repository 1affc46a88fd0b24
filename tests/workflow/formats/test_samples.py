"""Every sample file: recognised, read without an error, and the same text when written again."""

import pytest
from tests.workflow.sample_files import FILES, JSON_FILES, dialect_of, sample, text_of

from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName
from toolweave.workflow.formats.load import dump, load


@pytest.mark.parametrize("name", FILES)
def test_a_sample_is_recognised_and_read_without_an_error(name: str) -> None:
    loaded = sample(name)
    assert loaded.format == dialect_of(name)
    assert loaded.workflow.nodes
    assert [problem for problem in loaded.problems if problem.severity == "error"] == []


@pytest.mark.parametrize("name", JSON_FILES)
def test_a_sample_written_again_is_the_same_text(name: str) -> None:
    assert dump(sample(name).workflow, dialect_of(name)) == text_of(name)


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
@pytest.mark.parametrize("name", JSON_FILES)
def test_a_sample_converted_to_another_file_and_back_is_the_same_text(
    name: str, dialect: FormatName
) -> None:
    other_file = dump(sample(name).workflow, dialect)
    assert dump(load(other_file).workflow, dialect_of(name)) == text_of(name)


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
@pytest.mark.parametrize("name", FILES)
def test_a_converted_sample_is_the_same_workflow(name: str, dialect: FormatName) -> None:
    workflow = sample(name).workflow
    assert load(dump(workflow, dialect)).workflow == workflow


@pytest.mark.parametrize("dialect", FORMAT_NAMES)
@pytest.mark.parametrize("name", FILES)
def test_a_converted_sample_is_written_stably_and_ends_with_a_newline(
    name: str, dialect: FormatName
) -> None:
    text = dump(sample(name).workflow, dialect)
    assert dump(load(text).workflow, dialect) == text
    assert text.endswith("}\n")
