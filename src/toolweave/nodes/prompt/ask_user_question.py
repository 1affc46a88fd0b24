"""`askUserQuestion`: a person picks one of some options, and the run goes that way."""

from toolweave.catalog.node import NodeContext, NodeInput, Outcome, Wait
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.question import ANSWER, Question, choice_schema, question_id


class AskUserQuestion:
    """Waits for an answer: an option's label, its id or its number counted from 0."""

    types = ("askUserQuestion",)
    effect = "keyed"

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """The answer, by the port of its option."""
        given = context.given
        options = _options(given)
        is_free = given.flag("multiSelect") or given.flag("useAiSuggestions") or not options
        if context.resumed is None:
            return Wait(question=_question(context, options).as_json())
        reply = context.resumed.reply
        if is_free:
            answer = reply.get(ANSWER, reply) if isinstance(reply, dict) else reply
            if options and not given.flag("useAiSuggestions"):
                answer = _all_chosen(options, answer)
            return Outcome({"answer": answer, "data": given.incoming})
        index = _chosen(options, reply)
        value: JsonObject = {"answer": options[index].get("label"), "data": given.incoming}
        return Outcome(value, (f"branch-{index}",))


def _question(context: NodeContext, options: list[JsonObject]) -> Question:
    given = context.given
    labels = tuple(str(option.get("label")) for option in options)
    is_multiple = given.flag("multiSelect")
    # Where a model suggests, any answer will do.
    closed = () if given.flag("useAiSuggestions") else labels
    return Question(
        id=question_id(context.key),
        kind="choice",
        text=given.text("questionText"),
        schema=choice_schema(closed, is_multiple=is_multiple),
        options=labels,
        is_multiple=is_multiple,
    )


def _options(given: NodeInput) -> list[JsonObject]:
    return [option for option in given.listing("options") if isinstance(option, dict)]


def _all_chosen(options: list[JsonObject], answer: Json) -> Json:
    """The labels of what was chosen, each an option; one alone stays one."""
    if not isinstance(answer, list):
        return options[_chosen(options, answer)].get("label")
    return [options[_chosen(options, one)].get("label") for one in answer]


def _chosen(options: list[JsonObject], reply: Json) -> int:
    if isinstance(reply, dict):
        reply = reply.get("answer", reply.get("option"))
    if isinstance(reply, int) and not isinstance(reply, bool) and 0 <= reply < len(options):
        return reply
    words = str(reply).strip().casefold()
    for index, option in enumerate(options):
        if words in {str(option.get(name)).strip().casefold() for name in ("label", "id")}:
            return index
    listed = ", ".join(repr(option.get("label")) for option in options)
    raise Invalid("ANSWER_INVALID", f"{reply!r:.80} is none of the options: {listed}")


plain = AskUserQuestion()
