"""Colours by their parts."""

import pytest

from toolweave.tools.colours import colour_of


@pytest.mark.parametrize(
    ("text", "field", "colour"),
    [
        ("rgb(15, 118, 110)", "color", "#0f766e"),
        ("RGB(0 0 0)", "fill_color", "#000000"),
        ("rgb(15, 118, 300)", "color", None),
        ("rgb(15, 118)", "color", None),
        # One colour in CSS, and another for most people.
        ("green", "color", None),
        ("rgb(15, 118, 110)", "name", None),
    ],
)
def test_a_colour_by_its_parts(text: str, field: str, colour: str | None) -> None:
    assert colour_of(text, field) == colour
