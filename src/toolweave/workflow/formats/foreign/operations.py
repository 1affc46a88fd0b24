"""Operators and decisions of other languages as CEL; a part of the writer."""

from collections.abc import Callable
from dataclasses import replace

from toolweave.cel.paths import quoted
from toolweave.cel.tokens import is_name
from toolweave.workflow.formats.foreign.arithmetic import calculated, floored
from toolweave.workflow.formats.foreign.calls import CallWriter
from toolweave.workflow.formats.foreign.cel_piece import (
    AND,
    CHOICE,
    LEVELS,
    OR,
    OR_NULL,
    POSTFIX,
    RELATION,
    SIGN,
    SUM,
    CelPiece,
    dotted_name,
    filled,
    joined_text,
    membership,
)
from toolweave.workflow.formats.foreign.comparisons import compared_index, compared_type, is_match
from toolweave.workflow.formats.foreign.methods import whole_number
from toolweave.workflow.formats.foreign.tree import (
    Call,
    Choice,
    Constant,
    FieldAccess,
    ForeignName,
    Group,
    Items,
    LocalValue,
    NotReadable,
    Operation,
    Sign,
    Tree,
)
from toolweave.workflow.formats.foreign.truth import both, coalesced, either, is_default, truth
from toolweave.workflow.formats.foreign.vocabulary import (
    TESTS,
    Sort,
)
from toolweave.workflow.shapes import ALL, ValueShape

_NUMBERS = frozenset({"number", "whole", "decimal"})
_UNDEFINED = Constant("undefined")
_NULL = Constant("null")


class OperationWriter(CallWriter):
    """Writes operators, choices and what counts as true."""

    # Whether the next operation is compared with 0.
    _is_zero = False

    def true(self, tree: Tree) -> CelPiece:
        """The CEL of a part that decides something."""
        match tree:
            case Group():
                inner = self.true(tree.inner)
                return replace(inner, text=f"({inner.text})", level=POSTFIX)
            case Sign(sign="!" | "not"):
                return self._sign(tree)
            case Operation(signs=("&&" | "||" | "and" | "or" as sign,)):
                one, two = (self.true(operand) for operand in tree.operands)
                return self._decided(one, {"and": "&&", "or": "||"}.get(sign, sign), two)
            case Choice():
                one, two = self.true(tree.one), self.true(tree.two)
                return self._chosen(tree, one, two)
            case LocalValue():
                return self._named(tree, self.true)
            case _ if is_match(tree):
                return self._matched(tree)
            case Constant(cel=word) if word not in {"true", "false"}:
                raise NotReadable  # `x == 'a' || 'b'`
            case Operation(signs=("&" | "~",)) if self.written(tree).sort == "text":
                raise NotReadable  # a text is no condition
            case _:
                found = self.written(tree)
                is_value = "orValue(" in found.text or found.level == CHOICE
                return truth(found, self._language, is_any=is_value)

    def _decided(self, one: CelPiece, sign: str, two: CelPiece) -> CelPiece:
        level = LEVELS[sign]
        if one.kinds == ALL and (f"{one.text}." in two.text or f"size({one.text}" in two.text):
            one = truth(one, self._language, is_any=True)
        return CelPiece(f"{one.inside(level)} {sign} {two.inside(level + 1)}", level, "bool")

    def _matched(self, tree: Tree) -> CelPiece:
        """Whether a pattern is found."""
        match tree:
            case Call(of=FieldAccess(of=of, key="match"), arguments=(Constant() as form,)):
                text, found = self.written(of), form.cel
            case Call(arguments=(Constant(text=str() as form), of)):
                is_start = dotted_name(tree.of) == "re.match" and (form[:1] != "^" or "|" in form)
                text, found = self.written(of), quoted(f"^(?:{form})" if is_start else form)
            case _:
                raise NotReadable
        return CelPiece(f"{text.inside(POSTFIX)}.matches({found})", sort="bool")

    def _named(self, tree: LocalValue, written: Callable[[Tree], CelPiece]) -> CelPiece:
        value = self.written(tree.value)
        if not is_name(tree.name) or tree.name in self._names:
            raise NotReadable
        outer = self._bound
        self._bound = {**outer, tree.name: _shape(value)}
        body = written(tree.body)
        self._bound = outer
        return CelPiece(f"cel.bind({tree.name}, {value.text}, {body.text})", sort=body.sort)

    def _guarded_length(self, one: Tree, sign: str, two: Tree) -> CelPiece | None:
        """`x?.length > 0`, which is false where there is no list."""
        match one:
            case FieldAccess(key="length", is_optional=True):
                of = self.written(one.of)
            case _:
                return None
        if of.optional is None or not (of.may_miss or "null" in of.kinds):
            return None
        number = whole_number(two)
        if number is None or (sign, number > 0) not in {(">", True), (">", False), (">=", True)}:
            return None
        if "null" in of.kinds and of.kinds != ALL:
            text = f"{of.or_null} != null && size({of.or_null}) {sign} {number}"
            return CelPiece(text, AND, "bool")
        return CelPiece(f"size({of.optional}.orValue([])) {sign} {number}", RELATION, "bool")

    def _sign(self, tree: Sign) -> CelPiece:
        if tree.sign == "-":
            of = self.written(tree.of)
            return CelPiece(f"-{of.inside(SIGN)}", SIGN, of.sort)
        if tree.sign not in {"!", "not"}:
            raise NotReadable
        match tree.of:
            case Sign(sign="!", of=inner):
                asked = self.true(inner)
                return truth(asked, self._language, is_any=True)
            case _:
                of = self.true(tree.of)
        if of.text.startswith("!(") and of.level == SIGN:
            return CelPiece(of.text[2:-1], RELATION, "bool")
        return CelPiece(f"!{of.inside(SIGN)}", SIGN, "bool")

    def _operation(self, tree: Operation) -> CelPiece:
        if "between" in tree.signs:
            value, low, high = (self.written(one).inside(SUM) for one in tree.operands)
            return CelPiece(f"{value} >= {low} && {value} <= {high}", AND, "bool")
        joined = zip(tree.operands[:-1], tree.signs, tree.operands[1:], strict=True)
        pairs = [self._pair(one, sign, two) for one, sign, two in joined]
        if len(pairs) == 1:
            return pairs[0]
        if self._language == "javascript":
            raise NotReadable  # it compares true or false with the last
        return CelPiece(" && ".join(one.inside(AND) for one in pairs), AND, "bool")

    def _pair(self, one: Tree, sign: str, two: Tree) -> CelPiece:
        if sign in {"is", "is not"}:
            return self._state(one, two, is_same=sign == "is")
        if sign == "%" and isinstance(one, Constant) and one.text is not None:
            inner = two.inner if isinstance(two, Group) else two
            items = two.items if isinstance(two, Items) else (inner,)
            return self._formatted(one.text, items, "python")
        is_strict = len(sign) == 3 and sign[1:] == "=="
        sign = {"===": "==", "!==": "!="}.get(sign, sign)
        if sign in {"==", "!="} and two in {_NULL, _UNDEFINED} and (is_strict or self._may_be_js):
            return self._nothing(one, sign, is_undefined=two == _UNDEFINED, is_strict=is_strict)
        if (found := compared_index(one, sign, two)) is not None:
            method, is_there = found
            held = self.written(method)
            return held if is_there else CelPiece(f"!{held.inside(SIGN)}", SIGN, "bool")
        if isinstance(one, Sign) and one.sign == "typeof":
            if two == Constant("'undefined'", "undefined"):
                return self._nothing(one.of, sign, is_undefined=True, is_strict=True)
            return compared_type(self.written(one.of), sign, two)
        if any(isinstance(part, Constant) and part.is_regex for part in (one, two)):
            raise NotReadable  # nothing is equal to a pattern
        return self._guarded_length(one, sign, two) or self._joint(one, sign, two)

    @property
    def _may_be_js(self) -> bool:
        return self._language == "javascript"

    def _joint(self, one: Tree, sign: str, two: Tree) -> CelPiece:
        if LEVELS.get(sign) == RELATION and sign != "in":
            return self._related(one, sign, two)
        if sign == "**":
            return self._power(one, two)
        first, second = self.written(one), self.written(two)
        if sign == "??":
            return coalesced(first, second)
        if sign == "&" and "text" in {first.sort, second.sort}:
            return joined_text([first, second])  # of spreadsheets
        if sign in {"&", "|"} and not {first.sort, second.sort} <= {"bool", "any"}:
            raise NotReadable  # of bits
        return self._operated(one, sign, two, first, second)

    def _operated(
        self, one: Tree, sign: str, two: Tree, first: CelPiece, second: CelPiece
    ) -> CelPiece:
        sign = {"&": "&&", "|": "||", "and": "&&", "or": "||"}.get(sign, sign)
        if sign in {"contains", "in", "not in"}:
            return membership(first, sign, second)
        if sign in {"&&", "||"}:
            if sign == "||" and isinstance(one, Constant) and one.text is not None:
                raise NotReadable  # it joins texts in SQL
            if sign == "||" and first.sort == "bool" and isinstance(two, Constant):
                raise NotReadable  # `x == 'a' || 'b'` is meant to compare twice
            if is_default(first, second):
                return (either if sign == "||" else both)(first, second, self._language)
            return self._decided(first, sign, second)
        if sign == "//":
            if self._language != "python":
                raise NotReadable  # a default in jq
            return floored(first, second)
        if sign == "~":
            return joined_text([first, second], "python")
        return calculated(first, sign, second, self._language, is_compared_to_zero=self._is_zero)

    def _related(self, one: Tree, sign: str, two: Tree) -> CelPiece:
        is_zero = sign in {"==", "!="} and Constant("0") in {one, two}
        outer, self._is_zero = self._is_zero, is_zero
        first, second = self.written(one), self.written(two)
        self._is_zero = outer
        if not _fit(first, second):
            raise NotReadable
        return CelPiece(f"{first.inside(SUM)} {sign} {second.inside(SUM)}", RELATION, "bool")

    def _state(self, one: Tree, two: Tree, *, is_same: bool) -> CelPiece:
        if isinstance(two, Constant) and two.cel in {"defined", "undefined"}:
            existence = self._existence(one).text
            is_there = is_same == (two.cel == "defined")
            return CelPiece(existence if is_there else f"!{existence}", SIGN, "bool")
        if two == _NULL and is_match(one):
            return self._nothing(one, "==" if is_same else "!=", is_undefined=False, is_strict=True)
        if not isinstance(two, Constant):
            return self._tested(one, two, is_same=is_same)
        first, second = self.written(one), self.written(two)
        if two.cel == "empty":
            text = f"size({first.text}) {'==' if is_same else '>'} 0"
            return CelPiece(text, RELATION, "bool")
        sign = "==" if is_same else "!="
        text = f"{first.inside(SUM)} {sign} {second.inside(SUM)}"
        return CelPiece(text, RELATION, "bool")

    def _tested(self, one: Tree, test: Tree, *, is_same: bool) -> CelPiece:
        """`x is string` of Jinja; in Python no other thing than a constant is asked for."""
        name = test.name if isinstance(test, ForeignName) else ""
        if name not in TESTS:
            raise NotReadable
        found = filled(TESTS[name], [self.written(one)])
        return found if is_same else CelPiece(f"!({found.text})", SIGN, "bool")

    def _nothing(self, one: Tree, sign: str, *, is_undefined: bool, is_strict: bool) -> CelPiece:
        """A comparison with null or undefined; a loose one does not tell them apart."""
        if is_match(one):
            found = self._matched(one)
            return found if sign == "!=" else CelPiece(f"!{found.text}", SIGN, "bool")
        of = self.written(one)
        if is_strict and is_undefined:
            if of.text.endswith(OR_NULL) and of.optional is not None:
                there = CelPiece(f"{of.optional}.hasValue()", sort="bool")
            elif isinstance(one, FieldAccess) and is_name(one.key) and of.text.endswith(one.key):
                there = CelPiece(f"has({of.text})", sort="bool")
            else:
                raise NotReadable
            return there if sign == "!=" else CelPiece(f"!{there.text}", SIGN, "bool")
        if is_strict and of.text.endswith(OR_NULL):
            raise NotReadable  # a missing value is not null
        value = of.inside(SUM) if is_strict else of.or_null
        return CelPiece(f"{value} {sign} null", RELATION, "bool")

    def _choice(self, tree: Choice) -> CelPiece:
        return self._chosen(tree, self.written(tree.one), self.written(tree.two))

    def _chosen(self, tree: Choice, one: CelPiece, two: CelPiece) -> CelPiece:
        condition = self.true(tree.condition)
        if condition.kinds == ALL and condition.text in {one.text, two.text}:
            condition = truth(condition, self._language or "javascript", is_any=True)
        if condition.sort == "bool" and (one.text, two.text) == ("true", "false"):
            return condition
        text = f"{condition.inside(OR)} ? {one.inside(OR)} : {two.inside(CHOICE)}"
        return CelPiece(text, CHOICE, common_sort(one, two))


def common_sort(one: CelPiece, two: CelPiece) -> Sort:
    return one.sort if one.sort == two.sort else "any"


def _shape(value: CelPiece) -> ValueShape:
    return value.shape if value.sort == "any" else ValueShape(value.kinds, items=value.shape.items)


def _fit(one: CelPiece, two: CelPiece) -> bool:
    """Whether two values are of kinds that can be equal in every language."""
    sorts = {"number" if piece.sort in _NUMBERS else piece.sort for piece in (one, two)}
    return "any" in sorts or len(sorts) == 1
