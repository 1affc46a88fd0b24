"""What a request says about each parameter of a tool: values to choose from, or nothing.

Every word is a value of one parameter at most. First come values with a shape of their own, then
numbers with a sign of their parameter, then texts, then the numbers that are left.
"""

from dataclasses import dataclass, field, replace

from toolweave.assistant.extraction.amounts import Amount, amounts_in, is_unit
from toolweave.assistant.extraction.assignment import Option, best_assignment
from toolweave.assistant.extraction.english import bounds, words
from toolweave.assistant.extraction.fields import ParameterField
from toolweave.assistant.extraction.mentions import said_yes_or_no
from toolweave.assistant.extraction.passage import Passage
from toolweave.assistant.extraction.passages import Passages
from toolweave.assistant.extraction.prepositions import preposition_at, preposition_score
from toolweave.assistant.extraction.shapes import fits, named_codes, shaped_values
from toolweave.assistant.extraction.tokens import (
    STOP_WORDS,
    RequestToken,
    is_among,
    name_parts,
    stem,
    stems_of,
    tokens_of,
    without_quotes,
)
from toolweave.json_text import Json
from toolweave.patterns import pattern

# Passages that are so much worse than the best are no choice.
MARGIN = 0.5
MIN_REQUIRED, MIN_NULLABLE, MIN_OPTIONAL = 0.4, 1.0, 2.0
MAX_OPTIONS, MAX_CHOICES = 12, 6
# What any fitting number is worth, and what a text has to be worth for an optional parameter.
NUMBER, PRICE = 1.0, 1.5
_BOUNDS = bounds()
_LEADING = words("leading")
# A unit such as `km/h`.
_RATE = pattern(r"[A-Za-z]+/[a-z]{1,3}")


@dataclass(slots=True)
class Reading:
    """Reads one request; `choices` has the values of each parameter that it mentions."""

    request: str
    fields: list[ParameterField]
    about: str
    choices: dict[str, list[Json]] = field(default_factory=dict[str, "list[Json]"])
    _claimed: set[int] = field(default_factory=set[int])
    _tokens: list[RequestToken] = field(default_factory=list[RequestToken])
    _tool_stems: set[str] = field(default_factory=set[str])

    def read(self) -> dict[str, list[Json]]:
        """Return the values to choose from, by parameter."""
        self._tokens = tokens_of(self.request)
        self._tool_stems = stems_of(without_quotes(self.about))
        amounts = [one for one in amounts_in(self._tokens) if not self._is_described(one)]
        self._read_shaped()
        self._read_choices()
        self._read_lists(amounts)
        self._read_rest(amounts)
        self._read_left_name()
        self._read_booleans()
        self._keep_apart()
        return self.choices

    def _keep_apart(self) -> None:
        """Leave out of a text's choices what another text has as its first one."""
        texts = [one.name for one in self.fields if one.kind == "text" and one.name in self.choices]
        for name in texts:
            taken = [self.choices[other][0] for other in texts if other != name]
            first, *more = self.choices[name]
            self.choices[name] = [first, *(value for value in more if value not in taken)]

    @property
    def unused(self) -> int:
        """How many numbers and quoted passages of the request no parameter takes."""
        quoted = sum(
            at not in self._claimed for at, one in enumerate(self._tokens) if one.is_quoted
        )
        amounts = [one for one in amounts_in(self._tokens) if not self._is_described(one)]
        return quoted + sum(self._is_free(one.begin, one.end) for one in amounts)

    def _is_described(self, amount: Amount) -> bool:
        """Whether a number in words is the tool's own: `two numbers` of `Add two numbers`."""
        words = [token.word for token in self._tokens[amount.begin : amount.end + 1]]
        is_phrase = amount.is_word and len(words) > 1
        return is_phrase and f" {' '.join(words)} " in f" {self.about.lower().replace('.', ' ')} "

    def _of(self, *kinds: str) -> list[ParameterField]:
        return [one for one in self.fields if one.kind in kinds and one.name not in self.choices]

    def _claim(self, one: ParameterField, value: Json, begin: int, end: int) -> None:
        self.choices[one.name] = [value]
        self._claimed |= {*range(begin, end)}

    def _is_free(self, begin: int, end: int) -> bool:
        return not self._claimed & {*range(begin, end)}

    def _read_shaped(self) -> None:
        """Values with a shape; several of one shape go by the words beside, then in order."""
        fields = [one for one in self._of("shaped", "text") if self._is_shaped(one)]
        found = [
            [v for v in shaped_values(one, self._tokens) if self._is_free(v[1], v[2])]
            for one in fields
        ]
        options = [
            [
                Option(begin, self._shaped_score(one, begin, end), value, range(begin, end))
                for value, begin, end in values
            ]
            for one, values in zip(fields, found, strict=True)
        ]
        chosen = best_assignment(options, [one.is_required for one in fields])
        for one, option in zip(fields, chosen, strict=True):
            if option is not None and option.words is not None:
                self._claim(one, option.value, option.words.start, option.words.stop)

    def _shaped_score(self, one: ParameterField, begin: int, end: int) -> float:
        at = preposition_at(self._tokens, begin, one)
        role = 0.0 if at is None else preposition_score(self._tokens[at].word, one)
        return 1.0 + self._sign(one, begin, end) + role

    def _is_shaped(self, one: ParameterField) -> bool:
        return one.kind == "shaped" or one.is_phone or self._has_codes(one)

    def _has_codes(self, one: ParameterField) -> bool:
        return bool(named_codes(one)) and bool(shaped_values(one, self._tokens)) and _says_code(one)

    def _read_choices(self) -> None:
        for one in self._of("choice"):
            found = self._named(one) or self._nearly_named(one)
            if found:
                value, begin, end = max(
                    found, key=lambda v: (self._sign(one, v[1], v[2]), v[2] - v[1])
                )
                self._claim(one, value, begin, end)

    def _named(self, one: ParameterField) -> list[tuple[Json, int, int]]:
        """Return the choices of a parameter that the request names."""
        found: list[tuple[Json, int, int]] = []
        names = {name: code for name, code in named_codes(one).items() if code in one.choices}
        spelled: list[tuple[str, Json]] = [*names.items()]
        for value in one.choices:
            if isinstance(value, str) and (len(value) > 2 or not names):
                spelled.append((" ".join(name_parts(value)) or value, value))
                spelled.append((value, value))
        for text, value in spelled:
            words = [stem(word) for word in text.lower().split()]
            for at in range(len(self._tokens) - len(words) + 1):
                tokens = self._tokens[at : at + len(words)]
                if [stem(token.word) for token in tokens] == words and self._is_free(
                    at, at + len(words)
                ):
                    found.append((value, at, at + len(words)))
        return found

    def _nearly_named(self, one: ParameterField) -> list[tuple[Json, int, int]]:
        """Return the choice of which a longer or shorter form stands in the request."""
        found: list[tuple[Json, int, int]] = []
        for value in one.choices:
            for at, token in enumerate(self._tokens):
                is_free = not token.is_quoted and self._is_free(at, at + 1)
                if is_free and isinstance(value, str) and is_among(token.word, {stem(value)}):
                    found.append((value, at, at + 1))
        return found if len({str(value) for value, _, _ in found}) == 1 else []

    def _sign(self, one: ParameterField, begin: int, end: int) -> float:
        """Score how much the words beside a value speak of a parameter."""
        score = 0.0
        before = range(begin - 1, max(-1, begin - 4), -1)
        after = range(end, min(len(self._tokens), end + 3))
        for places in (before, after):
            for distance, at in enumerate(places):
                token = self._tokens[at]
                crossed = self._tokens[at - 1] if places is after else token
                if token.is_quoted or at in self._claimed or crossed.ends_sentence:
                    break
                if "," in crossed.after and distance:
                    break
                if any(letter.isdigit() for letter in token.text):
                    break
                near = 1 - 0.2 * distance
                if token.word in one.name_words or stem(token.word) in one.name_stems:
                    score = max(score, 3 * near)
                elif token.word not in STOP_WORDS and stem(token.word) in one.description_stems:
                    score = max(score, 1.5 * near)
        return score

    def _read_rest(self, amounts: list[Amount]) -> None:
        """Share the words that are left among numbers and texts, so that all fit best."""
        free = [one for one in amounts if self._is_free(one.begin, one.end)]
        passages = self._passages()
        fields = self._of("text", "number")
        scored = {one.name: passages.scored(one) for one in fields if one.kind == "text"}
        options = [
            self._text_options(one, scored[one.name], passages)
            if one.kind == "text"
            else self._number_options(one, free)
            for one in fields
        ]
        chosen = best_assignment(options, [one.is_required for one in fields])
        taken: list[tuple[ParameterField, Passage]] = []
        for one, option in zip(fields, chosen, strict=True):
            if option is None:
                continue
            if one.kind == "text":
                taken.append((one, scored[one.name][option.place]))
            else:
                self._take_number(one, free[option.place], option.value)
        for one, passage in taken:
            others = [other for _, other in taken if other is not passage]
            self._take_text(one, passage, scored[one.name], others)

    def _text_options(
        self, one: ParameterField, found: list[Passage], passages: Passages
    ) -> list[Option]:
        price = 0.0 if one.is_required else PRICE
        return [
            Option(
                place,
                passage.score - price,
                passage.text,
                range(2 * passage.begin, 2 * passage.end),
            )
            for place, passage in enumerate(found)
            if _is_enough(one, passage, passages)
        ][:MAX_OPTIONS]

    def _number_options(self, one: ParameterField, free: list[Amount]) -> list[Option]:
        return [
            Option(
                place,
                NUMBER + self._number_score(one, amount),
                amount.in_unit(one.seconds),
                _halves(amount, free[:place]),
            )
            for place, amount in enumerate(free)
            if fits(amount.in_unit(one.seconds), one.schema)
        ]

    def _take_number(self, one: ParameterField, amount: Amount, value: Json) -> None:
        self._claim(one, value, amount.begin, amount.end)
        if amount.has_time_unit:
            self._claimed.add(min(len(self._tokens) - 1, amount.end))

    def _number_score(self, one: ParameterField, amount: Amount) -> float:
        score = self._sign(one, amount.begin, amount.end) + self._bound(one, amount.begin)
        if amount.has_time_unit:
            return max(score, 3.5) if one.seconds else score - 1.5
        following = self._tokens[amount.end : amount.end + 1]
        is_in_name = following and following[0].is_capitalized
        if is_in_name and not self._tokens[amount.end - 1].after:
            return score - 1.5  # `12 Baker Street`
        return score

    def _bound(self, one: ParameterField, begin: int) -> float:
        """Score `under 150` for a highest value, and against a lowest one."""
        said = {token.word for token in self._tokens[max(0, begin - 3) : begin] if not token.after}
        for direction, own, other in (
            ("upper", "upperNames", "lowerNames"),
            ("lower", "lowerNames", "upperNames"),
        ):
            if said & _BOUNDS[direction]:
                is_own = bool(one.name_words & _BOUNDS[own])
                return 2.0 * is_own - 2.0 * bool(one.name_words & _BOUNDS[other])
        return 0.0

    def _read_lists(self, amounts: list[Amount]) -> None:
        for one in self._of("list"):
            items = one.schema.get("items")
            if not isinstance(items, dict):
                continue
            if items.get("type") in {"number", "integer"}:
                values: list[Json] = [
                    amount.value
                    for amount in amounts
                    if self._is_free(amount.begin, amount.end) and fits(amount.value, items)
                ]
                if values and fits(values, {**one.schema, "items": items}):
                    self.choices[one.name] = [values]
                    for amount in amounts:
                        self._claimed |= {*range(amount.begin, amount.end)}
            elif isinstance(items.get("enum"), list):
                self._read_named_items(one, items)
            elif items.keys() & {"pattern", "format"}:
                self._read_shaped_items(one, items)
            elif items.get("type") == "string":
                self._read_texts_of_list(one)

    def _read_named_items(self, one: ParameterField, items: dict[str, Json]) -> None:
        listed = items.get("enum")
        choices = tuple(listed) if isinstance(listed, list) else ()
        item = ParameterField(one.name, items, is_required=False, kind="choice", choices=choices)
        named = sorted(self._named(item), key=lambda v: v[1])
        values: list[Json] = []
        for value, begin, end in named:
            self._claimed |= {*range(begin, end)}
            if value not in values:
                values.append(value)
        if values:
            self.choices[one.name] = [values]

    def _read_shaped_items(self, one: ParameterField, items: dict[str, Json]) -> None:
        item = replace(one, schema=items, kind="shaped")
        found = [v for v in shaped_values(item, self._tokens) if self._is_free(v[1], v[2])]
        if found:
            self.choices[one.name] = [[value for value, _, _ in found]]
            for _, begin, end in found:
                self._claimed |= {*range(begin, end)}

    def _read_texts_of_list(self, one: ParameterField) -> None:
        """A list after the parameter's own word: `labelled bug and urgent`, `tags: a, b`."""
        starts = [
            at + 1
            for at, token in enumerate(self._tokens[:-1])
            if stem(token.word) in one.name_stems and (self._tokens[at].after in {"", ":"})
        ]
        for start in starts:
            while start < len(self._tokens) - 1 and self._leads(start):
                start += 1
            values, end = self._listed(start)
            if values:
                self._claim(one, [*values], start, end)
                return
        needed = sum(other.is_required for other in self._of("text"))
        quoted = [
            at
            for at, token in enumerate(self._tokens)
            if token.is_quoted and at not in self._claimed
        ]
        if one.is_required and len(quoted) > needed:
            self.choices[one.name] = [[self._tokens[at].text for at in quoted[needed:]]]
            self._claimed |= {*quoted[needed:]}

    def _leads(self, at: int) -> bool:
        """Whether a word stands between the name of a list and its first item."""
        word = self._tokens[at].word
        return word in _LEADING or (bool(word) and is_among(word, self._tool_stems))

    def _listed(self, start: int) -> tuple[list[str], int]:
        values: list[str] = []
        words: list[str] = []
        at = start
        while at < len(self._tokens):
            token = self._tokens[at]
            is_join = token.word in {"and", "or", "&"}
            if at in self._claimed or (token.word in STOP_WORDS and not is_join):
                break
            if not is_join:
                words.append(token.text)
            if words and (is_join or token.after or token.is_quoted):
                values.append(" ".join(words))
                words = []
            at += 1
            if token.after and token.after.strip(","):
                break
        if words:
            values.append(" ".join(words))
        return values, at

    def _passages(self) -> Passages:
        return Passages(
            self.request,
            self._tokens,
            self._tool_stems,
            self._claimed,
            other_words={word for one in self._of("text") for word in one.name_words},
            other_stems={word for one in self.fields for word in one.name_stems},
            amounts=self._amount_words(),
            flags={
                at
                for at, token in enumerate(self._tokens)
                for one in self._of("boolean")
                if any(is_among(part, one.name_stems) for part in name_parts(token.text))
            },
            expects_numbers=bool(self._of("number")),
            has_passage=any(one.is_passage for one in self._of("text")),
            has_label=any(one.is_label and not one.is_heading for one in self._of("text")),
        )

    def _amount_words(self) -> set[int]:
        """Return the places of free numbers and of the unit after them."""
        units = {word for one in self._of("number") for word in one.name_stems}
        units |= {word for one in self._of("number") for word in one.description_stems}
        found: set[int] = set()
        for amount in amounts_in(self._tokens):
            found |= {*range(amount.begin, amount.end)}
            after = self._tokens[amount.end : amount.end + 1]
            is_joined = after and not self._tokens[amount.end - 1].after
            is_rate = after and _RATE.fullmatch(after[0].text)
            is_own = after and (is_unit(after[0].word) or stem(after[0].word) in units)
            if is_joined and (is_rate or is_own):
                found.add(amount.end)
        return found

    def _read_left_name(self) -> None:
        """The only name that is left is the value of the only text that is left."""
        left = self._of("text")
        if len(left) != 1 or left[0].is_passage:
            return
        names = self._passages().names(left[0])
        if len(names) == 1:
            self._claim(left[0], names[0].text, names[0].begin, names[0].end)

    def _take_text(
        self, one: ParameterField, taken: Passage, found: list[Passage], others: list[Passage]
    ) -> None:
        near: list[Json] = [
            passage.text
            for passage in found
            if passage is not taken
            and passage.has_sign >= taken.has_sign
            and passage.score > taken.score - MARGIN
            and not any(passage.overlaps(other) for other in others)
            # Where a name begins and ends is no question for a small model.
            and (one.is_passage or not passage.overlaps(taken))
        ]
        self.choices[one.name] = list(dict.fromkeys([taken.text, *near]))[:MAX_CHOICES]
        self._claimed |= {*range(taken.begin, taken.end)}

    def _read_booleans(self) -> None:
        for one in self._of("boolean"):
            value = said_yes_or_no(one, self._tokens, self.about)
            if value is not None:
                self.choices[one.name] = [value]


def _halves(amount: Amount, before: list[Amount]) -> range:
    """Return the words of a number, each counted twice: `640x480` is two numbers in one word."""
    is_second = any(one.begin == amount.begin for one in before)
    if is_second:
        return range(2 * amount.begin + 1, 2 * amount.end)
    return range(2 * amount.begin, 2 * amount.begin + 1)


def _is_enough(one: ParameterField, passage: Passage, passages: Passages) -> bool:
    if one.is_required:
        return passage.score >= (MIN_NULLABLE if one.is_nullable else MIN_REQUIRED)
    is_named = passage.has_sign and not passages.is_indefinite(passage)
    return is_named and passage.score >= MIN_OPTIONAL


def _says_code(one: ParameterField) -> bool:
    words = {*one.name_words, *one.description.lower().replace(",", " ").split()}
    return bool({"iso", "code"} & words) or one.kind == "shaped"
