"""Calls of steps that ask: they stay open in one process while another may make them too."""

from functools import partial
from pathlib import Path

import anyio
import pytest
from tests.app.test_calls import NAME, a_call

from servers.rooms import a_studio, pinned
from toolweave.resources.open_calls import OpenCalls
from toolweave.testing.server import ScriptedServer, a_tool, asks, tells
from toolweave.tools.elicitation import AnsweredQuestion, ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import ToolProgress, ToolResult

pytestmark = pytest.mark.anyio

KEY = "run/step"


async def ignore(_: ToolProgress) -> None:
    pass


async def test_each_question_gets_its_own_answer_whichever_process_continues_the_step(
    tmp_path: Path,
) -> None:
    scripted = ScriptedServer(tmp_path / "server", a_tool("book"), era="modern")
    scripted.on_call("book", [asks("First?"), asks("Second?"), asks("Third?"), tells()])
    answered: list[AnsweredQuestion] = []
    async with a_studio(tmp_path / "home") as studio, anyio.create_task_group() as tasks:
        await pinned(studio, NAME, scripted.definition)
        ours, theirs = (OpenCalls(studio.gate, tasks) for _ in range(2))
        with anyio.fail_after(60):
            # The other process takes the step after the first answer, and ours after the second.
            for process, said in ((ours, "one"), (theirs, "two"), (ours, "three")):
                call = partial(process.call, KEY, a_call("book", {}), on_progress=ignore)
                question = await call(answered=answered)
                assert isinstance(question, ElicitationQuestion)
                answer = ElicitationAnswer("accept", {"sure": said})
                answered = [*answered, AnsweredQuestion(question, answer)]
            result = await ours.call(KEY, a_call("book", {}), on_progress=ignore, answered=answered)
            assert isinstance(result, ToolResult)
            assert result.structured == {"action": "accept", "content": {"sure": "three"}}
        tasks.cancel_scope.cancel()
    assert [one.question.message for one in answered] == ["First?", "Second?", "Third?"]
