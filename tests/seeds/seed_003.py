"""Seed 003, MCP flow execution tools: what it requires, id by id. Data only."""

from tests.seeds.requirement import BySubject

REQUIREMENTS: BySubject = {
    "Workflows": {
        # Flow
        "003:Flow.metadata.name": "A flow has a name.",
        "003:Flow.metadata.name.pattern": "It holds letters, digits, underscores and hyphens only.",
        "003:Flow.metadata.name.max": "It has at most 100 characters.",
        "003:Flow.metadata.version": "A flow has a version matching ^\\d+\\.\\d+\\.\\d+$.",
        "003:Flow.metadata.description": "A flow may have a description.",
        "003:Flow.metadata.created": "created, where given, is ISO 8601.",
        "003:Flow.metadata.updated": "updated, where given, is ISO 8601.",
        "003:Flow.nodes.min": "A flow has at least one node.",
        "003:Flow.nodes.unique": "Node ids are unique in a flow.",
        "003:Flow.edges": "edges is a required list and may be empty.",
        "003:Flow.edges.unique": "Edge ids are unique in a flow.",
        "003:Flow.edges.known": "An edge joins nodes that exist.",
        "003:Flow.acyclic": "A flow has no cycle.",
        # FlowNode
        "003:FlowNode.id": "A node has an id.",
        "003:FlowNode.id.max": "It has at most 50 characters.",
        "003:FlowNode.type": "A node's type is template, multi_input or result.",
        "003:FlowNode.position": "A position, where given, has x and y as numbers.",
        "003:FlowNode.data.label": "Every node has a label.",
        "003:FlowNode.template.template": "A template node has text with {variables}.",
        "003:FlowNode.template.variables": "It lists its variables, at least one.",
        "003:FlowNode.template.selectedTemplateId": "It names the saved template to execute.",
        "003:FlowNode.multi_input.variables": "A multi_input node lists at least one variable.",
        "003:FlowNode.result": "A result node needs its label only.",
        # FlowEdge
        "003:FlowEdge.id": "An edge has an id.",
        "003:FlowEdge.id.max": "It has at most 50 characters.",
        "003:FlowEdge.source": "An edge's source is an existing node.",
        "003:FlowEdge.target": "An edge's target is an existing node.",
        "003:FlowEdge.not-self": "An edge does not lead back to its source.",
        "003:FlowEdge.type": "An edge is data or chain.",
        "003:FlowEdge.chain-acyclic": "Chain edges form no cycle.",
        # Limits
        "003:limit.file-size": "A flow file over 1 MB is refused.",
        "003:limit.nodes": "A flow of over 50 nodes is refused.",
        "003:limit.edges": "A flow of over 100 edges is refused.",
        "003:security.schema-first": "A flow's shape is checked before it is used.",
        # Errors
        "003:VALIDATION_ERROR": "A flow that fails its checks is refused.",
        "003:CIRCULAR_DEPENDENCY": "A cycle is refused.",
        "003:PARSE_ERROR": "A flow that is no JSON is refused.",
    },
    "Engine": {
        # Behaviour of nodes and edges
        "003:FlowNode.multi_input.run": "A multi_input node executes nothing; it gives variables.",
        "003:FlowNode.template.run": "A template node executes its template and stores the output.",
        "003:FlowNode.result.run": "A result node executes nothing; it marks the end.",
        "003:FlowEdge.data.run": "A data edge gives variables and orders nothing.",
        "003:FlowEdge.chain.run": "A chain edge makes its target wait for its source.",
        "003:FlowEdge.chain.result": "Its source's output is the variable {sourceid}_result.",
        # Variables
        "003:variables.result": "Node node-2's output is {node2_result}.",
        "003:variables.template": "The name of node-2's template is {node2_template}.",
        "003:variables.priority.results": "Results of earlier nodes win over all others.",
        "003:variables.priority.initial": "The caller's variables win over multi_input values.",
        "003:variables.priority.multi-input": "multi_input values come last.",
        "003:variables.missing": "A missing required variable stops the node.",
        "003:variables.plain-text": "A value is plain text; nothing in it is executed.",
        "003:variables.replaced-once": "Substitution is plain replacement, with no evaluation.",
        # ExecutionResult
        "003:ExecutionResult.nodeId": "A result names a template node of the flow.",
        "003:ExecutionResult.templateName": "It names its template.",
        "003:ExecutionResult.inputVariables": "It has the variables used, text to text.",
        "003:ExecutionResult.output": "It has the output, which may be empty.",
        "003:ExecutionResult.executionTimeMs": "It has the time taken, a positive integer.",
        "003:ExecutionResult.timestamp": "It has its time in ISO 8601.",
        # FlowExecution
        "003:FlowExecution.flowId": "An execution names its flow.",
        "003:FlowExecution.executionId": "Its id is {flowId}_{timestamp}.",
        "003:FlowExecution.initialVariables": "It has the variables given at the start.",
        "003:FlowExecution.intermediateResults": "It has the results in order of execution.",
        "003:FlowExecution.finalResult": "On success it has the last output; else null.",
        "003:FlowExecution.totalExecutionTimeMs": "It has the total time, a positive integer.",
        "003:FlowExecution.status.success": "success: all nodes executed.",
        "003:FlowExecution.status.partial": "partial: some nodes executed, then one failed.",
        "003:FlowExecution.status.failed": "failed: it ended before any node was done.",
        "003:FlowExecution.error.code": "A failure carries its code.",
        "003:FlowExecution.error.message": "A failure carries its message.",
        "003:FlowExecution.error.failedAt": "A failure names nodeId and templateName.",
        # Lifecycle
        "003:lifecycle.initialized-to-validated": "A flow is parsed and its schema checked.",
        "003:lifecycle.validated-to-ordered": "Dependencies are ordered and cycles found.",
        "003:lifecycle.ordered-to-executing": "Initial variables come from multi_input nodes.",
        "003:lifecycle.executing": "Template nodes run in topological order.",
        "003:lifecycle.executing-to-completed": "After the last node the execution is a success.",
        "003:lifecycle.executing-to-partial": "An error keeps the results so far.",
        "003:lifecycle.to-failed": "A fault before any node is a failure.",
        # Errors and figures
        "003:EXECUTION_ERROR": "A node that fails is reported.",
        "003:MISSING_VARIABLES": "Missing variables are all named.",
        "003:performance.memory": "An execution keeps about 10 kB a node and 50 kB in all.",
    },
    "Library": {
        "003:Flow.storage": "Flows lie in a repository as flows/{name}.json.",
        "003:FlowNode.template.known": "The template a node names exists in the library.",
        # MCP tools
        "003:tool.flows/list": "An MCP tool lists the flows.",
        "003:tool.flows/show": "An MCP tool shows a flow.",
        "003:tool.flows/execute": "An MCP tool executes a flow with initial variables.",
        "003:tool.prompts/list": "An MCP tool lists the templates.",
        "003:tool.prompts/get": "An MCP tool gives a template with its variables filled in.",
        "003:tool.get_variable_sets": "An MCP tool gives a template's stored sets of values.",
        "003:tool.execution-shape": "The answer of an execution is a FlowExecution.",
        # Caches
        "003:cache.flow-list": "The list is kept under flows:list:{ref}.",
        "003:cache.flow": "A flow is kept under flow:{flowName}:{ref}.",
        "003:cache.template": "A template is kept under template:{templateName}:{ref}.",
        "003:cache.ttl": "What is kept lives 15 minutes.",
        "003:cache.refresh": "It ends by age or by a manual refresh.",
        "003:cache.reuse": "Execution uses the template cache and asks the remote no more often.",
        # Access
        "003:access.inherited": "Execution may use only the templates its caller may read.",
        "003:access.partial": "A template out of reach gives the results so far and the reason.",
        # Errors and figures
        "003:FLOW_NOT_FOUND": "An unknown flow is named.",
        "003:TEMPLATE_NOT_FOUND": "An unknown template is named.",
        "003:GITHUB_ERROR": "A fault of the git remote is reported.",
        "003:performance.list-cached": "Listing from the cache takes less than 300 ms.",
        "003:performance.list-cold": "Listing from the remote takes less than 2 s.",
        "003:performance.list-metadata": (
            "Listing reads metadata and leaves the contents for later."
        ),
        "003:performance.three-nodes": "A chain of three templates takes less than 5 s.",
        "003:performance.parallel-fetch": "Templates are fetched in parallel.",
    },
}

SETTLED: dict[str, str] = {
    "003:Flow.metadata.name": "formats.md: two further forms of flow files are read.",
    "003:FlowNode.type": "formats.md: the third form's input and flow-link are read too.",
    "003:FlowNode.multi_input.variables": "formats.md: names, or pairs of key and value.",
    "003:FlowNode.template.run": (
        "formats.md: without a model the output is the filled-in prompt; the result says which."
    ),
    "003:variables.result": "formats.md: also as `node-2_result`, the id as it is.",
    "003:variables.template": "formats.md: also as `node-2_template`, the id as it is.",
    "003:FlowExecution.flowId": "formats.md: flowName is given beside it.",
    "003:FlowExecution.error.failedAt": "formats.md: partialResults is given beside it.",
    "003:performance.memory": "engine.md: outputs over about 100 kB are kept by reference.",
    "003:Flow.storage": "formats.md: any git repository, not GitHub alone.",
    "003:GITHUB_ERROR": "formats.md: it stands for a fault of any git host.",
    "003:tool.flows/list": "Issue Library: a second name without `/` for clients that refuse it.",
    "003:cache.ttl": (
        "Issue Library: older ones are served, and said to be, when the remote is down."
    ),
}

MESSAGES: dict[str, str] = {
    "003:TEMPLATE_NOT_FOUND": "Template not found: {template}",
    "003:MISSING_VARIABLES": "Missing required variables: {names}",
}

INTERNAL: dict[str, str] = {
    "003:performance.parallel-fetch": "no answer tells how many requests a repository got",
}
