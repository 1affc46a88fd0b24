"""TOOL.NOTION_MCP_TOOL: a Notion MCP server, for reading databases and pages."""

from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.tool._call import GUIDANCE, INPUTS, OUTPUTS, available_tools
from toolweave.nodes.tool._mcp_tool import BoundTool, McpBinding

TOOLS = ("notion_database", "notion_page", "notion_search")


class NotionMcpTool(BoundTool):
    """Calls a tool of the registered Notion MCP server."""

    binding = McpBinding(
        "notion",
        defaults={
            "default_database_id": ("database_id", "databaseId"),
            "default_page_id": ("page_id", "pageId"),
            "operation_type": ("operation_type",),
            "enable_rich_text": ("enable_rich_text", "rich_text"),
            "auto_create_missing_props": ("auto_create_missing_props",),
        },
        caps={"page_size_limit": ("page_size", "limit", "max_results")},
        found={
            "notion_object_id": ("id", "page_id", "database_id"),
            "notion_object_type": ("object", "type"),
        },
    )
    spec = NodeSpec(
        type="TOOL",
        subtype="NOTION_MCP_TOOL",
        summary="Let an agent read Notion databases and pages through an MCP server.",
        effect="once",
        configurations=(
            Field(
                "access_token",
                "string",
                "Notion token as a vault reference; empty uses the server's own sign-in.",
                sensitive=True,
            ),
            Field(
                "operation_type",
                "string",
                "What is worked with: databases, pages, or both.",
                "database",
                options=("database", "page", "both"),
            ),
            Field("default_database_id", "string", "Database used when a call names none."),
            Field("default_page_id", "string", "Page used when a call names none."),
            available_tools(TOOLS, TOOLS),
            Field(
                "page_size_limit", "integer", "Most rows per call.", 100, minimum=1, maximum=1000
            ),
            Field(
                "enable_rich_text", "boolean", "Keep bold, links and the like as Markdown.", True
            ),
            Field(
                "auto_create_missing_props",
                "boolean",
                "Add a column that a write names but the database lacks.",
                False,
            ),
        ),
        inputs=INPUTS,
        outputs=(
            *OUTPUTS,
            Field("notion_object_id", "string", "Id of the page or database."),
            Field("notion_object_type", "string", "What it is: page or database."),
        ),
        tags=("tool", "mcp", "notion", "notes"),
        keywords=terms("notion, mcp, tool, page, database, wiki, search, knowledge, notes"),
        guidance=GUIDANCE,
        examples=(
            Example(
                "List open tasks",
                "Reads the default database.",
                {
                    "access_token": "${vault:notion-token}",
                    "operation_type": "database",
                    "default_database_id": "668d797c76fa49349b05ad288df2d136",
                    "available_tools": ["notion_database"],
                },
                {"tool_name": "notion_database", "function_args": {}},
            ),
            Example(
                "Read a page",
                "Gives the text of one page.",
                {
                    "access_token": "${vault:notion-token}",
                    "operation_type": "page",
                    "available_tools": ["notion_page"],
                    "enable_rich_text": False,
                },
                {
                    "tool_name": "notion_page",
                    "function_args": {"page_id": "59833787-2cf9-4fdf-8782-e53db20768a5"},
                    "call_id": "read-handbook",
                },
            ),
            Example(
                "Find by words",
                "Searches when no id is known.",
                {"operation_type": "both", "page_size_limit": 20},
                {
                    "tool_name": "notion_search",
                    "function_args": {"query": "on-call handbook", "limit": 5},
                },
            ),
        ),
    )


node = NotionMcpTool()
