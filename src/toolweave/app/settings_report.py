"""Every setting with its value, its source and its description; secrets are never shown."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from toolweave.errors import Invalid
from toolweave.home import DATABASE_NAME, Home
from toolweave.json_record import JsonRecord
from toolweave.settings import PREFIX, WORDS, Settings, from_environment, lockfile_path

Source = Literal["default", "environment", "command line"]

# Only whether they are set is shown.
SECRET = frozenset({"VAULT_KEY", "MODEL_KEY", "BACKEND_KEY"})
_ADDRESSES = frozenset({"DATABASE", "MODEL_URL"})


class SettingLine(JsonRecord):
    """A setting; `words` describes what a null value means."""

    variable: str
    words: str
    value: str | None
    default: str | None
    source: Source


def setting_lines(home: Home) -> list[SettingLine]:
    """All settings, in the order of `docs/settings.md`."""
    environ = home.environ
    now, default = _values(home.settings), _values(from_environment({}))
    try:
        asked = _values(from_environment(environ))
    except Invalid:  # it was valid when the service started
        asked = now
    return [_line(name, environ, now, default, asked, home) for name in WORDS]


def _line(
    name: str,
    environ: Mapping[str, str],
    now: Mapping[str, object],
    default: Mapping[str, object],
    asked: Mapping[str, object],
    home: Home,
) -> SettingLine:
    variable = PREFIX + name
    given = environ.get(variable)
    source: Source = "environment" if given else "default"
    value = given or None
    if name in now:
        source = source if now[name] == asked[name] else "command line"
        value = _text(now[name])
    if name in SECRET:
        value = "set" if given else None
    elif name in _ADDRESSES and value:
        value = without_password(value)
    return SettingLine(
        variable=variable,
        words=WORDS[name],
        value=value or _usual(name, home),
        default=_text(default.get(name)),
        source=source,
    )


def _usual(name: str, home: Home) -> str | None:
    if name == "DATABASE":
        return str(home.settings.home / DATABASE_NAME)
    return str(lockfile_path(home.settings, Path.cwd())) if name == "LOCKFILE" else None


def _values(settings: Settings) -> dict[str, object]:
    flat = asdict(settings)
    flat |= flat.pop("limits")
    return {name.upper(): value for name, value in flat.items() if name.upper() in WORDS}


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(str(one) for one in cast("tuple[object, ...]", value)) or None
    return None if value is None else str(value)


def without_password(address: str) -> str:
    """A URL without its credentials and its query, which may contain a password."""
    parts = urlsplit(address)
    if not parts.scheme or not parts.netloc:
        return address
    place = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{place}{parts.path}"
