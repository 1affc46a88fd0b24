"""OAuth tokens of services: signed in for with PKCE, renewed early and once, never told."""

import base64
import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest

from toolweave.access.secret_destinations import to_host
from toolweave.credentials.accounts import ServiceAccounts, client_of, open_desk
from toolweave.credentials.oauth_tokens import PREFIX, OAuthClient, OAuthTokens, StoredTokens
from toolweave.errors import Denied, Invalid, NotFound, Unavailable
from toolweave.home import Home, open_home
from toolweave.json_text import Json
from toolweave.nodes.services.google_calendar.api import GOOGLE_CALENDAR
from toolweave.servers.sign_in import SignIn
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.testing.service import FakeService, ServiceRequestRecord, Told, fake_service

pytestmark = pytest.mark.anyio


@dataclass
class Authorization(FakeService):
    """An authorization server: it checks the code's verifier, and rotates refresh tokens."""

    challenge: str = ""
    given: int = 0
    valid: set[str] = field(default_factory=set[str])
    lasts_s: int = 3600

    def answer(self, request: ServiceRequestRecord) -> Told:
        self.heard.append(request)
        if request.path != "/token":
            return Told({"id": "primary", "summary": "Ada's"})
        form = request.form
        if form["grant_type"] == "authorization_code":
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            if base64.urlsafe_b64encode(digest).decode().rstrip("=") != self.challenge:
                return Told({"error": "invalid_grant"}, 400)
        elif form["refresh_token"] not in self.valid:
            return Told({"error": "invalid_grant"}, 400)
        self.given += 1
        self.valid = {f"refresh-{self.given}-secret"}
        return Told(
            {"access_token": f"access-{self.given}-secret", "expires_in": self.lasts_s,
             "refresh_token": f"refresh-{self.given}-secret", "token_type": "Bearer"}
        )  # fmt: skip

    @property
    def renewals(self) -> int:
        return sum(1 for one in self.heard if one.form.get("grant_type") == "refresh_token")


@dataclass
class Place:
    """A home, a desk and an authorization server."""

    home: Home
    desk: ServiceAccounts
    server: Authorization
    clock: FakeClock

    @property
    def tokens(self) -> OAuthTokens:
        return self.desk.services.tokens

    def client(self) -> OAuthClient:
        at = self.server.address
        return client_of(
            "google",
            "client-1",
            "client-secret-1",
            authorize_url=f"{at}/authorize",
            token_url=f"{at}/token",
        )

    async def sign_in(self) -> None:
        async def show(url: str) -> None:
            query = parse_qs(urlsplit(url).query)
            self.server.challenge = query["code_challenge"][0]
            assert query["code_challenge_method"] == ["S256"]
            assert query["access_type"] == ["offline"]
            tasks.start_soon(_come_back, query["redirect_uri"][0], query["state"][0])

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                await self.desk.sign_in(
                    "google", "google", self.client(), SignIn(show), base_url=self.server.address
                )


async def _come_back(redirect_uri: str, state: str) -> None:
    async with httpx2.AsyncClient(trust_env=False) as browser:
        answer = await browser.get(redirect_uri, params={"code": "the-code", "state": state})
        assert answer.status_code == 200


@asynccontextmanager
async def place(folder: Path) -> AsyncGenerator[Place]:
    clock = FakeClock()
    settings = Settings(home=folder, allow_private_http=True)
    async with (
        fake_service(kind=Authorization) as server,
        open_home(settings, clock=clock, environ={}, directory=folder) as home,
        open_desk(home) as desk,
    ):
        assert isinstance(server, Authorization)
        yield Place(home, desk, server, clock)


async def test_a_sign_in_with_pkce_fills_the_vault_and_nothing_else(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        assert await here.home.vault.get("google") == "access-1-secret"
        stored = StoredTokens.model_validate_json(await here.home.vault.get(PREFIX + "google"))
        assert stored.refresh_token == "refresh-1-secret"
        assert "secret" not in repr(stored).replace("client_secret", "")
        assert here.home.masker.mask_text("access-1-secret refresh-1-secret") == "*** ***"
        found = await here.desk.test("google")
        assert found.who == "primary · Ada's"
        assert here.server.heard[-1].headers["authorization"] == "Bearer access-1-secret"
        assert await here.home.vault.use("google", to_host("127.0.0.1")) == "access-1-secret"
        with pytest.raises(Denied) as refused:
            await here.home.vault.use("google", to_host("attacker.example.com"))
        assert refused.value.code == "SECRET_NOT_ALLOWED"
    # Every token of this test ends so; the names of tables do not.
    assert b"-secret" not in (tmp_path / "toolweave.db").read_bytes()


async def test_a_token_is_renewed_before_it_ends_once_for_all_and_rotated(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        assert await here.tokens.fresh("google") == "access-1-secret"
        assert here.server.renewals == 0
        await here.clock.advance(3600 - 100)
        found: list[str] = []

        async def ask() -> None:
            found.append(await here.tokens.fresh("google"))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(ask)
        assert found == ["access-2-secret"] * 10
        assert here.server.renewals == 1
        await here.clock.advance(3600)
        access = await here.desk.services.access(GOOGLE_CALENDAR, "${vault:google}")
        assert access.token == "${vault:google}"
        assert access.address == here.server.address
        assert await here.home.vault.get("google") == "access-3-secret"


async def test_a_refused_token_is_renewed_though_its_time_is_not_over(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        assert await here.tokens.fresh("google", refused="access-1-secret") == "access-2-secret"
        # A caller refused with the old one is given the new one.
        assert await here.tokens.fresh("google", refused="access-1-secret") == "access-2-secret"
        assert here.server.renewals == 1


async def test_a_spent_refresh_token_asks_for_a_person_without_telling_any(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        here.server.valid.clear()
        await here.clock.advance(4000)
        with pytest.raises(Denied) as caught:
            await here.tokens.fresh("google")
        assert caught.value.code == "SERVICE_SIGN_IN_NEEDED"
        assert "secret" not in str(caught.value.as_json())


async def test_another_process_that_was_quicker_is_believed(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        await here.clock.advance(4000)
        other = StoredTokens(
            client=here.client(),
            access_token="other-access",
            refresh_token="other-refresh",
            expires_at=here.clock.now().timestamp() + 3600,
        )
        here.server.valid.clear()

        async def post(url: str, form: dict[str, str]) -> tuple[int, Json]:
            # While we ask with the old token, the other one's answer gets into the vault.
            assert url
            assert form
            await here.home.vault.put(PREFIX + "google", other.model_dump_json())
            return 400, {"error": "invalid_grant"}

        ours = OAuthTokens(here.home.vault, post, masker=here.home.masker, clock=here.clock)
        assert await ours.fresh("google") == "other-access"


async def test_an_authorization_server_that_fails_is_not_a_lost_sign_in(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        await here.clock.advance(4000)
        good = here.server.given
        here.server.lasts_s = 3600

        async def post(url: str, form: dict[str, str]) -> tuple[int, None]:
            assert url
            assert form
            return 502, None

        broken = OAuthTokens(here.home.vault, post, masker=here.home.masker, clock=here.clock)
        with pytest.raises(Unavailable):
            await broken.fresh("google")
        assert await here.tokens.fresh("google") == f"access-{good + 1}-secret"


async def test_a_refresh_token_of_a_node_is_renewed_and_its_successor_kept(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        await here.home.vault.put("my-refresh", "refresh-1-secret")
        token = await here.desk.services.renew(GOOGLE_CALENDAR, "${vault:my-refresh}")
        assert token == "access-2-secret"
        assert await here.home.vault.get("my-refresh") == "refresh-2-secret"
        await here.desk.remove("google")
        with pytest.raises(Denied):
            await here.desk.services.renew(GOOGLE_CALENDAR, "${vault:my-refresh}")


async def test_what_was_removed_is_gone_altogether(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.sign_in()
        await here.desk.remove("google")
        assert await here.home.vault.names() == []
        with pytest.raises(NotFound):
            await here.tokens.fresh("google")


@pytest.mark.parametrize("url", ["http://example.com/x", "javascript:alert(1)", "file:///etc"])
async def test_people_are_sent_to_https_only(tmp_path: Path, url: str) -> None:
    async with place(tmp_path) as here:
        client = client_of("google", "c", None, authorize_url=url)

        async def show(url: str) -> None:
            raise AssertionError(url)

        with pytest.raises(Invalid) as caught:
            await here.desk.sign_in("google", "google", client, SignIn(show))
    assert caught.value.code == "SERVICE_ADDRESS_INVALID"
