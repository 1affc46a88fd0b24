"""Checks the configuration of a model to add: its name, its address, its key."""

from importlib import import_module

from toolweave.assistant.models import NAME, Model, NewModel
from toolweave.assistant.provider import Provider
from toolweave.assistant.providers import discover
from toolweave.errors import Denied, Invalid
from toolweave.network.addresses import naming_of, origin_of


def checked_model(new: NewModel, created_at: str) -> Model:
    """The model to store. Raises `Invalid`: `MODEL_CONFIG_INVALID`."""
    provider = discover().get(new.provider)
    if provider is None:
        raise _wrong(f"there is no provider {new.provider!r}", f"use {', '.join(discover())}")
    if not NAME.fullmatch(new.name):
        raise _wrong(
            f"{new.name[:80]!r} is not a valid model name",
            "use 1 to 64 letters, digits and _ . -, starting with a letter or digit",
        )
    # The address of a local model is the one its process chooses.
    own = provider.base_url if provider.name == "local" else new.base_url
    base_url, model = own or provider.base_url, new.model or provider.model
    if base_url is None:
        raise _wrong(
            f"{provider.title} models need a base URL", "such as http://localhost:11434/v1"
        )
    if model is None:
        raise _wrong(f"{provider.title} models need a model name", "such as llama3.2")
    if provider.key_variable is not None and not new.key:
        raise _wrong(f"{provider.title} needs a key", "enter it at the prompt or pass it on stdin")
    if provider.name == "local":
        # Loaded only for such a model. Raises what is missing, or wrong with the file.
        import_module("toolweave.assistant.local_server").model_file(model)
    else:
        _check_address(provider, base_url, has_key=bool(new.key))
    return Model(new.name, provider.name, model, base_url, bool(new.key), created_at=created_at)


def _check_address(provider: Provider, base_url: str, *, has_key: bool) -> None:
    try:
        scheme, host, _ = origin_of(base_url)
    except Denied as error:
        raise _wrong(f"the base URL is not allowed: {error.message}", "http(s)://…") from None
    if scheme == "http" and has_key and naming_of(host) == "public":
        raise _wrong(
            f"the key for {provider.title} would be sent to {host!r} unencrypted", "use https"
        )


def _wrong(what: str, hint: str) -> Invalid:
    return Invalid("MODEL_CONFIG_INVALID", what, hint=hint)
