"""Tools about text: `echo`, `greet`, `word_count`, `markdown_report`, and `fail`."""

import re
from collections import Counter
from typing import Annotated, Literal

from pydantic import Field

from toolweave.demo.tool import (
    Answer,
    DemoCall,
    DemoModel,
    DemoTool,
    error_result,
    structured_result,
    text_result,
)

Language = Literal["en", "de", "fr", "es", "ja"]

_GREETINGS: dict[Language, str] = {
    "en": "Hello, {}!",
    "de": "Hallo, {}!",
    "fr": "Bonjour, {} !",
    "es": "¡Hola, {}!",
    "ja": "こんにちは、{}さん！",  # noqa: RUF001 (Japanese punctuation)
}


class EchoArguments(DemoModel):
    """What `echo` takes."""

    text: Annotated[str, Field(description="The text to send back.")]


async def _echo(arguments: EchoArguments, _call: DemoCall) -> Answer:
    return text_result(arguments.text)


class GreetArguments(DemoModel):
    """What `greet` takes."""

    name: Annotated[str, Field(description="Whom to greet.", min_length=1, max_length=200)]
    language: Annotated[Language, Field(description="ISO 639-1 code of the language.")] = "en"


async def _greet(arguments: GreetArguments, _call: DemoCall) -> Answer:
    return text_result(_GREETINGS[arguments.language].replace("{}", arguments.name))


class WordCountArguments(DemoModel):
    """What `word_count` takes."""

    text: Annotated[str, Field(description="The text to count in.")]
    top: Annotated[int, Field(description="How many of the most frequent.", ge=0, le=100)] = 3


class WordFrequency(DemoModel):
    """A word and how often it occurs."""

    word: str
    count: Annotated[int, Field(ge=1)]


class WordCount(DemoModel):
    """What `word_count` gives."""

    words: Annotated[int, Field(ge=0)]
    lines: Annotated[int, Field(ge=0)]
    characters: Annotated[int, Field(ge=0)]
    most_frequent: list[WordFrequency]


async def _word_count(arguments: WordCountArguments, _call: DemoCall) -> Answer:
    words = re.findall(r"\w+", arguments.text.casefold())
    # Ties in alphabetical order, so that the answer depends on nothing but the text.
    ranked = sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))
    return structured_result(
        WordCount(
            words=len(words),
            lines=len(arguments.text.splitlines()),
            characters=len(arguments.text),
            most_frequent=[
                WordFrequency(word=word, count=count) for word, count in ranked[: arguments.top]
            ],
        )
    )


class ReportSection(DemoModel):
    """One section of a report."""

    heading: Annotated[str, Field(min_length=1, max_length=200)]
    text: str = ""
    bullets: Annotated[list[str], Field(max_length=1000)] = Field(default_factory=list[str])


class ReportArguments(DemoModel):
    """What `markdown_report` takes."""

    title: Annotated[str, Field(description="The report's heading.", min_length=1, max_length=200)]
    sections: Annotated[
        list[ReportSection], Field(description="What it says, in order.", max_length=100)
    ] = Field(default_factory=list[ReportSection])


async def _markdown_report(arguments: ReportArguments, _call: DemoCall) -> Answer:
    blocks = [f"# {arguments.title}"]
    for section in arguments.sections:
        blocks.append(f"## {section.heading}")
        if section.text:
            blocks.append(section.text)
        if section.bullets:
            blocks.append("\n".join(f"- {bullet}" for bullet in section.bullets))
    return text_result("\n\n".join(blocks) + "\n")


class FailArguments(DemoModel):
    """What `fail` takes."""

    message: Annotated[str, Field(description="What the error says.", max_length=10_000)] = (
        "This tool always fails; that is what it is for."
    )


async def _fail(arguments: FailArguments, _call: DemoCall) -> Answer:
    return error_result(arguments.message)


TOOLS = (
    DemoTool(
        name="echo",
        title="Echo",
        description="Return the given text unchanged. Use it to check that calls arrive.",
        takes=EchoArguments,
        run=_echo,
    ),
    DemoTool(
        name="greet",
        title="Greet",
        description="Greet somebody by name in English (default), German, French, Spanish or "
        "Japanese. Returns one line of text.",
        takes=GreetArguments,
        run=_greet,
    ),
    DemoTool(
        name="word_count",
        title="Count words",
        description="Count the words, lines and characters of a text and list its most frequent "
        "words, case ignored.",
        takes=WordCountArguments,
        gives=WordCount,
        run=_word_count,
    ),
    DemoTool(
        name="markdown_report",
        title="Markdown report",
        description="Write a Markdown document from a title and sections (heading, text, "
        "bullets). Returns the Markdown as text.",
        takes=ReportArguments,
        run=_markdown_report,
    ),
    DemoTool(
        name="fail",
        title="Fail",
        description="Always fail with the given message, as a tool error (not a protocol error). "
        "Use it to try out error handling.",
        takes=FailArguments,
        run=_fail,
    ),
)
