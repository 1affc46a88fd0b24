"""`toolweave models`: configure the language models that nodes and chats use."""

import os
import shlex
import sys
from importlib import import_module

import click

from toolweave.assistant.home_models import home_models, open_model_caller
from toolweave.assistant.model_record import ModelRecord
from toolweave.assistant.model_test import ModelTestResult, check_model
from toolweave.assistant.models import NewModel
from toolweave.assistant.providers import discover
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.session import current_home, in_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell

NONE_YET = (
    "No models yet. `toolweave models add NAME --provider anthropic` adds one; ANTHROPIC_API_KEY,"
    " OPENAI_API_KEY, GEMINI_API_KEY and TOOLWEAVE_MODEL_URL are detected too."
)


@click.group(cls=HelpfulGroup)
def models() -> None:
    """Configure the language models that nodes and chats use."""


@models.command("add")
@click.argument("name")
@click.option(
    "--provider",
    type=click.Choice(sorted(discover())),
    required=True,
    help="The API it uses; `compatible` is any server with an OpenAI-compatible API.",
)
@click.option("--model", help="The provider's name for the model.")
@click.option("--base-url", help="Base URL, if not the provider's own.")
@click.option("--key-env", metavar="VAR", help="Read the key from this environment variable.")
@click.option("--with-key", is_flag=True, help="Prompt for a key for a compatible server.")
@json_option
def add(
    name: str,
    provider: str,
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    with_key: bool,
    as_json: bool,
) -> None:
    """Add a model; its key is read from the prompt or standard input and stored in the vault."""
    wants_key = with_key or key_env is not None or discover()[provider].key_variable is not None
    new = NewModel(name, provider, model, base_url, _key(key_env) if wants_key else None)
    added = in_home(lambda home: home_models(home).add(new))
    if as_json:
        print_json(ModelRecord.of(added))
    else:
        note = " It is the default model." if added.is_default else ""
        say(f"Added {name!r}: {added.model} at {added.base_url}.{note}")
        say(f"Try it with `toolweave models test {name}`.")


def _key(key_env: str | None) -> str:
    if key_env is not None:
        key = os.environ.get(key_env)
        if not key:
            raise click.UsageError(f"the environment variable {key_env!r} is not set")
        return key
    if sys.stdin.isatty():
        return click.prompt("Key", hide_input=True)
    return sys.stdin.read().strip()


@models.command("list")
@json_option
def list_models(as_json: bool) -> None:
    """List the configured models without their keys."""
    found = in_home(lambda home: home_models(home).list())
    if as_json:
        print_json([ModelRecord.of(model) for model in found])
    elif found:
        print_table(
            ("", "name", "provider", "model", "address", "key", "from"),
            [
                (
                    "*" if model.is_default else "",
                    *(model.name, model.provider, model.model, model.base_url),
                    "yes" if model.has_key else "no",
                    model.found_in,
                )
                for model in found
            ],
        )
    else:
        say(NONE_YET)


@models.command("discover")
@click.option(
    "--port",
    "ports",
    type=click.IntRange(1, 65535),
    multiple=True,
    help="Also check this port; can be given several times.",
)
@json_option
def discover_models(ports: tuple[int, ...], as_json: bool) -> None:
    """Find models of Ollama, LM Studio, llama.cpp and vLLM on this machine; none is added."""
    # Loads an HTTP client, which the other commands do not need.
    search = import_module("toolweave.assistant.model_discovery").discover_models
    found = run(lambda: search(ports))
    if as_json:
        print_json(found)
    elif found:
        print_table(
            ("server", "model", "address"),
            [(one.server, one.model, one.base_url) for one in found],
        )
        first = found[0]
        say(
            "Add one with `toolweave models add NAME --provider compatible"
            f" --base-url {first.base_url} --model {shlex.quote(first.model)}`."
        )
    else:
        say("No model server answers on this machine.")


@models.command("test")
@click.argument("name", required=False)
@json_option
def test(name: str | None, as_json: bool) -> None:
    """Send a short prompt to a model; print the latency and the cost."""

    async def work() -> ModelTestResult:
        async with current_home() as home, open_model_caller(home) as asking:
            return await check_model(asking, name)

    tried = run(work)
    if as_json:
        print_json(tried)
    else:
        cost = "" if tried.cost_usd is None else f", {tried.cost_usd:.6f} USD"
        say(f"{tried.model} of {tried.provider} answers {tried.text!r}.")
        say(f"{tried.took_ms} ms, {tried.input_tokens} + {tried.output_tokens} tokens{cost}.")


@models.command("default")
@click.argument("name")
@json_option
def default(name: str, as_json: bool) -> None:
    """Make this the default model."""
    model = in_home(lambda home: home_models(home).make_default(name))
    tell(as_json, ModelRecord.of(model), f"{name!r} is now the default model.")


@models.command("remove")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a model and its key."""
    in_home(lambda home: home_models(home).remove(name))
    tell(as_json, {"removed": name}, f"Removed {name!r}.")
