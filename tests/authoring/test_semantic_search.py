"""Search by meaning, with the real sentence model, and what happens without it."""

from pathlib import Path

import pytest
from tests.catalog.builders import our_catalog
from tests.cli.conftest import tw
from tests.cli.driving import Commands

from toolweave.authoring import sentence_model
from toolweave.authoring.semantic_search import FILE, SemanticSearch
from toolweave.authoring.sentence_model import SentenceModel, model_folder

__all__ = ["tw"]

QUERY = "turn audio talk into my language"
ENABLED = {"TOOLWEAVE_SEMANTIC_SEARCH": "1"}


def the_model() -> SentenceModel:
    folder = model_folder()
    assert folder is not None, "the group dev brings the model"
    return SentenceModel(folder)


def test_texts_of_the_same_meaning_are_closer_than_others() -> None:
    model = the_model()
    meal, same, other = map(
        model.vector, ("A man eats food.", "Someone is having a meal.", "Stock prices fall.")
    )
    assert float(meal @ meal) == pytest.approx(1.0, abs=1e-5)
    assert float(meal @ same) > 0.6
    assert float(meal @ other) < 0.2
    assert model.vector("") is not None
    assert model.vector("ж" * 10_000).shape == meal.shape


def test_vectors_of_nodes_are_kept_until_their_texts_change(tmp_path: Path) -> None:
    specs = list(our_catalog())[:4]
    first = SemanticSearch(tmp_path).similarities(QUERY, specs)
    kept = tmp_path / FILE
    before = kept.read_bytes()
    assert SemanticSearch(tmp_path).similarities(QUERY, specs) == pytest.approx(first, abs=1e-4)
    assert kept.read_bytes() == before
    kept.write_bytes(b"damaged")
    assert SemanticSearch(tmp_path).similarities(QUERY, specs) == pytest.approx(first, abs=1e-4)
    assert kept.read_bytes() == before


@pytest.mark.requirement("004:future.semantic-search")
def test_a_command_ranks_by_meaning_if_that_is_enabled(tw: Commands) -> None:
    def first(**environ: str) -> str:
        search = ("catalog", "search", QUERY, "--type", "AI_AGENT", "--json")
        found = tw.ok(*search, **environ).json[0]
        return f"{found['node_type']}.{found['subtype']}"

    assert first() == "AI_AGENT.GOOGLE_GEMINI"
    assert first(**ENABLED) == "AI_AGENT.OPENAI_CHATGPT"


def test_without_its_packages_the_error_names_them(
    tw: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tw("catalog", "search", "sort", "--type", "MEMORY", **ENABLED).code == 0  # the control
    monkeypatch.setattr(sentence_model, "PACKAGE", "no_such_package")
    refused = tw("catalog", "search", "sort", "--type", "MEMORY", **ENABLED)
    assert refused.code == 1
    assert "SEMANTIC_SEARCH_MISSING" in refused.err
    assert "toolweave[semantic]" in refused.err
