"""The plain field mapping in a Python function, found by reading its syntax tree. Nothing is run.

A mapping is one `return` of the parameter's fields, constants, and lists and dicts of these.
"""

import ast
import json
import math
import warnings

from toolweave.cel.paths import quoted
from toolweave.cel.tokens import is_name


class _NotPlain(Exception):
    def __init__(self, message: str, node: ast.AST) -> None:
        super().__init__(message)
        self.message = message
        self.node = node


def mapping_in(source: str) -> tuple[str | None, str, int]:
    """The mapping as CEL over `data`; or nothing, why not, and at which character."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(source.strip())
        return _mapping(module), "", 0
    except _NotPlain as reason:
        return None, reason.message, _offset(source, reason.node)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return None, f"the source cannot be read: {type(error).__name__}", 0


def _offset(source: str, node: ast.AST) -> int:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    lead = len(source) - len(source.lstrip())
    lines = source.strip().splitlines(keepends=True)
    before = sum(len(one) for one in lines[: line - 1])
    # Python counts bytes within a line.
    within = len(lines[line - 1].encode()[:column].decode("utf-8", "ignore")) if lines else 0
    return lead + before + within


def _mapping(module: ast.Module) -> str:
    match module.body:
        case [ast.FunctionDef(args=arguments, body=body)]:
            match body:
                case [ast.Expr(value=ast.Constant(value=str())), ast.Return(value=value)]:
                    pass
                case [ast.Return(value=value)]:
                    pass
                case _:
                    raise _NotPlain("it does more than return a mapping", body[0])
        case [ast.Expr(value=ast.Lambda(args=arguments, body=value))]:
            pass
        case [ast.Assign(value=ast.Lambda(args=arguments, body=value))]:
            pass
        case _:
            raise _NotPlain("it is not one function", module)
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    if not names or value is None:
        raise _NotPlain("it takes or returns nothing", module)
    return _Writer(names[0]).written(value)


class _Writer:
    def __init__(self, parameter: str) -> None:
        self._parameter = parameter

    def written(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name) if name == self._parameter:
                return "data"
            case ast.Constant():
                return _constant(node)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return f"{{{', '.join(self._entry(key, value, node) for key, value in pairs)}}}"
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return f"[{', '.join(self.written(item) for item in items)}]"
            case ast.Subscript(value=of, slice=ast.Constant(value=str() | int() as key)):
                return self._member(self.written(of), key)
            case ast.Call(func=ast.Attribute(value=of, attr="get"), args=arguments, keywords=[]):
                return self._got(of, arguments, node)
            case _:
                raise _NotPlain("it computes something", node)

    def _entry(self, key: ast.expr | None, value: ast.expr, within: ast.expr) -> str:
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise _NotPlain("a key is no plain text", key or within)
        return f"{quoted(key.value)}: {self.written(value)}"

    def _member(self, of: str, key: str | int) -> str:
        if isinstance(key, str):
            return f"{of}.{key}" if is_name(key) else f"{of}[{quoted(key)}]"
        return f"{of}[{int(key)}]"

    def _got(self, of: ast.expr, arguments: list[ast.expr], node: ast.expr) -> str:
        match arguments:
            case [ast.Constant(value=str() as key)]:
                default = "null"
            case [ast.Constant(value=str() as key), value]:
                default = self.written(value)
            case _:
                raise _NotPlain("it computes something", node)
        return f"{self.written(of)}[?{quoted(key)}].orValue({default})"


def _constant(node: ast.Constant) -> str:
    match node.value:
        case str() as text:
            return quoted(text)
        case bool() | None | int() as plain:
            return json.dumps(plain)
        case float() as number if math.isfinite(number):
            return json.dumps(number)
        case _:
            raise _NotPlain("a constant has no counterpart", node)
