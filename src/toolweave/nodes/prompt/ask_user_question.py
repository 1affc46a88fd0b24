"""`askUserQuestion`: a person picks one of some options, and the run goes that way."""

from toolweave.catalog.node import Given, NodeContext, Outcome, Wait
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject


class AskUserQuestion:
    """Waits for an answer: an option's label, its id or its number counted from 0."""

    types = ("askUserQuestion",)
    effect = "keyed"

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """The answer, by the port of its option.

        Raises:
            Invalid: `ANSWER_INVALID` for an answer that is no option.
        """
        given = context.given
        options = _options(given)
        is_free = given.flag("multiSelect") or given.flag("useAiSuggestions") or not options
        if context.resumed is None:
            labels: list[Json] = [option.get("label") for option in options]
            question: JsonObject = {"text": given.text("questionText"), "options": labels}
            return Wait(question=question | {"multiSelect": given.flag("multiSelect")})
        reply = context.resumed.reply
        if is_free:
            return Outcome({"answer": reply, "data": given.came_in})
        index = _chosen(options, reply)
        value: JsonObject = {"answer": options[index].get("label"), "data": given.came_in}
        return Outcome(value, (f"branch-{index}",))


def _options(given: Given) -> list[JsonObject]:
    return [option for option in given.listing("options") if isinstance(option, dict)]


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
