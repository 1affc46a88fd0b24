"""How reviewers judge: the scales, what passes, who may hand on to whom, when all agree."""

import re
from dataclasses import dataclass

from toolweave.catalog.node import NodeContext, NodeInput, Resumed
from toolweave.catalog.node_input import refused_at
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._question import Port, QuestionMemory, Verdict
from toolweave.nodes.human._reply_meaning import Advice, read_reply, words_of
from toolweave.workflow.question import DECLINED, Question

# Points of a letter: a threshold of 3.0 is passed with a B.
GRADES = {
    "A+": 4.3,
    "A": 4.0,
    "A-": 3.7,
    "B+": 3.3,
    "B": 3.0,
    "B-": 2.7,
    "C+": 2.3,
    "C": 2.0,
    "C-": 1.7,
    "D": 1.0,
    "F": 0.0,
}
EVIDENCE, DELEGATE, ABSTAIN = "evidence", "delegate_to", "abstain"
MAX_TEXT = 10_000


@dataclass(frozen=True, slots=True)
class Review:
    """One review, by its settings."""

    scoring: str
    criteria: tuple[str, ...]
    reviewers: tuple[str, ...]
    lowest: float
    highest: float
    threshold: float
    needs_evidence: bool
    may_delegate: bool
    needs_all: bool
    model: str

    @property
    def options(self) -> tuple[str, ...]:
        """What can be said with one button."""
        return ("pass", "fail") if self.scoring == "pass_fail" else ()

    def schema(self) -> JsonObject:
        """The JSON Schema of one reviewer's judgement."""
        properties: JsonObject = dict(self._scored())
        properties[EVIDENCE] = {
            "type": "string",
            "title": "Reason or link",
            "maxLength": MAX_TEXT,
            **({"minLength": 1} if self.needs_evidence else {}),
        }
        properties[ABSTAIN] = {"type": "boolean", "title": "I can't review this"}
        if self.may_delegate:
            properties[DELEGATE] = {"type": "string", "title": "Hand on to", "minLength": 1}
        return {"type": "object", "properties": properties, "additionalProperties": False}

    def _scored(self) -> JsonObject:
        match self.scoring:
            case "numeric_scale":
                ends: JsonObject = {"minimum": self.lowest, "maximum": self.highest}
                return {"score": {"type": "number", "title": "Score", **ends}}
            case "letter_grade":
                return {"grade": {"type": "string", "title": "Grade", "enum": list(GRADES)}}
            case "checklist":
                return {
                    f"check_{number}": {"type": "boolean", "title": criterion}
                    for number, criterion in enumerate(self.criteria, 1)
                }
            case "custom":
                return {"judgement": {"type": "string", "title": "Judgement", "minLength": 1}}
            case _:
                return {"verdict": {"type": "string", "title": "Verdict", "enum": ["pass", "fail"]}}

    async def judge(
        self, context: NodeContext, resumed: Resumed, memory: QuestionMemory
    ) -> Verdict:
        """What one reviewer's judgement leads to."""
        reply = self._as_form(resumed.reply)
        who = (resumed.who or "").casefold()
        text = _told(reply)
        if isinstance(reply, dict) and reply != DECLINED:
            if why := self._faults(reply):
                return Verdict(None, text, why=why)
            if DELEGATE in reply:
                return self._delegated(who, str(reply[DELEGATE]), memory)
        port, read_by = await self._port(context, reply)
        if port is None:
            return Verdict(None, text, why="it holds no judgement")
        if not self.needs_all:
            return Verdict(port, text, read_by)
        return self._agreed(who, port, text, read_by, memory)

    def _as_form(self, reply: Json) -> Json:
        """A plain text such as `pass` or `4: well written`, as the form it stands for."""
        text = reply.get("text") if isinstance(reply, dict) and set(reply) == {"text"} else reply
        if not isinstance(text, str):
            return {self._field(): reply} if isinstance(reply, int | float) else reply
        head, _, reason = text.strip().partition(":")
        value = self._value(head.strip())
        if value is None:
            return text
        return {self._field(): value, **({EVIDENCE: reason.strip()} if reason.strip() else {})}

    def _field(self) -> str:
        names = {"numeric_scale": "score", "letter_grade": "grade", "custom": "judgement"}
        return names.get(self.scoring, "verdict")

    def _value(self, word: str) -> Json:
        match self.scoring:
            case "numeric_scale":
                return float(word) if re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", word) else None
            case "letter_grade":
                return word.upper() if word.upper() in GRADES else None
            case "pass_fail":
                return word.lower() if word.lower() in {"pass", "fail"} else None
            case _:
                return None

    def _faults(self, reply: JsonObject) -> str | None:
        asked = Question(kind="review", text="", schema=self.schema())
        if found := asked.faults(reply):
            return "; ".join(problem.message for problem in found)
        is_judged = not (reply.get(ABSTAIN) is True or DELEGATE in reply)
        if is_judged and self.needs_evidence and not reply.get(EVIDENCE):
            return f"a judgement needs its reason, as {EVIDENCE!r}"
        return None

    def _delegated(self, who: str, to: str, memory: QuestionMemory) -> Verdict:
        handed = memory.own.get("handed_on")
        known = dict(handed) if isinstance(handed, dict) else {}
        if to.casefold() in {who, *known}:
            return Verdict(None, f"to {to}", why="it cannot be handed back")
        known[who] = to.casefold()
        own: JsonObject = {**memory.own, "handed_on": known}
        return Verdict(None, f"handed on to {to}", own=own, joins=(to,))

    async def _port(self, context: NodeContext, reply: Json) -> tuple[Port | None, str]:
        if reply == DECLINED or (isinstance(reply, dict) and reply.get(ABSTAIN) is True):
            return "unrelated", "form"
        if isinstance(reply, dict) and self.scoring != "custom":
            passes = self._passes(reply)
            return (None if passes is None else "confirmed" if passes else "rejected"), "form"
        words = reply.get("judgement") if isinstance(reply, dict) else reply
        asked = context.given.text("review_title")
        read = await read_reply(context, asked, words, Advice(self.model))
        return read.meaning, read.read_by

    def _passes(self, reply: JsonObject) -> bool | None:
        match self.scoring:
            case "numeric_scale":
                score = reply.get("score")
                return score >= self.threshold if isinstance(score, int | float) else None
            case "letter_grade":
                grade = reply.get("grade")
                return GRADES[grade] >= self.threshold if isinstance(grade, str) else None
            case "checklist":
                checks = [reply.get(f"check_{at}") for at in range(1, len(self.criteria) + 1)]
                return None if all(one is None for one in checks) else all(checks)
            case _:
                return reply["verdict"] == "pass" if "verdict" in reply else None

    def _agreed(
        self, who: str, port: Port, text: str, read_by: str, memory: QuestionMemory
    ) -> Verdict:
        before = memory.own.get("verdicts")
        verdicts: JsonObject = dict(before) if isinstance(before, dict) else {}
        if who in verdicts:
            return Verdict(None, text, why="this reviewer has judged before; the first counts")
        verdicts[who] = port
        own: JsonObject = {**memory.own, "verdicts": verdicts}
        handed = memory.own.get("handed_on")
        moved = handed if isinstance(handed, dict) else {}
        wanted = {_last(one.casefold(), moved) for one in self.reviewers}
        if port == "rejected":
            return Verdict("rejected", text, read_by, own=own)
        if not wanted <= set(verdicts):
            return Verdict(None, text, read_by, own=own)
        said = {str(verdicts[one]) for one in wanted} - {"unrelated"}
        return Verdict("confirmed" if said else "unrelated", text, read_by, own=own)


def review_of(given: NodeInput) -> Review:
    """The review of a node's settings. Raises `Invalid`: `REVIEW_INVALID`."""
    ends = given.record("score_range")
    lowest, highest = ends.get("min", 1), ends.get("max", 5)
    if not (isinstance(lowest, int | float) and isinstance(highest, int | float)):
        raise _invalid("'score_range' needs the numbers 'min' and 'max'", "score_range")
    threshold = given.number("passing_threshold")
    scoring = given.text("scoring_system")
    if scoring == "numeric_scale" and not lowest < highest:
        message = "'score_range' must begin below where it ends"
        raise _invalid(message, "score_range")
    if scoring == "numeric_scale" and not lowest <= threshold <= highest:
        message = f"'passing_threshold' is {threshold:g}, outside of 'score_range'"
        raise _invalid(message, "passing_threshold")
    return Review(
        scoring,
        tuple(map(str, given.listing("review_criteria"))),
        tuple(map(str, given.listing("reviewers"))),
        float(lowest),
        float(highest),
        threshold,
        given.flag("require_evidence"),
        given.flag("allow_delegation"),
        given.flag("consensus_required"),
        given.text("ai_analysis_model"),
    )


def _invalid(message: str, field: str) -> Invalid:
    hint = 'write score_range as {"min": 1, "max": 5}, and passing_threshold within it'
    return refused_at((field,), "REVIEW_INVALID", message, hint=hint)


def _last(who: str, moved: JsonObject) -> str:
    """The one who judges in the place of somebody, however often it was handed on."""
    for _ in moved:
        who = str(moved.get(who, who))
    return who


def _told(reply: Json) -> str:
    if not isinstance(reply, dict) or reply == DECLINED:
        return words_of(reply)
    parts = [f"{name}: {value}" for name, value in reply.items() if value not in ("", None)]
    return ", ".join(parts)[:MAX_TEXT]
