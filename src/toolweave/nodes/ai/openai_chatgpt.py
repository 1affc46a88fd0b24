"""AI_AGENT.OPENAI_CHATGPT: ask an OpenAI model."""

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.ai._ai_node import AiNode
from toolweave.nodes.ai._ports import (
    ATTACHED,
    CONTENT,
    FUNCTION_CALLS,
    GUIDANCE,
    METADATA,
    PROMPT,
    TASKS,
    model,
    token_usage,
)
from toolweave.nodes.ai._setup import Setup

MODELS = terms(
    "gpt-5, gpt-5-mini, gpt-5-nano, gpt-5-mini-2025-08-07, gpt-5-chat-latest, gpt-4.1, gpt-4.1-mini"
)


class OpenAiChatGpt(AiNode):
    """Sends the prompt to an OpenAI model and gives its answer."""

    spec = NodeSpec(
        type="AI_AGENT",
        subtype="OPENAI_CHATGPT",
        summary="Ask an OpenAI model to write, analyse, decide or use tools.",
        # The tools it is given may act outside.
        effect="once",
        configurations=(
            model("gpt-5-mini", MODELS),
            Field(
                "system_prompt",
                "string",
                "Who the model is, what it must do and the form of its answer.",
                "You are a careful assistant. Use only the input; say so when it is not enough.",
                required=True,
                multiline=True,
            ),
            Field(
                "temperature",
                "float",
                "0 gives steady answers, higher values more varied ones.",
                0.7,
                minimum=0,
                maximum=2,
            ),
            Field("max_tokens", "integer", "Most tokens in the answer.", 8192, minimum=1),
            Field(
                "top_p",
                "float",
                "Share of likely words to choose from; change this or temperature.",
                1.0,
                minimum=0,
                maximum=1,
            ),
            Field(
                "frequency_penalty",
                "float",
                "Above 0 repeats words less.",
                0.0,
                minimum=-2,
                maximum=2,
            ),
            Field(
                "presence_penalty",
                "float",
                "Above 0 turns to new subjects sooner.",
                0.0,
                minimum=-2,
                maximum=2,
            ),
        ),
        inputs=(PROMPT,),
        outputs=(CONTENT, METADATA, token_usage(), FUNCTION_CALLS),
        tags=("ai", "llm", "openai", "chat"),
        keywords=("chatgpt", "gpt", "openai", *TASKS),
        guidance=GUIDANCE,
        attached_nodes=ATTACHED,
        examples=(
            Example(
                "Sort feedback",
                "Gives mood and themes as JSON for the next node.",
                {
                    "model": "gpt-5-mini",
                    "system_prompt": (
                        'Answer with JSON only: {"mood": "good|mixed|bad", "themes": [string]}.'
                    ),
                    "temperature": 0.2,
                    "max_tokens": 500,
                },
                {"user_prompt": "I like the new look, but search takes five seconds."},
            ),
            Example(
                "Answer with tools",
                "Uses the attached TOOL nodes to look things up.",
                {
                    "model": "gpt-5",
                    "system_prompt": (
                        "You are the help desk. Look in Notion before you answer and name the page."
                    ),
                },
                {"user_prompt": "How do I get a new laptop?"},
            ),
        ),
    )

    def setup(self, given: NodeInput) -> Setup:
        """Its configuration, as every AI node tells it."""
        penalties = ("frequency_penalty", "presence_penalty")
        return Setup(
            given.text("user_prompt"),
            provider="openai",
            model=given.text("model") or None,
            system=given.text("system_prompt"),
            max_tokens=given.whole("max_tokens"),
            temperature=given.number("temperature"),
            # Both at once are one wish too many; 1 is as if nothing was said.
            top_p=top if (top := given.number("top_p")) < 1 else None,
            extra={name: number for name in penalties if (number := given.number(name))},
        )


node = OpenAiChatGpt()
