"""ACTION.RUN_COMMAND: run a program that a person registered and approved."""

import time

from toolweave import json_text
from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json

SHOWN_CHARS = 500


class RunCommand:
    """Runs a registered program by name, with values for the holes in its arguments."""

    spec = NodeSpec(
        type="ACTION",
        subtype="RUN_COMMAND",
        summary="Run a program of this machine that an admin has registered and approved.",
        effect="once",
        configurations=(
            Field(
                "command",
                "string",
                "Name of a command added with `toolweave commands add`.",
                required=True,
            ),
            Field("parse_json", "boolean", "Read what it writes as JSON.", False),
            Field(
                "fails_on_error",
                "boolean",
                "Whether an exit code other than 0 fails the step.",
                True,
            ),
        ),
        inputs=(
            Field("arguments", "object", 'Values for the holes: {"path": "report.csv"}.'),
            Field("stdin", "string", "Text for its standard input.", multiline=True),
        ),
        outputs=(
            Field("stdout", "string", "What it wrote, up to 1 MiB."),
            Field("stderr", "string", "What it wrote about errors, up to 1 MiB."),
            Field("exit_code", "integer", "0 means that it worked."),
            Field("success", "boolean", "Whether the exit code is 0."),
            Field("json", "any", "Its output as a value, with parse_json."),
            Field("truncated", "boolean", "Whether output was left out."),
            Field("execution_time", "float", "Seconds it took.", minimum=0),
        ),
        tags=("action", "command", "program"),
        keywords=(
            *("command", "run program", "shell", "script", "cli", "execute", "bash"),
            *("subprocess", "terminal", "python script", "binary"),
        ),
        guidance=(
            "A workflow names a command, it never brings one: an admin adds it with its arguments "
            "and approves it. No shell is involved, so quotes, pipes and ; mean nothing."
        ),
        examples=(
            Example(
                "Count lines",
                "Runs a program registered as `wc -l {path}`.",
                {"command": "count-lines"},
                {"arguments": {"path": "report.csv"}},
            ),
            Example(
                "Feed a filter",
                "Gives JSON to a program and reads JSON back.",
                {"command": "convert", "parse_json": True, "fails_on_error": False},
                {"stdin": '{"a": 1}'},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """What the program wrote, and how it ended."""
        given, began = context.given, time.perf_counter()
        commands = context.resources.commands
        stdin = given.inputs.get("stdin")
        name = given.text("command")
        ran = await commands.run(
            name,
            given.record("arguments"),
            stdin=stdin if isinstance(stdin, str) else None,
            deadline_s=given.number("timeout"),
        )
        if ran.exit_code != 0 and given.flag("fails_on_error"):
            said = (ran.stderr or ran.stdout).strip()[:SHOWN_CHARS]
            raise ToolweaveError(
                "COMMAND_FAILED",
                f"command {name!r} ended with {ran.exit_code}: {said}",
                facts={"exit_code": ran.exit_code},
            )
        value = _json(name, ran.stdout) if given.flag("parse_json") and ran.exit_code == 0 else None
        return Outcome(
            {
                "stdout": ran.stdout,
                "stderr": ran.stderr,
                "exit_code": ran.exit_code,
                "success": ran.exit_code == 0,
                "json": value,
                "truncated": ran.is_cut,
                "execution_time": time.perf_counter() - began,
            }
        )


def _json(name: str, text: str) -> Json:
    try:
        return json_text.read(text)
    except Invalid as error:
        message = f"command {name!r} did not write JSON: {error.message}"
        raise Invalid("COMMAND_OUTPUT_INVALID", message) from None


node = RunCommand()
