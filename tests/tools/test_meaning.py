"""Values and keys are understood by their words, and only where one answer is possible."""

import pytest

from toolweave.tools.conversions import duration, seconds_in
from toolweave.tools.key_meaning import renamed
from toolweave.tools.meaning import meant

ACTIONS = ("send_message", "send_file", "update_message", "delete_message", "add_issue_comment")


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        ("descending", ("asc", "desc"), "desc"),
        ("German", ("en", "de"), "de"),
        ("pt-BR", ("en", "pt"), "pt"),
        ("text/html", ("json", "html"), "html"),
        ("post_message", ACTIONS, "send_message"),
        ("chat.postMessage", ACTIONS, "send_message"),
        ("comment", ACTIONS, "add_issue_comment"),
        ("qa", ("quality_assurance", "code_review"), "quality_assurance"),
        (">=", ("greater_than", "greater_or_equal"), "greater_or_equal"),
        ("sort_descending", ("asc", "desc"), None),
        ("message", ACTIONS, None),
        ("not include", ("include", "exclude"), None),
        ("urgent", ("low", "normal", "high"), None),
        ("upsert", ("store", "search", "update", "delete"), None),
        ("", ("a", "b"), None),
    ],
)
def test_an_option_is_found_by_meaning(
    given: str, options: tuple[str, ...], expected: str | None
) -> None:
    found = meant(given, options)
    assert (found[0] if len(found) == 1 else None) == expected


def test_a_value_may_repeat_the_name_of_its_field() -> None:
    assert meant("filter mode include", ("include", "exclude"), "filter_mode") == ["include"]
    assert meant("purple include", ("include", "exclude"), "filter_mode") == []


@pytest.mark.parametrize(
    ("wrong", "free", "expected"),
    [
        ("endpoint", ("url", "method"), ["url"]),
        ("tz", ("timezone", "cron_expression"), ["timezone"]),
        ("text", ("message", "text_format"), ["message"]),
        ("token", ("bot_token", "access_token"), ["bot_token", "access_token"]),
        ("compress", ("path", "mode"), []),
    ],
)
def test_a_key_is_found_by_meaning(wrong: str, free: tuple[str, ...], expected: list[str]) -> None:
    assert renamed(wrong, free) == expected


@pytest.mark.parametrize(
    ("text", "about", "expected"),
    [
        ("30s", "duration_seconds\n", 30),
        ("5 minutes", "timeout\nThe time limit in seconds.", 300),
        ("2h", "timeout_minutes\n", 120),
        ("1.5 s", "delay_ms\n", 1500),
    ],
)
def test_a_duration_is_converted_to_the_unit_of_its_field(
    text: str, about: str, expected: float
) -> None:
    unit = seconds_in(about)
    assert unit is not None
    assert duration(text, unit) == expected


def test_a_field_without_a_clear_unit_has_none() -> None:
    assert seconds_in("size\nHow much, in seconds or minutes.") is None
    assert seconds_in("size\nHow much.") is None
    assert duration("5 lightyears", 1) is None
