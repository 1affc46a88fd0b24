"""File names made of workflow names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady

from toolweave.errors import Invalid
from toolweave.workflow.ids import MAX_NAME, MAX_SLUG, SLUG, slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("AWS Availability Checker", "aws-availability-checker"),
        ("Marketing_Strategy", "marketing-strategy"),
        ("  naïve  café!  ", "naive-cafe"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\x00b\n", "a-b"),
        ("C:\\temp\\x.json", "c-temp-x-json"),
        ("x" * MAX_NAME, "x" * MAX_SLUG),
    ],
)
def test_a_slug_has_letters_digits_and_hyphens_only(name: str, expected: str) -> None:
    assert slug(name) == expected


@pytest.mark.parametrize("name", ["検索", "...", "CON", "nul", "com1", "🙂"])
def test_a_name_that_gives_no_usable_word_goes_by_its_hash(name: str) -> None:
    assert slug(name).startswith("workflow-")
    assert slug(name) == slug(name)


def test_two_names_without_latin_letters_have_two_slugs() -> None:
    assert slug("検索") != slug("要約")


@pytest.mark.parametrize("name", ["", "   ", "\n", "x" * (MAX_NAME + 1)])
def test_a_name_nothing_can_be_called_by_is_refused(name: str) -> None:
    with pytest.raises(Invalid) as caught:
        slug(name)
    assert caught.value.code == "WORKFLOW_NAME_INVALID"


@steady(300)
@given(st.text(min_size=1, max_size=MAX_NAME).filter(lambda name: bool(name.strip())))
def test_every_slug_is_a_safe_file_name(name: str) -> None:
    assert SLUG.fullmatch(slug(name))
    assert len(slug(name)) <= MAX_SLUG
