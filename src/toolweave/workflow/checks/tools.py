"""Tools of MCP nodes: the server and tool exist, and the values match the tool's schema.

The live tool is used if servers are connected, else the approved tool, else the schema stored in
the node. `modes` checks the modes themselves.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.meaning import meant
from toolweave.tools.misspelling import misspelt
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.context import CheckContext, KnownHome
from toolweave.workflow.checks.node_facts import NodeFacts, node_table
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.checks.templated_values import check_values, strangers, takes_values
from toolweave.workflow.mode_fields import OWN_FIELDS
from toolweave.workflow.mode_status import LiveTools, live_status
from toolweave.workflow.model import Node
from toolweave.workflow.modes import mode_of, named_tool, schema_of, text_at

READS_CONSTANTS = True
VALUES = "parameterValues"
# The limit of tools whose compiled schemas are kept.
_MAX_TOOLS = 1_000
_PREFIX = pattern(r"^(?:mcp|tool|tools)(?:__|[./:_-])", re.IGNORECASE)
# `get_weather` for `weather`, which only reads.
_VERB = pattern(r"^(?:get|fetch|read|run|call|do)[_-]", re.IGNORECASE)
_SEPARATOR = pattern(r"^(?:__|[./:_-])")
# Names of the object that other systems put arguments into.
_WRAPPERS = frozenset(
    {"arguments", "args", "params", "parameters", "input", "inputs", "values", VALUES}
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield unknown servers and tools, and values that the tool would refuse."""
    known = _KnownTools(case)
    for facts in node_table(case).of_kinds({"mcp"}):
        is_plain = OWN_FIELDS.issuperset(facts.node.data)
        if not (is_plain and known.is_right_call(facts)):
            for problem in _of_node(facts.node, known):
                yield placed(problem, facts.place)


class _KnownTools:
    def __init__(self, case: CheckContext) -> None:
        self._case = case
        self._judges: dict[tuple[str, str], CompiledSchemas] = {}
        self._remembered: dict[bytes, CompiledSchemas] = {}
        self._statuses: dict[bytes, tuple[Problem, ...]] = {}
        self._live: dict[str, Sequence[Tool] | None] = {}
        self._tools: dict[str, dict[str, Tool] | None] = {}

    @property
    def is_live(self) -> bool:
        return self._case.known.tools is not None

    @property
    def home(self) -> KnownHome | None:
        return self._case.known.home

    def unreachable(self, node: Node) -> str | None:
        """Return why the registered server of a node did not answer."""
        return self._case.known.unreachable.get(text_at(node.data, "serverId"))

    def tools(self, server: str) -> Sequence[Tool] | None:
        if server not in self._live:
            live: LiveTools | None = self._case.known.tools
            self._live[server] = live(server) if live else None
        return self._live[server]

    def best(self, server: str) -> dict[str, Tool] | None:
        """Return the live or approved tools of a server by name."""
        if server not in self._tools:
            tools = self._case.known.tools_of(server)
            self._tools[server] = None if tools is None else {one.name: one for one in tools}
        return self._tools[server]

    @cached_property
    def servers(self) -> tuple[str, ...]:
        """Return the servers with a tool in the catalog: connected or approved."""
        named = {spec.origin.server for spec in self._case.known.catalog if spec.origin}
        tools = self.tools if self.is_live else self.best
        return tuple(sorted(name for name in named if tools(name) is not None))

    def is_right_call(self, facts: NodeFacts) -> bool:
        """Whether a node certainly calls an approved tool with values that it takes."""
        data = facts.node.data
        values = data.get(VALUES)
        if self.is_live or not isinstance(values, dict) or mode_of(data) != "detailed":
            return False
        named = named_tool(data)
        # Those of tools that are known; most nodes call one that an earlier node calls.
        judge = self._judges.get(named)
        if judge is None and all(named) and named[1] in (self.best(named[0]) or {}):
            judge = self.judge(facts.node)
        if judge is None or not values.keys() <= judge.names:
            return False
        return takes_values(judge, values) if facts.may_ask else judge.accepts(values)

    def judge(self, node: Node) -> CompiledSchemas | None:
        """Return the schema of a node's values; None if the tool is unknown."""
        named = named_tool(node.data)
        if found := self._judges.get(named):
            return found
        known = self.best(named[0]) or {}
        if tool := known.get(named[1]):
            if not tool.is_usable:
                return None
            judge = self._judges[named] = self._compiled(tool)
            return judge
        stored = node.data.get("parameters")
        return self._judge_of(stored) if isinstance(stored, list) else None

    def _compiled(self, tool: Tool) -> CompiledSchemas:
        """Return the schema of a tool; what is compiled from it is kept for other workflows."""
        kept = self._case.made.tools
        found = kept.get((tool.server, tool.name))
        if found is None or found.schema != tool.input_schema:
            found = CompiledSchemas(tool.input_schema)
            if len(kept) < _MAX_TOOLS:
                kept[tool.server, tool.name] = found
        return found

    def status_problems(self, node: Node) -> tuple[Problem, ...]:
        """Return the node's status against the live tools; cached by tool."""
        said = [node.data.get(key) for key in ("serverId", "toolName", "mode", "parameters")]
        try:
            key = canonical(said)
        except TypeError:
            return ()
        if key not in self._statuses:
            self._statuses[key] = live_status(node, self.tools).problems
        return self._statuses[key]

    def _judge_of(self, stored: list[Json]) -> CompiledSchemas | None:
        try:
            key = canonical(stored)
        except TypeError:
            return None
        if key not in self._remembered:
            self._remembered[key] = CompiledSchemas(schema_of(stored))
        return self._remembered[key]


def _of_node(node: Node, known: _KnownTools) -> Iterator[Problem]:
    if known.is_live:
        yield from _status(node, known)
    else:
        yield from _approved(node, known)
    if (inner := _wrapped(node, known)) is not None:
        yield inner
        return
    if (moved := _beside_values(node, known)) is not None:
        yield moved
    if not (found := list(_of_values(node, known))):
        return
    patches: list[object] = []
    is_there = VALUES in node.data
    for problem in _of_one_tool(found):
        if moved is not None and _is_beside(problem, node):
            problem = replace(problem, hint=moved.hint, patch=moved.patch)
            patches.append(problem.patch)
            yield placed(problem, f"/{VALUES}")
            continue
        # One patch fixes both problems of a misspelt name.
        is_given = is_there and problem.patch not in patches
        patches += [problem.patch] if problem.patch else []
        yield placed(problem, f"/{VALUES}", is_there=is_given)


def _beside_values(node: Node, known: _KnownTools) -> Problem | None:
    """Values of the tool that stand beside the others, which moves all of them there."""
    data, values = node.data, node.data.get(VALUES, {})
    if OWN_FIELDS.issuperset(data) or mode_of(data) != "detailed" or not isinstance(values, dict):
        return None
    judge = known.judge(node)
    names = [
        one
        for one in data.keys() - OWN_FIELDS - values.keys()
        if judge is not None and one in judge.names and data[one] not in (None, "", [], {})
    ]
    if not names:
        return None
    # `name` may be the node's own as well; a tool that needs one has it nowhere else.
    required = judge.schema.get("required") if judge else None
    needed = required if isinstance(required, list) else []
    names += [one for one in needed if isinstance(one, str) and one in OWN_FIELDS & data.keys()]
    names = [one for one in names if one not in values]
    listed = [one for one in data if one in names]
    empty: JsonObject = {"op": "add", "path": f"/{VALUES}", "value": {}}
    made = [] if VALUES in data else [empty]
    moves = [{"op": "move", "from": pointer(one), "path": pointer(VALUES, one)} for one in listed]
    said = ", ".join(map(repr, listed))
    return Problem(
        "MCP_NODE_FIELD_INVALID",
        pointer(listed[0]),
        f"{said} of the tool is ignored beside {VALUES!r}",
        hint=f"move {said} to {VALUES!r}",
        severity="warning",
        patch=(*made, *moves),
    )


def _is_beside(problem: Problem, node: Node) -> bool:
    """Whether a missing value of the tool is there beside its place."""
    is_missing = problem.code == "MCP_PARAMETER_REQUIRED" and problem.patch is None
    return is_missing and problem.pointer.count("/") == 1 and problem.pointer[1:] in node.data


def _of_one_tool(problems: list[Problem]) -> Iterator[Problem]:
    """Values may be those of another tool if required ones are missing: none of them is removed."""
    is_other = any(one.code == "MCP_PARAMETER_REQUIRED" and not one.patch for one in problems)
    for problem in problems:
        is_removed = problem.code == "MCP_PARAMETER_UNKNOWN" and problem.patch is not None
        is_removed = is_removed and [one["op"] for one in problem.patch or ()] == ["remove"]
        if is_other and is_removed:
            hint = "remove it, or choose the tool that takes it"
            yield replace(problem, patch=None, hint=hint)
        else:
            yield problem


def _wrapped(node: Node, known: _KnownTools) -> Problem | None:
    """Values inside an object of their own, which the tool does not take."""
    values = node.data.get(VALUES)
    if not isinstance(values, dict) or len(values) != 1 or mode_of(node.data) != "detailed":
        return None
    ((name, inner),) = values.items()
    judge = known.judge(node) if name in _WRAPPERS and isinstance(inner, dict) and inner else None
    takes = judge.schema.get("properties") if judge is not None else None
    if not isinstance(takes, dict) or not isinstance(inner, dict) or name in takes:
        return None
    if not inner.keys() <= takes.keys():
        return None
    return Problem(
        "MCP_PARAMETER_UNKNOWN",
        f"/{VALUES}/{name}",
        f"{name!r} is unknown; the tool takes its members",
        hint=f"write the members of {name!r} directly into {VALUES!r}",
        patch=({"op": "replace", "path": f"/{VALUES}", "value": inner},),
    )


def _status(node: Node, known: _KnownTools) -> Iterator[Problem]:
    for problem in known.status_problems(node):
        match problem.code:
            case "MCP_TOOL_SCHEMA_CHANGED":
                # Values that no longer fit are reported one by one; if they fit, the node runs.
                yield replace(problem, severity="warning")
            case "MCP_SERVER_NOT_FOUND" | "MCP_TOOL_NOT_FOUND" if not text_at(
                node.data, problem.pointer[1:]
            ):
                continue  # a missing name is reported by `modes`
            case "MCP_SERVER_NOT_FOUND" if reason := known.unreachable(node):
                yield replace(problem, code="MCP_SERVER_DISCONNECTED", message=reason)
            case "MCP_SERVER_NOT_FOUND":
                meant = _meant(text_at(node.data, "serverId"), known.servers)
                yield _renamed(problem, "serverId", meant, node, known)
            case "MCP_TOOL_NOT_FOUND":
                tools = known.tools(text_at(node.data, "serverId")) or ()
                meant = _meant(text_at(node.data, "toolName"), [one.name for one in tools])
                yield _renamed(problem, "toolName", meant, node, known)
            case _:
                yield problem


def _approved(node: Node, known: _KnownTools) -> Iterator[Problem]:
    """Without live servers: yield misspelt names of approved servers and tools only."""
    server, name = text_at(node.data, "serverId"), text_at(node.data, "toolName")
    tools = known.best(server)
    is_task = mode_of(node.data) == "fullNaturalLanguage"
    if not server or not (name or is_task):
        return
    if tools is None:
        yield from _unknown_server(node, server, name, known)
    elif is_task:
        return
    elif name not in tools:
        repaired = _without_server(name, server, tools) or _meant_tool(name, tools)
        message = f"the approved server {server!r} has no tool {name!r}"
        found = Problem(
            "MCP_TOOL_NOT_FOUND",
            "/toolName",
            message,
            hint=f"`toolweave validate --live` asks the server; it had {', '.join([*tools][:10])}",
            # A tool that nobody approved is not called.
            severity="error" if tools else "warning",
        )
        yield _renamed(found, "toolName", repaired, node, known)
    elif not tools[name].is_usable:
        yield Problem(
            "MCP_TOOL_SCHEMA_INVALID",
            "/toolName",
            f"the schema of tool {name!r} of server {server!r} is not valid; it cannot be called",
            hint=f"`toolweave servers tools {server}` shows what is wrong with it",
            severity="warning",
        )


def _unknown_server(node: Node, server: str, tool: str, known: _KnownTools) -> Iterator[Problem]:
    near = _meant(server, known.servers)
    if near is not None and tool in (known.best(near) or {}):
        message = f"no server {server!r} is approved; {near!r} is and has this tool"
        found = Problem("MCP_SERVER_NOT_FOUND", "/serverId", message, severity="warning")
        yield _renamed(found, "serverId", near, node, known)
    elif (home := known.home) is not None and server.strip() and "{{" not in server:
        is_registered = server in home.unapproved
        yield Problem(
            "MCP_SERVER_NOT_FOUND",
            "/serverId",
            f"server {server!r} is registered but not approved"
            if is_registered
            else f"no server {server!r} is registered",
            hint=f"run `toolweave servers approve {server}` to review and approve it"
            if is_registered
            else f"run `toolweave servers add {server} -- COMMAND` to register it",
            severity="warning",
        )


def _without_server(wrong: str, server: str, known: Iterable[str]) -> str | None:
    """The tool in a name that begins with the server: `mcp__demo__weather`, `demo.weather`."""
    name = _PREFIX.sub("", wrong)
    if (rest := _VERB.sub("", wrong)) != wrong and rest in known:
        return rest
    for one in (name, wrong):
        rest = one[len(server) :] if one.casefold().startswith(server.casefold()) else ""
        found = _SEPARATOR.sub("", rest, count=1)
        if rest != found and found in known:
            return found
    return name if name != wrong and name in known else None


def _meant_tool(wrong: str, known: Iterable[str]) -> str | None:
    names = list(known)
    by_words = meant(wrong, names)
    return _meant(wrong, names) or (by_words[0] if len(by_words) == 1 else None)


def _meant(wrong: str, known: Iterable[str]) -> str | None:
    names = list(known)
    return misspelt(wrong, names) or closest(wrong, names)


def _renamed(
    problem: Problem, key: str, meant: str | None, node: Node, known: _KnownTools
) -> Problem:
    """Attach the correct name as a patch, unless that reveals new problems."""
    if meant is None:
        return problem
    repaired = replace(node, data={**node.data, key: meant})
    before = {(one.code, one.pointer) for one in _of_values(node, known)}
    new = [
        one
        for one in _of_values(repaired, known)
        if one.severity == "error" and (one.code, one.pointer) not in before
    ]
    found = known.status_problems(repaired) if known.is_live else ()
    is_found = all(one.code == "MCP_TOOL_SCHEMA_CHANGED" for one in found)
    # What the right tool refuses is fixed with its name, so that the patch alone causes no error.
    revealed = dict.fromkeys(canonical(placed(one, f"/{VALUES}").patch) for one in new)
    patch = ({"op": "replace", "path": f"/{key}", "value": meant},)
    is_good = is_found and all(one.patch for one in new) and len(revealed) <= 1
    if is_good and new:
        patch += placed(new[0], f"/{VALUES}").patch or ()
    return replace(problem, hint=f"did you mean {meant!r}?", patch=patch if is_good else None)


def _of_values(node: Node, known: _KnownTools) -> Iterator[Problem]:
    values = node.data.get(VALUES, {})
    if mode_of(node.data) != "detailed" or not isinstance(values, dict):
        return
    if (judge := known.judge(node)) is not None:
        yield from check_values(judge, values)
        yield from strangers(judge, values)
