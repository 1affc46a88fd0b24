"""Says what is wrong with a call's arguments, in words a model can act on."""

import json

from toolweave.json_text import JsonObject
from toolweave.tools.check import check_arguments
from toolweave.tools.tool import Tool


def complaint(tool: Tool, arguments: JsonObject) -> str | None:
    """All that does not fit the tool's input schema; nothing if the call can be made."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # The SDK reads HTTP bodies with a parser that lets these through; no text can hold one.
        return f"the arguments of {tool.name!r} hold half a surrogate pair, which is no text"
    faults = [
        f"- {problem.pointer or 'arguments'}: {problem.message}"
        + (f" ({problem.hint})" if problem.hint else "")
        for problem in check_arguments(tool, arguments)
        # An unchecked value is not known to fit, so that one warning refuses the call as well.
        if problem.severity == "error" or problem.code == "MCP_VALUE_UNCHECKED"
    ]
    if not faults:
        return None
    return f"the arguments of {tool.name!r} do not fit its schema:\n" + "\n".join(faults)
