"""From a registered server to an open transport: nothing unapproved, everything filled in."""

import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from servers.rooms import a_studio, approved, eventually, pinned
from servers.transports.serving import listening, running, tools_app
from toolweave.app.studio import Studio
from toolweave.errors import Denied, Invalid, Unavailable
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    Definition,
    HttpServer,
    Server,
    SseServer,
    deployment_of,
    runner_of,
    transport_of,
)
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.runners.bubblewrap import BubblewrapRunner
from toolweave.servers.runners.plain import PlainRunner
from toolweave.servers.transport import open_transport
from toolweave.servers.transport_factory import templates_of
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio

SECRET = "s3cr3t-t0ken-value"


@pytest.fixture
async def studio(tmp_path: Path) -> AsyncGenerator[Studio]:
    async with a_studio(tmp_path, environ={"HOST": "example.com", "API_KEY": "env-api-key"}) as one:
        yield one


async def expanded(studio: Studio, definition: Definition, name: str = "server") -> Any:
    return await studio.transports.expanded(await approved(studio, name, definition))


@pytest.mark.parametrize(
    ("definition", "transport", "deployment", "runner"),
    [
        (CommandServer(command="a"), "stdio", "managed", "plain"),
        (CommandServer(command="a", runner="bubblewrap"), "stdio", "managed", "bubblewrap"),
        (ContainerServer(image="a"), "stdio", "managed", "docker"),
        (HttpServer(url="https://a.b"), "http", "external", None),
        (SseServer(url="https://a.b"), "sse", "external", None),
    ],
)
def test_a_definition_says_how_it_is_reached_and_who_starts_it(
    definition: Definition, transport: str, deployment: str, runner: str | None
) -> None:
    assert transport_of(definition) == transport
    assert deployment_of(definition) == deployment
    assert runner_of(definition) == runner


@pytest.mark.parametrize("fields", [{}, {"url": ""}, {"url": "ftp://a.b"}, {"url": "example.com"}])
def test_an_external_server_needs_a_web_address(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="url"):
        SseServer.model_validate(fields)


async def test_an_unapproved_server_is_never_opened(studio: Studio) -> None:
    server = await studio.home.registry.add("server", CommandServer(command=sys.executable))
    with pytest.raises(Denied) as caught:
        await open_transport(studio.transports, server, DisconnectReason("server"))
    assert caught.value.code == "SERVER_NOT_APPROVED"
    assert "is not approved" in caught.value.message
    enabled = await studio.home.registry.enable("server")
    with pytest.raises(Denied):
        await studio.connections.use(enabled)


@pytest.mark.parametrize(
    "change",
    [
        {"command": "sh"},
        {"args": ("-c", "evil")},
        {"env": {"LD_PRELOAD": "evil.so"}},
        {"cwd": "elsewhere"},
        {"writable_paths": ("elsewhere",)},
        {"network": False},
        {"runner": "bubblewrap"},
    ],
    ids=str,
)
async def test_an_approval_ends_with_any_change_of_the_definition(
    studio: Studio, change: dict[str, Any]
) -> None:
    server = await approved(studio, "server", CommandServer(command=sys.executable))
    changed = server.model_copy(update={"definition": server.definition.model_copy(update=change)})
    with pytest.raises(Denied) as caught:
        await open_transport(studio.transports, changed, DisconnectReason("server"))
    assert caught.value.code == "SERVER_NOT_APPROVED"
    assert "changed after it was approved" in caught.value.message


async def test_every_text_of_a_definition_is_filled_in(studio: Studio) -> None:
    await studio.home.vault.put("TOKEN", SECRET)
    ready = await expanded(
        studio,
        CommandServer(
            command="${HOST}",
            args=("--key=${vault:TOKEN}", "${UNSET:-default}", "$HOST", "${NEVER_SET}"),
            env={"A": "${vault:TOKEN}", "B": "${env:HOST}"},
            cwd="${HOST}/dir",
        ),
    )
    assert ready.command == "example.com"
    assert ready.args == (f"--key={SECRET}", "default", "$HOST", "${NEVER_SET}")
    assert ready.env == {"A": SECRET, "B": "example.com"}
    assert ready.cwd == "example.com/dir"


@pytest.mark.parametrize("kind", [HttpServer, SseServer])
async def test_addresses_and_headers_are_filled_in(
    studio: Studio, kind: type[HttpServer] | type[SseServer]
) -> None:
    await studio.home.vault.put("TOKEN", SECRET)
    ready = await expanded(
        studio,
        kind(url="https://${HOST}/mcp", headers={"Authorization": "Bearer ${vault:TOKEN}"}),
    )
    assert ready.url == "https://example.com/mcp"
    assert ready.headers == {"Authorization": f"Bearer {SECRET}"}


async def test_what_was_filled_in_is_not_looked_at_again(studio: Studio) -> None:
    await studio.home.vault.put("TOKEN", "${HOST} ${vault:TOKEN} ${input:x}")
    ready = await expanded(studio, CommandServer(command="a", args=("${vault:TOKEN}",)))
    assert ready.args == ("${HOST} ${vault:TOKEN} ${input:x}",)


async def test_a_containers_command_is_filled_in_and_its_image_is_not(studio: Studio) -> None:
    ready = await expanded(
        studio, ContainerServer(image="${HOST}", command=("${HOST}",), env={"A": "${HOST}"})
    )
    assert (ready.image, ready.command, ready.env) == (
        "${HOST}",
        ("example.com",),
        {"A": "example.com"},
    )


async def test_a_missing_secret_stops_the_start_and_is_named(studio: Studio) -> None:
    server = await approved(
        studio, "server", CommandServer(command=sys.executable, env={"A": "${vault:GONE}"})
    )
    with pytest.raises(Invalid) as caught:
        await open_transport(studio.transports, server, DisconnectReason("server"))
    assert caught.value.code == "SERVER_SECRET_MISSING"
    assert [problem.pointer for problem in caught.value.problems] == ["/env~1A"]
    assert "'GONE'" in caught.value.problems[0].message


async def test_an_input_nobody_gave_stops_the_start_and_says_where_it_belongs(
    studio: Studio,
) -> None:
    definition = CommandServer(command="a", env={"A": "${input:token}"})
    with pytest.raises(Invalid) as caught:
        await expanded(studio, definition, "my-server")
    assert caught.value.code == "SERVER_SECRET_MISSING"
    assert "'input:my-server:token'" in caught.value.problems[0].message
    await studio.home.vault.put("input:my-server:token", SECRET)
    server = await studio.home.registry.get("my-server")
    ready = await studio.transports.expanded(server)
    assert isinstance(ready, CommandServer)
    assert ready.env == {"A": SECRET}


async def test_no_server_gets_the_input_of_another(studio: Studio) -> None:
    definition = CommandServer(command="a", args=("${input:token}",))
    names = ["a-b", "a b", "a/b", "a:b", "a+b", "ä-b", "a.b", "x" * 128, "x" * 127 + " "]
    places: set[str] = set()
    for name in names:
        server = Server.model_construct(name=name, definition=definition)
        (template,) = [text for place, text in templates_of(server).items() if place == "args/0"]
        place = template.removeprefix("${vault:").removesuffix("}")
        await studio.home.vault.put(place, name)  # a name the vault can hold
        places.add(place)
    assert len(places) == len(names)
    assert "input:a-b:token" in places


async def test_secrets_that_were_filled_in_are_masked_from_then_on(studio: Studio) -> None:
    await studio.home.vault.put("TOKEN", SECRET)
    text = f"{SECRET} and env-api-key"
    assert studio.home.masker.mask_text(text) == text
    await expanded(
        studio, CommandServer(command="a", env={"A": "${vault:TOKEN}", "B": "x-${API_KEY}"})
    )
    assert studio.home.masker.mask_text(text) == "*** and ***"


async def test_web_servers_are_reached_by_either_transport_with_their_headers(
    studio: Studio,
) -> None:
    await studio.home.vault.put("TOKEN", SECRET)
    headers = {"Authorization": "Bearer ${vault:TOKEN}"}
    seen: list[dict[str, str]] = []
    with listening() as (bound, origin), running(tools_app(seen), bound):
        for name, definition in {
            "http": HttpServer(url=f"{origin}/mcp", headers=headers),
            "sse": SseServer(url=f"{origin}/sse", headers=headers),
        }.items():
            await pinned(studio, name, definition)
            result = await studio.gate.call(ToolCall(name, "add", {"a": 1, "b": 2}))
            assert result.text == "3"
            studio.connections.drop(name)
            server = await studio.home.registry.get(name)
            await eventually(
                lambda server=server: studio.connections.health(server).state == "disconnected"
            )
    assert {request["authorization"] for request in seen} == {f"Bearer {SECRET}"}


async def test_a_program_that_is_not_there_is_told_before_anything_starts(studio: Studio) -> None:
    server = await approved(studio, "server", CommandServer(command="no-such-program-anywhere"))
    with pytest.raises(Unavailable) as caught:
        await open_transport(studio.transports, server, DisconnectReason("server"))
    assert caught.value.code == "SERVER_COMMAND_NOT_FOUND"


async def test_a_runner_this_machine_lacks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The shared runner remembers what it found; this one looks where nothing is.
    bare = BubblewrapRunner(PlainRunner({"PATH": str(tmp_path)}), is_root=False)
    monkeypatch.setattr("toolweave.servers.runners.bubblewrap.runner", bare)
    async with a_studio(tmp_path / "home") as studio:
        server = await approved(
            studio, "server", CommandServer(command=sys.executable, runner="bubblewrap")
        )
        with pytest.raises(Unavailable) as caught:
            await studio.transports.launch(server)
    assert caught.value.code == "RUNNER_MISSING"
    assert "'server'" in caught.value.message


async def test_the_launch_is_exactly_what_was_approved(studio: Studio) -> None:
    definition = CommandServer(command=sys.executable, args=("-V",), env={"A": "${HOST}"})
    launch = await studio.transports.launch(await approved(studio, "server", definition))
    assert launch.argv == (sys.executable, "-V")
    assert launch.env["A"] == "example.com"
    assert launch.container is None
