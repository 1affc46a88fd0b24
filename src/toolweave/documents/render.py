"""A result as a callout: a quote that people can read and a later run finds again.

The output of a tool is put in a fence longer than any it contains, and never looks like the
markers by which results are found: it stays text.
"""

import hashlib
import re
from dataclasses import dataclass

from toolweave import json_text
from toolweave.documents.document import END
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.tools.content_value import beside_content, contents_of, says_beside
from toolweave.tools.tool import Content, ToolResult

MAX_CHARS = 16_000
MAX_LINES = 400
LONG_CHARS = 2_000
LONG_LINES = 40
MAX_TITLE = 120
_TICKS = pattern(r"`{3,}")
_MARK = pattern(r"<!--(\s*/?\s*toolweave)", re.IGNORECASE)
ENDINGS = {
    "application/pdf": "pdf",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/webp": "webp",
}


@dataclass(frozen=True, slots=True)
class ResultImage:
    """Bytes that a result shows, and the name of their file."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Callout:
    """A result ready to be written: its lines, without prefix and line ends, and its pictures."""

    lines: tuple[str, ...]
    pictures: tuple[ResultImage, ...] = ()
    is_failure: bool = False


def block_key(kind: str, server: str | None, name: str, arguments: JsonObject) -> str:
    """Return the key of a call; it changes with the server, the tool or a parameter."""
    text = json_text.canonical([kind, server, name, arguments])
    return hashlib.sha256(text).hexdigest()[:16]


def render_result(result: ToolResult, title: str, key: str, folder: str) -> Callout:
    """Return the callout of a tool's result; pictures become links to files in `folder`."""
    body: list[str] = []
    pictures: list[ResultImage] = []
    is_json = result.structured is not None or result.content_type == "json"
    if is_json:
        body += _fenced(_pretty(result), "json")
    has_texts = not is_json or says_beside(result)
    for block in result.content:
        # Texts that only repeat structured content are left out.
        if has_texts or block.text is None:
            body += _shown(block, result, key, folder, pictures)
    took = f"{title} · {max(1, round(result.took_ms))} ms"
    return _callout(body or ["(no content)"], took, key, pictures, is_failure=result.is_error)


def render_value(value: Json, title: str, key: str, folder: str = "") -> Callout:
    """Return the callout of a workflow's result; media become links to files in `folder`."""
    blocks = contents_of(value)
    if blocks is not None:
        pictures: list[ResultImage] = []
        result = ToolResult(blocks)
        body = [line for one in blocks for line in _shown(one, result, key, folder, pictures)]
        if rest := beside_content(value):
            body = [*_fenced(json_text.write(rest, pretty=True), "json"), *body]
        return _callout(body, title, key, pictures, is_failure=False)
    text = value if isinstance(value, str) else json_text.write(value, pretty=True)
    body = _fenced(text, "text" if isinstance(value, str) else "json")
    return _callout(body, title, key, [], is_failure=False)


def render_error(error: ToolweaveError, title: str, key: str) -> Callout:
    """Return the callout of an error: why there is no result, and what to do."""
    lines = [f"{error.message} [{error.code}]"]
    if isinstance(error, Invalid):
        lines += [f"{one.pointer or '/'}: {one.message}" for one in error.problems[:20]]
    if error.hint:
        lines.append(f"Hint: {error.hint}")
    return _callout(_fenced("\n".join(lines), "text"), title, key, [], is_failure=True)


def _callout(
    body: list[str], title: str, key: str, pictures: list[ResultImage], *, is_failure: bool
) -> Callout:
    size = sum(len(line) for line in body)
    fold = "-" if size > LONG_CHARS or len(body) > LONG_LINES else ""
    kind = "failure" if is_failure else "success"
    first = f"> [!{kind}]{fold} {_one_line(title)} <!-- toolweave:{key} -->"
    lines = [first, *(f"> {line}".rstrip(" ") for line in body), END]
    return Callout(tuple(lines), tuple(pictures), is_failure)


def _shown(
    block: Content, result: ToolResult, key: str, folder: str, pictures: list[ResultImage]
) -> list[str]:
    if block.data is not None:
        kind = (block.mime_type or "").partition(";")[0].strip().lower()
        name = f"{key}-{len(pictures) + 1}.{ENDINGS.get(kind, 'bin')}"
        pictures.append(ResultImage(name, block.data))
        mark = "!" if kind.startswith("image/") else ""
        return [f"{mark}[{kind or 'file'}](<{folder}/{name}>)"]
    if block.text is not None:
        return _fenced(block.text, "markdown" if result.content_type == "markdown" else "text")
    named = block.title or block.name
    text = f"{named}: {block.uri}" if named else block.uri
    return _fenced(text, "text") if text else []


def _fenced(text: str, info: str) -> list[str]:
    lines = [_harmless(line) for line in text.replace("\r\n", "\n").split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    kept: list[str] = []
    room = MAX_CHARS
    for line in lines[:MAX_LINES]:
        if room < len(line):
            kept.append(line[:room])
            break
        kept.append(line)
        room -= len(line)
    left = len(text) - sum(len(line) + 1 for line in kept)
    runs = [len(run) for line in kept for run in _TICKS.findall(line)]
    fence = "`" * (max(runs, default=2) + 1)
    told = (
        [f"… {left} characters more"] if (left > 1 and len(kept) < len(lines)) or room <= 0 else []
    )
    return [f"{fence}{info}", *kept, fence, *told]


def _pretty(result: ToolResult) -> str:
    if result.structured is not None:
        return json_text.write(result.structured, pretty=True)
    try:
        return json_text.write(json_text.read(result.text), pretty=True)
    except Invalid:
        return result.text


def _harmless(line: str) -> str:
    """Return a line without line ends and our markers."""
    plain = "".join(one if one == "\t" or one >= " " else " " for one in line)
    plain = plain.encode("utf-8", "replace").decode()
    return _MARK.sub(r"<!-·\1", plain)


def _one_line(text: str) -> str:
    plain = " ".join(_harmless(text).split()).replace("<!--", "<!-·").replace("-->", "-·>")
    return plain[:MAX_TITLE]
