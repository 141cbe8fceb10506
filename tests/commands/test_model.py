"""`model`: which embedding model is used, and how fetching one is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from vectr_hooks import embedding

Run = Callable[..., Result]


def test_the_shipped_model_is_the_default(run: Run) -> None:
    loaded = embedding.load()
    assert run("model").stdout == (
        f"all-MiniLM-L6-v2, which comes with the package: 384 dimensions, {loaded.hash[:16]}\n"
    )
    fields = json.loads(run("model", "--json").stdout)
    assert (fields["model"], fields["hash"], fields["dimensions"]) == ("", loaded.hash, 384)


def test_a_model_that_was_not_fetched_is_refused_with_what_fetches_it(run: Run) -> None:
    assert run("config", "set", "semantic.model", "BAAI/bge-small-en-v1.5").exit_code == 0
    done = run("model")
    assert done.exit_code == 1
    assert "is not on this machine" in done.stderr
    assert "vectr-hooks model pull BAAI/bge-small-en-v1.5" in done.stderr


def test_a_damaged_model_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(embedding.SHIPPED, tmp_path / "model")
    (tmp_path / "model/model.onnx").write_bytes(b"")
    monkeypatch.setattr(embedding, "SHIPPED", str(tmp_path / "model"))
    done = run("model")
    assert done.exit_code == 1
    assert "model.onnx is damaged" in done.stderr
    assert "install vectr-hooks again" in done.stderr


def test_nothing_is_fetched_where_the_environment_forbids_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = run("model", "pull", "BAAI/bge-small-en-v1.5")
    assert done.exit_code == 1
    assert "HF_HUB_OFFLINE is set" in done.stderr


def test_a_name_that_fastembed_does_not_know_is_refused_with_one_like_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An earlier test may have asked for a model that is not here.
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    done = run("model", "pull", "BAAI/bge-small-en-v1.6")
    assert done.exit_code == 1
    assert "knows no model 'BAAI/bge-small-en-v1.6'" in done.stderr
    assert "BAAI/bge-small-en-v1.5" in done.stderr


@pytest.mark.parametrize("name", ["", "a b", "x" * 300])
def test_what_cannot_be_a_models_name_is_refused(run: Run, name: str) -> None:
    done = run("config", "set", "semantic.model", name)
    assert done.exit_code == 1
    assert "`semantic.model` is a name" in done.stderr
