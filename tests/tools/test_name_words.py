"""Names are compared word by word: the same meaning is found, another is not taken for it."""

import pytest

from toolweave.tools.key_meaning import is_credential
from toolweave.tools.meaning import meant
from toolweave.tools.name_words import alike
from toolweave.tools.text_variants import variants


@pytest.mark.parametrize(
    ("wrong", "free", "about", "found"),
    [
        ("reply_timeout", ["response_timeout", "timeout"], "", ["response_timeout"]),
        ("slackChannel", ["channel", "text"], "EXTERNAL_ACTION.SLACK", ["channel"]),
        ("my_channel_value", ["channel", "text"], "", ["channel"]),
        ("minimum_size", ["min_length", "max_length"], "", ["min_length"]),
        ("githubChannel", ["channel", "text"], "EXTERNAL_ACTION.SLACK", []),
        ("max_channel", ["channel"], "", []),
        ("retry_delay", ["retry_attempts"], "", []),
        ("exclude_items", ["include_items"], "", []),
    ],
)
def test_a_name_is_found_if_every_word_agrees(
    wrong: str, free: list[str], about: str, found: list[str]
) -> None:
    assert alike(wrong, free, about) == found


def test_a_single_word_that_is_only_similar_is_no_option() -> None:
    assert meant("chunks", ["size", "parts", "field"]) == []
    assert meant("body_type.none", ["json", "none"], "body_type") == ["none"]
    assert meant("nachricht_senden", ["send_message", "send_photo"]) == ["send_message"]


def test_only_a_name_of_nothing_else_is_a_credential() -> None:
    assert is_credential("api_key")
    assert not is_credential("key_prefix")


def test_other_writings_keep_the_meaning() -> None:
    assert "in/south.json" in set(variants("in\\south.json"))
    assert "cpu" in set(variants("CPU", "use cpu, memory or disk"))
    assert "n > ?" in set(variants("n > %s"))
    assert not {one for one in variants("../etc/passwd") if not one.startswith("..")}
    assert not {one for one in variants("C:\\a") if "/" in one}
