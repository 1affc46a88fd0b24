"""What an exported file knows of itself: the whole graph, and the mark that it is ours.

The mark is the last line: whose file it is, and a hash of the rest, so that nothing that was not
written here, or was changed by hand since, is ever overwritten unasked.
"""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.export.comment import comment, comments_in
from toolweave.export.file_names import stem_of
from toolweave.patterns import pattern
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, load
from toolweave.workflow.model import Workflow

LABEL = "toolweave:workflow"
_MARK = pattern(
    r"^(?:<!--|%%|//) toolweave:export of=([a-z0-9-]+) id=([0-9a-f]{8}) sha256=([0-9a-f]{16})"
    r"(?: -->)?$\n?",
    re.MULTILINE,
)
_ENCODED = pattern(rf"^(?:%%|//) {LABEL}: ([A-Za-z0-9+/=]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ExportMark:
    """Whose file it is, and whether it is as we wrote it."""

    of: str
    id: str
    is_intact: bool


def carried(workflow: Workflow) -> str:
    """The graph as a comment of Markdown."""
    return comment(LABEL, convert(workflow, "toolweave"))


def carried_in_mermaid(workflow: Workflow) -> str:
    """The graph as a comment of Mermaid, which takes braces even there for its own."""
    return f"%% {LABEL}: {_encoded(workflow)}"


def carried_in_script(workflow: Workflow) -> str:
    """The graph as a comment of JavaScript."""
    return f"// {LABEL}: {_encoded(workflow)}"


def graph_in(text: str) -> LoadedWorkflow | None:
    """The workflow that an exported text carries; nothing when it carries none."""
    # The last one is ours: all user text precedes it.
    text = text.replace("\r\n", "\n")
    if found := comments_in(text, LABEL):
        loaded = load(found[-1], is_generated=True)
    elif found := _ENCODED.findall(text):
        loaded = load(_decoded(found[-1]), is_generated=True)
    else:
        return None
    if wrong := [problem for problem in loaded.problems if problem.code in _UNREADABLE]:
        raise Invalid(
            "EXPORT_DAMAGED",
            f"the graph in the file cannot be read: {wrong[0].message}",
            hint="export the workflow again, or take the file from before it was changed",
        )
    return loaded


_UNREADABLE = frozenset({"WORKFLOW_NOT_JSON", "WORKFLOW_TOO_LARGE", "WORKFLOW_UNKNOWN_DIALECT"})


def signed(text: str, workflow: Workflow, line: str = "<!-- {} -->") -> str:
    """`text`, which ends with a newline, with the mark as its last line."""
    owner = f"of={stem_of(workflow)} id={_identity(workflow)}"
    return text + line.format(f"toolweave:export {owner} sha256={_digest(text)}") + "\n"


def mark_in(text: str) -> ExportMark | None:
    """The mark of a file; nothing when we did not write it."""
    text = text.replace("\r\n", "\n")
    found = list(_MARK.finditer(text))
    if not found:
        return None
    last = found[-1]
    rest = text[: last.start()] + text[last.end() :]
    return ExportMark(last[1], last[2], _digest(rest) == last[3])


def _identity(workflow: Workflow) -> str:
    return hashlib.sha256(workflow.id.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _encoded(workflow: Workflow) -> str:
    data = json_text.write(convert(workflow, "toolweave")).encode()
    return base64.b64encode(data).decode()


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""
