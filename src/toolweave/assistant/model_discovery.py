"""Find model servers that run on this machine; what is found is offered, never chosen."""

from collections.abc import Iterable, Sequence

import anyio
import httpx2

from toolweave import json_text
from toolweave.assistant.response_fields import read_part
from toolweave.errors import Invalid
from toolweave.json_record import JsonRecord
from toolweave.json_text import Json

# The default ports, and the name each server gives itself in its list of models.
PORTS = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM"}
OWNERS = {"library": "Ollama", "llamacpp": "llama.cpp", "vllm": "vLLM"}
PROBE_S = 1.0
MAX_BYTES = 1024 * 1024
MAX_MODELS = 50


class FoundModel(JsonRecord):
    """A model that a server on this machine offers."""

    server: str
    model: str
    base_url: str


async def discover_models(ports: Iterable[int] = ()) -> list[FoundModel]:
    """Ask the default ports, and `ports`, on loopback for their models, all at once."""
    found: dict[int, list[FoundModel]] = {}

    async def look(client: httpx2.AsyncClient, port: int) -> None:
        found[port] = await _models_at(client, port)

    asked = list(dict.fromkeys([*PORTS, *ports]))
    async with (
        httpx2.AsyncClient(trust_env=False, follow_redirects=False) as client,
        anyio.create_task_group() as tasks,
    ):
        for port in asked:
            tasks.start_soon(look, client, port)
    return [model for port in asked for model in found[port]]


async def _models_at(client: httpx2.AsyncClient, port: int) -> list[FoundModel]:
    base_url = f"http://127.0.0.1:{port}/v1"
    data = b""
    try:
        with anyio.fail_after(PROBE_S):
            async with client.stream("GET", f"{base_url}/models", timeout=PROBE_S) as answer:
                if answer.status_code != 200:
                    return []
                async for piece in answer.aiter_bytes():
                    data += piece
                    if len(data) > MAX_BYTES:
                        return []
        listed = read_part(json_text.read(data)).get("data")
    except (httpx2.HTTPError, TimeoutError, Invalid):
        return []
    models: Sequence[Json] = listed if isinstance(listed, list) else []
    return [
        FoundModel(server=_server(port, one), model=name[:200], base_url=base_url)
        for one in models[:MAX_MODELS]
        if isinstance(one, dict) and isinstance(name := one.get("id"), str) and name
    ]


def _server(port: int, model: dict[str, Json]) -> str:
    return OWNERS.get(str(model.get("owned_by"))) or PORTS.get(port, "OpenAI-compatible")
