"""The authorisation table: routes, MCP methods and tools, commands, their scopes; limited keys.

A limited key is one with `ApiKey.tools`: it may use only the rows of `_limited`, and the code
behind them shows and runs nothing but its tools. What has no row is refused to everybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from toolweave.access.keys import ApiKey
from toolweave.errors import Denied


@dataclass(frozen=True, slots=True)
class Rule:
    """The scope a key needs, `None` for any valid key, and whether a limited key may.

    A key with `or_scope` does not need `scope`.
    """

    scope: str | None
    is_for_limited: bool = False
    or_scope: str | None = None

    def require(self, key: ApiKey) -> None:
        """Raise unless the key may.

        Raises:
            Denied: `SCOPE_MISSING`, `TOOL_NOT_ALLOWED`.
        """
        if self.scope is not None and not (self.or_scope and key.allows(self.or_scope)):
            key.require(self.scope)
        if not self.is_for_limited:
            key.require_tool(None)

    def allows(self, key: ApiKey) -> bool:
        """Whether the key may."""
        try:
            self.require(key)
        except Denied:
            return False
        return True


class _Nobody(Rule):
    """The rule of what has no row."""

    def require(self, key: ApiKey) -> None:
        """Refuse."""
        raise Denied(
            "ACCESS_NOT_DEFINED",
            "nobody may use this: it has no row in the authorisation table",
            hint="report it; this is an error in Toolweave",
        )


NOBODY = _Nobody(None)


def route_rule(method: str, path: str) -> Rule:
    """Return the rule of a REST route by its method and path template."""
    return ROUTES.get(f"{method} {path}", NOBODY)


def tool_rule(name: str) -> Rule:
    """Return the rule of a default tool of the MCP server."""
    return TOOLS.get(name, NOBODY)


def method_rule(name: str) -> Rule:
    """Return the rule of a method of the MCP server."""
    return METHODS.get(name, NOBODY)


def resource_rule(kind: str) -> Rule:
    """Return the rule of a kind of resource of the MCP server."""
    return RESOURCES.get(kind, NOBODY)


def command_rule(name: str) -> Rule:
    """Return the rule of a command that the studio executes for `toolweave` in a shell."""
    return COMMANDS.get(name, NOBODY)


def _full(scope: str | None, *names: str) -> dict[str, Rule]:
    return dict.fromkeys(names, Rule(scope))


def _limited(scope: str | None, *names: str) -> dict[str, Rule]:
    return dict.fromkeys(names, Rule(scope, is_for_limited=True))


# By method and path template; `path#part` is a part of a request that needs more than the rest.
ROUTES: Mapping[str, Rule] = {
    **_limited(None, "GET /api/v1/openapi.json"),
    **_limited("health:check", "GET /api/v1/mcp/health"),
    **_full("health:check", "GET /metrics"),
    **_limited(
        "tools:read",
        "GET /mcp",
        "POST /mcp",
        "DELETE /mcp",
        "* /mcp",
    ),
    **_full(
        "tools:read",
        "GET /api/v1/mcp/tools",
        "GET /api/v1/mcp/tools/{tool_name}",
        "GET /api/v1/catalog/nodes",
        "GET /api/v1/catalog/node",
        "GET /api/v1/catalog/templates",
        "GET /api/v1/catalog/template",
        "GET /api/v1/catalog/stats",
        "GET /api/v1/servers",
        "GET /api/v1/servers/{server}/tools",
        "GET /api/v1/servers/{server}/resources",
        "GET /api/v1/servers/{server}/prompts",
        "GET /api/v1/servers/{server}/skills",
        "GET /api/v1/calls",
    ),
    **_full(
        "tools:execute",
        "POST /api/v1/mcp/invoke",
        "POST /api/v1/servers/{server}/resources/read",
        "POST /api/v1/servers/{server}/prompts/get",
        "POST /api/v1/servers/{server}/skills/read",
        "POST /api/v1/servers/{server}/complete",
        "POST /api/v1/chat",
        "GET /api/v1/chat/tools",
        "POST /api/v1/chat/{chat}/stop",
        "DELETE /api/v1/chat/{chat}",
        "POST /api/v1/documents/run",
        "POST /api/v1/calls/stop",
        "POST /api/v1/calls/resume",
    ),
    **_limited(
        "workflows:read",
        "GET /api/v1/workflows",
        "GET /api/v1/overview",
        "GET /api/v1/workflows/{name}",
        "GET /api/v1/published",
        "GET /api/v1/runs",
        "GET /api/v1/runs/{run}",
        "GET /api/v1/runs/{run}/events",
        "GET /api/v1/runs/{run}/workflow",
        "GET /api/v1/runs/{run}/input",
        "GET /api/v1/runs/{run}/output",
        "GET /api/v1/runs/{run}/media",
        "GET /api/v1/runs/{run}/media/{digest}",
        "GET /api/v1/inbox",
        "GET /api/v1/inbox/{id}",
    ),
    **_full(
        "workflows:read",
        "POST /api/v1/workflows/convert",
        "GET /api/v1/workflows/{name}/versions",
        "GET /api/v1/workflows/{name}/versions/{number}",
        "POST /api/v1/edit/validate",
        "POST /api/v1/edit/fix",
        "POST /api/v1/edit/mode",
        "POST /api/v1/edit/extract",
        "POST /api/v1/edit/node",
        "POST /api/v1/edit/export",
        "POST /api/v1/edit/import",
        "POST /api/v1/edit/preview",
        "POST /api/v1/edit/names",
        "POST /api/v1/edit/input",
        "POST /api/v1/edit/tool",
        "POST /api/v1/edit/backtest",
        "POST /api/v1/edit/trigger",
        "POST /api/v1/runs/{run}/freeze",
        "GET /api/v1/events",
        "GET /api/v1/triggers",
        "GET /api/v1/library",
        "GET /api/v1/library/{library}",
        "GET /api/v1/library/{library}/flows/{flow}",
        "GET /api/v1/library/{library}/templates/{template}",
        "POST /api/v1/library/{library}/templates/{template}/fill",
        "GET /api/v1/documents",
        "POST /api/v1/documents/check",
        "POST /api/v1/chat#document",
    ),
    **_limited(
        "workflows:run",
        "POST /api/v1/runs",
        "POST /api/v1/runs/{run}/cancel",
        "POST /api/v1/runs/{run}/answer",
        "POST /api/v1/runs/{run}/fork",
        "POST /api/v1/inbox/{id}/answer",
        "POST /api/v1/triggers/{name}/run",
    ),
    **_full(
        "workflows:run",
        "POST /api/v1/edit/test",
        "POST /api/v1/edit/validate#live",
        "POST /api/v1/edit/mode#live",
        "POST /api/v1/signals",
        "POST /api/v1/library/{library}/flows/{flow}/run",
    ),
    **_full(
        "workflows:write",
        "PUT /api/v1/workflows/{name}",
        "DELETE /api/v1/workflows/{name}",
        "PUT /api/v1/workflows/{name}/versions/{number}",
        "POST /api/v1/workflows/{name}/versions/{number}/restore",
        "POST /api/v1/runs#document",
        "POST /api/v1/edit/build",
        "POST /api/v1/edit/test#document",
        "POST /api/v1/runs/{run}/fork#document",
        "POST /api/v1/runs/{run}/fork#edit",
        "POST /api/v1/servers/{server}/migrations#workflow",
        "PUT /api/v1/published/{name}",
        "DELETE /api/v1/published/{name}",
        "POST /api/v1/triggers/{name}/enable",
        "POST /api/v1/triggers/{name}/disable",
        "POST /api/v1/triggers/{name}/pause",
        "POST /api/v1/triggers/{name}/resume",
        "POST /api/v1/triggers/listen",
        "POST /api/v1/library/{library}/refresh",
        "POST /api/v1/documents/clear",
        "POST /api/v1/documents/bind",
        "POST /api/v1/documents/unbind",
    ),
    **_full(
        "servers:admin",
        "POST /api/v1/servers",
        "GET /api/v1/servers/approvals",
        "POST /api/v1/servers/approvals/lockfile",
        "GET /api/v1/servers/discovered",
        "POST /api/v1/servers/discovered",
        "GET /api/v1/servers/{server}",
        "DELETE /api/v1/servers/{server}",
        "POST /api/v1/servers/{server}/approve",
        "POST /api/v1/servers/{server}/skills/approve",
        "POST /api/v1/servers/{server}/skills/forget",
        "POST /api/v1/servers/{server}/enable",
        "POST /api/v1/servers/{server}/disable",
        "POST /api/v1/servers/{server}/check",
        "GET /api/v1/servers/{server}/difference",
        "GET /api/v1/servers/{server}/migrations",
        "POST /api/v1/servers/{server}/migrations",
        "GET /api/v1/servers/{server}/health",
        "DELETE /api/v1/servers/{server}/sign-in",
        "POST /api/v1/servers/{server}/sign-in",
        "POST /api/v1/servers/{server}/sign-in/address",
        "POST /api/v1/library",
        "DELETE /api/v1/library/{library}",
    ),
    **_full(
        "admin",
        "POST /api/v1/samples",
        "GET /api/v1/keys",
        "POST /api/v1/keys",
        "DELETE /api/v1/keys/{key}",
        "POST /api/v1/oauth/requests",
        "POST /api/v1/oauth/grants",
        "GET /api/v1/settings",
        "GET /api/v1/doctor",
        "GET /api/v1/secrets",
        "GET /api/v1/secrets/{name}/uses",
        "PUT /api/v1/secrets/{name}",
        "POST /api/v1/secrets/{name}/hosts",
        "DELETE /api/v1/secrets/{name}",
        "GET /api/v1/models",
        "GET /api/v1/models/discovered",
        "POST /api/v1/models",
        "DELETE /api/v1/models/{model}",
        "PUT /api/v1/models/{model}/default",
        "POST /api/v1/models/{model}/test",
        "GET /api/v1/services",
        "PUT /api/v1/services/{name}",
        "DELETE /api/v1/services/{name}",
        "POST /api/v1/services/{service}/test",
        "POST /api/v1/inbox/{id}/answer#as",
    ),
}

# Routes without an API key: the pages, the probes, deliveries proven by each trigger or channel,
# the endpoints of OAuth, which give a key, and those for local programs with the service token.
OPEN_ROUTES = frozenset(
    {
        "GET /",
        "GET /docs",
        "GET /docs/{path:path}",
        "GET /favicon.svg",
        "GET /assets/{name}",
        "GET /health",
        "GET /ready",
        "GET /api/v1/public/health",
        "* /hooks/people/{channel}",
        "* /hooks/{path:path}",
        "GET /.well-known/oauth-protected-resource",
        "GET /.well-known/oauth-protected-resource/mcp",
        "GET /.well-known/oauth-protected-resource/mcp/",
        "GET /.well-known/oauth-authorization-server",
        "GET /oauth/client.json",
        "GET /oauth/authorize",
        "POST /oauth/register",
        "POST /oauth/token",
        "POST /oauth/revoke",
        "GET /api/v1/mcp/tools/internal",
        "POST /api/v1/mcp/invoke/internal",
    }
)

PUBLISHED_TOOL = Rule("workflows:run", is_for_limited=True)
# Learning that a tool does not exist.
UNKNOWN_TOOL = Rule("tools:execute", is_for_limited=True)

TOOLS: Mapping[str, Rule] = {
    **_full("tools:execute", "get_node_types", "get_node_details", "search_nodes"),
    **_limited("workflows:read", "explain_problem", "explain_run"),
    # Who called a tool reads the result of its run, as with `tasks/get`.
    **dict.fromkeys(
        ("run_status", "run_result"), Rule("workflows:read", True, or_scope="workflows:run")
    ),
    # What the app of a published workflow calls; `app_workflow` shows what `tools/list` shows.
    **_limited("workflows:read", "app_run"),
    **_limited("workflows:run", "app_workflow", "app_start", "app_answer", "app_rerun"),
    **_limited("workflows:run", "app_cancel"),
    **_full(
        "workflows:read",
        "validate_workflow",
        "get_template",
        "list_workflows",
        "get_workflow",
        "test_node",
        "flows_list",
        "flows_show",
        "prompts_list",
        "prompts_get",
        "get_variable_sets",
    ),
    **_limited("workflows:run", "run_workflow", "run_respond", "run_cancel"),
    **_full("workflows:run", "flows_execute"),
    **_full(
        "workflows:write",
        "save_workflow",
        "patch_workflow",
        "publish_workflow",
        "run_workflow#workflow",
    ),
}

# Kinds of resources of the MCP server, by the first part of their path.
RESOURCES: Mapping[str, Rule] = {
    **_full("tools:read", "catalog"),
    # A limited key reads those of its tools.
    **_limited("tools:read", "apps"),
    **_limited("workflows:read", "workflows", "runs"),
    **_full("workflows:read", "documents", "recordings", "libraries"),
}

METHODS: Mapping[str, Rule] = {
    **_limited(
        "tools:read",
        "initialize",
        "notifications/initialized",
        "notifications/cancelled",
        "ping",
        "server/discover",
        "subscriptions/listen",
        "tools/list",
        # By the tool's own rule.
        "tools/call",
        # By the rule of each kind of resource.
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "completion/complete",
        # By the rule of workflows as resources.
        "skills/list",
        "skills/get",
        "resources/directory/read",
        # Empty for a key without `prompts/get`.
        "prompts/list",
    ),
    **_full("workflows:read", "prompts/get"),
    **_limited("workflows:run", "tasks/get", "tasks/update", "tasks/cancel"),
}

COMMANDS: Mapping[str, Rule] = {
    **_full("tools:execute", "call"),
    **_full("workflows:run", "run"),
    **_full("workflows:write", "run#document", "run#edit"),
}
