"""JavaScript's meaning in CEL: strict comparisons, `.length`, `null` and `undefined`, methods.

Where the two differ in ways nobody can see from the text, such as what counts as true, the
translation says so in a warning.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from toolweave.cel.paths import quoted
from toolweave.cel.tokens import RESERVED, is_name
from toolweave.workflow.formats.legacy.javascript import (
    ArrayLiteral,
    Arrow,
    Binary,
    Conditional,
    Identifier,
    IndexAccess,
    Invoke,
    Js,
    NumberLiteral,
    ObjectLiteral,
    Property,
    StringLiteral,
    Unary,
    Untranslatable,
)
from toolweave.workflow.formats.legacy.variables import ROOTS

Sort = Literal["bool", "text", "number", "decimal", "list", "any"]

# How tightly CEL binds.
_CHOICE, _OR, _AND, _RELATION, _SUM, _PRODUCT, _UNARY, _POSTFIX = range(1, 9)

_RELATIONS = {
    "===": "==",
    "!==": "!=",
    **{sign: sign for sign in ("==", "!=", "<", "<=", ">", ">=")},
}
_KINDS = {
    "string": "type({0}) == string",
    "boolean": "type({0}) == bool",
    "object": "type({0}) == map",
    "number": "type({0}) in [int, double]",
}
# Methods with the same meaning under another name, and what they give.
_METHODS: dict[str, tuple[str, Sort]] = {
    "includes": ("contains", "bool"),
    "startsWith": ("startsWith", "bool"),
    "endsWith": ("endsWith", "bool"),
    "indexOf": ("indexOf", "number"),
    "toLowerCase": ("lowerAscii", "text"),
    "toUpperCase": ("upperAscii", "text"),
    "lower": ("lowerAscii", "text"),
    "upper": ("upperAscii", "text"),
    "trim": ("trim", "text"),
    "strip": ("trim", "text"),
    "split": ("split", "list"),
    "join": ("join", "text"),
    "charAt": ("charAt", "text"),
    "substring": ("substring", "text"),
    "replaceAll": ("replace", "text"),
}
_LOOPS: dict[str, tuple[str, Sort]] = {
    "some": ("exists", "bool"),
    "every": ("all", "bool"),
    "filter": ("filter", "list"),
    "map": ("map", "list"),
}
_FUNCTIONS: dict[str, tuple[str, Sort]] = {
    "String": ("string({0})", "text"),
    "str": ("string({0})", "text"),
    "Number": ("double({0})", "decimal"),
    "parseFloat": ("double({0})", "decimal"),
    "float": ("double({0})", "decimal"),
    "parseInt": ("int({0})", "number"),
    "int": ("int({0})", "number"),
    "len": ("size({0})", "number"),
    "Array.isArray": ("type({0}) == list", "bool"),
    "Object.keys": ("{0}.map(key, key)", "list"),
    "Math.abs": ("math.abs({0})", "number"),
    "Math.round": ("math.round(double({0}))", "decimal"),
    "Math.floor": ("math.floor(double({0}))", "decimal"),
    "Math.ceil": ("math.ceil(double({0}))", "decimal"),
}


@dataclass(frozen=True, slots=True)
class Translated:
    """A piece of CEL: its text, how tightly it binds, and the sort of its value if known."""

    text: str
    level: int = _POSTFIX
    sort: Sort = "any"

    def inside(self, level: int) -> str:
        """The text where something binds at `level`."""
        return self.text if self.level >= level else f"({self.text})"


class JavaScriptTranslator:
    """Writes one tree; `doubts` are the places where the meaning may differ."""

    def __init__(self) -> None:
        self.doubts: list[tuple[int, str]] = []
        self._bound: set[str] = set()

    def written(self, tree: Js) -> Translated:
        """The CEL for a tree. Raises `Untranslatable`: some part of it has no counterpart."""
        match tree:
            case StringLiteral() | NumberLiteral() | Identifier():
                return self._leaf(tree)
            case Property() | IndexAccess():
                return self._member(tree)
            case Invoke():
                return self._invoked(tree)
            case Unary():
                return self._unary(tree)
            case Binary():
                return self._binary(tree)
            case Conditional():
                return self._choice(tree)
            case ArrayLiteral() | ObjectLiteral():
                return self._collection(tree)
            case Arrow():
                raise Untranslatable("a function is not allowed here", tree.at)

    def condition(self, tree: Js) -> Translated:
        """The CEL for a tree that decides something."""
        return self._true(tree)

    def _true(self, tree: Js) -> Translated:
        """A part that must be true or false, where JavaScript takes anything."""
        part = self.written(tree)
        if part.sort in ("text", "number", "decimal", "list"):
            hint = "say what it is compared with"
            raise Untranslatable("a condition must be true or false", tree.at, hint)
        if part.sort == "any":
            message = f"{part.text} must be true or false; other values are an error here"
            self.doubts.append((tree.at, message))
        return part

    def _leaf(self, tree: StringLiteral | NumberLiteral | Identifier) -> Translated:
        match tree:
            case StringLiteral():
                return Translated(quoted(tree.value), sort="text")
            case NumberLiteral():
                is_whole = tree.written.isdigit() or "x" in tree.written.lower()
                return Translated(tree.written, sort="number" if is_whole else "decimal")
            case Identifier():
                return self._word(tree)

    def _collection(self, tree: ArrayLiteral | ObjectLiteral) -> Translated:
        if isinstance(tree, ArrayLiteral):
            items = ", ".join(self.written(item).text for item in tree.items)
            return Translated(f"[{items}]", sort="list")
        entries = (f"{quoted(key)}: {self.written(one).text}" for key, one in tree.entries)
        return Translated(f"{{{', '.join(entries)}}}")

    def _choice(self, tree: Conditional) -> Translated:
        condition = self._true(tree.condition)
        one, two = self.written(tree.one), self.written(tree.two)
        text = f"{condition.inside(_OR)} ? {one.inside(_OR)} : {two.inside(_CHOICE)}"
        return Translated(text, _CHOICE, one.sort if one.sort == two.sort else "any")

    def _word(self, word: Identifier) -> Translated:
        match word.name:
            case "true" | "false":
                return Translated(word.name, sort="bool")
            case "null" | "undefined":
                return Translated("null")
            case name if name in self._bound:
                return Translated(name)
            case name if name in ROOTS:
                return Translated(ROOTS[name])
            case name if "$" in name:
                message = f"{name} has to be filled in"
                hint = "write a value in its place"
                raise Untranslatable(message, word.at, hint, code="TEMPLATE_PLACEHOLDER")
            case name if name in RESERVED:
                raise Untranslatable(f"{name!r} is not expected here", word.at)
            case name:
                return Translated(name)

    def _member(self, tree: Property | IndexAccess) -> Translated:
        if isinstance(tree, IndexAccess):
            index = self.written(tree.index)
            of = self.written(tree.of)
            key = tree.index
            if isinstance(key, StringLiteral) and is_name(key.value):
                return Translated(f"{of.inside(_POSTFIX)}.{key.value}")
            return Translated(f"{of.inside(_POSTFIX)}[{index.text}]")
        if tree.key == "length":
            return Translated(f"size({self.written(tree.of).text})", sort="number")
        if _is_optional(tree):
            return Translated(f"{self._optional(tree)}.orValue(null)")
        of = self.written(tree.of).inside(_POSTFIX)
        return Translated(f"{of}.{tree.key}" if is_name(tree.key) else f"{of}[{quoted(tree.key)}]")

    def _optional(self, tree: Js) -> str:
        """A chain with `?.` in it, as far as it is one."""
        if not isinstance(tree, Property) or not _is_optional(tree):
            return self.written(tree).inside(_POSTFIX)
        of = self._optional(tree.of)
        if is_name(tree.key):
            return f"{of}{'.?' if tree.is_optional else '.'}{tree.key}"
        return f"{of}[{'?' if tree.is_optional else ''}{quoted(tree.key)}]"

    def _invoked(self, call: Invoke) -> Translated:
        name = _dotted(call.of)
        if name in ("Math.max", "Math.min"):
            function = "math.greatest" if name == "Math.max" else "math.least"
            values = ", ".join(self.written(one).text for one in call.arguments)
            return Translated(f"{function}({values})", sort="number")
        if name in _FUNCTIONS and len(call.arguments) == 1:
            pattern, sort = _FUNCTIONS[name]
            value = self.written(call.arguments[0])
            inner = value.inside(_POSTFIX) if pattern.startswith("{0}") else value.text
            level = _RELATION if sort == "bool" else _POSTFIX
            return Translated(pattern.format(inner), level, sort)
        if isinstance(call.of, Property):
            return self._method(call, call.of)
        raise Untranslatable("this function has no counterpart", call.at)

    def _method(self, call: Invoke, of: Property) -> Translated:
        arguments = call.arguments
        if of.key in _LOOPS and len(arguments) == 1:
            return self._loop(of, arguments[0])
        receiver = self.written(of.of)
        inner = receiver.inside(_POSTFIX)
        values = [self.written(one).text for one in arguments]
        match of.key, values:
            case "toString", []:
                return Translated(f"string({receiver.text})", sort="text")
            case "toFixed", [digits] if digits.isdigit():
                return Translated(f"'%.{digits}f'.format([{receiver.text}])", sort="text")
            case "replace", [_, _]:
                # JavaScript replaces the first only.
                return Translated(f"{inner}.replace({', '.join(values)}, 1)", sort="text")
            case "get", [key] if isinstance(arguments[0], StringLiteral):
                return Translated(f"{inner}[?{key}].orValue(null)")
            case "get", [key, default] if isinstance(arguments[0], StringLiteral):
                return Translated(f"{inner}[?{key}].orValue({default})")
            case key, _ if key in _METHODS:
                method, sort = _METHODS[key]
                return Translated(f"{inner}.{method}({', '.join(values)})", sort=sort)
            case _:
                raise Untranslatable(f".{of.key}() has no counterpart", of.at)

    def _loop(self, of: Property, body: Js) -> Translated:
        if not isinstance(body, Arrow) or not is_name(body.parameter):
            message = f".{of.key}() takes a function of one parameter here"
            raise Untranslatable(message, of.at, f"write .{of.key}(x => …)")
        name, sort = _LOOPS[of.key]
        receiver = self.written(of.of).inside(_POSTFIX)
        outer = self._bound
        self._bound = {*outer, body.parameter}
        inner = self.written(body.body) if of.key == "map" else self._true(body.body)
        self._bound = outer
        return Translated(f"{receiver}.{name}({body.parameter}, {inner.text})", sort=sort)

    def _unary(self, tree: Unary) -> Translated:
        match tree.sign:
            case "!":
                return Translated(f"!{self._true(tree.of).inside(_UNARY)}", _UNARY, "bool")
            case "-":
                of = self.written(tree.of)
                sort: Sort = "decimal" if of.sort == "decimal" else "number"
                return Translated(f"-{of.inside(_UNARY)}", _UNARY, sort)
            case "+":
                return _decimal(self.written(tree.of))
            case _:
                hint = "compare it: typeof x === 'string'"
                raise Untranslatable("typeof can only be compared", tree.at, hint)

    def _binary(self, tree: Binary) -> Translated:
        match tree.sign:
            case "&&" | "||" as sign:
                level = _AND if sign == "&&" else _OR
                one, two = self._true(tree.one), self._true(tree.two)
                return Translated(
                    f"{one.inside(level)} {sign} {two.inside(level + 1)}", level, "bool"
                )
            case "??":
                return self._coalesced(tree)
            case "in":
                one, two = self.written(tree.one), self.written(tree.two)
                text = f"{one.inside(_SUM)} in {two.inside(_SUM)}"
                return Translated(text, _RELATION, "bool")
            case sign if sign in _RELATIONS:
                return self._related(tree, _RELATIONS[sign])
            case _:
                return self._calculated(tree)

    def _related(self, tree: Binary, sign: str) -> Translated:
        for one, two in ((tree.one, tree.two), (tree.two, tree.one)):
            if isinstance(one, Unary) and one.sign == "typeof":
                return self._kind(one, two, sign)
            if (
                sign in ("==", "!=")
                and isinstance(two, Identifier)
                and two.name in ("null", "undefined")
            ):
                return self._nothing(one, two.name, tree.sign)
        first, second = self.written(tree.one), self.written(tree.two)
        text = f"{first.inside(_SUM)} {sign} {second.inside(_SUM)}"
        return Translated(text, _RELATION, "bool")

    def _kind(self, asked: Unary, named: Js, sign: str) -> Translated:
        name = named.value if isinstance(named, StringLiteral) else ""
        if name == "undefined":
            return self._nothing(asked.of, "undefined", f"{sign}=")
        if name not in _KINDS or sign not in ("==", "!="):
            raise Untranslatable("typeof can only be compared with a name of a type", asked.at)
        text = _KINDS[name].format(self.written(asked.of).text)
        return (
            Translated(text, _RELATION, "bool")
            if sign == "=="
            else Translated(f"!({text})", _UNARY, "bool")
        )

    def _nothing(self, asked: Js, what: str, sign: str) -> Translated:
        """Comparisons with null and undefined: missing, null, or either."""
        value = self.written(asked).inside(_SUM)
        is_equal = sign.startswith("=")
        can_miss = isinstance(asked, Property) and not _is_optional(asked) and is_name(asked.key)
        if not can_miss or (what == "null" and len(sign) == 3):
            return Translated(f"{value} {'==' if is_equal else '!='} null", _RELATION, "bool")
        if what == "undefined" and len(sign) == 3:
            return Translated(f"{'!' if is_equal else ''}has({value})", _UNARY, "bool")
        if is_equal:
            return Translated(f"!has({value}) || {value} == null", _OR, "bool")
        return Translated(f"has({value}) && {value} != null", _AND, "bool")

    def _coalesced(self, tree: Binary) -> Translated:
        one, two = self.written(tree.one), self.written(tree.two)
        there = self._nothing(tree.one, "null", "!=")
        text = f"{there.inside(_OR)} ? {one.inside(_OR)} : {two.inside(_CHOICE)}"
        return Translated(text, _CHOICE, one.sort if one.sort == two.sort else "any")

    def _calculated(self, tree: Binary) -> Translated:
        """JavaScript has one kind of number, and adds anything to a text."""
        one, two = self.written(tree.one), self.written(tree.two)
        level = _SUM if tree.sign in "+-" else _PRODUCT
        sorts = {one.sort, two.sort}
        convert: Callable[[Translated], Translated] = _as_is
        if tree.sign == "%":
            if "text" in sorts:
                raise Untranslatable("a text has no remainder", tree.at)
            convert = _whole
        elif tree.sign != "+" or (sorts & {"number", "decimal"} and "text" not in sorts):
            convert = _decimal
        elif "text" in sorts:
            convert = _text
        first, second = convert(one), convert(two)
        text = f"{first.inside(level)} {tree.sign} {second.inside(level + 1)}"
        return Translated(text, level, first.sort if first.sort == second.sort else "any")


def _as_is(part: Translated) -> Translated:
    return part


def _text(part: Translated) -> Translated:
    return part if part.sort == "text" else Translated(f"string({part.text})", sort="text")


def _whole(part: Translated) -> Translated:
    is_whole = part.sort == "number" and part.text.isdigit()
    return part if is_whole else Translated(f"int({part.text})", sort="number")


def _decimal(part: Translated) -> Translated:
    if part.sort == "decimal":
        return part
    text = f"{part.text}.0" if part.text.isdigit() else f"double({part.text})"
    return Translated(text, sort="decimal")


def _is_optional(tree: Js) -> bool:
    while isinstance(tree, Property):
        if tree.is_optional:
            return True
        tree = tree.of
    return False


def _dotted(tree: Js) -> str:
    """`Math.max` for a plain name or a member of one."""
    match tree:
        case Identifier():
            return tree.name
        case Property(of=Identifier(name=name)):
            return f"{name}.{tree.key}"
        case _:
            return ""
