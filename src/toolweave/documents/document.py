"""A Markdown document: its sections, its tool blocks and the results below them, to the byte.

Text that is not UTF-8 is kept as it is, by the way Python spells such bytes; lines end at line
feeds only, and whatever else ends a line stays in it.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from toolweave.documents.markdown import Fence, Heading, scan
from toolweave.documents.parameters import are_pairs, named, read_parameters
from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.settings import MIB

MAX_BYTES = MIB
TOOL, WORKFLOW = "tool", "workflow"
MAX_NAME = 200
MAX_FRONT_LINES = 1_000

Kind = Literal["tool", "workflow", "resource", "prompt"]
# What a block of a server may name.
OF_SERVER: tuple[Kind, ...] = ("tool", "resource", "prompt")

# Code blocks whose `tool:` line is content.
DATA_FORMATS = frozenset({"yaml", "yml", "toml", "json", "ini", "text", "txt", "markdown", "md"})

# The markers of a result, inside a quote.
BEGIN = pattern(r"> \[!(success|failure)\][-+]? .*<!-- toolweave:([0-9a-f]{16}) -->$")
END = "> <!-- /toolweave -->"
# The form in which an older system stored its calls: a quote with the call and its result.
OLDER = pattern(r"> \[!tool\][-+]? *Tool Call\b", re.IGNORECASE)
_BLOCK_ID = pattern(r"(?:^|[ \t])\^([A-Za-z0-9-]{1,100})[ \t]*$")


@dataclass(frozen=True, slots=True)
class Region:
    """A result in the document: its lines (the last one included) and the key of its call."""

    first: int
    last: int
    # None if an older system stored it: whatever its block says, it was run.
    key: str | None
    is_failure: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: a tool, resource or prompt of a server, or a workflow."""

    kind: Kind
    name: str
    # As written in the block; None if the section decides.
    server: str | None
    arguments: JsonObject
    first: int
    last: int
    prefix: str
    result: Region | None = None
    id: str | None = None
    problem: Problem | None = None

    @property
    def line(self) -> int:
        """Its first line, counted from 1."""
        return self.first + 1


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    """A fenced block that looks like a call, but has no known server or no tool."""

    line: int
    info: str


@dataclass(frozen=True, slots=True)
class Document:
    """The parsed text."""

    text: str
    # The offset of each line, and of the end.
    starts: tuple[int, ...]
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]
    regions: tuple[Region, ...]
    ids: dict[str, int]
    front_matter: str | None = None
    # The first lines of a document that begins with front matter and never ends it.
    open_front_matter: str | None = None
    # Blocks that look like tool calls of a server that is not registered.
    unknown: tuple[UnknownBlock, ...] = ()

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return len(self.starts) - 1

    def line_at(self, source_line: int) -> int | None:
        """Return the line, from 0, that has such a number; None past the end."""
        line = source_line - 1
        for region in self.regions:
            if region.first > line:
                break
            line += region.last - region.first + 1
        return line if line < self.line_count else None


def read_document(data: bytes, servers: Collection[str]) -> Document:
    """Parse a document; `servers` are the names blocks may have."""
    if len(data) > MAX_BYTES:
        raise Invalid(
            "DOCUMENT_TOO_LARGE",
            f"the document has {len(data)} bytes; at most {MAX_BYTES} are read",
            hint="split it into several",
        )
    text = decoded(data)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = len(text)
    plain = [line.removesuffix("\r") for line in lines]
    if plain:
        plain[0] = plain[0].removeprefix("\ufeff")
    skipped = _front_matter(plain)
    regions = tuple(_regions(plain, skipped))
    opaque = {line for one in regions for line in range(one.first, one.last + 1)}
    # Results of tools are never parsed as Markdown, let alone run.
    shown = ["" if at in opaque or at < skipped else line for at, line in enumerate(plain)]
    found = list(scan(shown))
    headings = tuple(one for one in found if isinstance(one, Heading))
    by_line = {one.first: one for one in regions}
    blocks = tuple(
        block
        for fence in found
        if isinstance(fence, Fence)
        and (block := _block(fence, servers, by_line, shown)) is not None
    )
    ids = _ids(shown, [one for one in found if isinstance(one, Fence)])
    front = "\n".join(plain[1 : skipped - 1]) if skipped else None
    is_open = not skipped and bool(plain) and plain[0].rstrip() == "---"
    return Document(
        text,
        tuple(starts),
        blocks,
        headings,
        regions,
        ids,
        front,
        open_front_matter="\n".join(plain[1:MAX_FRONT_LINES]) if is_open else None,
        unknown=tuple(_unknown(found, servers)),
    )


def decoded(data: bytes) -> str:
    """Decode any bytes; `encoded` returns them unchanged."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Encode such a text."""
    return text.encode("utf-8", "surrogateescape")


def _front_matter(lines: list[str]) -> int:
    """Return how many lines the front matter takes, including its markers."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for at, line in enumerate(lines[1:MAX_FRONT_LINES], start=1):
        if line.rstrip() in ("---", "..."):
            return at + 1
    return 0


def _regions(lines: list[str], start: int) -> Iterator[Region]:
    """Yield every result in the document."""
    at = start
    while at < len(lines):
        mark = lines[at].find("> [!")
        if mark >= 0 and OLDER.match(lines[at], mark):
            last = _end_of_quote(lines, at, lines[at][:mark])
            yield Region(at, last, None, False)
            at = last + 1
            continue
        begin = BEGIN.match(lines[at], mark) if mark >= 0 else None
        if begin is None:
            at += 1
            continue
        prefix = lines[at][:mark]
        last = _end_of_region(lines, at, prefix)
        if last is not None:
            yield Region(at, last, begin[2], begin[1] == "failure")
            at = last
        at += 1


def _end_of_quote(lines: list[str], first: int, prefix: str) -> int:
    last = first
    while last + 1 < len(lines) and lines[last + 1].startswith(prefix + ">"):
        last += 1
    return last


def _end_of_region(lines: list[str], first: int, prefix: str) -> int | None:
    """Return where a result ends; its content never looks like a marker."""
    for at in range(first + 1, len(lines)):
        line = lines[at]
        if not line.startswith(prefix + ">") or BEGIN.match(line, len(prefix)):
            return None
        if line == prefix + END:
            return at
    return None


def _block(
    fence: Fence, servers: Collection[str], regions: dict[int, Region], lines: list[str]
) -> Block | None:
    if fence.info not in (TOOL, WORKFLOW) and fence.info not in servers:
        return None
    found = _named(fence)
    if found is None:
        return None
    kind, name, rest = found
    server = None if fence.info in (TOOL, WORKFLOW) else fence.info
    problem: Problem | None = None
    arguments: JsonObject = {}
    try:
        arguments = read_parameters(rest)
    except Invalid as error:
        place = pointer("lines", fence.first + 1)
        problem = Problem(error.code, place, error.message, error.hint)
    if fence.last is None:
        place = pointer("lines", fence.first + 1)
        told = "the block is never closed, so its result would end up inside it"
        problem = Problem("DOCUMENT_BLOCK_UNCLOSED", place, told, "end it with the same fence")
    last = fence.first if fence.last is None else fence.last
    result = regions.get(last + 1)
    after = (result.last if result else last) + 1
    return Block(
        kind,
        name[:MAX_NAME],
        server,
        arguments,
        fence.first,
        last,
        fence.prefix,
        result,
        _id_below(lines, after, fence.prefix),
        problem,
    )


def _named(fence: Fence) -> tuple[Kind, str, list[str]] | None:
    """What a block calls, and its other lines."""
    kinds: tuple[Kind, ...] = ("workflow",) if fence.info == WORKFLOW else OF_SERVER
    for kind in kinds:
        if (found := named(fence.content, kind)) is not None:
            return kind, *found
    return None


def _unknown(found: list[Fence | Heading], servers: Collection[str]) -> Iterator[UnknownBlock]:
    """Blocks that look like calls: of no server, or of one but without a `tool:` line."""
    for fence in found:
        if not isinstance(fence, Fence) or not fence.info:
            continue
        if fence.info in servers or fence.info in (TOOL, WORKFLOW):
            is_meant = _named(fence) is None and are_pairs(fence.content)
        else:
            is_format = fence.info.split()[0].lower() in DATA_FORMATS
            is_meant = not is_format and named(fence.content, TOOL) is not None
        if is_meant:
            yield UnknownBlock(fence.first + 1, fence.info)


def _id_below(lines: list[str], at: int, prefix: str) -> str | None:
    """`^id` on a line of its own below a block, one blank line between them or none."""
    for line in lines[at : at + 2]:
        text = line.removeprefix(prefix).strip()
        if text:
            found = _BLOCK_ID.match(text)
            return found[1] if found else None
    return None


def _ids(lines: list[str], fences: list[Fence]) -> dict[str, int]:
    code: set[int] = set()
    for fence in fences:
        code.update(range(fence.first, (fence.last or len(lines) - 1) + 1))
    found: dict[str, int] = {}
    for at, line in enumerate(lines):
        if "^" in line and at not in code and (mark := _BLOCK_ID.search(line)):
            found.setdefault(mark[1], at)
    return found
