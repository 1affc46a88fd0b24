"""What is recorded of a step that failed or waits, without the secrets that it used."""

from collections.abc import Sequence
from dataclasses import replace

from toolweave.access.mask import Masker
from toolweave.catalog.node import Wait
from toolweave.clock import timestamp
from toolweave.engine.events import Key, StepFailed, StepWaiting
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.problems import Problem

NAMED_PROBLEMS = 20


def waiting(key: Key, wait: Wait, secrets: Masker) -> StepWaiting:
    """The event of a step that waits."""
    until = timestamp(wait.until) if wait.until else None
    question = secrets.hide(wait.question)
    assert question is None or isinstance(question, dict)
    memory = secrets.hide(wait.memory)
    return StepWaiting(key, until, question, memory, wait.effect, wait.adds)


def without_secrets(failed: StepFailed, secrets: Masker) -> StepFailed:
    """A failure whose texts contain none of `secrets`."""
    problems = secrets.hide(failed.problems)
    assert problems is None or isinstance(problems, list)
    return replace(
        failed,
        message=secrets.hide_text(failed.message),
        hint=None if failed.hint is None else secrets.hide_text(failed.hint),
        problems=problems,
    )


def failure_of(key: Key, error: ToolweaveError, attempt: int = 1) -> StepFailed:
    """Return how an error is recorded: its message names every problem that it does not yet."""
    problems = error.problems if isinstance(error, Invalid) else ()
    return StepFailed(
        key,
        error.code,
        _naming(error.message, problems),
        attempt,
        hint=error.hint,
        problems=[problem.as_json() for problem in problems] or None,
    )


def error_json(failed: StepFailed) -> JsonObject:
    """The error of a step as every door shows it."""
    error: JsonObject = {"code": failed.code, "message": failed.message, "hint": failed.hint}
    if failed.problems:
        error["problems"] = failed.problems
    return error


def _naming(message: str, problems: Sequence[Problem]) -> str:
    unnamed = [problem for problem in problems if problem.message not in message]
    named = [f"{problem.pointer or '/'}: {problem.message}" for problem in unnamed[:NAMED_PROBLEMS]]
    if len(unnamed) > NAMED_PROBLEMS:
        named.append(f"and {len(unnamed) - NAMED_PROBLEMS} more")
    return f"{message}: {'; '.join(named)}" if named else message
