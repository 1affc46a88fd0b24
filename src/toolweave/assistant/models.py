"""The configured models: added ones and those from environment variables.

Keys are stored in the vault; a row only records that there is one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol

from toolweave.clock import Clock, timestamp
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean
from toolweave.storage.database import Database, Row

if TYPE_CHECKING:
    from toolweave.assistant.provider import Provider, StructuredOutput

NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
URL_VARIABLE = "TOOLWEAVE_MODEL_URL"
MODEL_VARIABLE = "TOOLWEAVE_MODEL"
KEY_VARIABLE = "TOOLWEAVE_MODEL_KEY"
FROM_ENVIRONMENT = "environment"
_COLUMNS = "name, provider, model, base_url, has_key, is_default, created_at"
# The environment's models, in their precedence as default. Loading the providers themselves takes
# longer than most commands that only ask for names.
_KEY_VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
}


@dataclass(frozen=True, slots=True)
class Model:
    """One configured model."""

    name: str
    provider: str
    model: str
    base_url: str
    has_key: bool = False
    is_default: bool = False
    found_in: Literal["added", "environment"] = "added"
    created_at: str | None = None
    # How it gives structured answers, once that was probed.
    structured_output: "StructuredOutput | None" = None


@dataclass(frozen=True, slots=True)
class NewModel:
    """The configuration of a model to add."""

    name: str
    provider: str
    model: str | None = None
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)


class Secrets(Protocol):
    """The part of the vault used here."""

    async def get(self, name: str) -> str: ...

    async def put(self, name: str, value: str) -> None: ...

    async def delete(self, name: str) -> None: ...

    async def names(self) -> list[str]: ...


class Models:
    """The models of this home and of the environment."""

    def __init__(
        self, database: Database, secrets: Secrets, *, clock: Clock, environ: Mapping[str, str]
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._clock = clock
        self._environ = environ

    async def list(self) -> list[Model]:
        """Return all models, the default first."""
        rows = await self._database.rows(f"SELECT {_COLUMNS} FROM models ORDER BY name")
        outputs = await self._structured_outputs()
        found = [
            replace(model, structured_output=outputs.get((model.base_url, model.model)))
            for model in (*map(_model, rows), *self._of_environment())
        ]
        names = [model.name for model in found]
        # An added model hides an environment model of the same name.
        found = [model for at, model in enumerate(found) if model.name not in names[:at]]
        if found and not any(model.is_default for model in found):
            found[0] = replace(found[0], is_default=True)
        return sorted(found, key=lambda model: (not model.is_default, model.name))

    async def get(self, name: str) -> Model:
        """Return the model called `name`. Raises `NotFound`: `MODEL_UNKNOWN`."""
        found = await self.list()
        for model in found:
            if model.name == name:
                return model
        raise NotFound(
            "MODEL_UNKNOWN",
            f"there is no model {name!r}",
            hint=did_you_mean(name, [model.name for model in found])
            or "list the configured models with `toolweave models list`",
        )

    async def find(self, provider: str | None) -> Model | None:
        """Select a model by name, else by provider, else the default."""
        found = await self.list()
        if provider is None:
            return found[0] if found else None
        named = (model for model in found if model.name == provider)
        of_provider = (model for model in found if model.provider == provider)
        return next(named, None) or next(of_provider, None)

    async def add(self, new: NewModel) -> Model:
        """Store a model and its key (in the vault); the first one becomes the default."""
        # Checking an address loads an HTTP client; listing models must not.
        check = import_module("toolweave.assistant.new_model").checked_model
        model: Model = check(new, timestamp(self._clock.now()))
        if await self._database.row("SELECT 1 FROM models WHERE name = ?", new.name) is not None:
            raise Conflict(
                "MODEL_NAME_TAKEN",
                f"model {new.name!r} already exists",
                hint="choose another name, or run `toolweave models remove` first",
            )
        if new.key:
            # Before the row: a model with `has_key` must have one.
            await self._secrets.put(secret_name(new.name), new.key)
        async with self._database.transaction() as change:
            others = await change.row("SELECT 1 FROM models")
            model = replace(model, is_default=others is None)
            await change.execute(
                f"INSERT INTO models ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                *(model.name, model.provider, model.model, model.base_url),
                *(int(model.has_key), int(model.is_default), model.created_at),
            )
        return model

    async def remove(self, name: str) -> None:
        """Remove a model and its key. Raises `MODEL_UNKNOWN`, `MODEL_CONFIG_INVALID`."""
        model = await self._added(name)
        async with self._database.transaction() as change:
            await change.execute("DELETE FROM models WHERE name = ?", name)
            # Probed again when it is added again: the server may be another one by then.
            await change.execute("DELETE FROM model_outputs WHERE base_url = ?", model.base_url)
        if model.has_key and secret_name(name) in await self._secrets.names():
            await self._secrets.delete(secret_name(name))

    async def structured_output(self, base_url: str, model: str) -> "StructuredOutput | None":
        """Return how a model at an address gives structured answers; `None` if not probed yet."""
        return (await self._structured_outputs()).get((base_url, model))

    async def remember_structured_output(
        self, base_url: str, model: str, found: "StructuredOutput"
    ) -> None:
        """Store the result of a probe; it holds for this model at this address only."""
        async with self._database.transaction() as change:
            await change.execute(
                "DELETE FROM model_outputs WHERE base_url = ? AND model = ?", base_url, model
            )
            await change.execute(
                "INSERT INTO model_outputs (base_url, model, structured_output, probed_at)"
                " VALUES (?, ?, ?, ?)",
                *(base_url, model, found, timestamp(self._clock.now())),
            )

    async def _structured_outputs(self) -> "dict[tuple[str, str], StructuredOutput]":
        rows = await self._database.rows(
            "SELECT base_url, model, structured_output FROM model_outputs"
        )
        # A damaged row, or one of a later version, is probed again.
        known = {"tools", "json_schema", "format", "text"}
        return {(base_url, model): found for base_url, model, found in rows if found in known}

    async def make_default(self, name: str) -> Model:
        """Make a model the default. Raises `MODEL_UNKNOWN`, `MODEL_CONFIG_INVALID`."""
        await self._added(name)
        async with self._database.transaction() as change:
            await change.execute(
                "UPDATE models SET is_default = CASE WHEN name = ? THEN 1 ELSE 0 END", name
            )
        return await self.get(name)

    async def key(self, model: Model) -> str | None:
        """Return the key of a model, if it has one. Raises `NotFound`: `SECRET_NOT_FOUND`."""
        if model.found_in == "added":
            return await self._secrets.get(secret_name(model.name)) if model.has_key else None
        variable = _KEY_VARIABLES.get(model.provider, KEY_VARIABLE)
        return self._environ.get(variable) or None

    async def _added(self, name: str) -> Model:
        model = await self.get(name)
        if model.found_in == "environment":
            raise Invalid(
                "MODEL_CONFIG_INVALID",
                f"model {name!r} comes from an environment variable and cannot be changed here",
                hint="unset the variable, or add a model with `toolweave models add`",
            )
        return model

    def _of_environment(self) -> Iterator[Model]:
        url, model = self._environ.get(URL_VARIABLE), self._environ.get(MODEL_VARIABLE)
        if url:
            has_key = bool(self._environ.get(KEY_VARIABLE))
            yield Model(
                FROM_ENVIRONMENT,
                "compatible",
                model or "default",
                url,
                has_key,
                found_in="environment",
            )
        for name, variable in _KEY_VARIABLES.items():
            if self._environ.get(variable):
                provider = _provider(name)
                model, url = provider.model or "", provider.base_url or ""
                yield Model(name, name, model, url, True, found_in="environment")


def _provider(name: str) -> "Provider":
    return import_module("toolweave.assistant.providers").discover()[name]


def secret_name(name: str) -> str:
    """Return the vault name of a model's key."""
    return f"model/{name}"


def _model(row: Row) -> Model:
    name, provider, model, base_url, has_key, is_default, created_at = row
    return Model(
        name, provider, model, base_url, bool(has_key), bool(is_default), created_at=created_at
    )
