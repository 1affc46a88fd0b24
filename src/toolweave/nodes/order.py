"""The order of nodes in lists: by type, then in the catalog's order, then by name."""

from toolweave.catalog.spec import NODE_TYPES, NodeSpec

CATALOG_ORDER = (
    "TRIGGER.MANUAL",
    "TRIGGER.WEBHOOK",
    "TRIGGER.CRON",
    "TRIGGER.GITHUB",
    "TRIGGER.SLACK",
    "TRIGGER.EMAIL",
    "AI_AGENT.OPENAI_CHATGPT",
    "AI_AGENT.ANTHROPIC_CLAUDE",
    "AI_AGENT.GOOGLE_GEMINI",
    "ACTION.HTTP_REQUEST",
    "ACTION.DATA_TRANSFORMATION",
    "EXTERNAL_ACTION.SLACK",
    "EXTERNAL_ACTION.GITHUB",
    "EXTERNAL_ACTION.NOTION",
    "EXTERNAL_ACTION.GOOGLE_CALENDAR",
    "EXTERNAL_ACTION.FIRECRAWL",
    "EXTERNAL_ACTION.DISCORD_ACTION",
    "EXTERNAL_ACTION.TELEGRAM_ACTION",
    "FLOW.IF",
    "FLOW.LOOP",
    "FLOW.MERGE",
    "FLOW.FILTER",
    "FLOW.SORT",
    "FLOW.WAIT",
    "FLOW.DELAY",
    "HUMAN_IN_THE_LOOP.SLACK_INTERACTION",
    "HUMAN_IN_THE_LOOP.GMAIL_INTERACTION",
    "HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION",
    "HUMAN_IN_THE_LOOP.DISCORD_INTERACTION",
    "HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION",
    "HUMAN_IN_THE_LOOP.MANUAL_REVIEW",
    "TOOL.NOTION_MCP_TOOL",
    "TOOL.GOOGLE_CALENDAR_MCP_TOOL",
    "TOOL.SLACK_MCP_TOOL",
    "TOOL.FIRECRAWL_MCP_TOOL",
    "TOOL.DISCORD_MCP_TOOL",
    "MEMORY.VECTOR_DATABASE",
    "MEMORY.CONVERSATION_BUFFER",
    "MEMORY.KEY_VALUE_STORE",
)

_POSITIONS = {ref: position for position, ref in enumerate(CATALOG_ORDER)}


def place(spec: NodeSpec) -> tuple[int, int, str]:
    """Return the sort key of a node in a list; nodes outside the catalog order come last."""
    return (
        NODE_TYPES.index(spec.type),
        _POSITIONS.get(spec.ref, len(CATALOG_ORDER)),
        spec.subtype,
    )
