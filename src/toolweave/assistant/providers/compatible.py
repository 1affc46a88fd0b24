"""Servers with a Chat Completions API: Ollama, vLLM, llama.cpp, …"""

from toolweave.assistant.providers._chat import ChatCompletions

provider = ChatCompletions(
    name="compatible",
    title="OpenAI-compatible",
    base_url=None,
    model=None,
    key_variable=None,
    limit_field="max_tokens",
)
