"""Plain text out of documents: text, Markdown, HTML and JSON; passages and titles of it."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from toolweave import json_text
from toolweave.catalog.node_input import NodeInput, refused_at
from toolweave.json_text import Json
from toolweave.patterns import pattern

FORMATS = ("text", "markdown", "html", "json")
_SAME = {
    "txt": "text",
    "plain": "text",
    "text/plain": "text",
    "md": "markdown",
    "text/markdown": "markdown",
    "htm": "html",
    "text/html": "html",
    "application/json": "json",
}
_SKIPPED = frozenset({"script", "style", "noscript", "template"})
_BLOCKS = frozenset(
    {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article"}
)
_HEADING = pattern(r"^#{1,6} +(.+)$")
_SENTENCE = pattern(r"(?<=[.!?])\s")


def format_of(given: NodeInput, setting: str) -> str:
    """The format of a document: as the setting says, else by the ending of its `file_path`.

    Raises `DOCUMENT_FORMAT_UNSUPPORTED`.
    """
    named, path = given.text(setting), given.text("file_path")
    wish = (named or path.rpartition("/")[2].rpartition(".")[2]).lower().lstrip(".")
    found = _SAME.get(wish, wish) if named or "." in path else "text"
    if found not in FORMATS:
        hint = "turn it into text first, for example with a tool of an MCP server"
        raise refused_at(
            (setting if named else "file_path",),
            "DOCUMENT_FORMAT_UNSUPPORTED",
            f"{found!r} cannot be read here; these can: {', '.join(FORMATS)}",
            hint=hint,
        )
    return found


def plain_text(content: str, kind: str) -> str:
    """Return the text of a document without markup. Raises `JSON_INVALID`."""
    match kind:
        case "html":
            return _html(content)
        case "json":
            return "\n".join(_lines(json_text.read(content), ""))
        case _:
            return content


def title_of(text: str, most: int) -> str:
    """A title: the first line, or the first sentence of it, as long as it may be."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    heading = _HEADING.match(first)
    shown = heading[1] if heading else _SENTENCE.split(first, maxsplit=1)[0]
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def summary_of(text: str, most: int = 200) -> str:
    """The first sentence."""
    return title_of(" ".join(text.split()), most)


def passages(text: str, size: int, overlap: int) -> Iterator[tuple[str, str]]:
    """Pieces of a text of about `size` characters, each with the heading it stands under."""
    heading, piece = "", ""
    for block in _blocks(text, size):
        found = _HEADING.match(block)
        if found or (piece and len(piece) + len(block) > size):
            if piece.strip():
                yield heading, piece.strip()
            piece = "" if found else piece[len(piece) - overlap :] if overlap else ""
        if found:
            heading = found[1].strip()
            continue
        piece = f"{piece}\n\n{block}" if piece else block
    if piece.strip():
        yield heading, piece.strip()


def _blocks(text: str, size: int) -> Iterator[str]:
    """Paragraphs and headings; one that is too long comes in parts."""
    for block in re.split(r"\n\s*\n|\n(?=#{1,6} )|(?<=\n)(?=#{1,6} )", text):
        lines = block.strip().splitlines()
        if lines and _HEADING.match(lines[0]):
            yield lines[0]
            lines = lines[1:]
        rest = "\n".join(lines).strip()
        for start in range(0, len(rest), size):
            yield rest[start : start + size]


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._skipped += tag in _SKIPPED
        if tag in _BLOCKS:
            level = int(tag[1]) if tag[0] == "h" and tag[1:].isdigit() else 0
            self.found.append(f"\n\n{'#' * level} " if level else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in _SKIPPED and self._skipped > 0
        if tag in _BLOCKS:
            self.found.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.found.append(re.sub(r"\s+", " ", data))


def _html(content: str) -> str:
    words = _Words()
    words.feed(content)
    words.close()
    text = "".join(words.found)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n|\n[ \t]+", "\n", text)).strip()


def _lines(value: Json, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _lines(below, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _lines(below, f"{name}[{index}]")
    else:
        shown = value if isinstance(value, str) else json_text.write(value)
        yield f"{name}: {shown}" if name else shown
