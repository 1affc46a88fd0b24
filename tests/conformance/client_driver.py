"""Toolweave as the client of the official suite: registers its servers, signs in, calls tools.

Everything goes the product's way: registry, approval, sign-in flow, gate. Only the person is
scripted: their browser follows the page that it is shown.
"""

import json
import secrets
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.from_thread
import anyio.lowlevel
import httpx2
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from tests.tools.example import example_arguments

from toolweave.app.studio import Studio, open_studio
from toolweave.errors import Denied, ToolweaveError
from toolweave.home import open_home
from toolweave.json_text import JsonObject
from toolweave.servers.approval import list_current_tools, pin_tools
from toolweave.servers.definition import (
    HttpServer,
    IdentityProvider,
    SignInClient,
    definition_hash,
)
from toolweave.servers.sign_in import SignIn
from toolweave.servers.sign_in_flow import sign_in_to
from toolweave.servers.skills import approve_skill, list_skills
from toolweave.servers.transports.failures import typed_error_in
from toolweave.settings import Limits, Settings
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import Tool, ToolCall, content_call

CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"
MAX_SIGN_INS = 3
ECHO = "json_schema_echo"
NUMBERS = {"a": 5, "b": 3}
SKILLS = "sep-2640-client-"


class ClientDriver:
    """Does what one scenario asks, with one open studio for all of them."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def drive(self, asked: dict[str, Any]) -> None:
        """Connect to the scenario's server and call its tools."""
        name = f"{asked['scenario'].replace('/', '-')}-{secrets.token_hex(4)}"
        definition = await self._definition(name, asked)
        server = await self._studio.home.registry.add(name, definition)
        await self._studio.home.registry.approve(name, definition_hash(server.definition))
        try:
            await self._use_signed_in(name, asked)
        finally:
            self._studio.connections.drop(name)  # the suite waits until its server is left

    async def _use_signed_in(self, name: str, asked: dict[str, Any]) -> None:
        for _ in range(MAX_SIGN_INS):
            try:
                await self._use(name, asked)
            except Denied as error:
                if error.code != "SERVER_SIGN_IN_REQUIRED":
                    raise
            else:
                return
            await self._sign_in(name)
        raise ToolweaveError("TOO_MANY_SIGN_INS", "it wants a sign-in again and again")

    async def _definition(self, name: str, asked: dict[str, Any]) -> HttpServer:
        """The definition as a person would register it, its secrets in the vault."""
        given, vault = asked["context"], self._studio.home.vault
        if "client_id" not in given:
            return HttpServer(url=asked["url"], oauth=asked["scenario"].startswith("auth/"))
        for key in ("client_secret", "private_key_pem", "idp_id_token"):
            if key in given:
                await vault.put(f"{name}.{key}", given[key])
        is_alone = asked["scenario"].startswith("auth/client-credentials")
        if "idp_issuer" in given:
            return await _by_identity(name, asked)
        client = SignInClient(
            client_id=given["client_id"],
            client_secret=f"${{vault:{name}.client_secret}}" if "client_secret" in given else None,
            private_key=f"${{vault:{name}.private_key_pem}}"
            if "private_key_pem" in given
            else None,
            grant="client_credentials" if is_alone else "authorization_code",
        )
        return HttpServer(url=asked["url"], oauth=client)

    async def _use(self, name: str, asked: dict[str, Any]) -> None:
        listed = await list_current_tools(self._studio.gate, name)
        pin_tools(self._studio.home.lockfile, name, listed)
        if asked["scenario"].startswith(SKILLS):
            await self._use_skills(name, reads=not asked["scenario"].endswith("no-prefetch"))
            return
        for tool, arguments in calls_of(asked, listed.tools):
            await self._studio.gate.call(ToolCall(name, tool, arguments), asker=_accept)

    async def _use_skills(self, name: str, *, reads: bool) -> None:
        """List and approve the skills; with `reads`, read each file as a model does."""
        gate = self._studio.gate
        for skill in (await list_skills(gate, name)).skills:
            await approve_skill(gate, name, skill.uri, skill.hash)
            for file in skill.files if reads else ():
                parameters: JsonObject = {"skill": skill.name, "file": file.uri}
                await gate.call(content_call(name, "skills/read", parameters))

    async def _sign_in(self, name: str) -> None:
        server = await self._studio.home.registry.get(name)
        async with anyio.create_task_group() as tasks:

            async def show(url: str) -> None:
                tasks.start_soon(browse, url)

            sign_in = SignIn(show, deadline_s=30)
            try:
                await sign_in_to(self._studio.connections, self._studio.transports, server, sign_in)
            except Denied as error:
                # Signed in, and the server wants more at once: the next round asks for it.
                if error.code != "SERVER_SIGN_IN_REQUIRED":
                    raise
            tasks.cancel_scope.cancel()


async def _by_identity(name: str, asked: dict[str, Any]) -> HttpServer:
    """A definition by which a company's identity provider gives access.

    The suite does not say which authorization server the client belongs to; a person knows it.
    """
    given = asked["context"]
    root, _, path = asked["url"].partition("/mcp")
    async with httpx2.AsyncClient(trust_env=False) as reader:
        found = await reader.get(f"{root}/.well-known/oauth-protected-resource/mcp{path}")
    client = SignInClient(
        client_id=given["client_id"],
        client_secret=f"${{vault:{name}.client_secret}}",
        grant="identity_assertion",
        issuer=found.json()["authorization_servers"][0],
        identity=IdentityProvider(
            issuer=given["idp_issuer"],
            client_id=given["idp_client_id"],
            token=f"${{vault:{name}.idp_id_token}}",
        ),
    )
    return HttpServer(url=asked["url"], oauth=client)


def calls_of(asked: dict[str, Any], tools: tuple[Tool, ...]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that a scenario wants: those it names, else each tool once."""
    if "toolCalls" in asked["context"]:
        # A parameter that is null in the suite's list is one that nobody gave.
        return [
            (
                call["name"],
                {key: value for key, value in call["arguments"].items() if value is not None},
            )
            for call in asked["context"]["toolCalls"]
        ]
    schemas = {tool.name: tool.input_schema for tool in tools}
    if ECHO in schemas:
        return [(ECHO, {"schema": schemas["json_schema_2020_12_tool"]})]
    usable = [tool for tool in tools if not tool.problems]
    return [
        (tool.name, NUMBERS if tool.name == "add_numbers" else example_arguments(tool)[0] or {})
        for tool in usable
    ]


async def _accept(question: ElicitationQuestion) -> ElicitationAnswer:
    """Send the form as it is shown, with its defaults."""
    properties = cast("dict[str, dict[str, Any]]", (question.schema or {}).get("properties", {}))
    filled = {name: field["default"] for name, field in properties.items() if "default" in field}
    return ElicitationAnswer("accept", filled)


async def browse(url: str) -> None:
    """Open a page and follow it back to the listener."""
    async with httpx2.AsyncClient(trust_env=False) as browser:
        page = await browser.get(url)
        if "location" in page.headers:
            await browser.get(page.headers["location"])


@asynccontextmanager
async def open_driver(home: Path) -> AsyncGenerator[ClientDriver]:
    """Open a studio for the scenarios."""
    limits = Limits(call_deadline_s=15, connect_deadline_s=10, calls_per_session=-1)
    settings = Settings(
        home=home, limits=limits, lockfile=home / "lock.json", oauth_client_url=CLIENT_DOCUMENT
    )
    async with open_home(settings, environ={}) as opened, open_studio(opened) as studio:
        yield ClientDriver(studio)


@contextmanager
def serving_scenarios(home: Path) -> Generator[Path]:
    """Serve `client_command.py` on a socket, in a thread."""
    path = home / "client.sock"
    ready = threading.Event()
    stop: list[Any] = []  # Any: the scope and the loop of the thread

    async def work() -> None:
        async with open_driver(home) as driver:

            async def hear(stream: SocketStream) -> None:
                async with stream:
                    reader = BufferedByteReceiveStream(stream)
                    asked = json.loads(await reader.receive_until(b"\n", 1024 * 1024))
                    failure = None
                    try:
                        await driver.drive(asked)
                    except Exception as error:
                        known = typed_error_in(error)
                        failure = f"{known.code}: {known.message}" if known else repr(error)
                    await stream.send(json.dumps({"error": failure}).encode() + b"\n")

            listener = await anyio.create_unix_listener(path)
            async with listener:
                scope = anyio.CancelScope()
                stop.append((anyio.lowlevel.current_token(), scope))
                ready.set()
                with scope:
                    await listener.serve(hear)

    thread = threading.Thread(target=anyio.run, args=(work,), daemon=True)
    thread.start()
    assert ready.wait(60), "the driver did not start"
    try:
        yield path
    finally:
        token, scope = stop[0]
        anyio.from_thread.run_sync(scope.cancel, token=token)
        thread.join(60)
