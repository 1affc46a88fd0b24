"""The tools we serve, as plain JSON: what `tools/list` shows and what a call answers.

Knows nothing of the SDK, so that the first answers need not wait for it.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from toolweave.catalog.budget import fit_list
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.tool_definitions import MIN_TOKENS, QUESTIONS, listed, strict
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import Problem, did_you_mean
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool

MAX_REFUSAL_TOKENS = 2_000
META = "toolweave/"


def ask(
    knowledge: Knowledge, name: str, arguments: JsonObject, *, once: bool = False
) -> JsonObject:
    """Answer a query whose arguments were checked. Raises `Invalid` for an unknown name."""
    given = cast("dict[str, Any]", arguments)  # Any: checked against the schema above
    match name:
        case "get_node_types":
            return knowledge.node_types(
                given.get("type_filter"), max_tokens=given.get("max_tokens")
            )
        case "get_node_details":
            return knowledge.node_details(
                [(node["node_type"], node["subtype"]) for node in given["nodes"]],
                include_examples=given.get("include_examples", True),
                include_schemas=given.get("include_schemas", True),
                max_tokens=given.get("max_tokens"),
                once=once,
            )
        case "search_nodes":
            after = given.get("after")
            return knowledge.search(
                given["query"],
                type_filter=given.get("type_filter"),
                tag=given.get("tag"),
                after=(after["node_type"], after["subtype"]) if after else None,
                limit=given.get("limit", 10),
                max_tokens=given.get("max_tokens"),
            )
        case _:
            raise AssertionError(f"there is no query {name!r}")


class ToolService:
    """Lists and answers; a refused call is an answer too, with every problem in it."""

    def __init__(self, knowledge: Callable[[], Knowledge]) -> None:
        self._knowledge = knowledge
        self._tools = {
            str(question["name"]): read_tool("toolweave", strict(question))
            for question in QUESTIONS
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

    def call(self, name: str, arguments: JsonObject, *, once: bool = False) -> JsonObject:
        """The result of one call, in the shape of `tools/call`.

        With `once`, details of nodes say each thing once, unless the call states a budget.
        """
        problems = check_arguments(self._tools[name], arguments)
        if any(problem.severity == "error" for problem in problems):
            return _refused(f"The arguments of {name} are wrong.", problems, arguments)
        try:
            answer, notes = self._answer(name, arguments, once and "max_tokens" not in arguments)
        except Invalid as error:
            return _refused(error.message, error.problems, arguments)
        content: list[Json] = [{"type": "text", "text": write(answer)}]
        result: JsonObject = {"content": content, "structuredContent": answer, "isError": False}
        if notes:
            # Beside the map of types, in which every key is a type.
            content.append({"type": "text", "text": write(notes)})
            result["_meta"] = {f"{META}{key}": value for key, value in notes.items()}
        return result

    def _answer(
        self, name: str, arguments: JsonObject, once: bool
    ) -> tuple[JsonObject, JsonObject]:
        knowledge = self._knowledge()
        if name != "get_node_types":
            return ask(knowledge, name, arguments, once=once), {}
        given, budget = arguments.get("type_filter"), arguments.get("max_tokens")
        return knowledge.types_and_notes(
            given if isinstance(given, str) else None,
            max_tokens=budget if isinstance(budget, int) else None,
        )


def _refused(message: str, problems: Sequence[Problem], arguments: JsonObject) -> JsonObject:
    """An answer that says what is wrong, within the budget if the call states one."""
    given = arguments.get("max_tokens")
    is_budget = isinstance(given, int) and MIN_TOKENS <= given < MAX_REFUSAL_TOKENS
    shown = fit_list(
        [problem.as_json() for problem in problems],
        given if isinstance(given, int) and is_budget else MAX_REFUSAL_TOKENS,
        key="problems",
        again="fix these, then call again",
        details=("severity", "patch", "hint"),
    )
    lines = [_line(problem) for problem in cast("list[JsonObject]", shown["problems"])]
    return {
        "content": [{"type": "text", "text": "\n".join([message, *lines])}],
        "structuredContent": shown,
        "isError": True,
    }


def _line(problem: JsonObject) -> str:
    hint = f" ({problem['hint']})" if "hint" in problem else ""
    return f"- {problem['pointer'] or '/'}: {problem['message']}{hint} [{problem['code']}]"
