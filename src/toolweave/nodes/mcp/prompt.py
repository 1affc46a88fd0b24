"""MCP.PROMPT: fill in a prompt of a connected MCP server."""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.mcp._content_call import CONTENT, SERVER, as_step, values_in, with_media
from toolweave.tools.tool import content_call


class McpPrompt:
    """Fills in one prompt."""

    spec = NodeSpec(
        type="MCP",
        subtype="PROMPT",
        summary="Fill in a prompt that a connected MCP server offers.",
        effect="keyed",
        configurations=(
            SERVER,
            Field("prompt", "string", "Name of the prompt, as the server lists it.", required=True),
            Field(
                "arguments",
                "object",
                "The prompt's arguments, by name; each is a text.",
                {},
                members="{*: string}",
            ),
        ),
        inputs=(
            Field(
                "arguments",
                "object",
                "Arguments known at run time; they win over configured.",
                members="{*: string}",
            ),
        ),
        outputs=(
            Field("text", "string", "The texts of all messages.", required=True),
            Field("messages", "array", "Each message: role (user, assistant) and text."),
            Field("description", "string", "What the server says about the prompt; may be empty."),
            CONTENT,
        ),
        tags=("mcp", "prompt", "text"),
        keywords=(
            *("prompt", "template", "mcp", "server", "message"),
            *("instruction", "fill", "text", "question", "model"),
        ),
        guidance=(
            "`toolweave servers prompts NAME` lists a server's prompts and their arguments. Put an "
            "AI_AGENT behind it to answer: its user_prompt is {{ data.text }}."
        ),
        examples=(
            Example(
                "A review prompt",
                "The server writes the instructions, the workflow gives the code.",
                {"server": "reviews", "prompt": "review", "arguments": {"language": "python"}},
                {"arguments": {"code": "print(1)"}},
            ),
            Example(
                "Without arguments",
                "A prompt that is the same each time.",
                {"server": "notes", "prompt": "daily"},
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Get the messages, through the one gate."""
        given = context.given
        arguments = values_in(given, "arguments")
        parameters: JsonObject = {"name": given.text("prompt"), "arguments": {**arguments}}
        call = content_call(given.text("server"), "prompts/get", parameters)
        result = await as_step(context, call)
        if isinstance(result, Wait):
            return result
        found = result.structured if isinstance(result.structured, dict) else {}
        value: JsonObject = {
            "text": result.text,
            "messages": found.get("messages") or [],
            "description": found.get("description") or "",
        }
        return Outcome(await with_media(context, value, result))


node = McpPrompt()
