"""How a command reports a failure: text on stderr, or JSON on stdout with `--json`."""

from typing import cast

import click

from toolweave.cli.sanitize import json_text, visible
from toolweave.errors import Invalid, ToolweaveError

SHOWN_PROBLEMS = 50


def show_error(error: ToolweaveError, *, as_json: bool) -> None:
    """Print the error, its problems and its hint."""
    if as_json:
        click.echo(json_text({"error": error.as_json()}))
        return
    _say(f"Error: {error.message}  [{error.code}]")
    problems = error.problems if isinstance(error, Invalid) else ()
    for problem in problems[:SHOWN_PROBLEMS]:
        # A single problem often repeats the error's message.
        if problem.message != error.message:
            _say(f"  {problem.pointer or '/'}: {problem.message}  [{problem.code}]")
        if problem.hint and problem.hint != error.hint:
            _say(f"      hint: {problem.hint}")
    if len(problems) > SHOWN_PROBLEMS:
        _say(f"  … and {len(problems) - SHOWN_PROBLEMS} more")
    for change in error.facts.get("changes", []):
        _say(f"  - {change}")
    if error.hint:
        _say(f"Hint: {error.hint}")


def show_usage(error: click.ClickException, *, as_json: bool) -> None:
    """Print a usage error."""
    if as_json:
        message = visible(error.format_message())
        click.echo(json_text({"error": {"code": "USAGE", "message": message}}))
    else:
        # Not by assignment: the attribute is declared as final.
        setattr(error, "message", visible(error.message))  # noqa: B010
        error.show()


def as_told(error: Exception) -> ToolweaveError:
    """Return the error; an unexpected one as `INTERNAL`, with its type but not its text."""
    error = _inmost(error)
    if isinstance(error, ToolweaveError):
        return error
    what = str(error) if isinstance(error, OSError) else type(error).__name__
    return ToolweaveError(
        "INTERNAL",
        f"unexpected error: {what}",
        hint="run the command again with TOOLWEAVE_DEBUG=1 to see the traceback",
    )


def _inmost(error: Exception) -> Exception:
    if isinstance(error, ExceptionGroup):
        inside = cast("ExceptionGroup[Exception]", error).exceptions
        if len(inside) == 1:
            return _inmost(inside[0])
    return cast("Exception", error)


def _say(line: str) -> None:
    click.echo(visible(line), err=True)
