"""How every AI node works: its configuration becomes a task, and what came of it its outputs."""

import hashlib
from collections.abc import Sequence

from toolweave import json_text
from toolweave.catalog.node import Attached, NodeContext, NodeInput, Outcome, Wait
from toolweave.catalog.resources.model import Message, ModelQuestion, Said, TextListener
from toolweave.catalog.spec import Effect
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.nodes.agent import AgentTool, Opening, Task, Worked, ruled, work
from toolweave.nodes.agent_parts import past
from toolweave.nodes.ai._answers import checker, fields_of
from toolweave.nodes.ai._media import fetched
from toolweave.nodes.ai._memories import Exchange, Recalled, is_memory, recall, remember
from toolweave.nodes.ai._setup import Setup
from toolweave.nodes.ai._tools import skills_for
from toolweave.nodes.memory import conversation_buffer
from toolweave.nodes.memory._keys import Now, Room
from toolweave.nodes.memory._sql_keys import SqlKeys
from toolweave.tools.tool import ToolProgress

CACHE = "model-answer:"
MAX_CACHED = 10_000


class AiNode:
    """The code of every AI node; what differs is how its configuration is read."""

    def effect_of(self, config: JsonObject) -> Effect:
        """Its first part asks a model; parts that call tools say for themselves what they do."""
        del config
        return "keyed"

    def setup(self, given: NodeInput) -> Setup:
        """What is wanted."""
        raise NotImplementedError

    def uses_more(self, given: NodeInput) -> bool:
        """Whether it uses more than a model and tools: its own memory, kept answers, pictures."""
        try:
            setup = self.setup(given)
        except ToolweaveError:
            return False  # the node refuses what it is given
        return setup.has_memory or setup.keeps_answers_s is not None or bool(setup.pictures)

    def outcome(self, context: NodeContext, setup: Setup, worked: Worked) -> Outcome:
        """What the node gives in the end."""
        del context
        return Outcome(fields_of(setup, worked))

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Do the next part: a question, a call, or the end."""
        setup = self.setup(context.given)
        checker(setup)  # what cannot be used is refused before anything is asked
        kept = _Kept(context, setup)
        if not past(context) and (answer := await kept.get()) is not None:
            return Outcome(answer)
        memories = _memories(context, setup)
        skills = await skills_for(
            context, context.given.attached, [one.name for one in setup.functions]
        )
        found = await work(
            context, _task(context, setup, skills), _opening(context, setup, memories)
        )
        if isinstance(found, Wait):
            return found
        await remember(context, memories, Exchange(setup.prompt, found.reply.message.text))
        outcome = self.outcome(context, setup, found)
        if not found.calls and not found.left and isinstance(outcome.value, dict):
            await kept.put(outcome.value)
        return outcome


def _task(context: NodeContext, setup: Setup, skills: tuple[AgentTool, ...]) -> Task:
    question = ModelQuestion(
        messages=(),
        system=ruled(setup.system) if skills else setup.system,
        provider=setup.provider,
        model=setup.model,
        choice=setup.choice if skills or setup.functions else "auto",
        shape=setup.shape,
        text_task=setup.text_task,
        max_tokens=setup.max_tokens,
        temperature=setup.temperature,
        top_p=setup.top_p,
        extra=setup.extra,
        deadline_s=setup.deadline_s,
    )
    return Task(
        question,
        skills,
        handed_over=setup.functions,
        limits=setup.limits,
        patience=setup.patience,
        check=checker(setup),
        corrections=setup.corrections,
        on_text=_teller(context) if setup.streams else None,
    )


def _opening(context: NodeContext, setup: Setup, memories: Sequence[Attached]) -> Opening:
    async def opening() -> tuple[Message, ...]:
        recalled = await recall(context, memories, setup.prompt)
        pictures = await fetched(context, setup.pictures, setup.media)
        text = f"{recalled.text}\n\n{setup.prompt}" if recalled.text else setup.prompt
        return (*_fitting(recalled, setup), Said(text=text, pictures=pictures))

    return opening


def _fitting(recalled: Recalled, setup: Setup) -> tuple[Message, ...]:
    """The newest messages that fit, beginning with somebody who asks."""
    room = setup.max_context_chars
    kept: list[Message] = []
    for message in reversed(recalled.messages):
        if room is not None:
            room -= len(message.text)
            if room < 0:
                break
        kept.insert(0, message)
    while kept and not isinstance(kept[0], Said):
        kept.pop(0)
    return tuple(kept)


def _memories(context: NodeContext, setup: Setup) -> list[Attached]:
    attached = [one for one in context.given.attached if is_memory(one)]
    if not setup.has_memory:
        return attached
    # Its own conversation, under its own name.
    own = Attached(
        context.key.rpartition("/")[2],
        conversation_buffer.node.spec.ref,
        conversation_buffer.node,
        {"max_messages": 200, "auto_summarize": setup.compresses, "summarize_count": 20},
    )
    return [own, *attached]


def _teller(context: NodeContext) -> TextListener:
    told = 0

    async def tell(text: str) -> None:
        nonlocal told
        told += len(text)
        await context.progress(ToolProgress(told, message=text, is_piece=True))

    return tell


class _Kept:
    """Answers that were given to the very same question."""

    def __init__(self, context: NodeContext, setup: Setup) -> None:
        self._context = context
        self._ttl_s = None if context.given.attached else setup.keeps_answers_s
        facts = [setup.provider, setup.model, setup.system, setup.prompt, setup.pictures]
        more = [setup.shape, setup.max_tokens, setup.temperature, setup.top_p, setup.extra]
        self._key = CACHE + hashlib.sha256(json_text.canonical([*facts, *more])).hexdigest()

    async def get(self) -> JsonObject | None:
        """An answer that was kept."""
        if self._ttl_s is None:
            return None
        text = await self._keys().get(self._key)
        value = None if text is None else json_text.read(text)
        if not isinstance(value, dict):
            return None
        metadata = value.get("metadata")
        known = metadata if isinstance(metadata, dict) else {}
        spent = dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 0)
        return {**value, "metadata": {**known, "cached": True}, "token_usage": {**spent}}

    async def put(self, answer: JsonObject) -> None:
        """Keep an answer."""
        if self._ttl_s is not None:
            room = Room(CACHE, MAX_CACHED)
            text = json_text.write(answer)
            await self._keys().set(self._key, text, ttl_s=self._ttl_s, room=room)

    def _keys(self) -> SqlKeys:
        now = Now(self._context.now().timestamp(), f"{self._context.key}/answer")
        return SqlKeys(self._context.resources.stores.database, now)
