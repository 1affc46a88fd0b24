"""A recording as it would be if the run had used the changed tools."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject, canonical
from toolweave.recording.entries import CallLine, StepLine, ToolLine
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.value_migration import migrate_arguments, migrate_result
from toolweave.recording.recording import Recording
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import tool_hash

ToolKey = tuple[str, str]


class CannotAdapt(Exception):
    """A recorded call has no certain counterpart; the message says which and why."""


def adapted(recording: Recording, tools: Iterable[ChangedTool]) -> Recording:
    """Return the recording with the calls and results of the changed tools.

    Raises `CannotAdapt`.
    """
    changed = {(tool.server, tool.name): tool for tool in tools if tool.new is not None}
    return _Adaptation(changed).of(recording)


@dataclass(slots=True)
class _Adaptation:
    changed: Mapping[ToolKey, ChangedTool]
    # What results became, by what they were.
    results: dict[bytes, JsonObject] = field(default_factory=dict[bytes, JsonObject])

    def of(self, recording: Recording) -> Recording:
        calls = tuple(self._call(call) for call in recording.calls)
        result = recording.result
        if result is not None:
            result = result.model_copy(update={"result": self._passed_on(result.result)})
        return replace(
            recording,
            tools=tuple(self._tool(line) for line in recording.tools),
            calls=calls,
            steps=tuple(self._step(line) for line in recording.steps),
            result=result,
        )

    def _tool(self, line: ToolLine) -> ToolLine:
        tool = self.changed.get((line.server, str(line.definition.get("name"))))
        if tool is None or tool.new is None:
            return line
        digest = tool_hash(read_tool(line.server, tool.new))
        return line.model_copy(update={"definition": tool.new, "hash": digest})

    def _call(self, call: CallLine) -> CallLine:
        tool = self.changed.get((call.server, call.tool))
        if tool is None or tool.old is None or tool.new is None:
            return call
        arguments = _arguments(tool, call.arguments, f"call {call.seq} of {call.tool!r}")
        update: dict[str, object] = {"arguments": arguments, "tool": tool.new_name}
        if call.result is not None and tool.outputs is not None:
            update["result"] = self._result(call.result, tool)
        return call.model_copy(update=update)

    def _result(self, result: JsonObject, tool: ChangedTool) -> JsonObject:
        structured = result.get("structuredContent")
        if not isinstance(structured, dict) or result.get("isError"):
            return result
        assert tool.outputs is not None
        new = migrate_result(tool.outputs, structured).values
        self.results[canonical(structured)] = new
        content = result.get("content")
        blocks = content if isinstance(content, list) else []
        changed: list[Json] = [self._block(block, structured, new) for block in blocks]
        return {**result, "structuredContent": new, "content": changed}

    def _block(self, block: Json, old: JsonObject, new: JsonObject) -> Json:
        """Return a text block with the new result, if it holds the old one."""
        text = block.get("text") if isinstance(block, dict) else None
        if not isinstance(block, dict) or not isinstance(text, str):
            return block
        try:
            is_same = canonical(json_text.read(text)) == canonical(old)
        except Invalid:
            return block
        return {**block, "text": json_text.write(new)} if is_same else block

    def _step(self, line: StepLine) -> StepLine:
        if line.kind == "mcp" and line.replay == "outcome":
            line = self._outcome(line)
        update = {
            name: self._passed_on(value)
            for name in ("output", "request")
            if (value := getattr(line, name)) is not None
        }
        return line.model_copy(update=update)

    def _outcome(self, line: StepLine) -> StepLine:
        """Return a step whose call was not kept, from what its node was given."""
        request = line.request if isinstance(line.request, dict) else {}
        config = request.get("config")
        if not isinstance(config, dict):
            return line
        key = str(config.get("serverId")), str(config.get("toolName"))
        tool, values = self.changed.get(key), config.get("parameterValues")
        if tool is None or tool.old is None or tool.new is None:
            return line
        new: JsonObject = {**config, "toolName": tool.new_name}
        if isinstance(values, dict):
            new["parameterValues"] = _arguments(tool, values, f"step {line.key!r}")
        output: Json = line.output
        if isinstance(output, dict) and tool.outputs is not None:
            output = migrate_result(tool.outputs, output).values
        return line.model_copy(update={"request": {**request, "config": new}, "output": output})

    def _passed_on(self, value: Json) -> Json:
        """Return a value in which whole results are the new ones."""
        if not self.results:
            return value
        if isinstance(value, dict):
            known = self.results.get(canonical(value))
            if known is not None:
                return known
            return {key: self._passed_on(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._passed_on(inner) for inner in value]
        return value


def _arguments(tool: ChangedTool, values: JsonObject, what: str) -> JsonObject:
    assert tool.old is not None
    assert tool.new is not None
    schemas = tool.old.get("inputSchema"), tool.new.get("inputSchema")
    migrated = migrate_arguments(*schemas, values)
    refused = [one for one in migrated.questions if one.is_refused]
    if refused:
        raise CannotAdapt(f"{what}: {refused[0].reason}")
    return migrated.values
