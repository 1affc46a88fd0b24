"""Word sequences of a request that may be the value of a text parameter, with a score for each.

Words that the tool's own description uses belong to the instruction; what is quoted, capitalized,
shaped like an identifier, or introduced by the parameter's own words is rather a value.
"""

from collections.abc import Collection, Iterator, Sequence

from toolweave.assistant.extraction.english import words
from toolweave.assistant.extraction.fields import ParameterField
from toolweave.assistant.extraction.instructions import (
    GOING_ON,
    goes_on_to_other,
    has_instruction,
    instructions,
)
from toolweave.assistant.extraction.names import is_address, is_name_part
from toolweave.assistant.extraction.passage import Passage
from toolweave.assistant.extraction.prepositions import ROLES, preposition_at, preposition_score
from toolweave.assistant.extraction.shapes import is_code, named_codes
from toolweave.assistant.extraction.tokens import (
    STOP_WORDS,
    RequestToken,
    is_among,
    outline_of,
    stem,
)
from toolweave.assistant.extraction.value_classes import classes_of

MAX_PASSAGE_WORDS = 30
MIN_PART, MIN_SENTENCE_WORDS = 3, 2
_JOINING = words("joining")
_INTRODUCING = words("introducing")
_INDEFINITE = words("indefinite")
_DETERMINERS = words("determiners")
_COPULAS = frozenset({"is", "are", "was", "equals", "="})
_VERBS = words("verbs")
_CALENDAR = words("days") | words("months")
_SPEECH = _INTRODUCING | {"that"}
_PART_NAMES = ({"first", "given", "forename"}, {"last", "family", "surname"})
_BOUNDS = frozenset({"least", "most", "less", "more", "max", "min"})
_NO_START = _DETERMINERS | {"me", "us", "him", "them", "it", "you"}
_VAGUE = frozenset({"from", "by", "with"})


class Passages:
    """The passages of one request for one tool."""

    def __init__(
        self,
        request: str,
        tokens: Sequence[RequestToken],
        tool_stems: set[str],
        claimed: set[int],
        *,
        other_words: Collection[str] = (),
        other_stems: Collection[str] = (),
        amounts: Collection[int] = (),
        flags: Collection[int] = (),
        expects_numbers: bool = False,
        has_passage: bool = False,
        has_label: bool = False,
    ) -> None:
        self._request = request
        self._tokens = tokens
        self._tool_stems = tool_stems
        self._claimed = claimed
        self._expects_numbers = expects_numbers
        # The words that name parameters of yes or no.
        self._flags = {*flags}
        # The words of numbers and their units.
        self._amounts = {*amounts} if expects_numbers else set[int]()
        self._has_passage = has_passage
        self._has_label = has_label
        # The words of all text parameters' names.
        self._other_words = {*other_words}
        # The words of the names of all parameters.
        self._other_stems = {*other_stems}
        # Values of the parameter in hand by their names, such as those of colors.
        self._known: set[str] = set()
        self._verbs, self._late = instructions(tokens, tool_stems)

    def scored(self, field: ParameterField) -> list[Passage]:
        """Return the passages that a text parameter may take, best first."""
        self._known = {*named_codes(field)}
        found = [
            self._with_score(field, one)
            for begin in range(len(self._tokens))
            for one in self._from(field, begin)
        ]
        return sorted(found, key=lambda one: (-one.score, not one.has_sign, one.begin, one.end))

    def _from(self, field: ParameterField, begin: int) -> Iterator[Passage]:
        tokens = self._tokens
        most = field.schema.get("maxLength")
        if tokens[begin].is_quoted and begin not in self._claimed:
            yield Passage(tokens[begin].text, begin, begin + 1)
            return
        for end in range(begin + 1, min(len(tokens), begin + MAX_PASSAGE_WORDS) + 1):
            last = end - 1
            if last in self._claimed or tokens[last].is_quoted:
                return
            text = self._text(field, begin, end)
            if isinstance(most, int) and len(text) > most:
                return
            if self._may_be(field, begin, end):
                yield Passage(text, begin, end)
            if tokens[last].ends_sentence and not self._is_after_colon(begin):
                return

    def _text(self, field: ParameterField, begin: int, end: int) -> str:
        """Return the words as they are written, with the mark that ends a whole sentence."""
        last = self._tokens[end - 1]
        text = self._request[self._tokens[begin].start : last.end]
        is_tail = end == len(self._tokens) and field.is_passage and self._is_after_colon(begin)
        inside = self._tokens[begin:end]
        is_sentence = inside[0].is_capitalized and len(inside) > MIN_SENTENCE_WORDS
        keeps_stop = is_sentence or any(one.ends_sentence for one in inside[:-1])
        if is_tail and (keeps_stop or "." not in last.after):
            return text + last.after
        return text

    def _may_be(self, field: ParameterField, begin: int, end: int) -> bool:
        """Whether a passage begins and ends where a value may."""
        first, last = self._tokens[begin], self._tokens[end - 1]
        if first.word in _INTRODUCING or goes_on_to_other(
            self._tokens[begin:end], self._other_stems - field.name_stems
        ):
            return False
        if self._is_after_colon(begin) and (end == len(self._tokens) or last.after):
            return True
        has_break = any(one.after for one in self._tokens[begin : end - 1])
        if (
            has_break
            and not field.is_passage
            and not (field.is_place and is_address(self._tokens[begin:end]))
        ):
            return False
        if self._late & {*range(begin, end)}:
            return False
        if not field.is_passage and has_instruction(self._tokens[begin : end + 1]):
            return False
        if end - begin == 1 and first.word in _DETERMINERS:
            return False
        is_open = field.is_passage or self._is_headed(field, begin)
        if last.word in STOP_WORDS and not (is_open and self._ends(end)):
            return False
        if field.is_passage and (self._is_introduced(begin) or self._is_clause(begin)):
            return True
        if first.word in STOP_WORDS or first.text == "=":
            return field.is_passage and first.word not in _NO_START and begin > 0
        return last.text != "="

    def _is_headed(self, field: ParameterField, begin: int) -> bool:
        """Whether it is a heading after its own word: `the subject Lunch tomorrow`."""
        if begin == 0 or not field.is_heading:
            return False
        before = self._tokens[begin - 1]
        is_own = stem(before.word) in field.name_stems or before.word in _INTRODUCING
        return is_own and not before.after

    def _ends(self, end: int) -> bool:
        if end == len(self._tokens) or self._tokens[end - 1].after:
            return True
        if self._tokens[end].word not in GOING_ON or end + 1 == len(self._tokens):
            return False
        following = self._tokens[end + 1]
        goes_on = following.word in _VERBS and not following.is_capitalized
        return goes_on or stem(following.word) in self._other_stems

    def _is_after_colon(self, begin: int) -> bool:
        """Whether a colon introduces it: `Note: …`, but not `Urgent: send …`."""
        if begin == 0 or ":" not in self._tokens[begin - 1].after:
            return False
        is_instruction = (
            self._tokens[begin].word in _VERBS and not self._tokens[begin].is_capitalized
        )
        return not is_instruction or any(one.word in _VERBS for one in self._tokens[:begin])

    def _with_score(self, field: ParameterField, one: Passage) -> Passage:
        form = 5.0 if self._tokens[one.begin].is_quoted else self._form(field, one)
        introduction, role = self._introduction(field, one), self._role(field, one)
        following = self._following(field, one)
        if inside := self._inside(field, one):
            following, role = max(following, inside), max(role, 0.0)
        likeness = self._likeness(field, one)
        form += self._outline(field, one) + likeness
        is_object = one.begin - 1 in self._verbs and one.end == len(self._tokens)
        is_quoted = self._tokens[one.begin].is_quoted
        has_sign = max(introduction, role, following, likeness) >= 1 or is_quoted or is_object
        score = form + introduction + role + following - self._tail(field, one)
        if not field.may_look(one.text) or self._is_empty(one):
            score -= 10.0
        return Passage(one.text, one.begin, one.end, score, has_sign)

    def _is_empty(self, one: Passage) -> bool:
        """Whether it says nothing: words such as `is`, or the name of a parameter alone."""
        inside = self._tokens[one.begin : one.end]
        if inside[0].is_quoted or self._is_after_colon(one.begin):
            return False
        is_name = len(inside) == 1 and inside[0].text.islower()
        return (is_name and stem(inside[0].word) in self._other_stems) or all(
            token.word in STOP_WORDS or token.word in _BOUNDS for token in inside
        )

    def _tail(self, field: ParameterField, one: Passage) -> float:
        """Score words after a colon, which belong to a parameter with a longer text."""
        if field.is_passage or not self._has_passage:
            return 0.0
        return 3.0 if any(":" in token.after for token in self._tokens[: one.begin]) else 0.0

    def _following(self, field: ParameterField, one: Passage) -> float:
        """Score the word after it, as in `the visits counter`."""
        if one.end >= len(self._tokens) or self._tokens[one.end - 1].after:
            return 0.0
        word = self._tokens[one.end].word
        if word in _INTRODUCING:
            # `titled` speaks of what comes after it.
            return 0.0
        if stem(word) in field.name_stems:
            return 2.0
        return 1.0 if stem(word) in field.description_stems else 0.0

    def _inside(self, field: ParameterField, one: Passage) -> float:
        """Score the parameter's own word as a part of a name, as in `12 Baker Street`."""
        inside = self._tokens[one.begin : one.end]
        is_own = any(
            token.is_capitalized and stem(token.word) in field.name_stems for token in inside
        )
        has_break = any(token.after for token in inside[:-1])
        return 2.5 if is_own and len(inside) > 1 and not has_break else 0.0

    def _outline(self, field: ParameterField, one: Passage) -> float:
        """Score whether it has the form that the description shows, such as `owner/name`."""
        if field.outline is None:
            return 0.0
        return 2.5 if outline_of(one.text) == field.outline else -2.5

    def _likeness(self, field: ParameterField, one: Passage) -> float:
        """Score whether it looks like what the parameter takes, such as a path."""
        inside = self._tokens[one.begin : one.end]
        if inside[0].is_quoted:
            return 0.0
        numbers = self._amounts & {*range(one.begin, one.end)} and not self._may_count(field, one)
        if field.is_passage:
            return 0.0 if self._is_after_colon(one.begin) else -3.0 * bool(numbers)
        if len(inside) > 1:
            is_mixed = any(is_code(token.text) for token in inside)
            names_itself = stem(inside[-1].word) in field.name_stems and inside[-1].text.islower()
            is_number = bool(numbers) and self._amounts >= {*range(one.begin, one.end)}
            return -2.0 * (is_mixed + names_itself + bool(numbers) + is_number)
        found = classes_of(inside[0].text)
        if inside[0].word in self._known:
            return 3.0
        if field.classes & found and not (numbers and field.classes <= {"path", "url"}):
            return 2.0
        return -2.0 * bool(field.classes) - 4.0 * bool(numbers)

    def _may_count(self, field: ParameterField, one: Passage) -> bool:
        """Whether a number belongs to it: `Bolt Street 5`, or `account 5521`."""
        if one.end - one.begin > 1:
            first, second = self._tokens[one.begin : one.begin + 2]
            is_numbered = first.text[0].isdigit() and second.is_capitalized and not first.after
            return is_numbered or (field.is_place and first.is_capitalized)
        is_own = one.begin and stem(self._tokens[one.begin - 1].word) in field.name_stems
        return bool(is_own) and field.kind == "text"

    def _form(self, field: ParameterField, one: Passage) -> float:
        """Score what the words themselves look like."""
        tokens = self._tokens[one.begin : one.end]
        if one.begin in self._verbs:
            return -4.0
        share = sum(self._is_value(token) for token in tokens) / len(tokens)
        if field.is_passage or self._is_headed(field, one.begin):
            score = (0.15 * len(tokens) + 0.5) * share
            score += 1.5 if self._ends(one.end) else 0
            score -= 0.5 if tokens[0].word in STOP_WORDS else 0
            at = one.begin - 1
            while at >= 0 and self._tokens[at].word in STOP_WORDS and not self._tokens[at].after:
                at -= 1
            # `Find wireless headphones under 100`: what the instruction is about.
            is_object = at in self._verbs and self._ends_value(one.end)
            return score + (1.5 if is_object else 0) - 4.0 * self._is_flag(one)
        score = 2.0 * share - 4.0 * self._is_flag(one) - 0.25 * max(0, len(tokens) - 3)
        if self._is_introduced(one.begin) and not self._ends_value(one.end):
            return score - 1.0 - self._cut(one)
        if self._is_name(field, one):
            return score + (2.0 if share else 0.0)
        if len(tokens) == 1 and is_code(tokens[0].text):
            score += 1.5
        elif any(token.is_capitalized for token in tokens):
            score -= 1.0
        return score - self._cut(one)

    def _is_flag(self, one: Passage) -> bool:
        """Whether it is no more than the name of a parameter of yes or no."""
        return self._flags >= {*range(one.begin, one.end)}

    def _is_introduced(self, begin: int) -> bool:
        before = self._tokens[begin - 1] if begin else None
        return before is not None and before.word in _INTRODUCING and not before.after

    def _is_clause(self, begin: int) -> bool:
        """Whether it follows `that` and an instruction: `Tell them that the door is open`."""
        is_after = begin > 1 and self._tokens[begin - 1].word == "that"
        said = (one.word for one in self._tokens[: begin - 1])
        return is_after and not self._has_label and any(word in _VERBS for word in said)

    def _ends_value(self, end: int) -> bool:
        return self._ends(end) or end in self._claimed or self._tokens[end].word in STOP_WORDS

    def _cut(self, one: Passage) -> float:
        """Score words beside it that seem to belong to it."""
        beside = 0.0
        if one.begin and not self._tokens[one.begin - 1].after:
            beside += self._is_loose(one.begin - 1)
        if one.end < len(self._tokens) and not self._tokens[one.end - 1].after:
            beside += self._is_loose(one.end)
        return 0.75 * beside

    def _is_loose(self, at: int) -> bool:
        token = self._tokens[at]
        is_free = at not in self._claimed and at not in self._verbs and not token.is_quoted
        return is_free and token.word not in _INTRODUCING and self._is_value(token)

    def _is_value(self, token: RequestToken) -> bool:
        is_empty = token.word in STOP_WORDS or token.word in _BOUNDS
        return not is_empty and not is_among(token.word, self._tool_stems)

    def _is_name(self, field: ParameterField, one: Passage) -> bool:
        """Whether it is a whole sequence of capitalized words."""
        inside = self._tokens[one.begin : one.end]
        first, last = inside[0], inside[-1]
        if not (
            first.is_capitalized
            or (first.text[0].isdigit() and inside[1:2] and inside[1].is_capitalized)
        ):
            return False
        is_number = last.text.isdigit() and (not self._expects_numbers or field.is_place)
        may_end = last.is_capitalized or is_number
        if not may_end or not all(self._in_name(token) for token in inside):
            return False
        if self._is_described(one):
            return False
        if part := next((one for one in _PART_NAMES if one & field.name_words), None):
            is_first = part is _PART_NAMES[0]
            return is_name_part(self._tokens, self._verbs, one.begin, one.end, is_first=is_first)
        return not self._continues(field, one.end) and not self._began(field, one.begin)

    def _is_described(self, one: Passage) -> bool:
        """Whether a noun follows that belongs to it: `the Nova headphones`."""
        has_article = one.begin > 0 and self._tokens[one.begin - 1].word in _DETERMINERS
        is_open = one.end < len(self._tokens) and not self._tokens[one.end - 1].after
        return has_article and is_open and self._is_loose(one.end)

    def names(self, field: ParameterField) -> list[Passage]:
        """Return the names in the request that nothing has taken, in their order."""
        found = (
            passage
            for begin in range(len(self._tokens))
            if begin not in self._verbs
            for passage in self._from(field, begin)
            if not passage.text.isdigit() and self._is_name(field, passage)
            if any(
                self._is_value(one) or stem(one.word) in field.description_stems
                for one in self._tokens[begin : passage.end]
            )
        )
        names: list[Passage] = []
        for one in found:
            if one.text.lower() not in _CALENDAR and not any(map(one.overlaps, names)):
                names.append(one)
        return names

    def _in_name(self, token: RequestToken) -> bool:
        return token.is_capitalized or token.word in _JOINING or token.text[0].isdigit()

    def _continues(self, field: ParameterField, at: int) -> bool:
        if at >= len(self._tokens) or at in self._claimed:
            return False
        before, token = self._tokens[at - 1], self._tokens[at]
        if before.after and not (field.is_place and before.after == ","):
            return False
        if token.word in _JOINING and at + 1 < len(self._tokens):
            return self._tokens[at + 1].is_capitalized and at + 1 not in self._claimed
        is_number = token.text.isdigit() and (not self._expects_numbers or field.is_place)
        return is_number or (token.is_capitalized and token.word not in STOP_WORDS)

    def _began(self, field: ParameterField, begin: int) -> bool:
        at = begin - 1
        if at < 0 or at in self._verbs or at in self._claimed:
            return False
        token = self._tokens[at]
        if token.after and not (field.is_place and token.after == ","):
            return False
        return token.is_capitalized and token.word not in STOP_WORDS

    def _introduction(self, field: ParameterField, one: Passage) -> float:
        """Score the words before it: the parameter's own, or `called`; and a known example."""
        if one.text.lower() in field.examples:
            return 3.0
        if self._is_after_colon(one.begin) and (field.is_passage or self._ends(one.end)):
            is_whole = one.end == len(self._tokens)
            return 3.0 + is_whole if field.is_passage else 1.0
        score = 0.0
        for distance, at in enumerate(range(one.begin - 1, max(-1, one.begin - 4), -1)):
            token = self._tokens[at]
            if token.is_quoted or token.after.strip("':") or at in self._claimed | self._late:
                break
            is_clause = field.is_passage and self._is_clause(one.begin)
            if (token.word in _INTRODUCING or is_clause) and distance == 0:
                score = max(score, 3.0)
            is_own = stem(token.word) in field.name_stems or _is_part(token.word, field)
            if is_own and token.word not in ROLES:
                score = max(score, 3.0 - distance / 2)
            elif token.word not in STOP_WORDS and stem(token.word) in field.description_stems:
                score = max(score, 1.5 - distance / 2)
        return score

    def _role(self, field: ParameterField, one: Passage) -> float:
        """Score the preposition before it, and `is` beside it."""
        at = preposition_at(self._tokens, one.begin, field)
        after = self._tokens[one.end].word if one.end < len(self._tokens) else ""
        is_copula = after in _COPULAS and not self._tokens[one.end - 1].after
        if is_copula and field.is_label and not self._is_headed(field, one.begin):
            return 2.0
        if at is None:
            return 0.0
        before = self._tokens[at].word
        if before in _COPULAS:
            return 2.0 if field.is_passage and not self._is_in_speech(at) else 0.5
        if score := preposition_score(before, field):
            return score
        names = ROLES.get(before, frozenset[str]())
        if self._other_words & names:
            return -1.0
        return 0.5 if names and before not in _VAGUE and not field.is_passage else 0.0

    def _is_in_speech(self, at: int) -> bool:
        """Whether a word that introduces a text stands before: `saying the room is warm`."""
        return any(one.word in _SPEECH for one in self._tokens[:at])

    def is_indefinite(self, one: Passage) -> bool:
        """Whether it is `a failure`, which names nothing."""
        return one.begin > 0 and self._tokens[one.begin - 1].word in _INDEFINITE


def _is_part(word: str, field: ParameterField) -> bool:
    """Whether a name begins with a word: `username` with `user`."""
    return len(word) > MIN_PART and any(one.startswith(word) for one in field.name_words)
