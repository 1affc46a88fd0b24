"""How a call deals with tasks; apart from the SDK, which the gate does not load."""

from dataclasses import dataclass

from toolweave.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class TaskRule:
    """Whether a tool can only be called as a task, and whether the caller polls it."""

    is_required: bool = False
    is_returned: bool = False

    @classmethod
    def of(cls, tool: Tool | None, *, is_returned: bool) -> "TaskRule":
        """Read it from the tool's definition."""
        execution = None if tool is None else tool.raw.get("execution")
        support = execution.get("taskSupport") if isinstance(execution, dict) else None
        is_required = support == "required"
        return cls(is_required, is_returned) if is_required or is_returned else PLAIN


# The rule of nearly every call.
PLAIN = TaskRule()
