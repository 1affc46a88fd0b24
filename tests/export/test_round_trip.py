"""An export carries its graph: what is read back is the workflow that was exported."""

from dataclasses import replace

import pytest
from hypothesis import given
from tests.export.speaking import HOSTILE, a_node, a_workflow, entry, exported, speaking, specs
from tests.tools.strategies import steady
from tests.workflow.sample_files import FILES, sample
from tests.workflow.strategies import WORKFLOWS

from toolweave.errors import Invalid
from toolweave.export import discover
from toolweave.export.reimport import import_text
from toolweave.export.shareable import shareable
from toolweave.workflow.model import Workflow

TARGETS = [exporter.name for exporter in discover()]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("target", TARGETS)
def test_every_sample_comes_back_from_every_target(target: str, name: str) -> None:
    workflow = sample(name).workflow
    loaded = import_text(entry(workflow, target))
    assert loaded.workflow == workflow
    assert [problem.code for problem in loaded.problems] == []


@pytest.mark.parametrize("target", ["claude-skill", "claude-workflow", "mermaid"])
@steady(80)
@given(workflow=WORKFLOWS)
def test_any_workflow_comes_back(target: str, workflow: Workflow) -> None:
    shared, hidden = shareable(workflow, specs())
    assert import_text(entry(workflow, target)).workflow == shared
    assert (shared == workflow) is (hidden == ())


@steady(30)
@given(text=HOSTILE)
def test_a_workflow_that_says_anything_comes_back(text: str) -> None:
    workflow = speaking(text)
    shared, hidden = shareable(workflow, specs())
    for target in ("claude-command", "mermaid"):
        assert import_text(entry(workflow, target)).workflow == shared
    assert hidden or shared == workflow


def test_a_graph_in_the_words_of_a_prompt_is_not_taken_for_the_real_one() -> None:
    other = entry(a_workflow(a_node("end", {}), name="other"))
    workflow = a_workflow(a_node("prompt", {"prompt": other}))
    assert import_text(entry(workflow)).workflow == workflow


def test_a_file_with_other_line_ends_comes_back() -> None:
    workflow = a_workflow(a_node("start", {}))
    loaded = import_text(entry(workflow).replace("\n", "\r\n"))
    assert (loaded.workflow, loaded.problems) == (workflow, ())


def test_an_edited_text_gives_the_exported_graph_and_says_so() -> None:
    workflow = a_workflow(a_node("prompt", {"prompt": "Say hello."}))
    loaded = import_text(entry(workflow).replace("Say hello.\n", "Say goodbye.\n"))
    assert loaded.workflow == workflow
    assert [problem.code for problem in loaded.problems] == ["EXPORT_EDITED"]


@pytest.mark.parametrize(
    "text",
    ["", "# A skill of somebody", "flowchart TD\n    a --> b\n", "---\nname: x\n---\nHello"],
)
def test_a_file_of_somebody_else_is_said_to_be_none_of_ours(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        import_text(text)
    assert refused.value.code == "EXPORT_NOT_OURS"


def test_an_agent_file_alone_names_the_export_it_is_a_part_of() -> None:
    agent = a_node("subAgent", {"description": "Helps"}, name="helper")
    text = exported(a_workflow(agent, name="My flow"), "claude-skill").files[1].text
    with pytest.raises(Invalid) as refused:
        import_text(text)
    assert refused.value.code == "EXPORT_NOT_OURS"
    assert "my-flow" in refused.value.message


@pytest.mark.parametrize("target", ["roo", "mermaid"])
def test_a_damaged_graph_is_not_read_as_something_else(target: str) -> None:
    text = entry(a_workflow(a_node("start", {})), target)
    before, label, after = text.partition("toolweave:workflow: ")
    with pytest.raises(Invalid) as refused:
        import_text(before + label + after[7:])
    assert refused.value.code == "EXPORT_DAMAGED"


def test_how_a_dialect_spelt_it_does_not_travel() -> None:
    workflow = replace(a_workflow(a_node("start", {})), kept={"secret": "as it was"})
    assert "as it was" not in entry(workflow)
