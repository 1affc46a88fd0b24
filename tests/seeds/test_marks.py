"""What counts as a proving mark, and every way in which one does not."""

from pathlib import Path

import pytest
from tests.seeds.marks import Marks, scan


def _scan(tmp_path: Path, source: str, name: str = "test_a.py") -> Marks:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / name).write_text("import pytest\n" + source, encoding="utf-8")
    return scan(tests)


DECORATED = """
@pytest.mark.requirement("001:A", "001:B")
def test_one() -> None:
    assert 1 + 1 == 2
"""
ASYNC = """
@pytest.mark.anyio
@pytest.mark.requirement("001:A", "001:B")
async def test_one() -> None:
    with pytest.raises(ValueError):
        int("x")
"""
MODULE = """
pytestmark = [pytest.mark.anyio, pytest.mark.requirement("001:A", "001:B")]
def test_one() -> None:
    assert 1 + 1 == 2
"""
PARAM = """
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("001:A", "001:B"))])
def test_one(x: int) -> None:
    assert x
"""
NAMED_CASES = """
CASES = [
    pytest.param(1, marks=[pytest.mark.requirement("001:A")]),
    pytest.param(1, marks=pytest.mark.requirement("001:B")),
]
@pytest.mark.parametrize("x", CASES)
def test_one(x: int) -> None:
    assert x
"""
SHORT_NAME = """
from pytest import mark
@mark.requirement("001:A", "001:B")
def test_one() -> None:
    assert 1 + 1 == 2
"""
ASSERTS_IN_A_NEIGHBOUR = """
def _check(x: int) -> None:
    assert x
@pytest.mark.requirement("001:A", "001:B")
def test_one() -> None:
    _check(1)
"""


@pytest.mark.parametrize(
    "source",
    [DECORATED, ASYNC, MODULE, PARAM, NAMED_CASES, SHORT_NAME, ASSERTS_IN_A_NEIGHBOUR],
)
def test_a_mark_on_an_asserting_test_counts_in_every_spelling(tmp_path: Path, source: str) -> None:
    marks = _scan(tmp_path, source)
    assert marks.faults == ()
    proof = ("tests/test_a.py::test_one",)
    assert marks.tested == {"001:A": proof, "001:B": proof}


ON_A_FIXTURE = """
@pytest.mark.requirement("001:A")
def server() -> None:
    assert 1 + 1 == 2
"""
NESTED = """
def outer() -> None:
    @pytest.mark.requirement("001:A")
    def test_one() -> None:
        assert 1 + 1 == 2
"""
ON_A_CLASS = """
@pytest.mark.requirement("001:A")
class TestOne:
    def test_one(self) -> None:
        assert 1 + 1 == 2
"""
UNUSED_CASES = """
CASES = [pytest.param(1, marks=pytest.mark.requirement("001:A"))]
def test_one() -> None:
    assert 1 + 1 == 2
"""
NO_TESTS = """
pytestmark = pytest.mark.requirement("001:A")
"""


@pytest.mark.parametrize("source", [ON_A_FIXTURE, NESTED, ON_A_CLASS, UNUSED_CASES, NO_TESTS])
def test_a_mark_that_is_on_no_test_is_a_fault(tmp_path: Path, source: str) -> None:
    marks = _scan(tmp_path, source)
    assert marks.tested == {}
    assert [fault.partition(": ")[2] for fault in marks.faults] == [
        "a requirement mark belongs on a test function of a test_*.py file"
    ]


def test_a_mark_in_a_file_that_pytest_does_not_collect_is_a_fault(tmp_path: Path) -> None:
    marks = _scan(tmp_path, DECORATED, name="cases.py")
    assert marks.tested == {}
    assert marks.faults == (
        "tests/cases.py:3: a requirement mark belongs on a test function of a test_*.py file",
    )


@pytest.mark.parametrize(
    "mark",
    [
        "pytest.mark.requirement()",
        "pytest.mark.requirement",
        'pytest.mark.requirement(f"001:{1}")',
        'pytest.mark.requirement(*["001:A"])',
        'pytest.mark.requirement("001:A", more="001:B")',
        'pytest.mark.requirement("001:A", 2)',
    ],
)
def test_ids_that_are_no_plain_literals_are_a_fault(tmp_path: Path, mark: str) -> None:
    marks = _scan(tmp_path, f"@{mark}\ndef test_one() -> None:\n    assert 1 + 1 == 2\n")
    assert marks.tested == {}
    assert len(marks.faults) == 1
    assert "plain string literals" in marks.faults[0]


@pytest.mark.parametrize("body", ["pass", "print(1)", "assert True", "_log(1)", "test_one()"])
def test_a_mark_on_a_test_that_asserts_nothing_is_a_fault(tmp_path: Path, body: str) -> None:
    marks = _scan(
        tmp_path,
        "def _log(x: int) -> None:\n    print(x)\n"
        f'@pytest.mark.requirement("001:A")\ndef test_one() -> None:\n    {body}\n',
    )
    assert marks.tested == {}
    assert marks.faults == ("tests/test_a.py:4: test_one asserts nothing, so it proves nothing",)


@pytest.mark.parametrize(
    "never", ["@pytest.mark.skip", '@pytest.mark.skip("why")', "@pytest.mark.xfail(strict=True)"]
)
def test_a_mark_on_a_test_that_is_skipped_or_expected_to_fail_is_a_fault(
    tmp_path: Path, never: str
) -> None:
    marks = _scan(tmp_path, never + DECORATED)
    assert marks.tested == {}
    assert len(marks.faults) == 1
    assert marks.faults[0].endswith("so it proves nothing")


def test_a_module_that_is_skipped_proves_nothing(tmp_path: Path) -> None:
    marks = _scan(tmp_path, "pytestmark = [pytest.mark.skip]\n" + DECORATED)
    assert marks.tested == {}
    assert "is marked skip" in marks.faults[0]


def test_a_file_that_cannot_be_parsed_is_a_fault_and_hides_no_other(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_a.py").write_text("def ( # mark.requirement", encoding="utf-8")
    (tests / "test_b.py").write_text(DECORATED, encoding="utf-8")
    marks = scan(tests)
    assert set(marks.tested) == {"001:A", "001:B"}
    assert len(marks.faults) == 1
    assert marks.faults[0].startswith("tests/test_a.py:1: cannot be parsed")


def test_several_tests_of_one_requirement_are_all_named(tmp_path: Path) -> None:
    marks = _scan(tmp_path, DECORATED + DECORATED.replace("test_one", "test_two"))
    assert marks.tested["001:A"] == ("tests/test_a.py::test_one", "tests/test_a.py::test_two")
