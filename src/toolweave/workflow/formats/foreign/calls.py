"""Calls of functions and methods of other languages as CEL; a part of the writer."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping

from toolweave.cel.macros import LOOPS as MACROS
from toolweave.cel.paths import quoted
from toolweave.cel.signatures import SIGNATURES
from toolweave.cel.tokens import is_name
from toolweave.workflow.formats.foreign.arithmetic import decimal
from toolweave.workflow.formats.foreign.cel_piece import (
    LEVELS,
    OR_NULL,
    POSTFIX,
    PRODUCT,
    RELATION,
    CelPiece,
    as_text,
    dotted_name,
    filled,
    is_native_function,
    joined_text,
    membership,
    plain_name,
    shaped,
)
from toolweave.workflow.formats.foreign.joined_texts import format_parts
from toolweave.workflow.formats.foreign.methods import (
    LOWER,
    PLACED,
    UPPER,
    by_kind,
    changed_case,
    fixed,
    item_at,
    joined,
    joined_list,
    keys_of,
    placed,
    whole_number,
)
from toolweave.workflow.formats.foreign.source_language import SourceLanguage
from toolweave.workflow.formats.foreign.tree import (
    Call,
    Constant,
    FieldAccess,
    ForeignName,
    Function,
    Items,
    Loop,
    NotReadable,
    Sign,
    Spread,
    Tree,
)
from toolweave.workflow.formats.foreign.truth import coalesced, truth
from toolweave.workflow.formats.foreign.vocabulary import (
    EXISTENCE,
    FORMATTING,
    FUNCTIONS,
    LOOPS,
    METHODS,
    PLUCKING,
    SEVERAL,
    Pattern,
    Sort,
)
from toolweave.workflow.shapes import TEXT, UNKNOWN, Kind, ValueShape

_TEXTS = frozenset({"string({0})"})
_AS_DECIMAL = ("math.floor(", "math.ceil(", "math.trunc(", "math.sqrt(")
_PYTHON_TYPES = {
    "str": "string",
    "list": "list",
    "dict": "map",
    "bool": "bool",
    "float": "double",
}
_COMPARED = frozenset({"startswith", "endswith", "includes", "contains", "matches"})


class CallWriter(ABC):
    """Writes calls; the writer writes everything else."""

    def __init__(self, names: Collection[str], language: SourceLanguage) -> None:
        self._names = names
        self._language: SourceLanguage = language
        self._bound: Mapping[str, ValueShape] = {}

    @abstractmethod
    def written(self, tree: Tree) -> CelPiece:
        """The CEL of a part."""

    @abstractmethod
    def true(self, tree: Tree) -> CelPiece:
        """The CEL of a part that decides something."""

    def _called(self, tree: Call) -> CelPiece:
        name = dotted_name(tree.of)
        if tree.named:
            raise NotReadable
        match tree:
            case Call(of=FieldAccess(of=ForeignName(name="_"), key=key), arguments=(of, *rest)):
                # Lodash takes what a method is called on as the first argument.
                return self._called(Call(FieldAccess(of, key, is_optional=False), tuple(rest)))
            case _:
                pass
        return self._special_call(tree, name) or self._function_call(tree, name)

    def _special_call(self, tree: Call, name: str) -> CelPiece | None:
        """Calls whose arguments are not just values."""
        plain = plain_name(name)
        is_plain = bool(name) and "." not in name
        match tree.arguments:
            case (asked,) if is_plain and plain in EXISTENCE:
                return self._existence(asked)
            case (Spread(of=listed),) if name in {"Math.max", "Math.min"}:
                function = "greatest" if name == "Math.max" else "least"
                return CelPiece(f"math.{function}({self.written(listed).text})", sort="number")
            case (asked,) if plain in {"any", "all"}:
                return self._quantified(plain, asked)
            case (asked,) if name in {"Boolean", "bool"}:
                return truth(self.written(asked), self._language, is_any=True)
            case (asked, kind) if name == "isinstance":
                return self._instance(asked, kind)
            case (asked, Constant() as digits) if name == "to_fixed":
                return fixed(self.written(asked), whole_number(digits), "python")
            case _:
                pass
        return self._formatted_call(tree, plain) or self._other_special(tree, name)

    def _other_special(self, tree: Call, name: str) -> CelPiece | None:
        plain = plain_name(name)
        match tree.arguments:
            case (asked, Constant(text=str() as key)) if name in {"has", "hasattr"}:
                return self._existence(FieldAccess(asked, key, is_optional=False))
            case (base, power) if name in {"Math.pow", "pow"}:
                return self._power(base, power)
            case arguments if "." not in name and plain in SEVERAL and len(arguments) > 1:
                return self._several(plain, arguments)
            case _:
                return None

    def _power(self, base: Tree, power: Tree) -> CelPiece:
        """A value multiplied by itself, which is all that CEL has of powers."""
        times, of = whole_number(power), self.written(base)
        if isinstance(base, Sign):
            raise NotReadable  # `-x ** 2` is negative in Python
        if times not in {2, 3} or of.sort not in {"any", "number", "whole", "decimal"}:
            raise NotReadable
        factor = of.inside(POSTFIX)
        return CelPiece(" * ".join([factor] * times), PRODUCT, of.sort)

    def _instance(self, asked: Tree, kind: Tree) -> CelPiece:
        names = kind.items if isinstance(kind, Items) else (kind,)
        types: list[str] = []
        for one in names:
            name = one.name if isinstance(one, ForeignName) else ""
            types += ["int", "bool"] if name == "int" else [_PYTHON_TYPES.get(name, "")]
        if not all(types):
            raise NotReadable
        of = f"type({self.written(asked).text})"
        if len(types) == 1:
            return CelPiece(f"{of} == {types[0]}", RELATION, "bool")
        return CelPiece(f"{of} in [{', '.join(types)}]", RELATION, "bool")

    def _function_call(self, tree: Call, name: str) -> CelPiece:
        if (found := self._named_call(tree, name)) is not None:
            return found
        key = plain_name(name), len(tree.arguments)
        is_native = is_native_function(name)
        if name and key in FUNCTIONS and (not is_native or name in {"int", "string", "double"}):
            return self._filled(FUNCTIONS[key], [self.written(one) for one in tree.arguments])
        if is_native and "." in name:
            return self._native(name, tree)
        if isinstance(tree.of, FieldAccess):
            return self._method(self.written(tree.of.of), tree.of.key, tree.arguments)
        if isinstance(tree.of, ForeignName) and (is_native or name in {"has", "type", "dyn"}):
            return self._native(name, tree)
        raise NotReadable

    def _named_call(self, tree: Call, name: str) -> CelPiece | None:
        """Functions that depend on how they are written or on what they are given."""
        plain = plain_name(name)
        match tree.arguments:
            case (of,) if plain in LOWER | UPPER and "." not in name:
                return changed_case(self.written(of), plain)
            case (of,) if name == "Object.keys":
                return keys_of(self.written(of))
            case (of,) if name == "ROUND":
                value = decimal(self.written(of))
                return CelPiece(f"math.round({value.text})", sort="decimal")
            case (of, Constant(cel="10")) if name in {"parseInt", "Number.parseInt"}:
                return self._filled(FUNCTIONS["int", 1], [self.written(of)])
            case _:
                return None

    def _filled(self, pattern: Pattern, values: list[CelPiece]) -> CelPiece:
        text = pattern[0]
        if text in _TEXTS:
            return CelPiece(as_text(values[0], self._language), sort="text")
        if text.startswith(_AS_DECIMAL):
            values = [decimal(one) for one in values]
        if text.endswith("[0]") or "[size(" in text:
            return item_at(values[0], 0 if text.endswith("[0]") else -1)
        if ".join(" in text:
            return joined_list(values[0], values[1].text)
        if " / " in text:
            values = [decimal(one) for one in values]
        return filled(pattern, values)

    def _several(self, name: str, arguments: tuple[Tree, ...]) -> CelPiece:
        """A function of spreadsheets with any number of arguments."""
        match SEVERAL[name]:
            case "+":
                return joined_text([self.written(one) for one in arguments])
            case "??" if len(arguments) == 2:
                return coalesced(self.written(arguments[0]), self.written(arguments[1]))
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
                return self._formatted(form, values, "python")
            case Call(arguments=(Constant(text=str() as form), *rest)):
                if name not in FORMATTING or not rest:
                    return None
                return self._formatted(form, tuple(rest), "")
            case _:
                return None

    def _formatted(self, form: str, values: tuple[Tree, ...], language: SourceLanguage) -> CelPiece:
        pieces: list[CelPiece] = []
        for one in format_parts(form, len(values)):
            if isinstance(one, int):
                value = self.written(values[max(one, ~one)])
                is_converted = one < 0 and value.sort != "whole"
                pieces.append(self._filled(FUNCTIONS["int", 1], [value]) if is_converted else value)
            else:
                pieces.append(CelPiece(quoted(one), sort="text"))
        return joined_text(pieces, language)

    def _native(self, name: str, tree: Call) -> CelPiece:
        values = ", ".join(self.written(one).text for one in tree.arguments)
        kinds = {one.gives for one in SIGNATURES.get(name, ())}
        sorts: dict[str, Sort] = {"int": "whole", "double": "decimal", "string": "text"}
        sort: Sort = sorts.get(kinds.pop(), "any") if len(kinds) == 1 else "any"
        return CelPiece(f"{name}({values})", sort=sort)

    def _existence(self, asked: Tree) -> CelPiece:
        found = self.written(asked)
        if not isinstance(asked, FieldAccess) or "orValue" in found.text:
            raise NotReadable
        return CelPiece(f"has({found.text})", sort="bool")

    def _method(self, of: CelPiece, name: str, arguments: tuple[Tree, ...]) -> CelPiece:
        plain = plain_name(name)
        if (looped := self._looping(of, name, plain, arguments)) is not None:
            return looped
        has_pattern = any(isinstance(one, Constant) and one.is_regex for one in arguments)
        if has_pattern and plain != "matches":
            raise NotReadable
        values = [self.written(one) for one in arguments]
        if plain in {"includes", "contains"} and len(values) == 1 and of.sort == "list":
            return membership(values[0], "in", of)
        if (special := self._by_kind(of, plain, arguments, values)) is not None:
            return special
        return self._same_method(of, name, plain, values)

    def _same_method(self, of: CelPiece, name: str, plain: str, values: list[CelPiece]) -> CelPiece:
        """A method with one pattern, or one that CEL has too."""
        if (plain, len(values)) in METHODS and name not in SIGNATURES:
            if plain == "test" and not of.text.startswith(("'", '"')):
                raise NotReadable
            return self._filled(METHODS[plain, len(values)], [of, *values])
        if name not in SIGNATURES:
            raise NotReadable
        if name == "split" and len(values) > 1:
            raise NotReadable  # a limit counts parts, cuts or what is kept
        given = ", ".join(one.text for one in values)
        kinds = {one.gives for one in SIGNATURES[name]}
        sort: Sort = "bool" if kinds == {"bool"} else "text" if kinds == {"string"} else "any"
        text = f"{of.inside(POSTFIX)}.{name}({given})"
        if name == "split":
            return shaped(text, ValueShape(_LIST, items=TEXT))
        return CelPiece(text, sort=sort)

    def _by_kind(
        self, of: CelPiece, plain: str, arguments: tuple[Tree, ...], values: list[CelPiece]
    ) -> CelPiece | None:
        """Methods that depend on what they are called on, or on what is given."""
        if plain in LOWER | UPPER and not values:
            return changed_case(of, plain)
        if plain in PLACED:
            return placed(of, plain, [whole_number(one) for one in arguments])
        if plain == "tostring" and not values:
            return CelPiece(as_text(of, self._language), sort="text")
        if plain == "join":
            return joined(of, values, self._language)
        return by_kind(of, plain, values, self._language)

    def _looping(
        self, of: CelPiece, name: str, plain: str, arguments: tuple[Tree, ...]
    ) -> CelPiece | None:
        """Methods that take a function or a key."""
        match arguments:
            case (Function() as function,) if plain == "find":
                found = self._loop(of, "filter", "list", function.parameter, function.body)
                optional = f"{found.text}[?0]"
                shape = of.shape.items or UNKNOWN
                if shape.is_unknown:
                    return CelPiece(f"{optional}{OR_NULL}", optional=optional)
                return CelPiece(
                    f"{optional}{OR_NULL}",
                    shape=shape,
                    may_miss=True,
                    optional=optional,
                    is_null_by_chain=True,
                )
            case (Constant(text=str() as key),) if plain in PLUCKING and is_name(key):
                variable = "item" if of.text == "data" else "x"
                each = FieldAccess(ForeignName(variable), key, is_optional=False)
                return self._loop(of, "map", "list", variable, each)
            case (Function() as function,) if plain in LOOPS:
                return self._loop(of, *LOOPS[plain], function.parameter, function.body)
            case (ForeignName(name="Boolean"),) if plain == "filter":
                return self._loop(of, "filter", "list", "x", ForeignName("x"), is_any=True)
            case (ForeignName() as variable, body) if name in MACROS:
                sort: Sort = "list" if name in {"map", "filter"} else "bool"
                return self._loop(of, name, sort, variable.name, body)
            case (Constant(text=str()) as key,) if plain == "get":
                return self._got(of, key, CelPiece("null"))
            case (Constant(text=str()) as key, default) if plain == "get":
                return self._got(of, key, self.written(default))
            case _:
                return None

    def _got(self, of: CelPiece, key: Constant, default: CelPiece) -> CelPiece:
        """`x.get('key', default)` of Python."""
        name = key.text or ""
        from_shape = of.shape.fields.get(name, UNKNOWN)
        member = f".?{name}" if is_name(name) else f"[?{key.cel}]"
        optional = f"{of.inside(POSTFIX)}{member}"
        if default.text == "null":
            may_be = shaped("", from_shape).shape
            return CelPiece(f"{optional}{OR_NULL}", shape=may_be, may_miss=True, optional=optional)
        is_same = shaped("", from_shape).sort == default.sort
        sort = default.sort if is_same else "any"
        is_empty_map = default.text == "{}"
        shape = (
            from_shape if is_empty_map and from_shape.kinds == frozenset({"object"}) else UNKNOWN
        )
        text = f"{optional}.orValue({default.text})"
        return CelPiece(text, sort=sort if not is_empty_map else "any", shape=shape)

    def _loop(
        self,
        over: CelPiece,
        macro: str,
        sort: Sort,
        variable: str,
        body: Tree,
        *,
        is_any: bool = False,
    ) -> CelPiece:
        if not is_name(variable):
            raise NotReadable
        if over.sort not in {"list", "any"} and self._language == "javascript":
            raise NotReadable
        outer = self._bound
        self._bound = {**outer, variable: over.shape.items or UNKNOWN}
        if macro == "map":
            inner = self.written(body)
        else:
            inner = (
                truth(self.written(body), self._language, is_any=True)
                if is_any
                else self.true(body)
            )
        self._bound = outer
        text = f"{over.inside(POSTFIX)}.{macro}({variable}, {inner.text})"
        shape = over.shape if macro == "filter" else ValueShape(_LIST, items=_item_shape(inner))
        return CelPiece(text, sort=sort, shape=shape if sort == "list" else UNKNOWN)

    def _quantified(self, name: str, tree: Tree) -> CelPiece:
        macro = "exists" if name == "any" else "all"
        if not isinstance(tree, Loop):
            over = self.written(tree)
            return self._loop(over, macro, "bool", "x", ForeignName("x"), is_any=True)
        over = self.written(tree.over)
        if tree.keep is not None:
            over = self._loop(over, "filter", "list", tree.variable, tree.keep)
        return self._loop(over, macro, "bool", tree.variable, tree.body)


_LIST: frozenset[Kind] = frozenset({"array"})


def _item_shape(inner: CelPiece) -> ValueShape:
    """What the items of a list are whose body is this."""
    if inner.sort == "any":
        return inner.shape
    return (
        ValueShape(inner.kinds, items=inner.shape.items) if inner.shape.is_unknown else inner.shape
    )
