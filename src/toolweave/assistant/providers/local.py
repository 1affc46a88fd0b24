"""A small model on this machine, served by a process of Toolweave's own."""

from toolweave.assistant.providers._chat import ChatCompletions

provider = ChatCompletions(
    name="local",
    title="Local model",
    base_url="local:",
    model="SmolLM2-135M-Instruct",
    key_variable=None,
    limit_field="max_tokens",
    structured_output="json_schema",
)
