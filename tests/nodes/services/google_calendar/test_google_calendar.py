"""EXTERNAL_ACTION.GOOGLE_CALENDAR: each action's requests, and the handling of the answers."""

import pytest
from tests.nodes.action.trying import code_of
from tests.nodes.services.acting import SECRET, TOKEN, Here, bench

from toolweave.catalog.node import Wait
from toolweave.errors import Denied, Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.google_calendar.action import node
from toolweave.nodes.services.google_calendar.api import NAMES, plain_name
from toolweave.testing.service import Told

pytestmark = pytest.mark.anyio

CONFIG: JsonObject = {"access_token": TOKEN}
E = "/calendars/primary/events"
LISTING = "maxResults=250&singleEvents=true&orderBy=startTime&showDeleted=false"
TIMES: JsonObject = {
    "start": {"dateTime": "2026-03-02T09:00:00Z"},
    "end": {"dateTime": "2026-03-02T10:00:00Z"},
}

# Of each action: settings, the input `data`, the last request, its body.
CASES: list[tuple[str, JsonObject, JsonObject, str, Json]] = [
    ("list_events", {"time_min": "2026-03-02T00:00:00Z", "time_max": "2026-03-09T00:00:00Z",
                     "q": "sync"}, {},
     f"GET {E}?timeMin=2026-03-02T00:00:00Z&timeMax=2026-03-09T00:00:00Z&{LISTING}&q=sync", None),
    ("list_events", {"single_events": False, "show_deleted": True, "max_results": 7}, {},
     f"GET {E}?maxResults=7&singleEvents=false&showDeleted=true", None),
    ("list_events", {}, {"sync_token": "s1"}, f"GET {E}?syncToken=s1&maxResults=250", None),
    ("google_calendar_list_events", {"order_by": "updated"}, {"page_token": "p"},
     f"GET {E}?maxResults=250&singleEvents=true&orderBy=updated&showDeleted=false&pageToken=p",
     None),
    ("search_events", {"query": "lunch"}, {}, f"GET {E}?{LISTING}&q=lunch", None),
    ("create_event",
     {"summary": "Sync", "description": "D", "location": "L", **TIMES,
      "attendees": ["ada@x.org", {"email": "g@x.org", "optional": True}],
      "recurrence": ["RRULE:FREQ=WEEKLY"], "reminders": {"useDefault": False}}, {},
     f"POST {E}",
     {"summary": "Sync", "description": "D", "location": "L", **TIMES,
      "attendees": [{"email": "ada@x.org"}, {"email": "g@x.org", "optional": True}],
      "reminders": {"useDefault": False}, "recurrence": ["RRULE:FREQ=WEEKLY"]}),
    ("google_calendar_create_event",
     {"summary": "S", "start_datetime": "2026-03-02T09:00:00",
      "end_datetime": "2026-03-02T10:00:00"},
     {"timezone": "Europe/Rome", "send_updates": "all", "calendar_id": "a@b"},
     "POST /calendars/a%40b/events?sendUpdates=all",
     {"summary": "S", "start": {"dateTime": "2026-03-02T09:00:00", "timeZone": "Europe/Rome"},
      "end": {"dateTime": "2026-03-02T10:00:00", "timeZone": "Europe/Rome"}}),
    ("create_event", {"summary": "Away", "date": "2026-12-31"}, {}, f"POST {E}",
     {"summary": "Away", "start": {"date": "2026-12-31"}, "end": {"date": "2027-01-01"}}),
    ("update_event", {}, {"event_id": "e1", "summary": "New"}, f"PATCH {E}/e1", {"summary": "New"}),
    ("google_calendar_update_event", {"event_id": "e1", "location": "R2"}, {}, f"PATCH {E}/e1",
     {"location": "R2"}),
    ("delete_event", {"event_id": "e1"}, {}, f"DELETE {E}/e1", None),
    ("google_calendar_delete_event", {"event_id": "e1"}, {"send_updates": "none"},
     f"DELETE {E}/e1?sendUpdates=none", None),
    ("get_event", {"event_id": "e1"}, {}, f"GET {E}/e1", None),
    ("list_calendars", {}, {}, "GET /users/me/calendarList?maxResults=250", None),
    ("google_calendar_list_calendars", {"max_results": 9}, {},
     "GET /users/me/calendarList?maxResults=9", None),
    ("create_calendar", {"summary": "Team"}, {"timezone": "Europe/Rome"}, "POST /calendars",
     {"summary": "Team", "timeZone": "Europe/Rome"}),
    ("get_calendar", {"calendar_id": "c1"}, {}, "GET /calendars/c1", None),
    ("quick_add", {"text": "Lunch 12:30"}, {}, f"POST {E}/quickAdd?text=Lunch 12:30", None),
    ("watch_events", {}, {"address": "https://x.org/h", "id": "w1"}, f"POST {E}/watch",
     {"id": "w1", "address": "https://x.org/h", "type": "web_hook"}),
    ("stop_watching", {}, {"channel_id": "w1", "resource_id": "r1"}, "POST /channels/stop",
     {"id": "w1", "resourceId": "r1"}),
    ("google_calendar_add_attendees_to_event", {"event_id": "e1", "attendees": ["New@x.org"]}, {},
     f"PATCH {E}/e1", {"attendees": [{"email": "old@x.org"}, {"email": "New@x.org"}]}),
]  # fmt: skip
EVENT: JsonObject = {
    "id": "e1",
    "htmlLink": "https://calendar.google.com/e1",
    "attendees": [{"email": "old@x.org"}],
    "conferenceData": {"entryPoints": [{"entryPointType": "video", "uri": "https://meet/x"}]},
}


@pytest.mark.parametrize(
    ("action", "config", "data", "line", "body"), CASES, ids=[one[0] for one in CASES]
)
async def test_an_action_is_exactly_this_request(
    action: str, config: JsonObject, data: JsonObject, line: str, body: Json
) -> None:
    async with bench(usual=Told(EVENT)) as here:
        settings: JsonObject = {**CONFIG, **config, "action_type": action}
        found = await here.result(node, settings, {"data": data})
        assert here.lines[-1] == line
        sent = here.last
    if plain_name(action) == "create_event":
        assert isinstance(sent, dict)
        assert str(sent.pop("id")).isalnum()
    assert sent == body
    assert here.service.heard[-1].headers["authorization"] == f"Bearer {SECRET}"
    assert found["success"] is True


def test_every_action_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(NAMES)


async def test_an_event_is_told_with_all_its_addresses() -> None:
    async with bench(usual=Told(EVENT)) as here:
        found = await here.result(node, {**CONFIG, "action_type": "get_event", "event_id": "e1"})
    assert found["event"] == EVENT
    assert found["event_id"] == "e1"
    assert found["html_link"] == "https://calendar.google.com/e1"
    assert found["meeting_link"] == "https://meet/x"
    assert found["event_url"] == f"{here.service.address}{E}/e1"
    assert found["calendar_url"] == f"{here.service.address}/calendars/primary"


async def test_pages_are_read_until_there_are_as_many_as_wanted() -> None:
    pages = [
        Told({"items": [{"id": "1"}, {"id": "2"}], "nextPageToken": "p2"}),
        Told({"items": [{"id": "3"}], "nextPageToken": "p3", "nextSyncToken": "s"}),
    ]
    async with bench({f"GET {E}": pages}) as here:
        config: JsonObject = {**CONFIG, "action_type": "list_events", "max_results": 3}
        found = await here.result(node, config)
        assert len(here.lines) == 2
        assert "maxResults=1" in here.lines[1]
        assert "pageToken=p2" in here.lines[1]
    assert found["events"] == [{"id": "1"}, {"id": "2"}, {"id": "3"}]
    assert found["next_page_token"] == "p3"
    assert found["next_sync_token"] == "s"


async def test_a_second_try_finds_the_event_of_the_first() -> None:
    script = {f"POST {E}": Told({"error": {"code": 409, "message": "exists"}}, 409)}
    async with bench(script, usual=Told(EVENT)) as here:
        config: JsonObject = {**CONFIG, "action_type": "create_event", "date": "2026-01-01"}
        found = await here.result(node, config)
        sent = here.service.heard[0].json
        assert isinstance(sent, dict)
        assert here.lines[1] == f"GET {E}/{sent['id']}"
    assert found["event"] == EVENT
    assert node.effect_of({"action_type": "google_calendar_create_event"}) == "keyed"
    assert node.effect_of({"action_type": "quick_add"}) == "once"


async def test_an_access_token_that_ended_is_renewed_once() -> None:
    ended = Told({"error": {"code": 401, "message": "Invalid Credentials"}}, 401)
    config: JsonObject = {**CONFIG, "action_type": "get_calendar"}
    async with bench({"GET /calendars/primary": [ended, Told({"id": "primary"})]}) as here:
        await here.result(node, {**config, "refresh_token": "${vault:refresh}"})
        assert here.service.heard[1].headers["authorization"] == "Bearer renewed-access-token"
        services = here.resources.services
        assert isinstance(services, Here)
        assert services.renewals == ["${vault:refresh}"]
    async with bench(usual=ended) as here:
        with pytest.raises(Denied) as caught:
            await here.act(node, config)
    assert code_of(caught) == "SERVICE_CREDENTIAL_REFUSED"


@pytest.mark.parametrize(
    ("action", "config", "code"),
    [
        ("create_event", {"summary": "x"}, "SERVICE_FIELD_MISSING"),
        ("create_event", {"start_datetime": "2026-01-01T00:00:00Z"}, "SERVICE_FIELD_MISSING"),
        ("create_event", {"date": "2026-02-30"}, "SERVICE_FIELD_INVALID"),
        ("get_event", {}, "SERVICE_FIELD_MISSING"),
        ("quick_add", {}, "SERVICE_FIELD_MISSING"),
        ("search_events", {}, "SERVICE_FIELD_MISSING"),
        ("watch_events", {}, "SERVICE_FIELD_MISSING"),
    ],
)
async def test_what_cannot_be_sent_is_refused_before_anything_is(
    action: str, config: JsonObject, code: str
) -> None:
    async with bench() as here:
        with pytest.raises(Invalid) as caught:
            await here.act(node, {**CONFIG, **config, "action_type": action})
        assert here.lines == []
    assert code_of(caught) == code


async def test_googles_403_for_a_limit_is_waited_for() -> None:
    error: JsonObject = {"message": "Slow", "errors": [{"reason": "userRateLimitExceeded"}]}
    async with bench(usual=Told({"error": error}, 403)) as here:
        assert isinstance(await here.act(node, {**CONFIG, "action_type": "get_calendar"}), Wait)
    async with bench(usual=Told({"error": {"message": "No", "errors": [{}]}}, 403)) as here:
        with pytest.raises(Denied):
            await here.act(node, {**CONFIG, "action_type": "get_calendar"})
