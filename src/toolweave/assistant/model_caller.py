"""The `ModelCaller`: selects a model, sends the request, and retries temporary failures."""

from importlib import import_module
from pathlib import Path

import anyio

from toolweave.access.mask import Masker
from toolweave.assistant.constrained import ConstrainedQuestion, with_schema_in_text
from toolweave.assistant.models import Model, Models
from toolweave.assistant.provider import Provider, Request, StructuredOutput, Target
from toolweave.assistant.providers import discover
from toolweave.assistant.providers._next_token import NEXT_TOKEN
from toolweave.assistant.providers._ollama import OLLAMA
from toolweave.assistant.requests import Web, provider_unavailable, send
from toolweave.assistant.response_fields import read_value
from toolweave.assistant.structured_output import probe_structured_output
from toolweave.assistant.tool_names import ToolNames
from toolweave.catalog.resources.model import (
    ModelQuestion,
    ModelReply,
    Said,
    TextListener,
    TokenUsage,
)
from toolweave.clock import Clock
from toolweave.errors import Limited, NotFound, TimedOut, ToolweaveError, Unavailable
from toolweave.patterns import pattern
from toolweave.workflow.checks.models import WAYS

DEADLINE_S = 300.0
# Delays before the second and third attempt; a provider may ask for up to the longest.
WAITS_S = (1.0, 4.0)
LONGEST_WAIT_S = 30.0


SMALL_PARAMETERS = 1.5e9
# Of such a model with four to eight bits for each parameter.
SMALL_FILE_BYTES = 1_500_000_000
_SIZE = pattern(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s?([mb])(?![a-z0-9])")
_FACTORS = {"m": 1e6, "b": 1e9}


MILLION = 1_000_000
# By prefix of the model's name: input, cached input, output.
PRICES: dict[str, dict[str, tuple[float, float, float]]] = {
    "anthropic": {
        "claude-opus-4-5": (5.0, 0.5, 25.0),
        "claude-opus-4": (15.0, 1.5, 75.0),
        "claude-sonnet-4": (3.0, 0.3, 15.0),
        "claude-haiku-4-5": (1.0, 0.1, 5.0),
        "claude-3-5-haiku": (0.8, 0.08, 4.0),
    },
    "openai": {
        "gpt-5-nano": (0.05, 0.005, 0.4),
        "gpt-5-mini": (0.25, 0.025, 2.0),
        "gpt-5": (1.25, 0.125, 10.0),
        "gpt-4.1-nano": (0.1, 0.025, 0.4),
        "gpt-4.1-mini": (0.4, 0.1, 1.6),
        "gpt-4.1": (2.0, 0.5, 8.0),
        "gpt-4o-mini": (0.15, 0.075, 0.6),
        "gpt-4o": (2.5, 1.25, 10.0),
    },
    "gemini": {
        "gemini-2.5-pro": (1.25, 0.125, 10.0),
        "gemini-2.5-flash-lite": (0.1, 0.01, 0.4),
        "gemini-2.5-flash": (0.3, 0.03, 2.5),
    },
}


def cost_usd(provider: str, model: str, usage: TokenUsage) -> float | None:
    """Return the cost of an answer; `None` if the price is unknown."""
    # `gpt-5-mini-2025-08-07` is a `gpt-5-mini`, `gpt-5.1` is not a `gpt-5`.
    known = PRICES.get(provider, {})
    names = [name for name in known if model == name or model.startswith(f"{name}-")]
    if not names:
        return None
    fresh, cached, output = known[max(names, key=len)]
    paid = (usage.input_tokens - usage.cached_tokens) * fresh + usage.cached_tokens * cached
    return (paid + usage.output_tokens * output) / MILLION


def is_small_model(name: str) -> bool:
    """Whether a name such as `smollm2:135m` or `Qwen2.5-0.5B` says that the model is small."""
    sizes = _sizes(name)
    return bool(sizes) and max(sizes) <= SMALL_PARAMETERS


def is_small_file(model: str) -> bool:
    """Whether a model that Toolweave runs is small: by its name, otherwise by its file."""
    if _sizes(Path(model).name):
        return is_small_model(Path(model).name)
    try:
        return Path(model).stat().st_size <= SMALL_FILE_BYTES
    except OSError:
        return True


def _sizes(name: str) -> list[float]:
    return [float(match[1]) * _FACTORS[match[2]] for match in _SIZE.finditer(name.lower())]


class HomeModelCaller:
    """Calls the configured models through the HTTP client."""

    def __init__(self, models: Models, web: Web, *, masker: Masker, clock: Clock) -> None:
        self._models = models
        self._web = web
        self._masker = masker
        self._clock = clock
        # By address and model: one that does not answer delays no other.
        self._probing: dict[tuple[str, str], anyio.Lock] = {}

    async def configured(self, provider: str | None = None) -> bool:
        """Whether a model is configured, for this provider or at all."""
        return await self._models.find(provider) is not None

    async def ask(
        self, question: ModelQuestion, *, on_text: TextListener | None = None
    ) -> ModelReply:
        """Return one answer; see `ModelCaller`."""
        model = await self._models.find(question.provider)
        if model is None:
            raise model_needed(question.provider)
        provider = discover()[model.provider]
        deadline_s = question.deadline_s or DEADLINE_S
        try:
            with anyio.fail_after(deadline_s):
                target = await self._target(model, question)
                return await self._answer(provider, target, question, on_text, deadline_s)
        except TimeoutError:
            raise TimedOut(
                "MODEL_TIMEOUT",
                f"{provider.title} did not respond within {deadline_s:g} s",
                hint="request less, or increase the node's timeout",
            ) from None

    async def _structured_output(self, provider: Provider, target: Target) -> StructuredOutput:
        if provider.structured_output is not None:
            return provider.structured_output
        place = target.base_url, target.model
        async with self._probing.setdefault(place, anyio.Lock()):
            known = await self._models.structured_output(target.base_url, target.model)
            if known is not None:
                return known

            async def ask(how: Provider, question: ModelQuestion) -> ModelReply:
                request = how.request(question, target, streams=False)
                return await self._once(how, request, question, None)

            found = await probe_structured_output(provider, ask)
            await self._models.remember_structured_output(target.base_url, target.model, found)
            return found

    async def _answer(
        self,
        provider: Provider,
        target: Target,
        question: ModelQuestion,
        on_text: TextListener | None,
        left_s: float,
    ) -> ModelReply:
        is_structured = bool(question.tools) or question.shape is not None
        how = await self._structured_output(provider, target) if is_structured else "tools"
        if how == "tools":
            return await self._asked(provider, target, question, on_text, left_s)
        wire = OLLAMA if how == "format" else provider

        async def ask(constrained: ModelQuestion) -> ModelReply:
            asked = with_schema_in_text(constrained) if how == "text" else constrained
            return await self._asked(wire, target, asked, None, left_s)

        async def next_tokens(prompt: str) -> dict[str, float]:
            asked = ModelQuestion(messages=(Said(text=prompt),))
            reply = await self._asked(NEXT_TOKEN, target, asked, None, left_s)
            listed = reply.value if isinstance(reply.value, dict) else {}
            return {name: one for name, one in listed.items() if isinstance(one, float)}

        is_local = provider.name == "local"
        is_small = (is_small_file if is_local else is_small_model)(target.model)
        scored = next_tokens if is_local else None
        reply = await ConstrainedQuestion(question, ask, is_small, scored).reply()
        reply = reply.model_copy(
            update={"model": reply.model or target.model, "provider": reply.provider or wire.name}
        )
        if on_text is not None and reply.message.text:
            await on_text(reply.message.text)
        return reply

    async def _asked(
        self,
        provider: Provider,
        target: Target,
        question: ModelQuestion,
        on_text: TextListener | None,
        left_s: float,
    ) -> ModelReply:
        names = ToolNames.of(question)
        asked = names.out(question)
        request = provider.request(asked, target, streams=on_text is not None)
        reply = await self._persist(provider, request, asked, on_text, left_s)
        return _finished(names.back(reply), provider, request, question)

    async def _target(self, model: Model, question: ModelQuestion) -> Target:
        try:
            key = await self._models.key(model)
        except NotFound:
            raise Unavailable(
                "MODEL_UNAVAILABLE",
                f"the key of model {model.name!r} is no longer in the vault",
                hint=f"run `toolweave models remove {model.name}`, then add it again",
            ) from None
        if model.provider == "local":
            # Loaded with the first request to such a model.
            servers = import_module("toolweave.assistant.local_server")
            served: Target = await servers.local_target(question.model or model.model)
            self._masker.learn([served.key or ""])
            return served
        if key:
            self._masker.learn([key])
        return Target(model.base_url, question.model or model.model, key)

    async def _persist(
        self,
        provider: Provider,
        request: Request,
        question: ModelQuestion,
        on_text: TextListener | None,
        left_s: float,
    ) -> ModelReply:
        """Retry until there is an answer; a stream is not repeated after its first text."""
        began, told = self._clock.monotonic(), False

        async def tell(text: str) -> None:
            nonlocal told
            told = True
            if on_text is not None:
                await on_text(text)

        for wait_s in (*WAITS_S, None):
            try:
                return await self._once(provider, request, question, tell if on_text else None)
            except (Limited, Unavailable) as error:
                pause_s = _pause_s(error, wait_s)
                left = left_s - (self._clock.monotonic() - began)
                if pause_s is None or told or pause_s > left:
                    raise
            await self._clock.sleep(pause_s)
        raise AssertionError  # the last attempt returns or raises

    async def _once(
        self,
        provider: Provider,
        request: Request,
        question: ModelQuestion,
        on_text: TextListener | None,
    ) -> ModelReply:
        try:
            return await send(self._web, provider, request, question, on_text)
        except ToolweaveError as error:
            if error.code.startswith("MODEL_"):
                error.message = self._masker.mask_text(error.message)
                error.args = (error.message,)
                raise
            if isinstance(error, Unavailable | TimedOut):
                raise provider_unavailable(
                    provider, self._masker.mask_text(error.message)
                ) from None
            raise


def model_needed(provider: str | None) -> Unavailable:
    """Return the error for a missing model, with ways to configure one."""
    whom = f"no model or provider {provider!r}" if provider else "no model"
    return Unavailable("MODEL_NEEDED", f"{whom} is configured", hint=WAYS)


def _pause_s(error: ToolweaveError, wait_s: float | None) -> float | None:
    """Return the delay before the next attempt; `None` if there is none."""
    if wait_s is None:
        return None
    told = error.facts.get("retry_after_s")
    if not isinstance(told, int | float):
        return wait_s
    return max(wait_s, told) if told <= LONGEST_WAIT_S else None


def _finished(
    reply: ModelReply, provider: Provider, request: Request, question: ModelQuestion
) -> ModelReply:
    model = reply.model or str(request.body.get("model") or question.model or "")
    cost = cost_usd(provider.name, model, reply.usage)
    usage = reply.usage.model_copy(update={"cost_usd": cost})
    changes: dict[str, object] = {"model": model, "usage": usage}
    if question.shape is not None and reply.value is None and not reply.message.wanted:
        changes["value"] = read_value(reply.message.text)
    return reply.model_copy(update=changes)
