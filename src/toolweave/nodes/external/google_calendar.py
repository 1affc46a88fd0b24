"""EXTERNAL_ACTION.GOOGLE_CALENDAR: manage events and calendars in Google Calendar."""

from toolweave.catalog.spec import Example, Field, NodeSpec

ACTIONS = (
    "list_events",
    "create_event",
    "update_event",
    "delete_event",
    "get_event",
    "list_calendars",
    "create_calendar",
    "get_calendar",
    "search_events",
    "quick_add",
    "watch_events",
    "stop_watching",
    "google_calendar_list_calendars",
    "google_calendar_create_event",
    "google_calendar_list_events",
    "google_calendar_update_event",
    "google_calendar_delete_event",
    "google_calendar_add_attendees_to_event",
)

EVENT_FIELDS = (
    Field("summary", "string", "Title of the event, or name of a new calendar."),
    Field("description", "string", "Text of the event.", multiline=True),
    Field("location", "string", "Where it takes place: an address or a room."),
    Field(
        "start",
        "object",
        'Start as Google has it: {"dateTime": "2026-03-06T09:00:00", "timeZone": "Europe/Rome"}.',
    ),
    Field(
        "end", "object", 'End as Google has it, like start; {"date": "2026-03-07"} for whole days.'
    ),
    Field(
        "start_datetime", "string", "Start as ISO 8601, simpler than start: 2026-03-06T09:00:00Z."
    ),
    Field("end_datetime", "string", "End as ISO 8601, simpler than end: 2026-03-06T09:30:00Z."),
    Field(
        "date",
        "string",
        "Day of a whole-day event, as YYYY-MM-DD.",
        pattern=r"^\d{4}-\d{2}-\d{2}$",
    ),
    Field("attendees", "array", 'Who is invited: ["ada@example.com"], or objects with an email.'),
    Field("event_id", "string", "Id of the event to get, update, delete or add people to."),
    Field(
        "reminders",
        "object",
        'Reminders: {"useDefault": false, "overrides": [{"method": "popup", "minutes": 10}]}.',
    ),
    Field(
        "recurrence",
        "array",
        "Repetition as RFC 5545 lines: [RRULE:FREQ=WEEKLY;BYDAY=MO].",
        items="string",
    ),
)

SEARCH_FIELDS = (
    Field("time_min", "string", "List events that end after this time, ISO 8601 with zone."),
    Field("time_max", "string", "List events that start before this time, ISO 8601 with zone."),
    Field("max_results", "integer", "Most events to list.", 250, minimum=1, maximum=2500),
    Field("single_events", "boolean", "List each date of a repeated event.", True),
    Field(
        "order_by",
        "string",
        "Order of the list; startTime needs single_events.",
        "startTime",
        options=("startTime", "updated"),
    ),
    Field("show_deleted", "boolean", "List cancelled events too.", False),
    Field("q", "string", "Words to find in title, text, place and people."),
    Field("query", "string", "The same as q."),
    Field("text", "string", "Sentence for quick_add: Lunch with Ada tomorrow 12:30 for 1 hour."),
)


class GoogleCalendar:
    """Calls one operation of the Google Calendar API."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="GOOGLE_CALENDAR",
        summary="Create, change, find and delete events in Google Calendar, and manage calendars.",
        effect="once",
        configurations=(
            Field(
                "access_token",
                "string",
                "OAuth access token with calendar rights, as a vault reference.",
                required=True,
                sensitive=True,
            ),
            Field(
                "refresh_token",
                "string",
                "OAuth refresh token, to renew the access token when it expires.",
                sensitive=True,
            ),
            Field(
                "action_type",
                "string",
                "What to do; the google_calendar_ names do the same as those without.",
                "create_event",
                required=True,
                options=ACTIONS,
            ),
            Field(
                "calendar_id",
                "string",
                "Calendar to work in: primary, or an id like team@group.calendar.google.com.",
                "primary",
            ),
            *EVENT_FIELDS,
            *SEARCH_FIELDS,
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action when given.",
                options=ACTIONS,
            ),
            Field(
                "data",
                "object",
                'Any of the event and search fields; wins over them: {"summary": "Review"}. '
                "watch_events needs address here.",
            ),
            Field("context", "object", "Values for templates in the fields: {{ context.team }}."),
            Field(
                "variables", "object", "Values for templates in the fields: {{ variables.person }}."
            ),
        ),
        outputs=(
            Field("success", "boolean", "Whether Google accepted the call."),
            Field("google_response", "object", "Google's whole answer."),
            Field("event", "object", "The event read, made or changed."),
            Field("events", "array", "The events listed.", items="object"),
            Field("calendars", "array", "The calendars listed.", items="object"),
            Field("next_page_token", "string", "Token for the next page of a list."),
            Field("next_sync_token", "string", "Token to list only later changes."),
            Field("html_link", "string", "Address of the event for people."),
            Field("event_id", "string", "Id of the event."),
            Field("event_url", "string", "Address of the event in the API."),
            Field("calendar_url", "string", "Address of the calendar in the API."),
            Field("meeting_link", "string", "Address of the video meeting, if it has one."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("execution_metadata", "object", "The action done, time taken and attempts."),
        ),
        tags=("calendar", "google", "scheduling", "events"),
        keywords=(
            "google calendar",
            "gcal",
            "event",
            "meeting",
            "appointment",
            "schedule",
            "invite",
            "reminder",
            "availability",
            "agenda",
        ),
        guidance=(
            "A timed event needs start_datetime and end_datetime (or start and end); a whole-day "
            "one needs date. update, delete and get need event_id; quick_add needs text."
        ),
        examples=(
            Example(
                "Schedule a weekly meeting",
                "Creates a repeated event with guests and a reminder.",
                {
                    "access_token": "${vault:google-access-token}",
                    "refresh_token": "${vault:google-refresh-token}",
                    "action_type": "create_event",
                    "summary": "Team sync",
                    "start_datetime": "2026-03-02T09:00:00+01:00",
                    "end_datetime": "2026-03-02T09:30:00+01:00",
                    "attendees": ["ada@example.com", "grace@example.com"],
                    "recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=MO"],
                    "reminders": {
                        "useDefault": False,
                        "overrides": [{"method": "popup", "minutes": 10}],
                    },
                },
            ),
            Example(
                "Read the week",
                "Lists what is planned, in order.",
                {
                    "access_token": "${vault:google-access-token}",
                    "action_type": "list_events",
                    "time_min": "2026-03-02T00:00:00Z",
                    "time_max": "2026-03-09T00:00:00Z",
                    "max_results": 50,
                },
            ),
            Example(
                "Move an event",
                "Changes the times of an event that an earlier node found.",
                {
                    "access_token": "${vault:google-access-token}",
                    "action_type": "update_event",
                    "calendar_id": "team@group.calendar.google.com",
                },
                {
                    "data": {
                        "event_id": "7cbh8rpc10lrc0ckih9tafss99",
                        "start_datetime": "2026-03-03T14:00:00Z",
                        "end_datetime": "2026-03-03T15:00:00Z",
                    }
                },
            ),
            Example(
                "Add by a sentence",
                "Lets Google read date and time out of the text.",
                {
                    "access_token": "${vault:google-access-token}",
                    "action_type": "quick_add",
                    "text": "Dentist on Friday at 8:15 for 45 minutes",
                },
            ),
            Example(
                "Block a day off",
                "Creates a whole-day event; the name comes from the input.",
                {
                    "access_token": "${vault:google-access-token}",
                    "action_type": "create_event",
                    "summary": "{{ variables.person }} is away",
                    "date": "2026-04-03",
                },
                {"variables": {"person": "Ada"}},
            ),
        ),
    )


node = GoogleCalendar()
