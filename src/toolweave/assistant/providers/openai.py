"""OpenAI, by Chat Completions."""

from toolweave.assistant.providers._chat import ChatCompletions

provider = ChatCompletions(
    name="openai",
    title="OpenAI",
    base_url="https://api.openai.com/v1",
    model="gpt-5-mini",
    key_variable="OPENAI_API_KEY",
    limit_field="max_completion_tokens",
    structured_output="tools",
)
