"""Whatever a user writes: frontmatter stays YAML, comments stay JSON, blocks stay blocks."""

import json
import re

import pytest
from hypothesis import assume, given
from tests.export.speaking import (
    HOSTILE,
    body_of,
    entry,
    exported,
    front_of,
    skeleton,
    speaking,
    tokens_of,
)
from tests.tools.strategies import steady

from toolweave.export import discover
from toolweave.export.comment import comment
from toolweave.export.user_text import code, fenced, one_line, plain, prose

MARKDOWN = [one.name for one in discover() if one.name not in ("claude-workflow", "mermaid")]
NAME = re.compile(r"[a-z0-9-]{1,64}")
AGENT_NAME = re.compile(r"[a-z0-9_-]{1,64}")
ORDER = (
    *("name", "description", "agent", "allowed-tools", "model", "context"),
    *("disable-model-invocation", "argument-hint", "hooks"),
)


@pytest.mark.parametrize("target", MARKDOWN)
@steady(20)
@given(text=HOSTILE)
def test_frontmatter_is_yaml_that_says_what_the_user_said(target: str, text: str) -> None:
    first, *agents = exported(speaking(text), target).files
    front = front_of(first)
    assert list(front) == [key for key in ORDER if key in front]
    for file in (first, *agents):
        found = front_of(file)
        assert isinstance(found["description"], str)
        assert 0 < len(found["description"]) <= 1024
        assert not set("<>\n\0") & set(found["description"])
        names = NAME if file is first else AGENT_NAME
        assert names.fullmatch(found.get("name", "command"))
    said = one_line(text).replace("<", "\u2039").replace(">", "\u203a")
    assume("***" not in front["description"])
    if said:
        assert front["description"] == said


@pytest.mark.parametrize("target", ["claude-command", "codex"])
@steady(40)
@given(text=HOSTILE)
def test_no_words_of_a_user_change_what_the_blocks_of_a_text_are(target: str, text: str) -> None:
    assume(one_line(text))
    written = skeleton(body_of(entry(speaking(text), target)))
    assert written == skeleton(body_of(entry(speaking("words"), target)))
    assert "html_inline" not in " ".join(written)


@steady(40)
@given(text=HOSTILE)
def test_metadata_is_json_in_a_comment_whatever_it_says(text: str) -> None:
    blocks = [token.content for token in tokens_of(entry(speaking(text)))]
    found = [
        json.loads(block.strip().removeprefix("<!-- MCP_NODE_METADATA: ").removesuffix(" -->"))
        for block in blocks
        if block.startswith("<!-- MCP_NODE_METADATA: ")
    ]
    assert [one["mode"] for one in found] == ["naturalLanguageParam", "fullNaturalLanguage"]
    assume(all("***" not in one["userIntent"] for one in found))
    assert [one["userIntent"] for one in found] == [text, text]
    assert [one["serverId"] for one in found] == [text, text]


@steady(150)
@given(text=HOSTILE)
def test_a_prompt_stands_whole_in_its_block(text: str) -> None:
    assume("***" not in text)
    fences = [token.content for token in tokens_of(fenced(text))]
    assert fences == [plain(text) + "\n"]


@steady(40)
@given(text=HOSTILE)
def test_no_agent_finds_a_command_to_run_in_the_words(text: str) -> None:
    for file in exported(speaking(text), "claude-command").files:
        assert not re.search("!`|`!", body_of(file.text))


@steady(25)
@given(text=HOSTILE)
def test_files_hold_no_control_or_invisible_characters(text: str) -> None:
    for target in ("claude-skill", "codex", "mermaid"):
        for file in exported(speaking(text), target).files:
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e\ufeff]", file.text)


@steady(200)
@given(text=HOSTILE)
def test_words_in_a_line_stay_in_it(text: str) -> None:
    assume(one_line(text))
    assert skeleton(f"- {code(text)}: {prose(text)}") == skeleton("- `a`: b")


def test_words_are_written_as_people_expect() -> None:
    assert fenced("a ```` b") == "`````text\na ```` b\n`````"
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"
    assert one_line(" a \n b\x1b ") == "a b<U+001B>"
    assert one_line("abcdef", 4) == "abc…"
    assert prose("<!-- x") == "&lt;!-- x"


def test_nothing_in_a_comment_ends_it() -> None:
    written = comment("X", {"-->": "--!> <!-- ``` $ARGUMENTS @file \u202e"})
    assert written.startswith('<!-- X: {"')
    assert "--" not in written[4:-3]
    assert not set("<>`$@\u202e") & set(written.removeprefix("<!--").removesuffix("-->"))
    assert json.loads(written[8:-4]) == {"-->": "--!> <!-- ``` $ARGUMENTS @file \u202e"}
