"""`toolweave servers add`: register a command, a URL, a container image or pasted JSON."""

import shlex
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from pydantic import ValidationError

from toolweave.cli.session import in_home
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.errors import Conflict, Invalid
from toolweave.home import Home
from toolweave.problems import Problem
from toolweave.servers.definition import Definition, SignInClient
from toolweave.servers.summary import ServerSummary, record_of
from toolweave.servers.user_definitions import (
    anchored,
    from_command_line,
    from_image,
    from_url,
    read_pasted,
)

# The options that each form accepts.
FORMS = {
    "command": ("env", "cwd", "sandbox", "writable", "network"),
    "url": (
        "header",
        "sse",
        "oauth",
        "client_id",
        "client_secret",
        "private_key",
        "client_credentials",
        "issuer",
        "scope",
        "callback_port",
        "identity_provider",
        "identity_client_id",
        "identity_client_secret",
        "identity_token",
        "identity_token_type",
    ),
    "image": ("env", "network", "port", "memory_mb", "pids", "container_name"),
    "file": (),
}


class SplitAtDashes(click.Command):
    """Separates the arguments after `--`, which belong to the server's program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Split the arguments at the first `--`."""
        if "--" in args:
            cut = args.index("--")
            ctx.obj = tuple(args[cut + 1 :])
            args = args[:cut]
        return super().parse_args(ctx, args)


@dataclass(frozen=True, slots=True)
class ServerArguments:
    """The servers to register, and warnings about them."""

    entries: list[tuple[str, Definition]]
    found_in: str | None = None
    warnings: tuple[Problem, ...] = ()


_Find = Callable[[Home, str], Awaitable[ServerArguments]]


@click.command(cls=SplitAtDashes)
@click.argument("name", required=False)
@click.argument("url", required=False)
@click.option(
    "--from",
    "file",
    metavar="FILE",
    help='Read {"mcpServers": …} JSON from FILE, or - for standard input.',
)
@click.option("--registry", is_flag=True, help="NAME is a name in the registry of servers.")
@click.option("--image", metavar="IMAGE", help="Run a container image as the server.")
@click.option(
    "--env", "-e", multiple=True, metavar="K=V", help="Environment variable of the server."
)
@click.option("--header", "-H", multiple=True, metavar="K=V", help="HTTP header to send.")
@click.option(
    "--cwd",
    metavar="DIR",
    help="Working directory; default: the current directory if the command refers to files in it.",
)
@click.option("--sse", is_flag=True, help="The URL uses the older SSE transport.")
@click.option("--oauth", is_flag=True, help="The server requires an OAuth sign-in.")
@click.option("--client-id", metavar="ID", help="OAuth client registered with the service.")
@click.option(
    "--client-secret", metavar="REF", help="Its secret, by reference: '${vault:NAME}' or '${VAR}'."
)
@click.option("--private-key", metavar="REF", help="Its private key in PEM format, by reference.")
@click.option(
    "--client-credentials", is_flag=True, help="Sign in with secret or key alone, without a person."
)
@click.option("--issuer", metavar="URL", help="The only authorization server to sign in at.")
@click.option("--scope", multiple=True, metavar="SCOPE", help="Scope to ask for.")
@click.option(
    "--callback-port", type=click.IntRange(1, 65535), help="Port the client was registered with."
)
@click.option(
    "--identity-provider",
    metavar="URL",
    help="Sign in by a company's identity provider (its issuer), without a person.",
)
@click.option("--identity-client-id", metavar="ID", help="OAuth client at the identity provider.")
@click.option("--identity-client-secret", metavar="REF", help="Its secret, by reference.")
@click.option(
    "--identity-token", metavar="REF", help="The person's token of that provider, by reference."
)
@click.option(
    "--identity-token-type",
    type=click.Choice(["id_token", "refresh_token"]),
    default="id_token",
    show_default=True,
    help="What kind of token it is.",
)
@click.option("--sandbox", is_flag=True, help="Start the command in a bubblewrap sandbox.")
@click.option(
    "--writable", multiple=True, metavar="DIR", help="Directory the sandbox may write to."
)
@click.option(
    "--network/--no-network",
    default=None,
    help="Whether the program has a network: by default not in a sandbox, but in a container.",
)
@click.option("--port", multiple=True, metavar="CONTAINER=HOST", help="Publish a container's port.")
@click.option(
    "--memory-mb",
    type=click.IntRange(min=16),
    default=512,
    show_default=True,
    help="Memory limit of the container.",
)
@click.option(
    "--pids",
    type=click.IntRange(min=8),
    default=256,
    show_default=True,
    help="Process limit of the container.",
)
@click.option("--container-name", metavar="NAME", help="Name of the container.")
@json_option
@click.pass_context
def add(ctx: click.Context, /, **given: Any) -> None:
    """Register a server; nothing is started. Adding the same definition again changes nothing.

    \b
    toolweave servers add NAME -- COMMAND ARG…
    toolweave servers add NAME URL [--header K=V]
    toolweave servers add NAME --image IMAGE [-- ARG…]
    toolweave servers add [NAME] --from FILE
    toolweave servers add NAME --registry

    Values may contain ${VAR}, ${VAR:-default} or ${vault:NAME}; they are resolved at start.
    """
    argv = ctx.obj or ()
    wanted = _from_registry(ctx, given) if given["registry"] else _wanted(ctx, given, argv)
    summaries, known = in_home(lambda home: _register(home, wanted))
    for problem in wanted.warnings:
        say(f"! {problem.pointer or '/'}: {problem.message}  [{problem.code}]", stderr=True)
    if given["as_json"]:
        print_json([record_of(summary).as_json() for summary in summaries])
        return
    for server in (summary.server for summary in summaries):
        approve = f"toolweave servers approve {shlex.quote(server.name)}"
        say(
            f"{server.name!r} is already registered with this definition; nothing changed."
            if server.name in known
            else f"Added {server.name!r}. Next: `{approve}`."
        )


def _from_registry(ctx: click.Context, given: dict[str, Any]) -> ServerArguments:
    name = given["name"]
    if not name or ctx.obj or any(given[form] for form in ("url", "file", "image")):
        raise click.UsageError("--registry takes the NAME of a server in the registry, no more")

    # By a module that loads the HTTP client, which no other form needs.
    find: _Find = import_module("toolweave.cli.servers.registry_entry").find_entry
    return in_home(lambda home: find(home, name))


def _wanted(ctx: click.Context, given: dict[str, Any], argv: tuple[str, ...]) -> ServerArguments:
    forms = [form for form in ("url", "file", "image") if given[form]]
    if argv and not given["image"]:
        forms.append("command")
    if len(forms) != 1:
        raise click.UsageError(
            "give exactly one of: a command after `--`, a URL, --image IMAGE, --from FILE"
        )
    _refuse_idle(ctx, given, forms[0])
    if given["file"]:
        return _from_file(given["file"], given["name"])
    if not given["name"]:
        raise click.UsageError("the server needs a name")
    return ServerArguments([(given["name"], anchored(_definition(given, argv), Path.cwd()))])


def _refuse_idle(ctx: click.Context, given: dict[str, Any], form: str) -> None:
    """Refuse options that the form does not use."""
    idle = {option for options in FORMS.values() for option in options} - set(FORMS[form])
    if form == "command" and not given["sandbox"]:
        idle |= {"writable", "network"}
    for option in sorted(idle):
        if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            meant = [each for each, options in FORMS.items() if option in options]
            where = "--sandbox or --image" if form == "command" and option in FORMS[form] else None
            raise click.UsageError(
                f"--{option.replace('_', '-')} cannot be used here; it applies to "
                + (where or " or ".join(_SPELT[each] for each in meant))
            )


_SPELT = {"command": "a command after `--`", "url": "a URL", "image": "--image"}


def _definition(given: dict[str, Any], argv: tuple[str, ...]) -> Definition:
    if given["url"]:
        return _from_url(given)
    env = _pairs(given["env"], "--env")
    if given["image"]:
        network = given["network"] is not False
        made = from_image(given["image"], command=argv, env=env, network=network)
        return made.model_copy(
            update={
                "container_name": given["container_name"],
                "ports": _ports(given["port"]),
                "memory_mb": given["memory_mb"],
                "pids": given["pids"],
            }
        )
    return from_command_line(_ours(argv), env=env, cwd=given["cwd"]).model_copy(
        update={
            "runner": "bubblewrap" if given["sandbox"] else "plain",
            "writable_paths": tuple(str(Path(path).absolute()) for path in given["writable"]),
            "network": given["network"] is True or not given["sandbox"],
        }
    )


def _from_url(given: dict[str, Any]) -> Definition:
    url = given["url"]
    if "://" not in url and "$" not in url:
        start = f"toolweave servers add {shlex.quote(given['name'])} -- {url} …"
        raise click.UsageError(f"{url!r} is not a URL; to start a program, use `{start}`")
    made = from_url(url, _pairs(given["header"], "--header"), "sse" if given["sse"] else "http")
    return made.model_copy(update={"oauth": _oauth(given)})


def _oauth(given: dict[str, Any]) -> bool | SignInClient:
    fields = {
        "client_id": given["client_id"],
        "client_secret": given["client_secret"],
        "private_key": given["private_key"],
        "issuer": given["issuer"],
        "scopes": given["scope"],
        "callback_port": given["callback_port"],
        "identity": _identity(given),
    }
    if not given["client_credentials"] and not any(fields.values()):
        return given["oauth"]
    grant = "client_credentials" if given["client_credentials"] else "authorization_code"
    if fields["identity"] is not None:
        grant = "identity_assertion"
    try:
        return SignInClient.model_validate({**fields, "grant": grant})
    except ValidationError as error:
        first = error.errors()[0]
        option = "-".join(str(one) for one in first["loc"]).replace("_", "-")
        option = option.replace("identity-issuer", "identity-provider")
        where = f"--{option}: " if option else ""
        reason = first["msg"].removeprefix("Value error, ")
        if first["type"] == "string_pattern_mismatch" and "issuer" not in where:
            reason = "write a reference such as '${vault:NAME}', not the secret itself"
        raise click.UsageError(where + reason) from None


def _identity(given: dict[str, Any]) -> dict[str, str] | None:
    names = ("provider", "client_id", "client_secret", "token")
    found = {name: given[f"identity_{name}"] for name in names}
    if not any(found.values()):
        return None
    if given["client_credentials"]:
        raise click.UsageError("--client-credentials and --identity-provider exclude each other")
    for name in ("provider", "client_id", "token"):
        if not found[name]:
            raise click.UsageError(
                f"--identity-{name.replace('_', '-')} is missing; an identity provider needs its "
                "address, a client id and a token"
            )
    fields = {"issuer": found.pop("provider"), "token_type": given["identity_token_type"]}
    return {**fields, **{name: value for name, value in found.items() if value}}


def _ports(given: tuple[str, ...]) -> dict[str, int]:
    ports: dict[str, int] = {}
    for inside, outside in _pairs(given, "--port").items():
        if not all(part.isdecimal() and 0 < int(part) < 65_536 for part in (inside, outside)):
            raise click.UsageError(f"--port takes CONTAINER=HOST numbers, not {inside}={outside}")
        ports[inside] = int(outside)
    return ports


def _ours(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Replace `toolweave` with the running program, so that it works from any directory."""
    if argv and argv[0] == "toolweave":
        return (sys.executable, "-m", "toolweave.cli.main", *argv[1:])
    return argv


def _from_file(file: str, name: str | None) -> ServerArguments:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise click.UsageError(f"{file!r} cannot be read: {reason}") from None
    entries, problems = read_pasted(text, name=name)
    if not entries or any(problem.severity == "error" for problem in problems):
        raise Invalid("SERVER_DEFINITION_INVALID", f"{file!r} cannot be used", problems=problems)
    source = None if file == "-" else Path(file).absolute()
    directory = source.parent if source else Path.cwd()
    placed = [(each, anchored(definition, directory)) for each, definition in entries]
    return ServerArguments(placed, str(source) if source else None, tuple(problems))


def _pairs(given: tuple[str, ...], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise click.UsageError(f"{option} takes K=V, not {pair!r}")
        pairs[key] = value
    return pairs


async def _register(home: Home, wanted: ServerArguments) -> tuple[list[ServerSummary], set[str]]:
    """Return the servers, and the names of those that were registered before."""
    known = {server.name: server for server in await home.registry.list()}
    same = {
        name
        for name, definition in wanted.entries
        if name in known and known[name].definition == definition
    }
    taken = [name for name, _ in wanted.entries if name in known and name not in same]
    if len(wanted.entries) > 1 and taken:
        # A file is registered completely or not at all.
        raise Conflict(
            "SERVER_NAME_TAKEN",
            f"already registered: {', '.join(map(repr, taken))}; nothing was added",
            hint="remove them first with `toolweave servers remove`, or delete them from the file",
        )
    servers = [
        known[name]
        if name in same
        else await home.registry.add(name, definition, found_in=wanted.found_in)
        for name, definition in wanted.entries
    ]
    waits_s = home.settings.retry.waits_s
    return [ServerSummary(server, waits_s=waits_s) for server in servers], same
