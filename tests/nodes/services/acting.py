"""EXTERNAL_ACTION nodes against a service on this machine that speaks the real wire format."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
from tests.engine.building import EchoTools
from tests.nodes.action.trying import Secrets, checked, given

from toolweave.access.mask import Masker
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.node import Effectful, NodeCode, Outcome, Resumed, RunFacts, Wait
from toolweave.catalog.resources.mail import Mailer
from toolweave.catalog.resources.record import Resources
from toolweave.catalog.resources.services import Access, Service
from toolweave.engine.context import EngineServices, StepContext
from toolweave.json_text import Json, JsonObject
from toolweave.resources.files import AllowedFolders
from toolweave.resources.http import NodeHttpClient
from toolweave.testing.clock import FakeClock
from toolweave.testing.service import FakeService, Script, Told, fake_service

TOKEN = "${vault:the-token}"
SECRET = "s3cr3t-t0k3n-0123456789"


@dataclass(frozen=True)
class Here:
    """Every service is the fake one, with the one token."""

    address: str
    renewals: list[str] = field(default_factory=list[str])

    async def access(self, service: Service, token: str, *, prefers_oauth: bool = False) -> Access:
        assert prefers_oauth in {True, False}
        assert service.address.startswith("https://")
        return Access(self.address, token or TOKEN)

    async def renew(self, service: Service, refresh_token: str) -> str:
        assert service.kind
        self.renewals.append(refresh_token)
        return "renewed-access-token"


@dataclass
class Bench:
    """A fake service, and what a node needs to act there."""

    service: FakeService
    resources: Resources
    clock: FakeClock

    async def act(
        self,
        node: NodeCode,
        config: JsonObject,
        inputs: JsonObject | None = None,
        resumed: Resumed | None = None,
    ) -> Outcome | Wait:
        assert isinstance(node, Effectful)
        facts = RunFacts("run-1", "test", self.clock.now())
        services = EngineServices(EchoTools(), self.clock, self.resources)
        bound = given(node, config, inputs or {})
        with anyio.fail_after(60):
            return await node.run(StepContext(bound, facts, "n", 1, resumed, services))

    async def result(
        self, node: NodeCode, config: JsonObject, inputs: JsonObject | None = None
    ) -> JsonObject:
        """What it gives; exactly the outputs that its specification names."""
        outcome = await self.act(node, config, inputs)
        assert isinstance(outcome, Outcome), outcome
        return checked(node, outcome)

    @property
    def lines(self) -> list[str]:
        return [one.line for one in self.service.heard]

    @property
    def last(self) -> Json:
        return self.service.heard[-1].json


@asynccontextmanager
async def bench(
    script: Script | None = None,
    *,
    usual: Told | None = None,
    folder: Path | None = None,
    mailer: Mailer | None = None,
) -> AsyncGenerator[Bench]:
    async with fake_service(script, usual=usual) as service:
        http = NodeHttpClient(
            SecretTexts(Secrets(the_token=SECRET, the_hook=service.address + "/hook"), Masker()),
            allow_private=True,
        )
        resources = Resources(
            http=http,
            services=Here(service.address),
            files=AllowedFolders((folder,) if folder is not None else ()),
        )
        if mailer is not None:
            resources = replace(resources, mailer=mailer)
        try:
            yield Bench(service, resources, FakeClock())
        finally:
            await http.aclose()
