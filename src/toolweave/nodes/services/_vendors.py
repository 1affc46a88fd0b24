"""Every kind of service a credential can be for, and where those with OAuth let people sign in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.json_text import Json
from toolweave.nodes.services._failures import http_failure
from toolweave.nodes.services._overrides import record
from toolweave.nodes.services.discord.api import DISCORD
from toolweave.nodes.services.firecrawl.api import FIRECRAWL
from toolweave.nodes.services.github.api import GITHUB
from toolweave.nodes.services.google_calendar.api import GOOGLE_CALENDAR
from toolweave.nodes.services.notion.api import NOTION
from toolweave.nodes.services.slack.api import SLACK
from toolweave.nodes.services.telegram.api import TELEGRAM


def _failure(response: Response, value: Json) -> Failure | None:
    """Google and Microsoft say no in the same form."""
    error = record(value).get("error")
    words = record(error).get("message") or (error if isinstance(error, str) else "")
    return http_failure(response, str(words))


GMAIL = Service(
    kind="gmail",
    title="Gmail",
    address="https://gmail.googleapis.com/gmail/v1",
    failure=_failure,
    whoami=("GET", "/users/me/profile"),
    who=("emailAddress",),
)
MICROSOFT = Service(
    kind="microsoft",
    title="Microsoft",
    address="https://graph.microsoft.com/v1.0",
    failure=_failure,
    whoami=("GET", "/me"),
    who=("displayName", "userPrincipalName"),
)
KNOWN: dict[str, Service] = {
    one.kind: one
    for one in (
        *(SLACK, GITHUB, NOTION, GOOGLE_CALENDAR, GMAIL, MICROSOFT),
        *(FIRECRAWL, DISCORD, TELEGRAM),
    )
}


@dataclass(frozen=True, slots=True)
class SignInPlace:
    """Where people sign in, and what we ask to be allowed."""

    authorize_url: str
    token_url: str
    scopes: tuple[str, ...]
    extra: Mapping[str, str] = field(default_factory=dict[str, str])


_GOOGLE = "https://accounts.google.com/o/oauth2/v2/auth"
_GOOGLE_TOKENS = "https://oauth2.googleapis.com/token"
# Without these Google gives no refresh token, or only the first time.
_OFFLINE = {"access_type": "offline", "prompt": "consent"}
_MICROSOFT = "https://login.microsoftonline.com/common/oauth2/v2.0"

CLIENTS: dict[str, SignInPlace] = {
    "google": SignInPlace(
        _GOOGLE, _GOOGLE_TOKENS, ("https://www.googleapis.com/auth/calendar",), _OFFLINE
    ),
    "gmail": SignInPlace(_GOOGLE, _GOOGLE_TOKENS, ("https://mail.google.com/",), _OFFLINE),
    "microsoft": SignInPlace(
        f"{_MICROSOFT}/authorize",
        f"{_MICROSOFT}/token",
        ("offline_access", "User.Read", "Mail.Send", "Mail.ReadWrite"),
    ),
}
