"""Seed 002, MCP server integration: what it requires, id by id. Data only."""

from tests.seeds.requirement import BySubject

REQUIREMENTS: BySubject = {
    "Ground": {
        # MCPServerConfig
        "002:MCPServerConfig.id": "A server has a unique id.",
        "002:MCPServerConfig.name": "A server has a name for people.",
        "002:MCPServerConfig.name-unique": "No two servers have the same name.",
        "002:MCPServerConfig.transport": "A server's transport is stdio or sse.",
        "002:MCPServerConfig.deploymentType": "A server is managed by us or external.",
        "002:MCPServerConfig.dockerConfig.image": "A managed server names its image.",
        "002:MCPServerConfig.dockerConfig.containerName": "Its container has a name.",
        "002:MCPServerConfig.dockerConfig.command": "The image's command can be replaced.",
        "002:MCPServerConfig.dockerConfig.ports": "Ports can be mapped.",
        "002:MCPServerConfig.sseConfig.url": "An external SSE server has an address.",
        "002:MCPServerConfig.enabled": "A person turns a server on and off.",
        "002:MCPServerConfig.lastConnectedAt": "The last successful connection is remembered.",
        "002:MCPServerConfig.failureCount": "Failures in a row are counted; success resets to 0.",
        "002:MCPServerConfig.autoDisabled": "A server turned off for its failures is marked so.",
        "002:MCPServerConfig.stdio-requires-managed": "stdio needs a managed server.",
        "002:MCPServerConfig.sse-requires-url": "An external sse server needs an address.",
        "002:MCPServerConfig.transition.created": "A new server is disabled, without failures.",
        "002:MCPServerConfig.transition.enabled": "Enabling a server tries to connect.",
        "002:MCPServerConfig.transition.connected": "Connecting sets the time and clears failures.",
        "002:MCPServerConfig.transition.failed": "A failed connection counts and is tried again.",
        "002:MCPServerConfig.transition.threshold": "At the threshold the server is disabled.",
        "002:MCPServerConfig.transition.re-enabled": "Enabling again clears mark and count.",
        # ToolInvocationRequest
        "002:ToolInvocationRequest.id": "A request has a unique id.",
        "002:ToolInvocationRequest.serverId": "A request goes only to an enabled server.",
        "002:ToolInvocationRequest.toolName": "The tool is looked up when the request runs.",
        "002:ToolInvocationRequest.parameters": "The parameters fit the tool's input schema.",
        "002:ToolInvocationRequest.source": "A request says whether a person or a model asked.",
        "002:ToolInvocationRequest.documentPath": "A request says which document it is from.",
        "002:ToolInvocationRequest.sectionLine": "A request may say which line it is from.",
        "002:ToolInvocationRequest.status": (
            "Its status is pending, executing, success, error, timeout or cancelled."
        ),
        "002:ToolInvocationRequest.submittedAt": "The time of asking is kept.",
        "002:ToolInvocationRequest.startedAt": "The time of starting is kept.",
        "002:ToolInvocationRequest.completedAt": "The time of ending is kept.",
        "002:ToolInvocationRequest.retryAttempt": "Tries are counted from 0.",
        "002:ToolInvocationRequest.maxRetries": "The most tries come from the retry strategy.",
        "002:ToolInvocationRequest.result": "A success carries its result.",
        "002:ToolInvocationRequest.error": "A failure carries its error.",
        "002:ToolInvocationRequest.transition.created": "A new request is pending at try 0.",
        "002:ToolInvocationRequest.transition.execution-starts": "Starting makes it executing.",
        "002:ToolInvocationRequest.transition.success": "Success sets the end and the result.",
        "002:ToolInvocationRequest.transition.failure-retry": (
            "A failure with tries left makes it pending again, one try further."
        ),
        "002:ToolInvocationRequest.transition.failure-final": (
            "A failure without tries left makes it error, with details."
        ),
        "002:ToolInvocationRequest.transition.timeout": "Passing the deadline makes it timeout.",
        "002:ToolInvocationRequest.transition.cancelled": "A person's stop makes it cancelled.",
        # ToolExecutionResult
        "002:ToolExecutionResult.content": "The content can be written as JSON.",
        "002:ToolExecutionResult.contentType": (
            "It is text, json, markdown or image, and that decides how it is shown."
        ),
        "002:ToolExecutionResult.executionDuration": "The time taken is known and positive.",
        "002:ToolExecutionResult.tokensUsed": "Tokens are kept when the tool reports them.",
        "002:ToolExecutionResult.displayFormat": "It may hint at inline, block or collapsed.",
        # ServerHealthStatus
        "002:ServerHealthStatus.serverId": "Health belongs to one server.",
        "002:ServerHealthStatus.connectionState": (
            "The state is disconnected, connecting, connected or error."
        ),
        "002:ServerHealthStatus.lastPingAt": "The last good check is remembered.",
        "002:ServerHealthStatus.pingLatency": "Its latency is measured.",
        "002:ServerHealthStatus.consecutiveFailures": "It grows with each failure, 0 on success.",
        "002:ServerHealthStatus.retryState.isRetrying": "It says whether a retry is scheduled.",
        "002:ServerHealthStatus.retryState.currentAttempt": "The try is at most 3; then disable.",
        "002:ServerHealthStatus.retryState.nextRetryAt": "It says when the next try comes.",
        "002:ServerHealthStatus.retryState.backoffIntervals": "The waits are 1, 5, 15 seconds.",
        "002:ServerHealthStatus.autoDisabledAt": "The time of disabling is remembered.",
        "002:ServerHealthStatus.transition.initial": "A server begins disconnected.",
        "002:ServerHealthStatus.transition.connect-attempt": "A try makes it connecting.",
        "002:ServerHealthStatus.transition.connected": "Connected has no failures.",
        "002:ServerHealthStatus.transition.ping-success": "A ping sets its time and latency.",
        "002:ServerHealthStatus.transition.connection-lost": "A loss is an error and counts.",
        "002:ServerHealthStatus.transition.retry-scheduled": "A retry has its time, by back-off.",
        "002:ServerHealthStatus.transition.max-retries": (
            "The last try disables and tells the user."
        ),
        # ExecutionTracker
        "002:ExecutionTracker.concurrentLimit": "No more calls run at once than the limit.",
        "002:ExecutionTracker.sessionLimit": "No more calls a session than the limit; -1 is none.",
        "002:ExecutionTracker.activeExecutions": "The running calls are known by id.",
        "002:ExecutionTracker.totalExecuted": "Calls of the session are counted.",
        "002:ExecutionTracker.stopped": "A stop blocks every new call.",
        "002:ExecutionTracker.executionHistory": (
            "History has request, server, tool, time, duration and status."
        ),
        "002:ExecutionTracker.canExecute.stopped": "Nothing may run after a stop.",
        "002:ExecutionTracker.canExecute.session-limit": "Nothing may run past the session limit.",
        "002:ExecutionTracker.canExecute.concurrent-limit": (
            "Nothing may run while as many as the limit are running."
        ),
        # Settings and storage
        "002:settings.mcpServers": "Servers are kept from one start to the next.",
        "002:settings.mcpGlobalTimeout": "A call's deadline is 30,000 ms unless set.",
        "002:settings.mcpConcurrentLimit": "The concurrent limit is 25 unless set.",
        "002:settings.mcpSessionLimit": "The session limit is 25 unless set; -1 is unlimited.",
        "002:session.tracker-reset": "Counts and the stop begin anew with each start.",
        "002:session.health-rebuilt": "Health is found out anew with each start.",
        # Ways
        "002:way.user.limits": "The limits are checked before a call is sent.",
        "002:way.user.route": "A call reaches its server over stdio or SSE.",
        "002:way.user.result": "The answer becomes a result.",
        "002:health.starts-with-enabled": "Watching begins with all enabled servers.",
        "002:health.every-30s": "Each connected server is checked every 30 s.",
        "002:health.failure-counts": "A failed check counts.",
        "002:health.backoff-1-5-15": "Retries wait 1 s, 5 s, 15 s.",
        "002:health.auto-disable-after-3": "After three failures it is disabled; the user is told.",
    },
    "Models": {
        "002:AIToolContext.tools": (
            "A model is given serverId, serverName, toolName, description, inputSchema of tools."
        ),
        "002:AIToolContext.tools.enabled-only": "Only tools of enabled servers are given.",
        "002:AIToolContext.executeTool": "A model's call runs by server, tool and parameters.",
        "002:AIToolContext.enabledServers": "The context names the servers it may use.",
        "002:AIToolContext.sectionBinding": "A bound section leaves only that server's tools.",
        "002:AIToolContext.inputSchema": "Each schema given is valid JSON Schema.",
        "002:way.ai.context": "The context is built from the enabled servers.",
        "002:way.ai.system-message": "The model's instructions describe the tools.",
        "002:way.ai.request": "A tool request in the model's reply becomes a call.",
        "002:way.ai.limits": "A model's call counts against the limits.",
        "002:way.ai.execute": "A model's call goes through the same gate.",
        "002:way.ai.inject": "The result goes back into the conversation.",
        "002:way.ai.answer": "The model's final answer uses the result.",
    },
    "Library": {
        "002:MCPServerConfig.sectionBindings": "Sections of documents are bound to servers.",
        # SectionBinding
        "002:SectionBinding.sectionType": "A section is a heading, a block or a range of lines.",
        "002:SectionBinding.headingText": "A heading is found by its text.",
        "002:SectionBinding.blockId": "A block is found by its ^id.",
        "002:SectionBinding.startLine": "A range has a first line.",
        "002:SectionBinding.endLine": "A range has a last line, after the first.",
        "002:SectionBinding.serverId": "A binding names an existing server.",
        "002:SectionBinding.inheritToChildren": "A binding may hold for the sections inside.",
        "002:SectionBinding.exactly-one": "A binding has exactly one way to find its section.",
        "002:SectionBinding.inheritance": "A child inherits where inheritToChildren is true.",
        "002:SectionBinding.override": "A child's own binding wins.",
        "002:SectionBinding.default": "No binding means the first enabled server.",
        # Ways
        "002:way.user.code-block": (
            "A fenced block named after a server with a tool line is a call."
        ),
        "002:way.user.parse": "The block's YAML becomes the call's parameters.",
        "002:way.user.render": "The result is shown in the document at its block.",
        "002:document.parsed-on-demand": "A document is parsed when it is run, not kept.",
    },
}

SETTLED: dict[str, str] = {
    "002:MCPServerConfig.transport": "mcp.md: streamable HTTP as well.",
    "002:MCPServerConfig.stdio-requires-managed": (
        "product.md: a command runs without Docker too, plain or in bubblewrap; both are managed."
    ),
    "002:MCPServerConfig.dockerConfig.image": "product.md: only where the runner is a container.",
    "002:MCPServerConfig.transition.enabled": (
        "security.md: nothing starts before its definition is approved."
    ),
    "002:ToolInvocationRequest.source": "Four sources: user, document, workflow, assistant.",
    "002:ToolInvocationRequest.transition.failure-retry": (
        "Issue Ground: a call is tried again only where its effect allows it."
    ),
    "002:health.every-30s": "mcp.md: the newest protocol has no ping; `server/discover` or a list.",
    "002:ExecutionTracker.sessionLimit": (
        "Issue Ground: counted per scope, as a document or a chat."
    ),
    "002:session.tracker-reset": "The history stays in the database; counts begin anew.",
}

MESSAGES: dict[str, str] = {
    "002:ToolInvocationRequest.transition.timeout": "Execution exceeded 30s",
}

INTERNAL: dict[str, str] = {}
