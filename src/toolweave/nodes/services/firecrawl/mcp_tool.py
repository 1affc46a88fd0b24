"""TOOL.FIRECRAWL_MCP_TOOL: a Firecrawl MCP server, for reading the web."""

from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.tool._call import GUIDANCE, INPUTS, OUTPUTS, SERVER, available_tools
from toolweave.nodes.tool._mcp_tool import BoundTool, McpBinding

TOOLS = terms(
    "firecrawl_scrape, firecrawl_map, firecrawl_crawl, firecrawl_batch_scrape, firecrawl_search"
)


class FirecrawlMcpTool(BoundTool):
    """Calls a tool of the registered Firecrawl MCP server."""

    binding = McpBinding(
        "firecrawl",
        defaults={
            "default_formats": ("formats",),
            "wait_for_selector": ("wait_for_selector", "waitForSelector"),
            "extract_main_content": ("onlyMainContent", "only_main_content"),
            "remove_base64_images": ("removeBase64Images", "remove_base64_images"),
        },
        caps={
            "max_crawl_pages": ("limit", "max_pages"),
            "timeout_seconds": ("timeout_seconds",),
        },
        found={
            "scraped_url": ("url", "sourceURL"),
            "content_type": ("content_type", "contentType"),
            "pages_processed": ("pages_processed", "total", "completed"),
        },
    )
    spec = NodeSpec(
        type="TOOL",
        subtype="FIRECRAWL_MCP_TOOL",
        summary="Let an agent search, map and read web pages through a Firecrawl MCP server.",
        effect="once",
        configurations=(
            SERVER,
            Field(
                "firecrawl_api_key",
                "string",
                "API key that begins with fc-, as vault reference; a known server uses its own.",
                required=True,
                sensitive=True,
            ),
            available_tools(TOOLS, TOOLS[:3]),
            Field(
                "default_formats",
                "array",
                "Forms a page is given in when a call names none.",
                ["markdown", "html"],
                options=("markdown", "html", "rawHtml", "screenshot", "links", "extract"),
                items="string",
            ),
            Field(
                "timeout_seconds", "integer", "Seconds a page may take.", 30, minimum=5, maximum=300
            ),
            Field(
                "max_crawl_pages",
                "integer",
                "Most pages per crawl.",
                100,
                minimum=1,
                maximum=10_000,
            ),
            Field("wait_for_selector", "string", "CSS selector to wait for before reading: #main."),
            Field("extract_main_content", "boolean", "Leave out menus, headers and footers.", True),
            Field(
                "remove_base64_images", "boolean", "Leave out pictures written into the page.", True
            ),
        ),
        inputs=INPUTS,
        outputs=(
            *OUTPUTS,
            Field("scraped_url", "string", "Address that was read."),
            Field("content_type", "string", "Kind of the content, e.g. text/markdown."),
            Field("pages_processed", "integer", "How many pages were read.", minimum=0),
        ),
        tags=("tool", "mcp", "web", "scraping"),
        keywords=terms(
            "firecrawl, mcp, tool, scrape, crawl, web search, website, sitemap, read page"
        ),
        guidance=GUIDANCE,
        examples=(
            Example(
                "Read one page",
                "Gives an article as Markdown.",
                {
                    "mcp_server_url": "https://mcp.example.com/firecrawl",
                    "firecrawl_api_key": "${vault:firecrawl-key}",
                    "available_tools": ["firecrawl_scrape"],
                    "default_formats": ["markdown"],
                },
                {
                    "tool_name": "firecrawl_scrape",
                    "function_args": {"url": "https://example.com/blog/launch"},
                },
            ),
            Example(
                "Map a site",
                "Lists the addresses of a documentation.",
                {
                    "mcp_server_url": "https://mcp.example.com/firecrawl",
                    "firecrawl_api_key": "${vault:firecrawl-key}",
                    "available_tools": ["firecrawl_map"],
                    "max_crawl_pages": 50,
                },
                {
                    "tool_name": "firecrawl_map",
                    "function_args": {"url": "https://docs.example.com", "search": "webhooks"},
                },
            ),
            Example(
                "Research a question",
                "Lets an agent search first and read then.",
                {
                    "mcp_server_url": "https://mcp.example.com/firecrawl",
                    "firecrawl_api_key": "${vault:firecrawl-key}",
                    "available_tools": ["firecrawl_search", "firecrawl_batch_scrape"],
                    "timeout_seconds": 90,
                },
                {
                    "tool_name": "firecrawl_search",
                    "function_args": {"query": "heat pump subsidies 2026", "limit": 5},
                    "context": {"topic": "energy"},
                },
            ),
        ),
    )


node = FirecrawlMcpTool()
