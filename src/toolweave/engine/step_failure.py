"""What is recorded of a step that failed or waits, without the secrets that it used."""

from dataclasses import replace

from toolweave.access.mask import Masker
from toolweave.catalog.node import Wait
from toolweave.clock import timestamp
from toolweave.engine.events import Key, StepFailed, StepWaiting


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
