"""How a command that failed says so: words on stderr for people, JSON on stdout for programs."""

from typing import cast

import click

from toolweave.cli.sanitize import json_text, visible
from toolweave.errors import Invalid, ToolweaveError

SHOWN_PROBLEMS = 50


def show_error(error: ToolweaveError, *, as_json: bool) -> None:
    """Say what stopped the command, everything that is wrong, and what to do next."""
    if as_json:
        click.echo(json_text({"error": error.as_json()}))
        return
    _say(f"Error: {error.message}  [{error.code}]")
    problems = error.problems if isinstance(error, Invalid) else ()
    for problem in problems[:SHOWN_PROBLEMS]:
        # A single problem is often the error itself; it is not said twice.
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
    """Say how a command is meant to be used."""
    if as_json:
        message = visible(error.format_message())
        click.echo(json_text({"error": {"code": "USAGE", "message": message}}))
    else:
        error.show()


def as_told(error: Exception) -> ToolweaveError:
    """The error itself, or for one nobody foresaw a line that tells its kind, not its text."""
    error = _inmost(error)
    if isinstance(error, ToolweaveError):
        return error
    what = str(error) if isinstance(error, OSError) else type(error).__name__
    return ToolweaveError(
        "INTERNAL",
        f"this should not have happened: {what}",
        hint="run it again with TOOLWEAVE_DEBUG=1 to see where",
    )


def _inmost(error: Exception) -> Exception:
    if isinstance(error, ExceptionGroup):
        inside = cast("ExceptionGroup[Exception]", error).exceptions
        if len(inside) == 1:
            return _inmost(inside[0])
    return cast("Exception", error)


def _say(line: str) -> None:
    click.echo(visible(line), err=True)
