"""ACTION.FILE_WRITE: write a file in an allowed folder."""

import base64
import binascii
from typing import cast

from toolweave import json_text
from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.resources.files import WriteMode
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.file_path import check_path


class FileWrite:
    """Writes one file, whole or not at all."""

    spec = NodeSpec(
        type="ACTION",
        subtype="FILE_WRITE",
        summary="Write a file into a folder that workflows may use, whole or not at all.",
        # What is appended twice is there twice; the other modes are told by `effect_of`.
        effect="once",
        configurations=(
            Field(
                "path",
                "string",
                "Path below the files folder, or a whole one inside an allowed folder: out/a.txt.",
                required=True,
            ),
            Field(
                "mode",
                "string",
                "overwrite replaces a file, create refuses where there is another, append adds.",
                "overwrite",
                options=("overwrite", "create", "append"),
            ),
            Field(
                "encoding",
                "string",
                "utf-8 writes text, other values as JSON; base64 writes the bytes it stands for.",
                "utf-8",
                options=("utf-8", "base64"),
            ),
            Field("make_folders", "boolean", "Whether missing folders are made.", True),
        ),
        inputs=(
            Field(
                "content", "any", "What is written: a text, or any value as JSON.", required=True
            ),
            Field("path", "string", "Path known at run time; it wins over the configured."),
        ),
        outputs=(
            Field("path", "string", "Its path below the folder.", required=True),
            Field("size", "integer", "Bytes of the file now."),
            Field("created", "boolean", "Whether it is new."),
        ),
        tags=("action", "file", "write"),
        keywords=(
            *("file", "write", "save", "store", "disk", "folder"),
            *("export", "append", "output", "document"),
        ),
        guidance=(
            "Only folders that were allowed can be written to, by default `files` in the home "
            "folder; links are not followed. A reader never sees half a file."
        ),
        examples=(
            Example(
                "Save a report",
                "A text; an older file of the name is replaced.",
                {"path": "out/report.md"},
                {"content": "# Report\n\nAll is well.\n"},
                {"path": "out/report.md", "size": 23, "created": True},
            ),
            Example(
                "Keep a log",
                "A line more at the end of a file.",
                {"path": "log.txt", "mode": "append"},
                {"content": "done\n"},
            ),
            Example(
                "Never replace",
                "A value as JSON, refused where another file has the name.",
                {"path": "orders/7.json", "mode": "create"},
                {"content": {"id": 7, "sku": "A-100"}},
                {"path": "orders/7.json", "size": 22, "created": True},
            ),
        ),
    )

    def effect_of(self, config: JsonObject) -> Effect:
        """To write the same file again changes nothing; to append again does."""
        return "keyed" if config.get("mode") in {"overwrite", "create"} else "once"

    async def run(self, context: NodeContext) -> Outcome:
        """Write the file."""
        given = context.given
        check_path(given.text("path"), "path")
        content = _encoded(given)
        files = context.resources.files
        facts, is_new = await files.write(
            given.text("path"),
            content,
            mode=cast("WriteMode", given.text("mode")),
            makes_folders=given.flag("make_folders"),
        )
        return Outcome({"path": facts.path, "size": facts.size, "created": is_new})


def _encoded(given: NodeInput) -> bytes:
    content = given.value("content")
    if given.text("encoding") != "base64":
        return (content if isinstance(content, str) else json_text.write(content)).encode()
    try:
        return base64.b64decode(content if isinstance(content, str) else "-", validate=True)
    except (binascii.Error, ValueError):
        message = "the content is not base64, as the encoding says"
        raise refused_at(("content",), "FILE_CONTENT_INVALID", message) from None


node = FileWrite()
