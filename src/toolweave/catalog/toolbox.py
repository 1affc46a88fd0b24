"""The tools we serve, as plain JSON: what `tools/list` shows and what a call answers.

Knows nothing of the SDK, so that the first answers need not wait for it.
"""

from collections.abc import Sequence

from toolweave.catalog.knowledge import Knowledge, ask
from toolweave.catalog.questions import QUESTIONS, listed
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import Problem, did_you_mean
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool


class Toolbox:
    """Lists and answers; a refused call is an answer too, with every problem in it."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._tools = {
            str(question["name"]): read_tool("toolweave", question) for question in QUESTIONS
        }

    @property
    def definitions(self) -> list[JsonObject]:
        """The entries of `tools/list`."""
        return listed()

    def knows(self, name: str) -> bool:
        """Whether there is such a tool."""
        return name in self._tools

    def did_you_mean(self, name: str) -> str:
        """A hint for a tool that is not there."""
        return did_you_mean(name, self._tools) or f"there are {', '.join(self._tools)}"

    def call(self, name: str, arguments: JsonObject) -> JsonObject:
        """The result of one call, in the shape of `tools/call`."""
        problems = check_arguments(self._tools[name], arguments)
        if any(problem.severity == "error" for problem in problems):
            return _refused(f"The arguments of {name} are wrong.", problems)
        try:
            answer = ask(self._knowledge, name, arguments)
        except Invalid as error:
            return _refused(error.message, error.problems)
        except ToolweaveError as error:
            return _refused(f"{error.message} {error.hint or ''}".strip(), ())
        return {
            "content": [{"type": "text", "text": write(answer)}],
            "structuredContent": answer,
            "isError": False,
        }


def _refused(message: str, problems: Sequence[Problem]) -> JsonObject:
    lines = [message, *(_line(problem) for problem in problems)]
    body: JsonObject = {"content": [{"type": "text", "text": "\n".join(lines)}], "isError": True}
    if problems:
        listed: list[Json] = [problem.as_json() for problem in problems]
        body["structuredContent"] = {"problems": listed}
    return body


def _line(problem: Problem) -> str:
    hint = f" ({problem.hint})" if problem.hint else ""
    return f"- {problem.pointer or '/'}: {problem.message}{hint} [{problem.code}]"
