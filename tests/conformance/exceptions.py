"""The scenarios of the official suites that we do not pass, each with the reason.

A check that fails is excused only if its own words show that reason: a scenario that comes to
fail for another one is a failure. What becomes passable has to leave this table.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Excuse:
    """Why a scenario cannot pass, and what each of its failed checks then says."""

    reason: str
    told: re.Pattern[str]


def _tool(name: str) -> Excuse:
    return Excuse(f"calls the suite's own tool {name}", re.compile(rf"(?i)tool '{name}'"))


def _resource(uri: str) -> Excuse:
    return Excuse(f"reads the suite's own resource {uri}", re.compile(rf"no resource '{uri}"))


def _not_declared(what: str) -> Excuse:
    return Excuse(f"we declare no {what}", re.compile("Method not found"))


# The capability itself is one of the checks, so that none of these outlives the extension.
_TASKS = Excuse(
    "the tasks extension, which we do not declare yet, and the suite's own tools",
    re.compile(
        r"no tool '|extensions MUST be advertised|got -32601|got(?: error)? code -32602"
        r"|returned error code -32602|no task was created|routing-task fixture"
    ),
)
_STATE = Excuse(
    "asks the suite's own tools for input and sends their state back",
    re.compile(r"Expected InputRequiredResult|could not get initial InputRequiredResult"),
)

EXCUSED: dict[str, Excuse] = {
    "completion-complete": Excuse(
        "completes an argument of the suite's own prompt", re.compile("only the template")
    ),
    "caching": _not_declared("prompts, one of the lists it looks at"),
    "prompts-list": _not_declared("prompts"),
    "prompts-get-simple": _not_declared("prompts"),
    "prompts-get-with-args": _not_declared("prompts"),
    "prompts-get-embedded-resource": _not_declared("prompts"),
    "prompts-get-with-image": _not_declared("prompts"),
    "input-required-result-non-tool-request": _not_declared("prompts"),
    "logging-set-level": _not_declared("logging, which the newest revision deprecates"),
    "tools-call-with-logging": _not_declared("logging, which the newest revision deprecates"),
    "resources-subscribe": _not_declared("subscriptions to single resources in the older era"),
    "resources-unsubscribe": _not_declared("subscriptions to single resources in the older era"),
    "resources-read-text": _resource("test://static-text"),
    "resources-read-binary": _resource("test://static-binary"),
    "resources-templates-read": _resource("test://template/"),
    "server-stateless": Excuse(
        "four of its checks call the suite's own diagnostic tools",
        re.compile("does not list the diagnostic tool 'test_"),
    ),
    "http-custom-header-server-validation": Excuse(
        "looks for a tool with x-mcp-header annotations",
        re.compile("no tool with x-mcp-header annotations"),
    ),
    "json-schema-2020-12": _tool("json_schema_2020_12_tool"),
    "tools-call-simple-text": _tool("test_simple_text"),
    "tools-call-image": _tool("test_image_content"),
    "tools-call-audio": _tool("test_audio_content"),
    "tools-call-embedded-resource": _tool("test_embedded_resource"),
    "tools-call-mixed-content": _tool("test_multiple_content_types"),
    "tools-call-error": _tool("test_error_handling"),
    "tools-call-with-progress": _tool("test_tool_with_progress"),
    "tools-call-sampling": _tool("test_sampling"),
    "tools-call-elicitation": _tool("test_elicitation"),
    "elicitation-sep1034-defaults": _tool("test_elicitation_sep1034_defaults"),
    "elicitation-sep1330-enums": _tool("test_elicitation_sep1330_enums"),
    "input-required-result-basic-elicitation": _tool("test_input_required_result_elicitation"),
    "input-required-result-basic-sampling": _tool("test_input_required_result_sampling"),
    "input-required-result-basic-list-roots": _tool("test_input_required_result_list_roots"),
    "input-required-result-request-state": _tool("test_input_required_result_request_state"),
    "input-required-result-multiple-input-requests": _tool(
        "test_input_required_result_multiple_inputs"
    ),
    "input-required-result-result-type": _tool("test_input_required_result_elicitation"),
    "input-required-result-capability-check": _tool("test_input_required_result_capabilities"),
    "input-required-result-multi-round": _STATE,
    "input-required-result-tampered-state": _STATE,
    "tasks-lifecycle": _TASKS,
    "tasks-capability-negotiation": _TASKS,
    "tasks-wire-fields": _TASKS,
    "tasks-request-state-removal": _TASKS,
    "tasks-mrtr-input": _TASKS,
    "tasks-request-headers": _TASKS,
    "tasks-dispatch-and-envelope": _TASKS,
    "tasks-required-task-error": _TASKS,
    "tasks-mrtr-composition": _TASKS,
}
