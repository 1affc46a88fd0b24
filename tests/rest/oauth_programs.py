"""A program that signs in to the studio with OAuth, and the person who decides."""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2

from rest.house import BASE, House

REDIRECT = "http://127.0.0.1:40000/callback"
REGISTERED = "http://127.0.0.1/callback"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "program", "version": "1"},
    },
}


@dataclass
class Program:
    """One program with its client id and its proof key."""

    house: House
    client_id: str
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @classmethod
    async def registered(cls, house: House, *redirects: str) -> "Program":
        answer = await register(house, {"redirect_uris": [*(redirects or (REGISTERED,))]})
        assert answer.status_code == 201, answer.text
        return cls(house, answer.json()["client_id"])

    def asked(self, **changes: str | None) -> dict[str, str]:
        """The fields of a right request, but for `changes`."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        fields = {
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "response_type": "code",
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "scope": "tools:read workflows:run",
            "state": "st-1",
            "resource": f"{BASE}/mcp",
            **changes,
        }
        return {name: value for name, value in fields.items() if value is not None}

    async def opened(self, **changes: str | None) -> httpx2.Response:
        """What the browser gets at the address that the program opens."""
        return await self.house.client.get(
            "/oauth/authorize", params=self.asked(**changes), follow_redirects=False
        )

    async def code(self, *scopes: str, tools: tuple[str, ...] = (), **changes: str | None) -> str:
        """A code for what the person grants."""
        body = {"allowed": True, "scopes": [*scopes], "tools": [*tools]}
        answer = await self.decided(body, **changes)
        assert answer.status_code == 200, answer.text
        return fields_of(answer.json()["location"])["code"]

    async def decided(self, body: dict[str, Any], **changes: str | None) -> httpx2.Response:
        query = urlencode(self.asked(**changes))
        return await self.house.client.post(
            "/api/v1/oauth/grants",
            json={"query": query, **body},
            headers=await self.house.key("admin"),
        )

    async def exchanged(self, code: str, **changes: str) -> httpx2.Response:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "code_verifier": self.verifier,
            "resource": f"{BASE}/mcp",
            **changes,
        }
        return await self.house.client.post("/oauth/token", data=fields)

    async def renewed(self, refresh_token: str, **changes: str) -> httpx2.Response:
        fields = {
            "grant_type": "refresh_token",
            "refresh_token": refresh_token,
            "client_id": self.client_id,
            **changes,
        }
        return await self.house.client.post("/oauth/token", data=fields)

    async def connected(self, token: str) -> httpx2.Response:
        """What `/mcp` answers to a request with a token."""
        return await self.house.client.post(
            "/mcp",
            json=INITIALIZE,
            headers={
                "Authorization": f"Bearer {token}",
                "Accept": "application/json, text/event-stream",
            },
        )


async def register(house: House, body: object) -> httpx2.Response:
    return await house.client.post("/oauth/register", json=body)


def fields_of(location: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
