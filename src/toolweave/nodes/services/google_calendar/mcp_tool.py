"""TOOL.GOOGLE_CALENDAR_MCP_TOOL: a Google Calendar MCP server, for events and free time."""

from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.tool._call import GUIDANCE, INPUTS, OUTPUTS, SERVER, available_tools
from toolweave.nodes.tool._mcp_tool import BoundTool, McpBinding

TOOLS = terms(
    "google_calendar_events, google_calendar_quick_add, google_calendar_search, "
    "google_calendar_availability, google_calendar_date_query"
)


class GoogleCalendarMcpTool(BoundTool):
    """Calls a tool of the registered Google Calendar MCP server."""

    binding = McpBinding(
        "calendar",
        defaults={
            "default_calendar_id": ("calendar_id", "calendarId"),
            "timezone": ("timezone", "time_zone", "timeZone"),
            "enable_natural_language": ("enable_natural_language", "natural_language"),
            "business_hours_only": ("business_hours_only",),
        },
        caps={"max_results": ("max_results", "maxResults", "limit")},
        found={
            "calendar_id": ("calendar_id", "calendarId"),
            "event_id": ("event_id", "eventId", "id"),
        },
    )
    spec = NodeSpec(
        type="TOOL",
        subtype="GOOGLE_CALENDAR_MCP_TOOL",
        summary="Let an agent read and plan Google Calendar events through an MCP server.",
        effect="once",
        configurations=(
            SERVER,
            Field(
                "access_token",
                "string",
                "OAuth access token, as a vault reference; a registered server uses its own.",
                required=True,
                sensitive=True,
            ),
            Field(
                "default_calendar_id", "string", "Calendar used when a call names none.", "primary"
            ),
            available_tools(TOOLS, TOOLS[:4]),
            Field("timezone", "string", "IANA zone for times without one: Europe/Berlin.", "UTC"),
            Field("max_results", "integer", "Most events per call.", 20, minimum=1, maximum=250),
            Field(
                "enable_natural_language",
                "boolean",
                "Understand times such as tomorrow 9am.",
                True,
            ),
            Field(
                "business_hours_only", "boolean", "Offer free time in working hours only.", False
            ),
        ),
        inputs=INPUTS,
        outputs=(
            *OUTPUTS,
            Field("calendar_id", "string", "Calendar the call worked in."),
            Field("event_id", "string", "Event made or found."),
        ),
        tags=("tool", "mcp", "calendar", "google"),
        keywords=terms(
            "google calendar, mcp, tool, event, meeting, schedule, availability, free time, "
            "appointment"
        ),
        guidance=GUIDANCE,
        examples=(
            Example(
                "Show this week's meetings",
                "Lists events that match a word.",
                {
                    "mcp_server_url": "https://mcp.example.com/google-calendar",
                    "access_token": "${vault:google-access-token}",
                    "timezone": "Europe/Berlin",
                    "available_tools": ["google_calendar_events"],
                },
                {
                    "tool_name": "google_calendar_events",
                    "function_args": {
                        "action": "list",
                        "filters": {"time_min": "today", "time_max": "next week", "query": "sync"},
                    },
                },
            ),
            Example(
                "Add by a sentence",
                "Creates an event from plain words.",
                {
                    "mcp_server_url": "https://mcp.example.com/google-calendar",
                    "access_token": "${vault:google-access-token}",
                    "enable_natural_language": True,
                },
                {
                    "tool_name": "google_calendar_quick_add",
                    "function_args": {"text": "Coffee with Grace on Thursday at 15:00"},
                },
            ),
            Example(
                "Find a free hour",
                "Looks for an hour in working time.",
                {
                    "mcp_server_url": "https://mcp.example.com/google-calendar",
                    "access_token": "${vault:google-access-token}",
                    "business_hours_only": True,
                    "max_results": 5,
                },
                {
                    "tool_name": "google_calendar_availability",
                    "function_args": {
                        "time_range": {
                            "start": "2026-03-05T08:00:00Z",
                            "end": "2026-03-05T17:00:00Z",
                            "duration_minutes": 60,
                        }
                    },
                    "context": {"reason": "interview"},
                },
            ),
        ),
    )


node = GoogleCalendarMcpTool()
