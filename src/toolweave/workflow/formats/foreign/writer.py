"""Writes the tree of a foreign expression as CEL that gives the same value.

Whether names exist is not known here: references of other systems become paths, which the caller
resolves. What has no single equivalent raises `NotReadable`. A missing field, a null where a value
is needed, a place outside of a list and a text that is no number fail in CEL, where JavaScript goes
on with `undefined` or `NaN`. A value whose type is not declared must be true or false where it
decides something, and is written into a text as CEL writes it.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import zip_longest

from toolweave.cel.paths import Path, quoted, write_path
from toolweave.cel.tokens import is_name
from toolweave.workflow.formats.foreign.cel_piece import (
    OR_NULL,
    POSTFIX,
    SUM,
    CelPiece,
    dotted_name,
    joined_text,
    member,
    shaped,
    sort_of,
)
from toolweave.workflow.formats.foreign.comparisons import is_match
from toolweave.workflow.formats.foreign.methods import (
    LOWER,
    UPPER,
    changed_case,
    item_at,
    part,
    whole_number,
)
from toolweave.workflow.formats.foreign.operations import OperationWriter, common_sort
from toolweave.workflow.formats.foreign.source_language import SourceLanguage
from toolweave.workflow.formats.foreign.statements import read_foreign
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
    LocalValue,
    Loop,
    NotReadable,
    Operation,
    Sign,
    Slice,
    Spread,
    Tree,
)
from toolweave.workflow.formats.foreign.truth import either
from toolweave.workflow.formats.foreign.vocabulary import (
    AS_JSON,
    DEFAULTS,
    FILTERS_BY_ARGUMENTS,
    Pattern,
)
from toolweave.workflow.shapes import ALL, UNKNOWN, ValueShape, look_up

_EACH = "item"
_UNDEFINED = Constant("undefined")
# The shape of the value at a path.
ShapeOf = Callable[[Path], ValueShape]


class ForeignWriter(OperationWriter):
    """Writes one tree; `names` are those that a path may begin with."""

    def __init__(
        self,
        names: Collection[str],
        *,
        in_template: bool,
        language: SourceLanguage = "",
        shape_of: ShapeOf | None = None,
    ) -> None:
        super().__init__(names, language)
        self._in_template = in_template
        self._shape_of: ShapeOf = shape_of or (lambda _: UNKNOWN)
        # Whether it has a JSONPath into the input.
        self.has_json_path = False

    def whole(
        self, tree: Tree, parameter: str | None = None, *, is_condition: bool = False
    ) -> CelPiece:
        """The CEL of a whole expression; a function of one item becomes its body."""
        if isinstance(tree, Function):
            body = tree.body.inner if isinstance(tree.body, Group) else tree.body
            if isinstance(body, Function):
                raise NotReadable
            found = self.whole(tree.body, is_condition=is_condition)
            # `a -> b` reads a field in some languages.
            is_whole = tree.parameter in self._names and f"{tree.parameter}." in found.text
            if tree.parameter not in {parameter, ""} and not is_whole:
                raise NotReadable
            return found
        if isinstance(tree, AppliedFilter) and tree.name in AS_JSON and self._in_template:
            return self.whole(tree.of)
        if (
            isinstance(tree, Call)
            and self._in_template
            and dotted_name(tree.of) in {"JSON.stringify", "json.dumps", "toJson", "json"}
            and len(tree.arguments) == 1
        ):
            return self.whole(tree.arguments[0])
        return self.true(tree) if is_condition else self.written(tree)

    def written(self, tree: Tree) -> CelPiece:
        """The CEL of a part."""
        match tree:
            case Constant():
                return CelPiece("null" if tree == _UNDEFINED else tree.cel, sort=sort_of(tree))
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
                return replace(inner, text=f"({inner.text})", level=POSTFIX, optional=None)
            case Items() | Entries() | Loop():
                return self._collection(tree)
            case Joined() | Slice() | LocalValue():
                return self._other(tree)
            case Function() | Spread():
                raise NotReadable

    def _other(self, tree: Joined | Slice | LocalValue) -> CelPiece:
        match tree:
            case Joined():
                return self._joined(tree)
            case Slice():
                return self._slice(tree)
            case LocalValue():
                return self._named(tree, self.written)

    def _slice(self, tree: Slice) -> CelPiece:
        start = 0 if tree.start is None else whole_number(tree.start)
        end = None if tree.end is None else whole_number(tree.end)
        if start is None or (tree.end is not None and end is None):
            raise NotReadable
        return part(self.written(tree.of), start, end)

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
                return self._items(tree)
            case Entries():
                pairs = (f"{self.written(k).text}: {self.written(v).text}" for k, v in tree.entries)
                return CelPiece(f"{{{', '.join(pairs)}}}", sort="map")
            case Loop():
                return self._comprehension(tree)

    def _items(self, tree: Items) -> CelPiece:
        parts: list[str] = []
        plain: list[str] = []
        for one in tree.items:
            if isinstance(one, Spread):
                spread = self.written(one.of)
                if spread.sort not in {"list", "any"}:
                    raise NotReadable
                parts += [f"[{', '.join(plain)}]"] if plain else []
                parts.append(spread.inside(POSTFIX))
                plain = []
            else:
                plain.append(self.written(one).text)
        if plain or not parts:
            parts.append(f"[{', '.join(plain)}]")
        return CelPiece(" + ".join(parts), SUM if len(parts) > 1 else POSTFIX, "list")

    def _rooted(self, path: Path) -> CelPiece:
        return shaped(write_path(path), self._shape_of(path))

    def _path(self, tree: ForeignName | FieldAccess | ItemAccess) -> CelPiece:
        if isinstance(tree, ForeignName) and tree.name in self._bound:
            return shaped(tree.name, self._bound[tree.name])
        if found := referenced(tree, self._names):
            self.has_json_path |= found.is_json_path
            return self._steps(self._rooted(found.path), found.rest)
        if (each := self._each(tree)) is not None:
            return each
        match tree:
            case ForeignName():
                if "$" in tree.name:
                    raise NotReadable
                return self._rooted((tree.name,))
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
                return self._length(of, step)
            case FieldAccess():
                return member(of, step)
            case ItemAccess():
                return self._item(of, step)
            case Call(of=FieldAccess() as method):
                return self._method(of, method.key, step.arguments)
            case _:
                raise NotReadable

    def _length(self, of: CelPiece, step: FieldAccess) -> CelPiece:
        if "length" in of.shape.fields:
            return member(of, step)
        may_miss = step.is_optional and (of.may_miss or "null" in of.kinds)
        if of.sort == "map" or may_miss or of.is_null_by_chain:
            raise NotReadable
        return CelPiece(f"size({of.text})", sort="whole")

    def _item(self, of: CelPiece, step: ItemAccess) -> CelPiece:
        base = of.inside(POSTFIX)
        match step.index:
            case None:
                raise NotReadable
            case Constant(text=str() as key):
                return member(of, FieldAccess(step.of, key, step.is_optional))
            case Constant() | Sign(sign="-") as index if (place := whole_number(index)) is not None:
                if not step.is_optional or place < 0:
                    return item_at(of, place)
                chain = of.optional if of.optional is not None and of.may_miss else base
                text = f"{chain.removesuffix(OR_NULL)}[?{place}]"
                shape = look_up(of.shape, 0).shape if of.sort == "list" else UNKNOWN
                return CelPiece(f"{text}{OR_NULL}", shape=shape, may_miss=True, optional=text)
            case index if not step.is_optional:
                shape = look_up(of.shape, 0).shape if of.sort == "list" else UNKNOWN
                return shaped(f"{base}[{self.written(index).text}]", shape)
            case _:
                raise NotReadable

    def _call(self, tree: Call) -> CelPiece:
        if found := referenced(tree, self._names):
            self.has_json_path |= found.is_json_path
            return self._steps(self._rooted(found.path), found.rest)
        match tree:
            case Call(of=FieldAccess(is_optional=True, of=asked), arguments=_):
                of = self.written(asked)
                if of.kinds != ALL and (of.may_miss or "null" in of.kinds):
                    raise NotReadable  # CEL has no optional calls
            case _ if is_match(tree):
                raise NotReadable  # it gives what it found
            case _:
                pass
        return self._called(tree)

    def _comprehension(self, tree: Loop) -> CelPiece:
        over = self.written(tree.over)
        if tree.keep is not None:
            over = self._loop(over, "filter", "list", tree.variable, tree.keep)
        if tree.body == ForeignName(tree.variable) and (over.sort == "list" or tree.keep):
            return over  # one of an object would be a list of its keys
        return self._loop(over, "map", "list", tree.variable, tree.body)

    def _filter(self, tree: AppliedFilter) -> CelPiece:
        if tree.name in AS_JSON:
            raise NotReadable
        of = self.written(tree.of)
        match tree.name, tree.arguments:
            case name, (default,) if name in DEFAULTS and of.optional is not None:
                if not of.text.endswith(OR_NULL) and not tree.named:
                    value = self.written(default)
                    return CelPiece(
                        f"{of.optional}.orValue({value.text})", sort=common_sort(of, value)
                    )
            case name, (default, Constant(cel="true")) if name in DEFAULTS:
                return either(of, self.written(default), "python")
            case "list", () if of.sort == "list":
                return of
            case name, () if name in LOWER | UPPER:
                return changed_case(of, name)
            case _:
                pass
        match tree.named:
            case (("attribute", Constant(text=str() as field)),) if tree.name == "map":
                if is_name(field):
                    each = FieldAccess(ForeignName(_EACH), field, is_optional=False)
                    return self._loop(of, "map", "list", _EACH, each)
            case _:
                pass
        key = tree.name, len(tree.arguments)
        if tree.named or key not in FILTERS_BY_ARGUMENTS:
            raise NotReadable
        return self._filtered(of, FILTERS_BY_ARGUMENTS[key], tree.arguments)

    def _filtered(
        self, of: CelPiece, pattern: Pattern | None, arguments: tuple[Tree, ...]
    ) -> CelPiece:
        if pattern is None:
            return of
        if of.sort == "bool" and pattern[1] == "text":
            raise NotReadable  # Jinja writes `True`
        return self._filled(pattern, [of, *(self.written(one) for one in arguments)])

    def _joined(self, tree: Joined) -> CelPiece:
        return joined_text(
            [
                self.written(read_foreign(text)) if is_code else CelPiece(quoted(text), sort="text")
                for is_code, text in tree.parts
                if is_code or text
            ],
            "python" if tree.is_python else "javascript",
        )
