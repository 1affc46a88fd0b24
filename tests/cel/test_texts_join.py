"""Joining lists of texts."""

import pytest

from toolweave.cel.fault import SyntaxProblem
from toolweave.cel.language import evaluate


@pytest.mark.parametrize("items", ["[0]", "[false]", "[null]", "[[]]", "['a', 0]", "[1]"])
def test_a_list_of_other_values_is_not_joined(items: str) -> None:
    found = evaluate(f"{items}.join(', ')", {})
    assert isinstance(found, SyntaxProblem)
    assert found.code == "EXPRESSION_FAILED"
