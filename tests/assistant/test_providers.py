"""Every provider over a socket: what is sent, what is understood, what goes wrong."""

import json
from typing import Any

import anyio
import pytest
from tests.assistant.conftest import PROVIDERS, Configure

from toolweave.catalog.resources.model import (
    Called,
    ModelChoiceRequest,
    ModelImage,
    ModelQuestion,
    ModelTool,
    Said,
    ToolAnswer,
)
from toolweave.errors import Invalid, Limited, TimedOut, ToolweaveError, Unavailable
from toolweave.testing.clock import FakeClock
from toolweave.testing.model import (
    KEY,
    ScriptedModel,
    Turn,
    breaks,
    calls,
    fails,
    gives,
    hangs,
    says,
    sends,
    together,
)

pytestmark = pytest.mark.anyio
every_provider = pytest.mark.parametrize("provider", PROVIDERS)
both_ways = pytest.mark.parametrize("streams", [False, True], ids=["plain", "stream"])

WEATHER = ModelTool(
    name="get_weather",
    description="The weather of a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}},
)
HELLO = ModelQuestion(messages=(Said(text="Hello"),))


class Heard:
    """Listens to a stream."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    async def __call__(self, text: str) -> None:
        self.pieces.append(text)


@every_provider
@both_ways
async def test_a_text_comes_back_with_its_usage(
    configure: Configure, model: ScriptedModel, provider: str, streams: bool
) -> None:
    model.answers(says("It is fine today.", tokens=(120, 7)))
    heard = Heard() if streams else None
    reply = await (await configure(provider)).ask(HELLO, on_text=heard)
    assert (reply.message.text, reply.stopped) == ("It is fine today.", "end")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (120, 7)
    assert reply.provider == provider
    assert model.heard[0].streams is streams
    if heard is not None:
        assert len(heard.pieces) > 1
        assert "".join(heard.pieces) == "It is fine today."


@every_provider
@both_ways
async def test_wanted_calls_come_back_and_their_results_go_out(
    configure: Configure, model: ScriptedModel, provider: str, streams: bool
) -> None:
    both = together(
        calls("get_weather", {"city": "Oslo"}, text="Looking."),
        calls("get_weather", {"city": "Rome"}),
    )
    model.answers(both, says("Cold and warm."))
    asking = await configure(provider)
    question = HELLO.model_copy(update={"tools": (WEATHER,), "choice": "any"})
    first = await asking.ask(question, on_text=Heard() if streams else None)
    assert first.stopped == "tools"
    assert [one.arguments for one in first.message.wanted] == [{"city": "Oslo"}, {"city": "Rome"}]
    results = [
        Called(id=one.id, name=one.name, text="12 degrees", is_error=at == 1)
        for at, one in enumerate(first.message.wanted)
    ]
    more = question.model_copy(update={"messages": (*HELLO.messages, first.message, *results)})
    second = await asking.ask(more, on_text=Heard() if streams else None)
    # The scripted model refuses what the real ones refuse, so the order was right.
    assert second.message.text == "Cold and warm."
    assert "12 degrees" in json.dumps(model.heard[1].body)


@every_provider
@both_ways
@pytest.mark.parametrize("shape", ["object", "array"])
async def test_an_answer_of_a_shape_is_read_as_json(
    configure: Configure, model: ScriptedModel, provider: str, streams: bool, shape: str
) -> None:
    value: Any = {"city": "Oslo"} if shape == "object" else ["Oslo", "Rome"]
    model.answers(gives(value))
    question = HELLO.model_copy(update={"shape": {"type": shape}})
    asking = await configure(provider)
    reply = await asking.ask(question, on_text=Heard() if streams else None)
    assert reply.value == value
    assert reply.message.wanted == ()
    assert json.loads(reply.message.text) == value


@every_provider
async def test_a_shape_beside_tools_still_lets_the_model_call(
    configure: Configure, model: ScriptedModel, provider: str
) -> None:
    model.answers(calls("get_weather", {"city": "Oslo"}), gives({"city": "Oslo"}))
    question = HELLO.model_copy(update={"shape": {"type": "object"}, "tools": (WEATHER,)})
    asking = await configure(provider)
    first = await asking.ask(question)
    assert [one.name for one in first.message.wanted] == ["get_weather"]
    assert (await asking.ask(question)).value == {"city": "Oslo"}


@every_provider
async def test_pictures_settings_and_extras_are_sent(
    configure: Configure, model: ScriptedModel, provider: str
) -> None:
    said = Said(text="What is it?", pictures=(ModelImage(data="aGk=", media_type="image/png"),))
    question = ModelQuestion(
        messages=(said,),
        system="Be short.",
        max_tokens=99,
        temperature=0.25,
        top_p=0.5,
        extra={"seed_extra": 7},
    )
    await (await configure(provider)).ask(question)
    sent = json.dumps(model.heard[0].body)
    for part in ("aGk=", "image/png", "Be short.", "99", "0.25", "0.5", "seed_extra"):
        assert part in sent


@every_provider
async def test_the_key_goes_out_in_a_header_only(
    configure: Configure, model: ScriptedModel, provider: str
) -> None:
    await (await configure(provider)).ask(HELLO)
    heard = model.heard[0]
    assert KEY in " ".join(heard.headers.values())
    assert KEY not in heard.path + json.dumps(heard.body)


REQUIRED = {
    "anthropic": ("/v1/messages", {"model", "max_tokens", "messages"}),
    "openai": ("/v1/chat/completions", {"model", "messages"}),
    "compatible": ("/v1/chat/completions", {"model", "messages"}),
    "gemini": ("/v1beta/models/some-model:generateContent", {"contents"}),
}


@every_provider
async def test_a_request_has_the_documented_required_fields(
    configure: Configure, model: ScriptedModel, provider: str
) -> None:
    await (await configure(provider)).ask(HELLO)
    path, fields = REQUIRED[provider]
    assert model.heard[0].path == path
    assert fields <= model.heard[0].body.keys()


@every_provider
async def test_tools_of_any_name_can_be_offered(
    configure: Configure, model: ScriptedModel, provider: str
) -> None:
    names = ("aws/list buckets", "aws_list_buckets", "1st", "x" * 80, "größe")
    offers = tuple(WEATHER.model_copy(update={"name": name}) for name in names)
    asking = await configure(provider)
    asked = HELLO.model_copy(update={"tools": offers})
    await asking.ask(asked)
    sent = json.dumps(model.heard[0].body)
    assert "aws/list" not in sent
    model.answers(calls("aws_list_buckets"))
    reply = await asking.ask(asked)
    assert reply.message.wanted[0].name == "aws_list_buckets"
    call = ModelChoiceRequest(id="c1", name="aws/list buckets", arguments={})
    past = (Said(text="Go"), ToolAnswer(wanted=(call,)))
    done = Called(id="c1", name="aws/list buckets", text="none")
    model.answers(says("No buckets."))
    again = asked.model_copy(update={"messages": (*past, done)})
    assert (await asking.ask(again)).message.text == "No buckets."


@pytest.mark.parametrize("provider", ["anthropic", "openai", "compatible"])
async def test_arguments_that_are_no_json_are_handed_on_as_unreadable(
    configure: Configure, model: ScriptedModel, provider: str
) -> None:
    model.answers(calls("get_weather", '{"city": "Os'))
    asking = await configure(provider)
    reply = await asking.ask(HELLO.model_copy(update={"tools": (WEATHER,)}), on_text=Heard())
    wanted = reply.message.wanted[0]
    assert (wanted.arguments, wanted.unreadable) == ({}, '{"city": "Os')


@every_provider
@both_ways
@pytest.mark.parametrize("stopped", ["length", "refused"])
async def test_why_an_answer_ended_is_told(
    configure: Configure, model: ScriptedModel, provider: str, streams: bool, stopped: Any
) -> None:
    model.answers(says("Well", stopped=stopped))
    reply = await (await configure(provider)).ask(HELLO, on_text=Heard() if streams else None)
    assert reply.stopped == stopped


BROKEN: dict[str, Turn] = {
    "html": sends("<html><body>Bad gateway</body></html>", content_type="text/html"),
    "not json": sends('{"half": '),
    "no object": sends("[1, 2]"),
    "empty object": sends("{}"),
    "empty": sends(""),
    "wrong types": sends('{"content": 3, "choices": "no", "candidates": {"a": 1}}'),
    "wrong parts": sends('{"content": [1], "choices": [1], "candidates": [1]}'),
    "event that is no json": sends("data: {oops\n\n", content_type="text/event-stream"),
    "event of wrong type": sends("data: [1]\n\n", content_type="text/event-stream"),
    "no event at all": sends("", content_type="text/event-stream"),
    "redirect": sends("", status=302),
}


@every_provider
@pytest.mark.parametrize("what", BROKEN)
async def test_an_answer_that_is_none_is_a_clear_error(
    configure: Configure, model: ScriptedModel, clock: FakeClock, provider: str, what: str
) -> None:
    model.answers(BROKEN[what])
    error = await _failure(await configure(provider), clock, streams=True)
    assert isinstance(error, Unavailable)
    assert error.code == "MODEL_UNAVAILABLE"
    assert len(error.message) < 700


@every_provider
@pytest.mark.parametrize("after", [0, 1, 3])
async def test_a_stream_that_stops_midway_is_an_error(
    configure: Configure, model: ScriptedModel, clock: FakeClock, provider: str, after: int
) -> None:
    model.answers(breaks("one two three four five six", after=after))
    error = await _failure(await configure(provider), clock, streams=True)
    assert error.code == "MODEL_UNAVAILABLE"


async def test_a_reader_never_hears_the_beginning_twice(
    configure: Configure, model: ScriptedModel, clock: FakeClock
) -> None:
    model.answers(breaks("one two three", after=3), says("one two three"))
    heard = Heard()
    asking = await configure("openai")
    with pytest.raises(Unavailable):
        await asking.ask(HELLO, on_text=heard)
    assert "".join(heard.pieces).count("one") == 1
    assert len(model.heard) == 1


@every_provider
@pytest.mark.parametrize("status", [429, 529, 500, 503])
async def test_a_busy_provider_is_asked_again_after_a_wait(
    configure: Configure, model: ScriptedModel, clock: FakeClock, provider: str, status: int
) -> None:
    model.answers(fails(status), fails(status, retry_after="7"), says("At last."))
    asking = await configure(provider)
    replies: list[str] = []

    async def ask() -> None:
        replies.append((await asking.ask(HELLO)).message.text)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await clock.until_asleep(1)
            await clock.advance(1)
            await clock.until_asleep(7)
            await clock.advance(7)
    assert replies == ["At last."]


@pytest.mark.parametrize(
    ("turn", "kind", "code", "asked"),
    [
        (fails(429), Limited, "MODEL_LIMITED", 3),
        (fails(529), Limited, "MODEL_LIMITED", 3),
        (fails(500), Unavailable, "MODEL_UNAVAILABLE", 3),
        (fails(429, retry_after="3600"), Limited, "MODEL_LIMITED", 1),
        (fails(400, "no such field"), Invalid, "MODEL_REFUSED", 1),
        (fails(401, "bad key"), Invalid, "MODEL_REFUSED", 1),
        (fails(404, "no such model"), Invalid, "MODEL_REFUSED", 1),
        (sends("<h1>nginx</h1>", status=502, content_type="text/html"), Unavailable, None, 3),
    ],
    ids=str,
)
@every_provider
async def test_refusals_have_types_and_bounds(
    configure: Configure,
    model: ScriptedModel,
    clock: FakeClock,
    provider: str,
    turn: Turn,
    kind: type[ToolweaveError],
    code: str | None,
    asked: int,
) -> None:
    model.answers(turn)
    error = await _failure(await configure(provider), clock)
    assert isinstance(error, kind)
    assert error.code == (code or "MODEL_UNAVAILABLE")
    assert len(model.heard) == asked


async def test_how_long_to_wait_is_told(
    configure: Configure, model: ScriptedModel, clock: FakeClock
) -> None:
    model.answers(fails(429, retry_after="3600"))
    error = await _failure(await configure("anthropic"), clock)
    assert error.facts["retry_after_s"] == 3600


async def test_a_key_in_a_refusal_is_masked(
    configure: Configure, model: ScriptedModel, clock: FakeClock
) -> None:
    model.answers(fails(401, f"incorrect key {KEY}"))
    error = await _failure(await configure("openai"), clock)
    assert KEY not in error.message


async def test_a_model_that_never_answers_ends_at_its_deadline(
    configure: Configure, model: ScriptedModel
) -> None:
    model.answers(hangs())
    asking = await configure("anthropic")
    with anyio.fail_after(60), pytest.raises(TimedOut) as caught:
        await asking.ask(HELLO.model_copy(update={"deadline_s": 0.05}))
    assert caught.value.code == "MODEL_TIMEOUT"


async def test_nobody_listening_is_a_clear_error(configure: Configure, clock: FakeClock) -> None:
    with ScriptedModel().running() as other:
        gone = other.base_url("compatible")
    error = await _failure(await configure("compatible", gone), clock)
    assert error.code == "MODEL_UNAVAILABLE"


@both_ways
async def test_a_huge_answer_is_cut_off(
    configure: Configure, model: ScriptedModel, clock: FakeClock, streams: bool
) -> None:
    kind = "text/event-stream" if streams else "application/json"
    model.answers(sends("data: " + " " * (17 * 1024 * 1024), content_type=kind))
    error = await _failure(await configure("openai"), clock, streams=streams)
    assert error.code == "MODEL_UNAVAILABLE"


async def _failure(asking: Any, clock: FakeClock, *, streams: bool = False) -> ToolweaveError:
    """What asking ends with; waits between tries pass at once."""
    found: list[ToolweaveError] = []

    async def ask() -> None:
        with pytest.raises(ToolweaveError) as caught:
            await asking.ask(HELLO, on_text=Heard() if streams else None)
        found.append(caught.value)
        tasks.cancel_scope.cancel()

    async def let_pass() -> None:
        for wait_s in (1, 4):
            await clock.until_asleep(wait_s)
            await clock.advance(wait_s)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(let_pass)
            tasks.start_soon(ask)
    return found[0]
