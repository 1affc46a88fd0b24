"""Writes the tree of a foreign expression as CEL.

Whether names exist is not known here: references of other systems become paths, which the caller
resolves. What has no single equivalent raises `NotReadable`.
"""

from collections.abc import Collection
from itertools import zip_longest

from toolweave.cel.macros import LOOPS as MACROS
from toolweave.cel.paths import quoted, write_path
from toolweave.cel.signatures import SIGNATURES
from toolweave.cel.tokens import is_name
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
    is_native_function,
    joined_text,
    member,
    membership,
    plain_name,
    sort_of,
)
from toolweave.workflow.formats.foreign.joined_texts import format_parts
from toolweave.workflow.formats.foreign.parser import read_foreign
from toolweave.workflow.formats.foreign.system_names import referenced
from toolweave.workflow.formats.foreign.tree import (
    AppliedFilter,
    Call,
    Choice,
    Constant,
    Entries,
    FieldAccess,
    ForeignName,
    Function,
    Group,
    ItemAccess,
    Items,
    Joined,
    Loop,
    NotReadable,
    Operation,
    Sign,
    Tree,
)
from toolweave.workflow.formats.foreign.vocabulary import (
    AS_JSON,
    DEFAULTS,
    EXISTENCE,
    FILTERS_BY_ARGUMENTS,
    FORMATTING,
    FUNCTIONS,
    LOOPS,
    METHODS,
    SEVERAL,
    Sort,
)

_EACH = "item"


class ForeignWriter:
    """Writes one tree; `names` are those that a path may begin with."""

    def __init__(self, names: Collection[str], *, in_template: bool) -> None:
        self._names = names
        self._in_template = in_template
        self._bound: frozenset[str] = frozenset()
        # Whether it has a JSONPath into the input.
        self.has_json_path = False

    def whole(self, tree: Tree, parameter: str | None = None) -> CelPiece:
        """The CEL of a whole expression; a function of one item becomes its body."""
        if isinstance(tree, Function):
            if parameter is None or tree.parameter != parameter:
                raise NotReadable
            return self.whole(tree.body)
        if isinstance(tree, AppliedFilter) and tree.name in AS_JSON and self._in_template:
            return self.whole(tree.of)
        if (
            isinstance(tree, Call)
            and self._in_template
            and dotted_name(tree.of) in {"JSON.stringify", "json.dumps", "toJson", "json"}
            and len(tree.arguments) == 1
        ):
            return self.whole(tree.arguments[0])
        return self.written(tree)

    def written(self, tree: Tree) -> CelPiece:
        """The CEL of a part."""
        match tree:
            case Constant():
                return CelPiece(tree.cel, sort=sort_of(tree))
            case ForeignName() | FieldAccess() | ItemAccess():
                return self._path(tree)
            case Call():
                return self._call(tree)
            case AppliedFilter():
                return self._filter(tree)
            case Sign() | Operation() | Choice():
                return self._computed(tree)
            case Group():
                inner = self.written(tree.inner)
                return CelPiece(f"({inner.text})", sort=inner.sort)
            case Items() | Entries() | Loop():
                return self._collection(tree)
            case Joined():
                return self._joined(tree)
            case Function():
                raise NotReadable

    def _computed(self, tree: Sign | Operation | Choice) -> CelPiece:
        match tree:
            case Sign():
                return self._sign(tree)
            case Operation():
                return self._operation(tree)
            case Choice():
                return self._choice(tree)

    def _collection(self, tree: Items | Entries | Loop) -> CelPiece:
        match tree:
            case Items():
                items = ", ".join(self.written(one).text for one in tree.items)
                return CelPiece(f"[{items}]", sort="list")
            case Entries():
                pairs = (f"{self.written(k).text}: {self.written(v).text}" for k, v in tree.entries)
                return CelPiece(f"{{{', '.join(pairs)}}}")
            case Loop():
                return self._comprehension(tree)

    def _path(self, tree: ForeignName | FieldAccess | ItemAccess) -> CelPiece:
        if isinstance(tree, ForeignName) and tree.name in self._bound:
            return CelPiece(tree.name)
        if found := referenced(tree, self._names):
            self.has_json_path |= found.is_json_path
            return self._steps(CelPiece(write_path(found.path)), found.rest)
        if (each := self._each(tree)) is not None:
            return each
        match tree:
            case ForeignName():
                if "$" in tree.name:
                    raise NotReadable
                return CelPiece(tree.name)
            case FieldAccess(key="length"):
                return CelPiece(f"size({self.written(tree.of).text})", sort="number")
            case _:
                return self._steps(self.written(tree.of), (tree,))

    def _each(self, tree: ForeignName | FieldAccess | ItemAccess) -> CelPiece | None:
        """`days.map(d, d.high)` for `days[*].high`."""
        steps: list[Tree] = []
        found: Tree = tree
        while isinstance(found, FieldAccess | ItemAccess):
            if isinstance(found, ItemAccess) and found.index is None:
                over = self.written(found.of)
                if not steps or ".map(" in over.text:
                    break
                variable = self._variable(found.of)
                inner = self._steps(CelPiece(variable), tuple(reversed(steps)))
                text = f"{over.inside(POSTFIX)}.map({variable}, {inner.text})"
                return CelPiece(text, sort="list")
            steps.append(found)
            found = found.of
        return None

    def _variable(self, over: Tree) -> str:
        """A name for the items of a list: its first letter, if nothing else has it."""
        name = over.key if isinstance(over, FieldAccess) else dotted_name(over)
        letter = name[:1].lower()
        # The items of a node's own input are called `item` everywhere.
        is_own = over == ForeignName("data")
        is_free = not is_own and letter.isalpha() and letter not in {*self._names, *self._bound}
        return letter if is_free else _EACH

    def _steps(self, found: CelPiece, steps: tuple[Tree, ...]) -> CelPiece:
        for step, after in zip_longest(steps, steps[1:]):
            is_method = isinstance(after, Call) and after.of is step
            found = found if is_method else self._step(found, step)
        return found

    def _step(self, of: CelPiece, step: Tree) -> CelPiece:
        match step:
            case FieldAccess(key="length"):
                return CelPiece(f"size({of.text})", sort="number")
            case FieldAccess():
                return member(of.inside(POSTFIX), step)
            case ItemAccess():
                return self._item(of, step)
            case Call(of=FieldAccess() as method):
                return self._method(of, method.key, step.arguments)
            case _:
                raise NotReadable

    def _item(self, of: CelPiece, step: ItemAccess) -> CelPiece:
        base = of.inside(POSTFIX)
        match step.index:
            case None:
                raise NotReadable
            case Constant(text=str() as key) if step.is_optional:
                return CelPiece(f"{base}[?{quoted(key)}].orValue(null)")
            case Constant(text=str() as key) if is_name(key):
                return CelPiece(f"{base}.{key}")
            case Sign(sign="-", of=Constant(cel=digits)) if digits.isdigit():
                return CelPiece(f"{base}[size({of.text}) - {digits}]")
            case index:
                return CelPiece(f"{base}[{self.written(index).text}]")

    def _call(self, tree: Call) -> CelPiece:
        if found := referenced(tree, self._names):
            self.has_json_path |= found.is_json_path
            return self._steps(CelPiece(write_path(found.path)), found.rest)
        if tree.named:
            raise NotReadable
        name = dotted_name(tree.of)
        return self._special_call(tree, name) or self._function_call(tree, name)

    def _special_call(self, tree: Call, name: str) -> CelPiece | None:
        """Calls whose arguments are not just values."""
        plain = plain_name(name)
        if name and "." not in name and plain in EXISTENCE and len(tree.arguments) == 1:
            return self._existence(tree.arguments[0])
        if (formatted := self._formatted_call(tree, plain)) is not None:
            return formatted
        if name and "." not in name and plain in SEVERAL and len(tree.arguments) > 1:
            return self._several(plain, tree.arguments)
        if plain in {"any", "all"} and len(tree.arguments) == 1:
            return self._quantified(plain, tree.arguments[0])
        return None

    def _function_call(self, tree: Call, name: str) -> CelPiece:
        key = plain_name(name), len(tree.arguments)
        is_native = is_native_function(name)
        if name and key in FUNCTIONS and not is_native:
            return filled(FUNCTIONS[key], [self.written(one) for one in tree.arguments])
        if is_native and "." in name:
            return self._native(name, tree)
        if isinstance(tree.of, FieldAccess):
            return self._method(self.written(tree.of.of), tree.of.key, tree.arguments)
        if isinstance(tree.of, ForeignName) and (is_native or name in {"has", "type", "dyn"}):
            return self._native(name, tree)
        if isinstance(tree.of, ForeignName) and key in FUNCTIONS:
            return filled(FUNCTIONS[key], [self.written(one) for one in tree.arguments])
        raise NotReadable

    def _several(self, name: str, arguments: tuple[Tree, ...]) -> CelPiece:
        """A function of spreadsheets with any number of arguments."""
        match SEVERAL[name]:
            case "+":
                return joined_text([self.written(one) for one in arguments])
            case "??" if len(arguments) == 2:
                return self._coalesced(arguments[0], self.written(arguments[1]))
            case "&&" | "||" as sign:
                level = LEVELS[sign]
                texts = [self.written(one).inside(level) for one in arguments]
                return CelPiece(f" {sign} ".join(texts), level, "bool")
            case _:
                raise NotReadable

    def _formatted_call(self, tree: Call, name: str) -> CelPiece | None:
        """`'{} of {}'.format(a, b)`, `sprintf('%s', a)`, `format('{0}', a)`."""
        match tree:
            case Call(of=FieldAccess(of=Constant(text=str() as form), key="format")):
                values = tree.arguments
                if "{" not in form:
                    return None
            case Call(arguments=(Constant(text=str() as form), *rest)):
                values = tuple(rest)
                if name not in FORMATTING or not values:
                    return None
            case _:
                return None
        return self._formatted(form, values)

    def _formatted(self, form: str, values: tuple[Tree, ...]) -> CelPiece:
        pieces: list[CelPiece] = []
        for part in format_parts(form, len(values)):
            if isinstance(part, int):
                pieces.append(self.written(values[part]))
            else:
                pieces.append(CelPiece(quoted(part), sort="text"))
        return joined_text(pieces)

    def _native(self, name: str, tree: Call) -> CelPiece:
        values = ", ".join(self.written(one).text for one in tree.arguments)
        return CelPiece(f"{name}({values})")

    def _existence(self, asked: Tree) -> CelPiece:
        found = self.written(asked)
        if not isinstance(asked, FieldAccess) or "orValue" in found.text:
            raise NotReadable
        return CelPiece(f"has({found.text})", sort="bool")

    def _method(self, of: CelPiece, name: str, arguments: tuple[Tree, ...]) -> CelPiece:
        plain = plain_name(name)
        match arguments:
            case (Function() as function,) if plain in LOOPS:
                return self._loop(of, *LOOPS[plain], function.parameter, function.body)
            case (ForeignName() as variable, body) if name in MACROS:
                sort: Sort = "list" if name in {"map", "filter"} else "bool"
                return self._loop(of, name, sort, variable.name, body)
            case (Constant(text=str()) as key,) if plain == "get":
                return CelPiece(f"{of.inside(POSTFIX)}[?{key.cel}].orValue(null)")
            case (Constant(text=str()) as key, default) if plain == "get":
                value = self.written(default).text
                return CelPiece(f"{of.inside(POSTFIX)}[?{key.cel}].orValue({value})")
            case _:
                pass
        values = [self.written(one) for one in arguments]
        if plain in {"includes", "contains"} and len(values) == 1 and of.sort == "list":
            return membership(values[0], "in", of)
        if (plain, len(values)) in METHODS and name not in SIGNATURES:
            return filled(METHODS[plain, len(values)], [of, *values])
        if name not in SIGNATURES:
            raise NotReadable
        given = ", ".join(one.text for one in values)
        kinds = {one.gives for one in SIGNATURES[name]}
        sort = "bool" if kinds == {"bool"} else "text" if kinds == {"string"} else "any"
        return CelPiece(f"{of.inside(POSTFIX)}.{name}({given})", sort=sort)

    def _loop(self, over: CelPiece, macro: str, sort: Sort, variable: str, body: Tree) -> CelPiece:
        if not is_name(variable):
            raise NotReadable
        outer, self._bound = self._bound, self._bound | {variable}
        inner = self.written(body).text
        self._bound = outer
        return CelPiece(f"{over.inside(POSTFIX)}.{macro}({variable}, {inner})", sort=sort)

    def _comprehension(self, tree: Loop) -> CelPiece:
        over = self.written(tree.over)
        if tree.keep is not None:
            over = self._loop(over, "filter", "list", tree.variable, tree.keep)
        if tree.body == ForeignName(tree.variable):
            return over
        return self._loop(over, "map", "list", tree.variable, tree.body)

    def _quantified(self, name: str, tree: Tree) -> CelPiece:
        if not isinstance(tree, Loop) or tree.keep is not None:
            raise NotReadable
        macro = "exists" if name == "any" else "all"
        return self._loop(self.written(tree.over), macro, "bool", tree.variable, tree.body)

    def _filter(self, tree: AppliedFilter) -> CelPiece:
        if tree.name in AS_JSON:
            raise NotReadable
        of = self.written(tree.of)
        if tree.name in DEFAULTS and len(tree.arguments) == 1 and isinstance(tree.of, FieldAccess):
            owner = self.written(tree.of.of)
            if not owner.text.endswith(")") and is_name(tree.of.key):
                default = self.written(tree.arguments[0]).text
                base = owner.inside(POSTFIX)
                return CelPiece(f"{base}.?{tree.of.key}.orValue({default})")
        match tree.named:
            case (("attribute", Constant(text=str() as field)),) if tree.name == "map":
                if is_name(field):
                    return CelPiece(f"{of.inside(POSTFIX)}.map({_EACH}, {_EACH}.{field})")
            case _:
                pass
        key = tree.name, len(tree.arguments)
        if tree.named or key not in FILTERS_BY_ARGUMENTS:
            raise NotReadable
        pattern = FILTERS_BY_ARGUMENTS[key]
        if pattern is None:
            return of
        return filled(pattern, [of, *(self.written(one) for one in tree.arguments)])

    def _sign(self, tree: Sign) -> CelPiece:
        of = self.written(tree.of)
        if tree.sign == "-":
            return CelPiece(f"-{of.inside(SIGN)}", SIGN, of.sort)
        return CelPiece(f"!{of.inside(SIGN)}", SIGN, "bool")

    def _operation(self, tree: Operation) -> CelPiece:
        if "between" in tree.signs:
            value, low, high = (self.written(one).inside(SUM) for one in tree.operands)
            return CelPiece(f"{value} >= {low} && {value} <= {high}", AND, "bool")
        joined = zip(tree.operands[:-1], tree.signs, tree.operands[1:], strict=True)
        pairs = [self._pair(one, sign, two) for one, sign, two in joined]
        if len(pairs) == 1:
            return pairs[0]
        return CelPiece(" && ".join(one.inside(AND) for one in pairs), AND, "bool")

    def _pair(self, one: Tree, sign: str, two: Tree) -> CelPiece:
        if sign in {"is", "is not"}:
            return self._state(one, two, is_same=sign == "is")
        if sign == "%" and isinstance(one, Constant) and one.text is not None:
            inner = two.inner if isinstance(two, Group) else two
            return self._formatted(one.text, two.items if isinstance(two, Items) else (inner,))
        first, second = self.written(one), self.written(two)
        if sign == "??":
            return self._coalesced(one, second)
        if sign == "&&" and "text" in {first.sort, second.sort}:
            return joined_text([first, second])  # `&` joins texts in spreadsheets
        if sign in {"contains", "in", "not in"}:
            return membership(first, sign, second)
        if sign == "||" and {first.sort, second.sort} & {"text", "number", "list"}:
            raise NotReadable  # a default, which JavaScript also takes for an empty text
        level = LEVELS[sign]
        text = f"{first.inside(level)} {sign} {second.inside(level + 1)}"
        sort: Sort = "bool" if level <= RELATION else first.sort
        return CelPiece(text, level, sort)

    def _state(self, one: Tree, two: Tree, *, is_same: bool) -> CelPiece:
        first, second = self.written(one), self.written(two)
        if isinstance(two, Constant) and two.cel in {"defined", "undefined"}:
            existence = self._existence(one).text
            is_there = is_same == (two.cel == "defined")
            return CelPiece(existence if is_there else f"!{existence}", SIGN, "bool")
        if isinstance(two, Constant) and two.cel == "empty":
            text = f"size({first.text}) {'==' if is_same else '>'} 0"
            return CelPiece(text, RELATION, "bool")
        sign = "==" if is_same else "!="
        text = f"{first.inside(SUM)} {sign} {second.inside(SUM)}"
        return CelPiece(text, RELATION, "bool")

    def _coalesced(self, one: Tree, default: CelPiece) -> CelPiece:
        first = self.written(one)
        if not isinstance(one, FieldAccess) or not is_name(one.key):
            raise NotReadable
        if first.text.endswith(OR_NULL):
            return CelPiece(f"{first.text.removesuffix('null)')}{default.text})")
        owner = self.written(one.of).inside(POSTFIX)
        return CelPiece(f"{owner}.?{one.key}.orValue({default.text})")

    def _choice(self, tree: Choice) -> CelPiece:
        condition, one, two = (self.written(one) for one in (tree.condition, tree.one, tree.two))
        text = f"{condition.inside(OR)} ? {one.inside(OR)} : {two.inside(CHOICE)}"
        return CelPiece(text, CHOICE, one.sort if one.sort == two.sort else "any")

    def _joined(self, tree: Joined) -> CelPiece:
        return joined_text(
            [
                self.written(read_foreign(text)) if is_code else CelPiece(quoted(text), sort="text")
                for is_code, text in tree.parts
                if is_code or text
            ]
        )
