"""HUMAN_IN_THE_LOOP.FORM: have somebody fill in a form."""

from toolweave.catalog.node import NodeContext, NodeInput, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.human._forms import FILLED, filled_in, form_judge, form_schema
from toolweave.nodes.human._question import Nudge, QuestionNode, ask, content_of
from toolweave.nodes.human._reply import ANSWERS, INPUTS, OUTPUTS, PORTS, response_timeout
from toolweave.workflow.question import Question


def read_form(given: NodeInput) -> JsonObject:
    """The schema of the form. Raises `FORM_SCHEMA_INVALID`."""
    return form_schema(given, "form_schema")


class Form:
    """Shows a form in the inbox and goes on with what was filled in."""

    spec = NodeSpec(
        type="HUMAN_IN_THE_LOOP",
        subtype="FORM",
        summary="Have a person fill in a form in the inbox, check it, and go on with its values.",
        effect="keyed",
        configurations=(
            Field("form_title", "string", "Heading: Ship order {{ content.id }}.", required=True),
            Field(
                "form_description",
                "string",
                "What the form is for, in Markdown.",
                "",
                multiline=True,
            ),
            Field(
                "form_schema",
                "object",
                "JSON Schema of the answer, an object; each property is a field of the form.",
                required=True,
            ),
            Field(
                "people",
                "array",
                "Names or addresses of those who may fill it in; empty: anybody.",
                [],
                items="string",
            ),
            response_timeout(default=86_400, minimum=60),
            Field(
                "reminder_seconds",
                "integer",
                "Seconds after which the form is shown as overdue; 0: never.",
                0,
                minimum=0,
                maximum=604_800,
            ),
        ),
        inputs=INPUTS,
        outputs=(
            *OUTPUTS,
            Field(FILLED, "object", "What was filled in, checked by the schema."),
            ANSWERS,
        ),
        output_ports=PORTS,
        tags=("human", "form", "input"),
        keywords=(
            *("form", "ask", "input", "fill", "human", "fields"),
            *("questionnaire", "data entry", "collect", "inbox"),
        ),
        guidance=(
            "confirmed: filled in and valid. rejected: declined. unrelated: a text that is no "
            "form. A form with faults is sent back with each of them named, and waits on."
        ),
        checks=(read_form,),
        examples=(
            Example(
                "Details of a delivery",
                "Asks for an address and a day.",
                {
                    "form_title": "Delivery of {{ content.order }}",
                    "form_schema": {
                        "type": "object",
                        "properties": {
                            "street": {"type": "string", "minLength": 1},
                            "day": {"type": "string", "format": "date"},
                            "express": {"type": "boolean", "default": False},
                        },
                        "required": ["street", "day"],
                    },
                },
                {"content": {"order": "A-1042"}},
                port="confirmed",
            ),
            Example(
                "Rate a talk",
                "Only the two speakers may answer, within an hour.",
                {
                    "form_title": "Your talk",
                    "form_description": "How did it go?",
                    "form_schema": {
                        "type": "object",
                        "properties": {"stars": {"type": "integer", "minimum": 1, "maximum": 5}},
                        "required": ["stars"],
                    },
                    "people": ["ada@example.com", "grace@example.com"],
                    "response_timeout": 3600,
                },
                {"content": {"talk": "Engines"}},
                port="timeout",
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """The filled form, or how it came that there is none. Raises `FORM_SCHEMA_INVALID`."""
        given = context.given
        question = Question(
            kind="form",
            title=given.text("form_title"),
            text=given.text("form_description") or given.text("form_title"),
            schema=read_form(given),
            people=tuple(map(str, given.listing("people"))),
            content=content_of(given),
        )
        after_s = given.whole("reminder_seconds")
        nudges = (Nudge(after_s, f"Reminder: {question.title}"),) if after_s else ()
        wait_s = float(given.whole("response_timeout"))
        asking = QuestionNode(
            question, wait_s, nudges=nudges, judge=form_judge(question), more=filled_in
        )
        return await ask(context, asking)


node = Form()
