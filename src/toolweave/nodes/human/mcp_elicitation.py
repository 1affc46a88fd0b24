"""HUMAN_IN_THE_LOOP.MCP_ELICITATION: ask in the MCP client that started the run."""

from toolweave.catalog.node import NodeContext, NodeInput, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.human._forms import FILLED, filled_in, form_judge, form_schema
from toolweave.nodes.human._question import QuestionNode, ask, content_of
from toolweave.nodes.human._reply import (
    ANALYSIS_MODEL,
    ANSWERS,
    GUIDANCE,
    INPUTS,
    OUTPUTS,
    PORTS,
    analysis_prompt,
    response_timeout,
)
from toolweave.nodes.human._reply_meaning import Advice
from toolweave.workflow.question import Question, approval_schema

FORM = "requested_schema"


def read_form(given: NodeInput) -> JsonObject | None:
    """The schema of the form, if it asks with one. Raises `FORM_SCHEMA_INVALID`."""
    return form_schema(given, FORM) if given.record(FORM) else None


class McpElicitation:
    """Puts a question to the person in front of the MCP client, or into the inbox."""

    spec = NodeSpec(
        type="HUMAN_IN_THE_LOOP",
        subtype="MCP_ELICITATION",
        summary="Ask the person in the MCP client that started the run, and go on by the answer.",
        effect="keyed",
        configurations=(
            Field(
                "message",
                "string",
                "The question; {{ content.amount }} stands for a part of what goes in.",
                required=True,
                multiline=True,
            ),
            Field(
                "requested_schema",
                "object",
                "JSON Schema of the answer with plain fields; without it: approve or decline.",
                {},
            ),
            response_timeout(default=3600, minimum=60),
            ANALYSIS_MODEL,
            analysis_prompt("custom_analysis_prompt"),
        ),
        inputs=INPUTS,
        outputs=(
            *OUTPUTS,
            Field(FILLED, "object", "What was filled in, where a schema asked for fields."),
            ANSWERS,
        ),
        output_ports=PORTS,
        tags=("human", "approval", "mcp", "elicitation"),
        keywords=(
            *("elicitation", "ask", "approve", "confirm", "human", "mcp"),
            *("client", "question", "form", "claude"),
        ),
        guidance=(
            f"{GUIDANCE} A client that cannot ask its user leaves the question in the inbox, where "
            "it is answered as any other."
        ),
        checks=(read_form,),
        examples=(
            Example(
                "Before deleting",
                "Asks the caller of the workflow.",
                {"message": "Delete {{ content.files }} files?"},
                {"content": {"files": 12}},
                port="confirmed",
            ),
            Example(
                "Ask for a name",
                "A form with one field, in the client.",
                {
                    "message": "What shall the project be called?",
                    "requested_schema": {
                        "type": "object",
                        "properties": {"name": {"type": "string", "minLength": 1}},
                        "required": ["name"],
                    },
                    "response_timeout": 600,
                },
                {"content": {"folder": "src"}},
                port="timeout",
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """What the person answered, by the port of what it means. Raises `FORM_SCHEMA_INVALID`."""
        given = context.given
        schema = read_form(given)
        has_form = schema is not None
        mention = given.text("user_mention")
        question = Question(
            kind="form" if has_form else "approval",
            text=f"{mention}\n{given.text('message')}".strip(),
            schema=approval_schema() if schema is None else schema,
            options=() if has_form else ("Approve", "Decline"),
            channel="mcp",
            content=content_of(given),
        )
        asking = QuestionNode(
            question,
            float(given.whole("response_timeout")),
            advice=Advice(given.text("ai_analysis_model"), given.text("custom_analysis_prompt")),
            judge=form_judge(question) if has_form else None,
            more=filled_in,
        )
        return await ask(context, asking)


node = McpElicitation()
