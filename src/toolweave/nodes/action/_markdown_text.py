"""Markdown as a JSON value: its outline, and the text below each heading, in linear time."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action._text_formats import MAX_DEPTH, fail
from toolweave.patterns import pattern
from toolweave.workflow.yaml_text import read_yaml

MAX_HEADINGS = 20_000
_HEADING = pattern(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_CLOSING = pattern(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = pattern(r" {0,3}(=+|-+)[ \t]*")
_RULE = pattern(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_FENCE = pattern(r" {0,3}(`{3,}|~{3,})(.*)")
# Lines that begin something else than a paragraph: no heading can be made of them by a line below.
_NO_PARAGRAPH = pattern(r"[ \t]*(?:[>|#]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])| {4}|\t")


def parse_markdown(text: str) -> JsonObject:
    """Front matter, the outline, and the text below each heading."""
    told_lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    lines = [line.rstrip("\r\n") for line in told_lines]
    front, start = _front_matter(lines)
    sections: list[_Section] = [_Section(0, "", start + 1)]
    for heading in _headings(lines, start):
        if len(sections) > MAX_HEADINGS:
            fail("Markdown", f"it has more than {MAX_HEADINGS} headings")
        sections[-1].end = heading.line - 1
        sections.append(heading)
    sections[-1].end = len(lines)
    shown = [one for one in sections if one.level or one.text(lines)]
    path: list[_Section] = []
    outline: list[Json] = []
    told: list[Json] = []
    for one in shown:
        path = [above for above in path if above.level < one.level]
        path.append(one)
        if one.level:
            outline.append({"level": one.level, "title": one.title, "line": one.line})
        names: list[Json] = [above.title for above in path if above.level]
        told.append(
            {"level": one.level, "title": one.title, "path": names, "text": one.text(lines)}
        )
    return {"front_matter": front, "outline": outline, "sections": told}


@dataclass(slots=True)
class _Section:
    level: int
    title: str
    line: int
    # How many lines the heading itself has.
    height: int = 0
    end: int = 0

    def text(self, lines: list[str]) -> str:
        return "\n".join(lines[self.line - 1 + self.height : self.end]).strip()


def _front_matter(lines: list[str]) -> tuple[Json, int]:
    if not lines or lines[0].rstrip() != "---":
        return None, 0
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() in ("---", "...")), None)
    if end is None:
        return None, 0
    try:
        return read_yaml("\n".join(lines[1:end]).encode(), max_depth=MAX_DEPTH), end + 1
    except Invalid:
        return None, 0  # a rule and then text, not front matter


def _headings(lines: list[str], start: int) -> Iterator[_Section]:
    fence: str | None = None
    paragraph_from: int | None = None
    for at in range(start, len(lines)):
        line = lines[at]
        fence, is_code = _fenced(fence, line)
        if is_code:
            paragraph_from = None
            continue
        if found := _HEADING.fullmatch(line):
            title = _CLOSING.sub("", (found[2] or "").strip()).strip()
            yield _Section(len(found[1]), title, at + 1, 1)
            paragraph_from = None
        elif paragraph_from is not None and (found := _UNDERLINE.fullmatch(line)):
            title = " ".join(part.strip() for part in lines[paragraph_from:at])
            height = at - paragraph_from + 1
            yield _Section(1 if found[1][0] == "=" else 2, title, paragraph_from + 1, height)
            paragraph_from = None
        elif not line.strip() or _RULE.fullmatch(line):
            paragraph_from = None
        elif paragraph_from is None and _NO_PARAGRAPH.match(line):
            continue
        elif paragraph_from is None:
            paragraph_from = at


def _fenced(fence: str | None, line: str) -> tuple[str | None, bool]:
    """The fence that is open after a line, and whether the line is code or a fence itself."""
    found = _FENCE.fullmatch(line)
    if fence is None:
        # Backticks after an opening fence of backticks make it a code span.
        opens = found is not None and not (found[1][0] == "`" and "`" in found[2])
        return (found[1], True) if opens and found else (None, False)
    closes = found is not None and found[1].startswith(fence) and not found[2].strip()
    return (None if closes else fence), True
