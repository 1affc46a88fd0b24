"""Fences and headings of documents made to be difficult, and the time hostile ones take."""

import time

import pytest
from markdown_it import MarkdownIt

from toolweave.documents.markdown import Fence, Heading, scan

REFERENCE = MarkdownIt("commonmark", {"maxNesting": 100})

HARD = {
    "plain": "```demo\ntool: x\n```\n",
    "tilde": "~~~ demo here\na\n~~~~\n",
    "longer": "````demo\n```\nx\n```\n````\n",
    "indented": "   ```demo\n     x\n   ```\n",
    "code": "    ```demo\n    x\n    ```\n",
    "in quote": "> ```demo\n> x\n> ```\n> after\n",
    "quote ends": "> ```demo\n> x\nafter\n```\n",
    "in list": "- a\n\n  ```demo\n  x\n  ```\n- b\n",
    "in item": "- ```demo\n  x\n  ```\n",
    "list ends": "- ```demo\n  x\nafter\n",
    "ordered": "10. a\n\n    ```demo\n    x\n    ```\n",
    "deep": "> - a\n>   > 1. ```demo\n>   >    x\n>   >    ```\n",
    "tabs": "-\ta\n\n\t```demo\n\tx\n\t```\n",
    "quote tab": ">\t```demo\n>\tx\n>\t```\n",
    "lazy": "> a\nb\n```demo\nx\n```\n",
    "lazy list": "- a\nb\n  ```demo\n  x\n  ```\n",
    "unclosed": "```demo\nx\n",
    "back ticks": "``` a`b\nx\n```\n",
    "html": "<!-- a\n```demo\nx\n```\n-->\n```demo\ny\n```\n",
    "details": "<details>\n```demo\nx\n```\n\n```demo\ny\n```\n</details>\n",
    "lone tag": "<x-y a='1'>\n```demo\nx\n```\n\n```demo\ny\n```\n",
    "tag in text": "word\n<x-y>\n```demo\nx\n```\n",
    "pre": "<pre>\n```demo\n\nx\n</pre>\n```demo\ny\n```\n",
    "setext": "Title\n=====\n\nOther\nline\n---\n\n```demo\nx\n```\n",
    "headings": "# A #\n## B ## \n###\n####### no\n#no\n# C#\n",
    "break": "a\n\n---\n***\n- - -\n```demo\nx\n```\n",
    "not a list": "a\n2. b\n-\n```demo\nx\n```\n",
    "empty item": "-\n\n  ```demo\n  x\n  ```\n",
    "item of code": "-     ```demo\n",
    "blank fence": "```demo\n\n\n```\n",
    "end with words": "```demo\n``` no\n```\n",
    "item and quote": "1. > ```demo\n   > x\n   > ```\n",
    "blank in item": "- a\n\n\n  ```demo\n\n  x\n  ```\n",
}


def ours(text: str) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for one in scan(text.split("\n")[:-1]):
        if isinstance(one, Fence):
            found.append(("fence", one.first, one.info, "\n".join(one.content)))
        else:
            found.append(("heading", one.level, one.text))
    return found


def theirs(text: str) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    tokens = REFERENCE.parse(text)
    for at, token in enumerate(tokens):
        if token.type == "fence" and token.map is not None:
            content = token.content.removesuffix("\n")
            found.append(("fence", token.map[0], token.info.strip(), content))
        elif token.type == "heading_open":
            inside = " ".join(line.strip() for line in tokens[at + 1].content.split("\n"))
            found.append(("heading", int(token.tag[1]), inside))
    return found


@pytest.mark.parametrize("name", HARD)
def test_fences_and_headings_are_where_commonmark_has_them(name: str) -> None:
    text = HARD[name]
    assert ours(text) == theirs(text)


def test_a_fence_says_where_it_ends_and_what_is_before_its_end() -> None:
    assert [*scan(["> - ```demo", ">   x", ">   ```", "after"])] == [
        Fence("demo", 0, 2, ("x",), ">   ")
    ]
    assert [*scan(["```demo", "x"])] == [Fence("demo", 0, None, ("x",), "")]
    assert [*scan(["> ```demo", "> x", "after"])] == [Fence("demo", 0, None, ("x",), "")]
    assert [*scan(["~~~", "~~~"])] == [Fence("", 0, 1, (), "")]


def test_a_lone_carriage_return_ends_no_line() -> None:
    assert [*scan(["a\rb", "# C"])] == [Heading(1, "C", 1)]


HOSTILE = {
    "quotes": "> " * 300,
    "lists": "- " * 300,
    "ticks": "`" * 600,
    "spaces": "#" + " " * 600 + "x",
    "stars": "* " * 300 + "x",
    "tags": "<a" + " b='1'" * 100,
    "numbers": "1. " * 200,
    "tabs": "\t" * 600,
    "quotes and lists": "> - " * 150,
    "items": "- a",
    "references": "[a]: x",
    "open references": "[",
    "comments": "<!--",
    "fences": "```",
    "headings": "a\n-",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_text_and_not_faster(name: str) -> None:
    def cost(times: int) -> float:
        lines = "\n".join([HOSTILE[name]] * times).split("\n")
        found: list[float] = []
        for _ in range(3):
            began = time.process_time()
            list(scan(lines))
            found.append(time.process_time() - began)
        return min(found)

    # Eight times the text; quadratic would be sixty-four.
    assert cost(400) < 30 * max(cost(50), 0.0005)


def test_a_heading_says_where_it_stands() -> None:
    assert list(scan(["# A", "", "B", "-"])) == [Heading(1, "A", 0), Heading(2, "B", 3)]
