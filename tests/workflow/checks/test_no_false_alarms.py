"""What is right is never called wrong: sample files, and the examples of every specification."""

import pytest
from tests.workflow.checks.building import SUBJECTS, everything, known, node, whole
from tests.workflow.sample_files import FILES, sample

from toolweave.catalog.spec import NodeSpec
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.model import Workflow

SPECS = tuple(known().catalog)


def errors_in(workflow: Workflow, case: CheckContext) -> list[str]:
    return [
        f"{workflow.name}{problem.pointer}: {problem.code}"
        for subject in SUBJECTS
        for problem in subject.check(case)
        if problem.severity == "error"
    ]


@pytest.mark.parametrize("name", FILES)
def test_no_sample_file_has_an_error(name: str) -> None:
    loaded = sample(name)
    whole_file = loaded.workflow
    cases = [CheckContext(whole_file, known(), loaded.format)]
    cases += [
        CheckContext(flow, known(), loaded.format, whole_file) for flow in whole_file.subflows
    ]
    assert [error for case in cases for error in errors_in(case.workflow, case)] == []


@pytest.mark.parametrize("spec", SPECS, ids=[spec.ref for spec in SPECS])
def test_no_example_of_a_specification_has_a_problem(spec: NodeSpec) -> None:
    assert spec.examples
    for example in spec.examples:
        tried = node(
            "x",
            spec.ref,
            configurations=example.configurations,
            inputParams=example.input_params,
        )
        after = node("after", "end")
        leaving = [f"x.{port} > after" for port in example.ports]
        if spec.type == "TRIGGER":
            workflow = whole([tried, after], leaving)
        else:
            trigger = node("t", "TRIGGER.MANUAL")
            workflow = whole([trigger, tried, after], ["t > x", *leaving])
        assert everything(workflow) == []
