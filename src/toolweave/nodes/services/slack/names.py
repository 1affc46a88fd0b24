"""Names of channels and people of Slack, whose events tell only ids; asked for once an hour."""

import logging
from dataclasses import dataclass

import anyio

from toolweave import json_text
from toolweave.catalog.resources.http import HttpClient
from toolweave.clock import Clock
from toolweave.errors import ToolweaveError

logger = logging.getLogger(__name__)

API = "https://slack.com/api"
KEPT_S = 3600.0
# Slack gives up on us after three seconds.
DEADLINE_S = 1.5
MOST_KEPT = 10_000

_METHODS = {"channel": "conversations.info", "user": "users.info"}


@dataclass(frozen=True, slots=True)
class _Kept:
    name: str
    until: float


class SlackNames:
    """Asks Slack, with the bot's token; a name that cannot be had is left out."""

    def __init__(self, http: HttpClient, clock: Clock, *, api: str = API) -> None:
        self._http = http
        self._clock = clock
        self._api = api
        self._kept: dict[tuple[str, str], _Kept] = {}

    async def name(self, kind: str, identity: str, token: str) -> str:
        """The name of a `channel` or a `user`; empty where nobody tells it."""
        if not identity or not token:
            return ""
        key, now = (token, identity), self._clock.monotonic()
        kept = self._kept.get(key)
        if kept is None or kept.until <= now:
            name = await self._asked(kind, identity, token)
            kept = self._kept[key] = _Kept(name, now + (KEPT_S if name else DEADLINE_S))
            while len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return kept.name

    async def _asked(self, kind: str, identity: str, token: str) -> str:
        reason = "it took too long"
        with anyio.move_on_after(DEADLINE_S):
            try:
                answer = await self._http.request(
                    "GET",
                    f"{self._api}/{_METHODS[kind]}",
                    headers={"Authorization": f"Bearer {token}"},
                    params={kind: identity},
                    follow=False,
                    timeout_s=DEADLINE_S,
                )
                told = json_text.read(answer.body)
                found = told.get(kind) if isinstance(told, dict) else None
                name = found.get("name") if isinstance(found, dict) else None
                if isinstance(name, str):
                    return name
                reason = str(told.get("error")) if isinstance(told, dict) else "no object"
            except ToolweaveError as error:
                reason = error.code
        logger.warning("Slack returned no name", extra={"id": identity, "reason": reason})
        return ""
