"""One server's entry as MCP clients write it, read into a `Definition`.

Used for other clients' files and for pasted JSON. Reading never raises, never
expands a variable, and never repeats a value in a message, because values may be secrets.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from toolweave.patterns import pattern
from toolweave.problems import Problem, Severity, did_you_mean, pointer
from toolweave.servers.definition import (
    CommandServer,
    Definition,
    HttpServer,
    SignInClient,
    SseServer,
    Transport,
)
from toolweave.servers.oauth_entry import read_oauth_client

_TRANSPORTS: dict[str, Transport] = {
    "stdio": "stdio",
    "http": "http",
    "streamablehttp": "http",
    "sse": "sse",
}
# Keys of other clients that change what runs or is offered, and that Toolweave ignores.
_UNHEEDED = {
    "authProviderType": "sign in with OAuth here, or send a header",
    "bearer_token": "send it as the header `Authorization: Bearer ${vault:NAME}`",
    "disabledTools": "every tool of the server is listed here",
    "disabled_tools": "every tool of the server is listed here",
    "enabled_tools": "every tool of the server is listed here",
    "envFile": "list its variables in `env`",
    "excludeTools": "every tool of the server is listed here",
    "headersHelper": "put its output into `headers`",
    "http_headers_helper": "put its output into `headers`",
    "includeTools": "every tool of the server is listed here",
    "sandboxEnabled": "choose the bubblewrap runner instead",
}
_HARMLESS: tuple[object, ...] = (None, False, "", [], {}, "dynamic_discovery")

_UNWRITABLE = pattern("[\0\ud800-\udfff]")
_ENV_VARIABLE = pattern(r"\$\{env:([^{}:]+)\}")
_VARIABLE = pattern(r"\$\{[^{}]*\}")
# What other clients read from files, settings or commands: `${file:…}`, `{file:…}`, `${config:…}`.
_FOREIGN_VARIABLE = pattern(r"\$\{(?!env:|input:|vault:)[A-Za-z]{2,20}:(?!-)|\{file:")
_HEADER_NAME = pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True)
class ConfigDialect:
    """Differences between clients: the key for headers, and their variables."""

    headers: str = "headers"
    rewrite: Callable[[str], str] = str


PLAIN = ConfigDialect()


def read_entry(
    raw: object, at: str, dialect: ConfigDialect = PLAIN
) -> tuple[Definition | None, list[Problem]]:
    """Return the definition in `raw` (`None` after an error) and its problems, below `at`."""
    entry = as_object(raw)
    if entry is None:
        message = f"the server entry is {_kind(raw)}; expected an object with 'command' or 'url'"
        return None, [Problem("SERVER_ENTRY_INVALID", at, message)]
    reader = _Reader(entry, at, dialect)
    definition = reader.definition()
    is_wrong = any(problem.severity == "error" for problem in reader.problems)
    return None if is_wrong else definition, reader.problems


# In documents a block called so uses the server of its section, or runs a workflow.
RESERVED_NAMES = frozenset({"tool", "workflow"})


def as_object(value: object) -> dict[str, object] | None:
    """Return `value` if it is a JSON object or a TOML table."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object] | None:
    """Return `value` if it is a list."""
    return cast("list[object]", value) if isinstance(value, list) else None


def config_pointer(*steps: str | int) -> str:
    """Return a JSON pointer that is valid UTF-8 even if a key has a lone surrogate."""
    return pointer(*steps).encode("utf-8", "backslashreplace").decode()


def registered_name_problems(name: str, at: str = "") -> Iterator[Problem]:
    """Return the problem with the name under which a server is to be registered."""
    if name.casefold() in RESERVED_NAMES:
        yield Problem(
            "SERVER_NAME_RESERVED",
            at,
            f"{name!r} cannot be a server name: blocks of documents are called so",
            hint="choose another name",
        )
    yield from name_problems(name, at)


def name_problems(name: str, at: str) -> Iterator[Problem]:
    """Return the problem with a server name in the file of another client."""
    if not name or len(name) > 128 or name != name.strip() or not name.isprintable():
        yield Problem(
            "SERVER_NAME_INVALID",
            at,
            f"{name[:128]!r} is not a valid server name; use 1 to 128 printable characters",
            hint="rename the entry",
        )


class _Reader:
    """Reads one entry key by key and collects all problems."""

    def __init__(self, entry: Mapping[str, object], at: str, dialect: ConfigDialect) -> None:
        # Clients write `null` for "not set".
        self._entry = {key: value for key, value in entry.items() if value is not None}
        self._at = at
        self._dialect = dialect
        self.problems: list[Problem] = []

    def definition(self) -> Definition | None:
        """Return the definition, or `None` if it cannot be read."""
        for key in sorted(_UNHEEDED.keys() & self._entry.keys()):
            if self._entry[key] not in _HARMLESS:
                message = f"{key!r} is not supported, so the server may behave differently"
                self._add("SERVER_KEY_IGNORED", message, key, hint=_UNHEEDED[key], level="warning")
        match self._transport():
            case None:
                return None
            case "stdio":
                return self._command()
            case "http":
                return self._remote(HttpServer)
            case "sse":
                return self._remote(SseServer)

    def _transport(self) -> Transport | None:
        has_command = "command" in self._entry
        has_url = not self._entry.keys().isdisjoint({"url", "httpUrl"})
        if has_command and has_url:
            message = "the entry has both a command and a url; expected one of them"
            self._add("SERVER_ENTRY_AMBIGUOUS", message, hint="remove the one that is not used")
            return None
        stated = self._entry.get("type", self._entry.get("transport"))
        if stated is not None:
            return self._stated_transport(stated)
        if not has_command and not has_url:
            message = "the entry has neither a command nor a url; expected one of them"
            self._add("SERVER_COMMAND_MISSING", message)
            return None
        return "stdio" if has_command else "http"

    def _stated_transport(self, stated: object) -> Transport | None:
        key = "type" if "type" in self._entry else "transport"
        if isinstance(stated, str):
            plain = stated.casefold().replace("-", "").replace("_", "")
            if plain in _TRANSPORTS:
                return _TRANSPORTS[plain]
        shown = repr(stated[:40]) if isinstance(stated, str) else _kind(stated)
        message = f"the server's type is {shown}; expected 'stdio', 'http' or 'sse'"
        hint = did_you_mean(stated[:40], _TRANSPORTS) if isinstance(stated, str) else None
        self._add("SERVER_TYPE_UNKNOWN", message, key, hint=hint)
        return None

    def _command(self) -> CommandServer | None:
        # A value that is not a string is reported elsewhere; a missing or blank one here.
        command = self._text("command") if "command" in self._entry else ""
        if command is not None and not command.strip():
            message = "a stdio server needs a command: the name or path of a program"
            self._add("SERVER_COMMAND_MISSING", message, "command")
        args = self._texts("args")
        env = self._named_texts("env")
        for name in env:
            if not name or "=" in name:
                message = (
                    f"{name!r} is not a valid environment variable name; it must not contain '='"
                )
                self._add("SERVER_ENVIRONMENT_INVALID", message, "env", name)
        cwd = self._text("cwd")
        return CommandServer(command=command, args=args, env=env, cwd=cwd) if command else None

    def _remote(self, kind: type[HttpServer] | type[SseServer]) -> HttpServer | SseServer | None:
        key = "httpUrl" if "httpUrl" in self._entry else "url"
        if key not in self._entry:
            self._add("SERVER_URL_INVALID", "the server needs a url", key)
        url = self._text(key)
        fault = None if url is None else _url_fault(url)
        if fault:
            self._add(fault.code, fault.message, key, hint=fault.hint)
        headers = self._named_texts(self._dialect.headers)
        for name, value in headers.items():
            if not _HEADER_NAME.fullmatch(name) or "\r" in value or "\n" in value:
                message = (
                    f"header {name!r} is invalid; expected a plain name and a single-line value"
                )
                self._add("SERVER_HEADER_INVALID", message, self._dialect.headers, name)
        if url is None or fault:
            return None
        scheme, _, rest = url.partition("://")
        return kind(url=f"{scheme.lower()}://{rest}", headers=headers, oauth=self._oauth())

    def _oauth(self) -> bool | SignInClient:
        key = "oauth" if "oauth" in self._entry else "auth"
        stated = self._entry.get(key)
        details = as_object(stated)
        if details is None:
            return stated is True or stated == "oauth"
        if details.get("enabled") is False:
            return False
        client, problems = read_oauth_client(details)
        for steps, message, hint in problems:
            self._add("SERVER_KEY_IGNORED", message, key, steps, hint=hint, level="warning")
        return client or True

    def _text(self, key: str) -> str | None:
        return self._as_text(self._entry[key], key) if key in self._entry else None

    def _texts(self, key: str) -> tuple[str, ...]:
        values = as_list(self._entry.get(key, []))
        if values is None:
            message = f"{key!r} is {_kind(self._entry[key])}; expected a list of strings"
            self._add("SERVER_ENTRY_INVALID", message, key)
            return ()
        texts = [self._scalar(value, key, index) for index, value in enumerate(values)]
        return tuple(text for text in texts if text is not None)

    def _named_texts(self, key: str) -> dict[str, str]:
        values = as_object(self._entry.get(key, {}))
        if values is None:
            message = f"{key!r} is {_kind(self._entry[key])}; expected an object of strings"
            self._add("SERVER_ENTRY_INVALID", message, key)
            return {}
        texts: dict[str, str] = {}
        for name, value in values.items():
            if value is None:  # VS Code: the variable is not to be set
                continue
            self._as_text(name, key, name)
            text = self._scalar(value, key, name)
            if text is not None:
                texts[name] = text
        return texts

    def _scalar(self, value: object, *steps: str | int) -> str | None:
        if not isinstance(value, bool | int | float):
            return self._as_text(value, *steps)
        message = f"{_kind(value)} instead of a string; it is passed as text"
        self._add("SERVER_VALUE_CONVERTED", message, *steps, hint="quote it", level="warning")
        return json.dumps(value)

    def _as_text(self, value: object, *steps: str | int) -> str | None:
        if not isinstance(value, str):
            self._add("SERVER_ENTRY_INVALID", f"{_kind(value)}; expected a string", *steps)
            return None
        if _UNWRITABLE.search(value):
            message = "the text contains a null byte or a lone surrogate; expected plain text"
            self._add("SERVER_ENTRY_INVALID", message, *steps)
            return None
        text = self._dialect.rewrite(value)
        if (found := _FOREIGN_VARIABLE.search(text)) is not None:
            message = f"'{found[0]}…}}' is a variable that only its own client fills in"
            hint = "write the value, `${NAME}` for the environment or `${vault:NAME}`"
            self._add("SERVER_VARIABLE_UNKNOWN", message, *steps, hint=hint, level="warning")
        return _ENV_VARIABLE.sub(r"${\1}", text)

    def _add(
        self,
        code: str,
        message: str,
        *steps: str | int,
        hint: str | None = None,
        level: Severity = "error",
    ) -> None:
        self.problems.append(Problem(code, self._at + config_pointer(*steps), message, hint, level))


@dataclass(frozen=True, slots=True)
class _Fault:
    code: str
    message: str
    hint: str | None = None


def _url_fault(url: str) -> _Fault | None:
    """Return why `url` is invalid, without repeating it: a query often contains a key."""
    invalid = "SERVER_URL_INVALID"
    if any(character <= " " or character == "\x7f" for character in url):
        return _Fault(invalid, "the url contains whitespace or control characters")
    if url.startswith("${"):
        hint = "start with `http://` or `https://`; the rest may be a variable"
        return _Fault(invalid, "the url starts with a variable; expected a scheme", hint)
    try:
        # A variable may stand for any part, and a port has to be a number.
        parts = urlsplit(_VARIABLE.sub("0", url))
        host, _ = parts.hostname, parts.port
    except ValueError:
        return _Fault(invalid, "the url cannot be parsed; expected http(s)://host/path")
    if parts.scheme not in {"http", "https"} or "://" not in url:
        shown = repr(parts.scheme[:20]) if parts.scheme else "missing"
        return _Fault(invalid, f"the url's scheme is {shown}; expected 'http' or 'https'")
    if "@" in parts.netloc:
        hint = "send it as the header `Authorization: Basic ${vault:NAME}`"
        return _Fault("SERVER_URL_CREDENTIALS", "the url contains a user name or password", hint)
    return None if host else _Fault(invalid, "the url has no host; expected http(s)://host/path")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"
