"""A defect in the service, for the scenario that wants an internal failure: a delay of `DEFECT_S`
seconds raises what nobody expects. Loaded by the interpreter, as its folder is on PYTHONPATH."""

import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, cast

DEFECT_S = 13
MODULE = "toolweave.nodes.flow.delay"


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            run_module = spec.loader.exec_module

            def broken(module: ModuleType) -> None:
                run_module(module)
                _break(module)

            spec.loader.exec_module = broken  # type: ignore[method-assign]
        return spec


def _break(module: Any) -> None:
    # Any: only the service imports the module, after this one.
    kind = cast("Any", type(module.node))
    run: Any = kind.run

    async def fail(self: Any, context: Any) -> Any:
        if context.given.config.get("duration_seconds") == DEFECT_S:
            raise ZeroDivisionError("a defect of the service")
        return await run(self, context)

    kind.run = fail


if __name__ == "sitecustomize":  # not where a test imports it
    sys.meta_path.insert(0, _Finder())
