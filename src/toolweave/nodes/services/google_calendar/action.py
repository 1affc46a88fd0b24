"""EXTERNAL_ACTION.GOOGLE_CALENDAR: manage events and calendars in Google Calendar."""

from hashlib import sha256

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec, terms
from toolweave.errors import Conflict, Denied
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._client import (
    ServiceClient,
    ServiceResponse,
    calling,
    metadata,
    waiting,
)
from toolweave.nodes.services._operation import Action, effect_in
from toolweave.nodes.services._overrides import objects, record, settings_of
from toolweave.nodes.services.google_calendar.api import (
    ACTIONS,
    GOOGLE_CALENDAR,
    NAMES,
    SYNC,
    attendees_of,
    plain_name,
    values_of,
)

MAX_PAGES = 10

EVENT_FIELDS = (
    Field("summary", "string", "Title of the event, or name of a new calendar."),
    Field("description", "string", "Text of the event.", multiline=True),
    Field("location", "string", "Where it takes place: an address or a room."),
    Field(
        "start",
        "object",
        'Start as Google has it: {"dateTime": "2026-03-06T09:00:00", "timeZone": "Europe/Rome"}.',
        members="{dateTime, date, timeZone}",
    ),
    Field(
        "end",
        "object",
        'End as Google has it, like start; {"date": "2026-03-07"} for whole days.',
        members="{dateTime, date, timeZone}",
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
    Field(
        "attendees",
        "array",
        'Who is invited: ["ada@example.com"], or objects with an email.',
        members="[string or {email*, displayName, optional: boolean, responseStatus, "
        "resource: boolean, organizer: boolean, comment, additionalGuests: "
        "integer, id, self: boolean}]",
    ),
    Field("event_id", "string", "Id of the event to get, update, delete or add people to."),
    Field(
        "reminders",
        "object",
        'Reminders: {"useDefault": false, "overrides": [{"method": "popup", "minutes": 10}]}.',
        members="{useDefault: boolean, overrides: [{method: popup|email, minutes: "
        "integer 0..40320}]}",
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
                options=NAMES,
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
                options=NAMES,
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
        keywords=terms(
            "google calendar, gcal, event, meeting, appointment, schedule, invite, reminder, "
            "availability, agenda"
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

    def effect_of(self, config: JsonObject) -> Effect:
        """Asking may be repeated, and what is the same when done twice."""
        name = config.get("action_type")
        plain = plain_name(name) if isinstance(name, str) else None
        return effect_in(ACTIONS, {"action_type": plain})

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Do the action; an access token that ended is renewed where a refresh token is given."""
        given = context.given
        settings = settings_of(context, self.spec)
        caller = await calling(context, GOOGLE_CALENDAR, given.text("access_token"))
        return await waiting(context, caller, lambda: _renewing(context, caller, settings))


async def _renewing(context: NodeContext, caller: ServiceClient, settings: JsonObject) -> Outcome:
    try:
        return await _done(context, caller, settings)
    except Denied as error:
        refresh = context.given.text("refresh_token")
        if error.code != "SERVICE_CREDENTIAL_REFUSED" or not refresh:
            raise
    services = context.resources.services
    caller.use(await services.renew(GOOGLE_CALENDAR, refresh))
    return await _done(context, caller, settings)


async def _done(context: NodeContext, caller: ServiceClient, settings: JsonObject) -> Outcome:
    name = plain_name(str(settings["action_type"]))
    values = values_of(settings, name)
    # Made of the step's key, of letters that Google takes: a second try makes no second event.
    made = sha256(context.key.encode()).hexdigest()[:32]
    told = (await _do(caller, name, {**values, "id": settings.get("id") or made})).record
    return Outcome(
        {
            "success": True,
            "google_response": told,
            **_outputs(caller.address, name, values, told),
            "error_message": "",
            "execution_metadata": metadata(context, name, caller.tally),
        }
    )


async def _do(caller: ServiceClient, name: str, values: JsonObject) -> ServiceResponse:
    action = ACTIONS[name]
    match name:
        case "create_event":
            try:
                return await caller.do(name, action, values)
            except Conflict:
                return await caller.do(name, ACTIONS["get_event"], {**values, "event_id":
                                                                    values["id"]})  # fmt: skip
        case "add_attendees":
            known = (await caller.do(name, ACTIONS["get_event"], values)).record
            more = attendees_of(values.get("attendees")) or []
            people = {str(one.get("email")).lower(): one for one in
                      (*objects(known.get("attendees")), *objects(more))}  # fmt: skip
            return await caller.do(name, action, {**values, "attendees": [*people.values()]})
        case "list_events" | "search_events" | "list_calendars":
            return await _listed(caller, name, SYNC if values.get("sync_token") else action, values)
        case _:
            return await caller.do(name, action, values)


async def _listed(
    caller: ServiceClient, name: str, action: Action, values: JsonObject
) -> ServiceResponse:
    """As many as were asked for; Google may give fewer a page."""
    most = values.get("max_results")
    wanted = most if isinstance(most, int) else 250
    found: list[Json] = []
    told: JsonObject = {}
    for _ in range(MAX_PAGES):
        asked: JsonObject = {**values, "max_results": wanted - len(found)}
        told = (await caller.do(name, action, asked)).record
        found += objects(told.get("items"))
        values = {**values, "page_token": told.get("nextPageToken")}
        if not told.get("nextPageToken") or len(found) >= wanted:
            break
    return ServiceResponse({**told, "items": found})


def _outputs(address: str, name: str, values: JsonObject, told: JsonObject) -> JsonObject:
    items: Json = told.get("items", [])
    is_event = name.endswith("event") or name in {"quick_add", "add_attendees"}
    event: JsonObject = told if is_event else {}
    calendar = told.get("id") if name == "create_calendar" else values.get("calendar_id")
    calendar_url = f"{address}/calendars/{calendar}"
    identity = event.get("id") or (values.get("event_id") if is_event else None) or ""
    return {
        "event": event,
        "events": items if name in {"list_events", "search_events"} else [],
        "calendars": items if name == "list_calendars" else [],
        "next_page_token": told.get("nextPageToken") or "",
        "next_sync_token": told.get("nextSyncToken") or "",
        "html_link": event.get("htmlLink") or "",
        "event_id": identity,
        "event_url": f"{calendar_url}/events/{identity}" if identity else "",
        "calendar_url": calendar_url,
        "meeting_link": event.get("hangoutLink") or _video(event),
    }


def _video(event: JsonObject) -> Json:
    ways = objects(record(event.get("conferenceData")).get("entryPoints"))
    return next((one.get("uri") for one in ways if one.get("entryPointType") == "video"), "")


node = GoogleCalendar()
