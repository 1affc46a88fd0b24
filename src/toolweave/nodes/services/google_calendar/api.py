"""Google Calendar's API: its actions as data, how it says no, and events out of a node's fields."""

import re
from datetime import date, timedelta

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._failures import http_failure
from toolweave.nodes.services._operation import Action, delete, get, invalid, missing, patch, post
from toolweave.nodes.services._overrides import record

_CALENDAR = "/calendars/{calendar_id}"
_EVENTS = f"{_CALENDAR}/events"
_EVENT = _EVENTS + "/{event_id}"
_FIELDS = (
    "summary description location start end attendees reminders recurrence colorId visibility "
    "transparency conferenceData guestsCanModify source status"
)
_SEARCH = (
    "timeMin=time_min timeMax=time_max maxResults=max_results singleEvents=single_events "
    "orderBy=order_by showDeleted=show_deleted q pageToken=page_token timeZone=time_zone"
)
_SENDING = "sendUpdates=send_updates conferenceDataVersion=conference_data_version"
_LIMITS = ("rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded")
_PREFIX = "google_calendar_"
_SAME = {"add_attendees_to_event": "add_attendees"}


def _failure(response: Response, value: Json) -> Failure | None:
    error = record(value).get("error")
    told = record(error)
    words = str(told.get("message") or (error if isinstance(error, str) else ""))
    failure = http_failure(response, words)
    reasons = told.get("errors")
    said = {
        str(one.get("reason"))
        for one in (reasons if isinstance(reasons, list) else [])
        if isinstance(one, dict)
    }
    if failure is not None and failure.status == 403 and said & {*_LIMITS}:
        return Failure(429, failure.words, failure.retry_after_s)
    return failure


GOOGLE_CALENDAR = Service(
    kind="google",
    title="Google Calendar",
    address="https://www.googleapis.com/calendar/v3",
    failure=_failure,
    whoami=("GET", "/calendars/primary"),
    who=("id", "summary"),
)

ACTIONS: dict[str, Action] = {
    "list_events": get(_EVENTS, _SEARCH),
    # The event's id is made of the step's key: a second try finds the first one's event.
    "create_event": Action("POST", _EVENTS, f"id {_FIELDS}", query=_SENDING, is_repeatable=True),
    "update_event": Action("PATCH", _EVENT, _FIELDS, query=_SENDING, is_repeatable=True),
    "delete_event": delete(_EVENT, "sendUpdates=send_updates"),
    "get_event": get(_EVENT, "timeZone=time_zone"),
    "list_calendars": get("/users/me/calendarList", "maxResults=max_results pageToken=page_token"),
    "create_calendar": post("/calendars", "summary! description location timeZone=time_zone"),
    "get_calendar": get(_CALENDAR),
    "search_events": get(_EVENTS, _SEARCH.replace(" q ", " q! ")),
    "quick_add": Action("POST", f"{_EVENTS}/quickAdd", query="text! sendUpdates=send_updates"),
    "watch_events": post(f"{_EVENTS}/watch", "id address! token=channel_token", type="web_hook"),
    "stop_watching": Action(
        "POST", "/channels/stop", "id=channel_id! resourceId=resource_id!", is_repeatable=True
    ),
    "add_attendees": patch(_EVENT, "attendees!"),
}
# What changed since a token was given; Google refuses most filters beside it.
SYNC = get(_EVENTS, "syncToken=sync_token pageToken=page_token maxResults=max_results")
NAMES = (
    *(name for name in ACTIONS if name != "add_attendees"),
    *(
        f"{_PREFIX}{name}"
        for name in (
            "list_calendars",
            "create_event",
            "list_events",
            "update_event",
            "delete_event",
            "add_attendees_to_event",
        )
    ),
)


def plain_name(action_type: str) -> str:
    """The action that a name stands for."""
    name = action_type.removeprefix(_PREFIX)
    return _SAME.get(name, name)


def values_of(settings: JsonObject, name: str) -> JsonObject:
    """Return the fields of an action. Raises `SERVICE_FIELD_MISSING`, `SERVICE_FIELD_INVALID`."""
    values: JsonObject = {
        **settings,
        "time_zone": settings.get("time_zone") or settings.get("timezone"),
        "q": settings.get("q") or settings.get("query") or None,
        "text": settings.get("text") or None,
    }
    if name == "list_calendars":
        values["max_results"] = min(_number(settings.get("max_results"), 250), 250)
    if values.get("order_by") == "startTime" and values.get("single_events") is False:
        values["order_by"] = None
    if name in {"create_event", "update_event", "add_attendees"}:
        values |= _times(values)
        values["attendees"] = attendees_of(settings.get("attendees"))
    if name == "add_attendees" and not values["attendees"]:
        raise missing("attendees", name)
    if name == "create_event":
        for field in ("start", "end"):
            if not values.get(field):
                raise missing(f"{field}_datetime", name)
    return values


def attendees_of(given: Json) -> list[Json] | None:
    """Who is invited: addresses, or objects with one."""
    if not isinstance(given, list):
        return None
    return [{"email": one} if isinstance(one, str) else one for one in given]


def _times(values: JsonObject) -> JsonObject:
    zone: JsonObject = {"timeZone": values["time_zone"]} if values["time_zone"] else {}
    found: JsonObject = {"start": values.get("start") or None, "end": values.get("end") or None}
    for field in ("start", "end"):
        simple = values.get(f"{field}_datetime")
        if simple and not found[field]:
            found[field] = {"dateTime": simple, **zone}
    day = values.get("date")
    if isinstance(day, str) and not found["start"]:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
            raise invalid("date", f"is {day!r:.40}; expected YYYY-MM-DD")
        try:
            after = date.fromisoformat(day) + timedelta(days=1)
        except (ValueError, OverflowError):
            raise invalid("date", f"is {day!r}, which is no day") from None
        found = {"start": {"date": day}, "end": found["end"] or {"date": after.isoformat()}}
    return found


def _number(value: Json, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
