"""Describe invalid call arguments so that a model can correct them."""

import json

from toolweave.json_text import JsonObject
from toolweave.tools.check import check_arguments
from toolweave.tools.tool import Tool


def describe_problems(tool: Tool, arguments: JsonObject) -> str | None:
    """Return all problems with the tool's input schema; `None` if the call is valid."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # The SDK's parser of HTTP bodies accepts lone surrogates; valid text has none.
        return f"the arguments of {tool.name!r} contain a lone surrogate, which is not valid text"
    faults = [
        f"- {problem.pointer or 'arguments'}: {problem.message}"
        + (f" ({problem.hint})" if problem.hint else "")
        for problem in check_arguments(tool, arguments)
        # An unchecked value may be invalid, so that one warning rejects the call as well.
        if problem.severity == "error" or problem.code == "MCP_VALUE_UNCHECKED"
    ]
    if not faults:
        return None
    return f"the arguments of {tool.name!r} do not match its schema:\n" + "\n".join(faults)
