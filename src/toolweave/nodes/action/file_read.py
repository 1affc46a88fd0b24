"""ACTION.FILE_READ: read a file of an allowed folder."""

import base64

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.clock import timestamp
from toolweave.errors import Invalid
from toolweave.nodes.file_path import check_path

MIB = 1024 * 1024


class FileRead:
    """Reads one file."""

    spec = NodeSpec(
        type="ACTION",
        subtype="FILE_READ",
        summary="Read a file from a folder that workflows may use.",
        effect="keyed",
        configurations=(
            Field(
                "path",
                "string",
                "Path below the files folder, or a whole one inside an allowed folder: in/a.csv.",
                required=True,
            ),
            Field(
                "encoding",
                "string",
                "How bytes become text; base64 gives any file.",
                "utf-8",
                options=("utf-8", "latin-1", "base64"),
            ),
            Field(
                "max_bytes",
                "integer",
                "A larger file is refused.",
                MIB,
                minimum=1,
                maximum=16 * MIB,
            ),
        ),
        inputs=(Field("path", "string", "Path known at run time; it wins over the configured."),),
        outputs=(
            Field("content", "string", "What is in the file.", required=True),
            Field("path", "string", "Its path below the folder."),
            Field("size", "integer", "Bytes of the file."),
            Field("modified_at", "string", "When it was last written to."),
        ),
        tags=("action", "file", "read"),
        keywords=(
            *("file", "read", "open", "load", "disk", "folder"),
            *("document", "text", "import", "content"),
        ),
        guidance=(
            "Only folders that were allowed can be read, by default `files` in the home folder; "
            "links are not followed. Put ACTION.PARSE behind it for CSV, JSON, YAML, XML and "
            "Markdown."
        ),
        examples=(
            Example("Read a table", "A CSV file of the files folder.", {"path": "in/orders.csv"}),
            Example(
                "Any file",
                "A picture as base64, its name known only at run time.",
                {"path": "pictures/default.png", "encoding": "base64", "max_bytes": 5000000},
                {"path": "pictures/logo.png"},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Read the file."""
        given = context.given
        check_path(given.text("path"), "path")
        files = context.resources.files
        data, facts = await files.read(given.text("path"), max_bytes=given.whole("max_bytes"))
        return Outcome(
            {
                "content": _decoded(data, given.text("encoding"), facts.path),
                "path": facts.path,
                "size": facts.size,
                "modified_at": timestamp(facts.modified_at),
            }
        )


def _decoded(data: bytes, encoding: str, path: str) -> str:
    if encoding == "base64":
        return base64.b64encode(data).decode()
    if encoding == "latin-1":
        return data.decode("latin-1")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            "FILE_NOT_TEXT",
            f"{path!r} is not UTF-8 at byte {error.start}",
            hint="use the encoding latin-1 for old texts, base64 for anything else",
        ) from None


node = FileRead()
