"""JSON at the border: what is read, what is refused, and where the fault is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolweave.errors import Invalid
from toolweave.json_text import canonical, read, write

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    assert read(write(value)) == value
    assert read(write(value, pretty=True)) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "'a' appears twice"),
        ('{"x": {"k": 1, "b": 2, "k": 3}}', "'k' appears twice"),
        ("[NaN]", "not JSON"),
        ('{"a": ', "line 1 column 7"),
        ("", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        ('"\ud800"', "not valid Unicode"),
        ("[" * 300 + "]" * 300, "nested more than 256"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_others_guess_about_is_refused(text: str | bytes, says: str) -> None:
    with pytest.raises(Invalid) as refusal:
        read(text)
    assert refusal.value.code == "JSON_INVALID"
    assert says in refusal.value.message


def test_a_text_over_the_limit_is_refused_unread() -> None:
    with pytest.raises(Invalid, match="at most 10 are read"):
        read("[" + "1," * 20 + "1]", max_bytes=10)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert read("[" * 256 + "]" * 256) is not None


def test_canonical_bytes_do_not_depend_on_key_order() -> None:
    assert canonical({"b": 1, "a": [1, 2]}) == canonical({"a": [1, 2], "b": 1})
    assert canonical({"a": 1}) != canonical({"a": "1"})
