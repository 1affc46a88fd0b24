"""ACTION.PARSE: each format, and texts that mean harm."""

import pytest
from tests.nodes.action.trying import code_of, compute, field

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action._text_formats import MAX_CHARS
from toolweave.nodes.action.parse import node

READ: list[tuple[str, str, Json]] = [
    ("json", ' {"a": [1, 2.5, null, "\\u00e9"]} ', {"a": [1, 2.5, None, "é"]}),
    ("json", "7", 7),
    ("csv", "a,b\r\n1,true\r\n,x\n", [{"a": 1, "b": True}, {"a": None, "b": "x"}]),
    ("csv", '\ufeffa,b\n"x\n,""y""",007\n', [{"a": 'x\n,"y"', "b": "007"}]),
    ("csv", "a,b\n1\n", [{"a": 1, "b": None}]),
    ("csv", "a\n1e400\nNaN\n-0.5\n", [{"a": "1e400"}, {"a": "NaN"}, {"a": -0.5}]),
    ("csv", "a\nx\u2028y\x0bz\n", [{"a": "x\u2028y\x0bz"}]),
    ("csv", "", []),
    ("yaml", "a: on\nb: 0644\nd: [1, ~]", {"a": "on", "b": "0644", "d": [1, None]}),
    ("xml", "<a/>", {"a": ""}),
    ("xml", '<?xml version="1.0" encoding="latin-1"?><a>é</a>', {"a": "é"}),
    ("xml", "<a><b>1</b><b>2</b><b>3</b></a>", {"a": {"b": ["1", "2", "3"]}}),
    ("xml", "<c>x<d/>y</c>", {"c": {"d": "", "#text": "xy"}}),
    ("xml", "<a><![CDATA[<&>]]>&amp;&#65;</a>", {"a": "<&>&A"}),
    ("xml", '<n:a n:b="1">t</n:a>', {"n:a": {"@n:b": "1", "#text": "t"}}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "expected"), READ, ids=lambda one: str(one)[:40])
def test_a_text_gives_the_value_in_it(kind: str, text: str, expected: Json) -> None:
    assert compute(node, {"format": kind}, text=text)["data"] == expected


def test_every_format_is_tried() -> None:
    assert {kind for kind, _, _ in READ} | {"markdown"} == set(field(node, "format").options)


def test_csv_without_header_or_types_gives_lists_of_texts() -> None:
    config: JsonObject = {
        "format": "csv",
        "has_header": False,
        "convert_types": False,
        "delimiter": ";",
    }
    found = compute(node, config, text="1;true\n;x,y\n")
    assert found == {"data": [["1", "true"], ["", "x,y"]], "count": 2}


DOCUMENT = """---
title: T
---
before

One line
and two
=======

# A ## #
text
```python
# no heading
```
### C
    # code
- item
---
Under
-----
end #
"""


def test_markdown_gives_front_matter_outline_and_sections() -> None:
    found = compute(node, {"format": "markdown"}, text=DOCUMENT)
    data = found["data"]
    assert isinstance(data, dict)
    assert data["front_matter"] == {"title": "T"}
    assert data["outline"] == [
        {"level": 1, "title": "One line and two", "line": 6},
        {"level": 1, "title": "A ##", "line": 10},
        {"level": 3, "title": "C", "line": 15},
        {"level": 2, "title": "Under", "line": 19},
    ]
    assert data["sections"] == [
        {"level": 0, "title": "", "path": [], "text": "before"},
        {"level": 1, "title": "One line and two", "path": ["One line and two"], "text": ""},
        {
            "level": 1,
            "title": "A ##",
            "path": ["A ##"],
            "text": "text\n```python\n# no heading\n```",
        },
        {"level": 3, "title": "C", "path": ["A ##", "C"], "text": "# code\n- item\n---"},
        {"level": 2, "title": "Under", "path": ["A ##", "Under"], "text": "end #"},
    ]
    assert found["count"] == 5


def test_a_rule_at_the_top_of_markdown_is_no_front_matter() -> None:
    data = compute(node, {"format": "markdown"}, text="---\n[a: *b\n---\n# T")["data"]
    assert isinstance(data, dict)
    assert data["front_matter"] is None


LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><l>&b;</l>'
HOSTILE: list[tuple[str, str, str]] = [
    ("billion laughs", "xml", LAUGHS),
    ("an outside entity", "xml", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'),
    ("an outside type", "xml", '<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd"><a/>'),
    ("an unknown entity", "xml", "<a>&x;</a>"),
    ("deep elements", "xml", "<a>" * 5000 + "</a>" * 5000),
    ("an open element", "xml", "<a><b></a>"),
    ("nothing", "xml", ""),
    ("two roots", "xml", "<a/><b/>"),
    ("deep lists", "json", "[" * 5000 + "]" * 5000),
    ("a key twice", "json", '{"a": 1, "a": 2}'),
    ("no number", "json", "NaN"),
    ("an alias", "yaml", "a: &x [1]\nb: *x"),
    ("a tag", "yaml", "!!python/object/apply:os.system ['true']"),
    ("a deep document", "yaml", "[" * 500 + "]" * 500),
    ("too many cells", "csv", "a\n1,2\n"),
    ("a column twice", "csv", "a,a\n1,2\n"),
    ("an open quote", "csv", 'a\n"x'),
    ("a huge cell", "csv", "a\n" + "x" * 200_000),
    ("too many cells in all", "csv", "a\n" * 300_000),
    ("too many elements", "xml", "<a>" + "<b/>" * 300_000 + "</a>"),
    ("too many headings", "markdown", "# a\n" * 30_000),
    *(("too much", kind, " " * (most + 1)) for kind, most in MAX_CHARS.items()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_a_text_that_means_harm_is_refused(kind: str, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        compute(node, {"format": kind}, text=text)
    assert code_of(caught) == "PARSE_FAILED"
    assert "passwd" not in caught.value.message


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n"])
def test_a_delimiter_that_separates_nothing_is_refused(delimiter: str) -> None:
    with pytest.raises(Invalid, match="delimiter"):
        compute(node, {"format": "csv", "delimiter": delimiter}, text="a")


LONG = [
    *("`" * 900_000, "a\n" * 400_000, "#" * 900_000, "> " * 400_000),
    *("# " + " #" * 400_000, "=\n" * 30_000, "- " * 400_000 + "x"),
]


@pytest.mark.parametrize("text", LONG, ids=lambda one: one[:4])
def test_markdown_is_read_in_linear_time(text: str) -> None:
    assert compute(node, {"format": "markdown"}, text=text)["count"]


@pytest.mark.parametrize("example", node.spec.examples, ids=lambda one: one.name)
def test_an_example_gives_all_it_says(example: object) -> None:
    found = next(one for one in node.spec.examples if one is example)
    assert compute(node, found.configurations, **found.input_params) == found.expected_output
