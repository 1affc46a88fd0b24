"""ACTION.PARSE: read a text as JSON, CSV, YAML, XML or Markdown."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import Json
from toolweave.nodes.action._markdown_text import parse_markdown
from toolweave.nodes.action._text_formats import (
    MAX_CHARS,
    fail,
    parse_csv,
    parse_json,
    parse_xml,
    parse_yaml,
)

DELIMITERS = {
    **dict.fromkeys(("comma", "\\,"), ","),
    "semicolon": ";",
    **dict.fromkeys(("tab", "\\t", "tabulator"), "\t"),
    **dict.fromkeys(("pipe", "bar"), "|"),
    **dict.fromkeys(("space", "blank"), " "),
    "colon": ":",
}


def check_delimiter(given: NodeInput) -> None:
    """Whether cells can be separated. Raises `NODE_INPUT_INVALID`."""
    delimiter = given.text("delimiter")
    if given.text("format") != "csv" or (len(delimiter) == 1 and delimiter not in '"\r\n'):
        return
    meant = DELIMITERS.get(delimiter.lower())
    if meant is None and len(delimiter) == 2 and delimiter[0] == "\\":
        meant = delimiter[1]  # escaped
    raise refused_at(
        ("delimiter",),
        "NODE_INPUT_INVALID",
        f"the delimiter is {delimiter!r:.20}; expected one character",
        hint=f"write {meant!r}" if meant else None,
        fix=meant,
    )


class Parse:
    """Turns a text into a value."""

    may_be_heavy = True
    spec = NodeSpec(
        type="ACTION",
        subtype="PARSE",
        summary="Read a text as JSON, CSV, YAML, XML or Markdown and give the value in it.",
        effect="pure",
        configurations=(
            Field(
                "format",
                "string",
                "What the text is; markdown gives front_matter, outline and sections.",
                "json",
                required=True,
                options=("json", "csv", "yaml", "xml", "markdown"),
            ),
            Field(
                "delimiter",
                "string",
                "What separates the cells of a CSV line.",
                ",",
                used_when=("format", "csv"),
            ),
            Field(
                "has_header",
                "boolean",
                "Whether the first CSV line names the columns.",
                True,
                used_when=("format", "csv"),
            ),
            Field(
                "convert_types",
                "boolean",
                "Whether numbers, true, false and empty cells of CSV become such values.",
                True,
                used_when=("format", "csv"),
            ),
        ),
        inputs=(Field("text", "string", "The text to read.", required=True, multiline=True),),
        outputs=(
            Field("data", "any", "The value in the text.", required=True),
            Field("count", "integer", "Items of a list, sections of Markdown, else 1."),
        ),
        checks=(check_delimiter,),
        tags=("action", "data", "parse"),
        keywords=(
            *("parse", "read", "json", "csv", "yaml", "xml", "markdown"),
            *("decode", "extract", "table", "outline", "headings"),
        ),
        guidance=(
            "The next node gets the value as its data. XML gives the root by its name, attributes "
            "as @name, text beside them as #text and repeated elements as lists; document types, "
            "and with them entities, are refused, as are tags and aliases of YAML. Takes the body "
            "of ACTION.HTTP_REQUEST as `{{ data.body }}`."
        ),
        examples=(
            Example(
                "Table",
                "Two lines below a header, numbers read as numbers.",
                {"format": "csv"},
                {"text": "name,age\nAda,36\nAlan,41\n"},
                {"data": [{"name": "Ada", "age": 36}, {"name": "Alan", "age": 41}], "count": 2},
            ),
            Example(
                "Settings",
                "YAML as plain values.",
                {"format": "yaml"},
                {"text": "name: demo\nports: [80, 443]\n"},
                {"data": {"name": "demo", "ports": [80, 443]}, "count": 1},
            ),
            Example(
                "Order",
                "XML with an attribute and an element that repeats.",
                {"format": "xml"},
                {"text": '<order id="7"><sku>A</sku><sku>B</sku></order>'},
                {"data": {"order": {"@id": "7", "sku": ["A", "B"]}}, "count": 1},
            ),
            Example(
                "Chapters",
                "The headings of a document and the text below each.",
                {"format": "markdown"},
                {"text": "# Guide\nHello.\n## Setup\nRun it.\n"},
                {
                    "data": {
                        "front_matter": None,
                        "outline": [
                            {"level": 1, "title": "Guide", "line": 1},
                            {"level": 2, "title": "Setup", "line": 3},
                        ],
                        "sections": [
                            {"level": 1, "title": "Guide", "path": ["Guide"], "text": "Hello."},
                            {
                                "level": 2,
                                "title": "Setup",
                                "path": ["Guide", "Setup"],
                                "text": "Run it.",
                            },
                        ],
                    },
                    "count": 2,
                },
            ),
            Example(
                "Answer of a service",
                "JSON in a text.",
                {"format": "json"},
                {"text": '{"ok": true, "items": []}'},
                {"data": {"ok": True, "items": []}, "count": 1},
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The value in the text."""
        check_delimiter(given)
        kind, text = given.text("format"), given.text("text")
        if len(text) > MAX_CHARS[kind]:
            fail(kind, f"{len(text)} characters; at most {MAX_CHARS[kind]} are read")
        value = _parsed(given, kind, text)
        counted: Json = value
        if kind == "markdown" and isinstance(value, dict):
            counted = value["sections"]
        return Outcome({"data": value, "count": len(counted) if isinstance(counted, list) else 1})


def _parsed(given: NodeInput, kind: str, text: str) -> Json:
    match kind:
        case "csv":
            return parse_csv(
                text,
                given.text("delimiter"),
                has_header=given.flag("has_header"),
                reads_types=given.flag("convert_types"),
            )
        case "yaml":
            return parse_yaml(text)
        case "xml":
            return parse_xml(text)
        case "markdown":
            return parse_markdown(text)
        case _:
            return parse_json(text)


node = Parse()
