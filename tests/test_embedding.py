"""The shipped embedding model: the same bytes whatever is beside a text, and those of fastembed."""

from __future__ import annotations

import math
import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from vectr_hooks import embedding

REFERENCE = Path(__file__).with_name("embedding_reference.bin")
# The vectors of these texts by the same model with float32 weights, run by torch, are in the file, in order.
# (Of texts that say nothing, such as "x", int8 weights change more: the cosine is 0.996 to 0.999.)
TEXTS = (
    "acquire_lock() must be called before touching workspace metadata: the watcher races with it.",
    "Deploys go through the canary first.",
    "The build needs node 20; node 22 breaks the native module.",
    "Why do we pin the protobuf version?",
    "Tests that touch the clock use freeze(), never time.sleep().",
    "ENOSPC while watching files: raise fs.inotify.max_user_watches.",
    "Invoices are rounded half-even, per line, before tax.",
    "Do not rename the column `usr_id`: the reporting job reads it by name.",
    "Retries are capped at five, with jitter, or the upstream blocks us.",
    "The staging database is reset every night at two.",
    "CI caches the wheel folder by the hash of the lock file.",
    "Use `make check` before a push.",
    "how are sessions invalidated after a password change",
    "Where are feature flags evaluated?",
    "src/db/migrations/0042_split_accounts.py cannot be run twice",
    "Die Rechnung wird erst nach der Lieferung gestellt.",
    "HTTP 429 from the geocoder means the daily quota is used up, not the rate.",
    "One paragraph about locks. " * 60,
)


@pytest.fixture(scope="module")
def embedder() -> embedding.Embedder:
    return embedding.load()


def numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def test_a_vector_has_the_stated_size_and_length_1(embedder: embedding.Embedder) -> None:
    for vector in embedder.embed(TEXTS):
        assert len(vector) == 4 * embedder.dimensions
        assert math.isclose(sum(x * x for x in numbers(vector)), 1, abs_tol=1e-6)


def test_a_vector_does_not_depend_on_what_is_beside_it(embedder: embedding.Embedder) -> None:
    texts = [*TEXTS, "x", ""]
    together = embedder.embed(texts)
    assert [embedder.embed([text])[0] for text in texts] == together
    assert embedder.embed(texts[::-1])[::-1] == together
    # Of one length, so that they are run at once.
    same = embedder.embed([f"note {n}" for n in range(1, 10)])
    assert [embedder.embed([f"note {n}"])[0] for n in range(1, 10)] == same


def test_a_vector_does_not_depend_on_the_number_of_threads(embedder: embedding.Embedder) -> None:
    assert embedding.load(threads=2).embed(TEXTS) == embedder.embed(TEXTS)


def test_a_vector_does_not_depend_on_the_process(embedder: embedding.Embedder) -> None:
    code = (
        "import sys; from vectr_hooks.embedding import load;"
        " sys.stdout.buffer.write(load().embed([sys.argv[1]])[0])"
    )
    done = subprocess.run([sys.executable, "-c", code, TEXTS[0]], capture_output=True, check=True)
    assert done.stdout == embedder.embed(TEXTS[:1])[0]


def test_the_vectors_are_those_of_fastembed(
    embedder: embedding.Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = "vectr-hooks/test-minilm-int8"
    TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=384,
        model_file="model.onnx",
    )
    model = TextEmbedding(name, specific_model_path=embedding.SHIPPED, threads=1)
    assert [vector.tobytes() for vector in model.embed(list(TEXTS))] == embedder.embed(TEXTS)


def test_int8_weights_cost_little(embedder: embedding.Embedder) -> None:
    reference = REFERENCE.read_bytes()
    size = 4 * embedder.dimensions
    assert len(reference) == size * len(TEXTS)
    for place, vector in enumerate(embedder.embed(TEXTS)):
        exact = numbers(reference[place * size : (place + 1) * size])
        assert sum(a * b for a, b in zip(numbers(vector), exact, strict=True)) >= 0.999, TEXTS[place]


def test_only_the_beginning_of_a_long_text_counts(embedder: embedding.Embedder) -> None:
    short, long = embedder.embed(["lock " * 254, "lock " * 254 + "something else"])
    assert short == long


def test_a_text_with_a_lone_surrogate_has_a_vector(embedder: embedding.Embedder) -> None:
    assert embedder.embed(["a \ud83d b"]) == embedder.embed(["a ? b"])


def test_no_texts_have_no_vectors(embedder: embedding.Embedder) -> None:
    assert embedder.embed([]) == []


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was asked for")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_sockets")
def test_no_socket_is_opened() -> None:
    embedding.load().embed(["a"])
    with pytest.raises(embedding.ModelUnavailable) as refused:
        embedding.load("BAAI/bge-small-en-v1.5")
    assert "model pull BAAI/bge-small-en-v1.5" in refused.value.hint


@pytest.mark.usefixtures("no_sockets")
def test_an_empty_folder_of_models_holds_none(home: Path) -> None:
    Path(embedding.models_folder(os.environ)).mkdir(parents=True)
    with pytest.raises(embedding.ModelUnavailable, match="cannot be loaded"):
        embedding.load("BAAI/bge-small-en-v1.5")


@pytest.mark.usefixtures("no_sockets")
def test_a_model_that_was_pulled_is_loaded(home: Path, embedder: embedding.Embedder) -> None:
    snapshot = (
        Path(embedding.models_folder(os.environ)) / "models--qdrant--all-MiniLM-L6-v2-onnx/snapshots/abc"
    )
    snapshot.mkdir(parents=True)
    (snapshot.parent.parent / "refs").mkdir()
    (snapshot.parent.parent / "refs/main").write_text("abc")
    for file in Path(embedding.SHIPPED).iterdir():
        shutil.copy(file, snapshot / file.name)
    pulled = embedding.load("sentence-transformers/all-MiniLM-L6-v2")
    assert pulled.dimensions == 384
    assert pulled.hash != embedder.hash
    for own, other in zip(embedder.embed(TEXTS[:5]), pulled.embed(TEXTS[:5]), strict=True):
        assert sum(a * b for a, b in zip(numbers(own), numbers(other), strict=True)) > 0.999_999


@pytest.mark.parametrize("damage", ["missing", "cut", "changed"])
def test_a_damaged_model_is_refused(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for file in Path(embedding.SHIPPED).iterdir():
        os.symlink(file, folder / file.name)
    monkeypatch.setattr(embedding, "SHIPPED", str(folder))
    tokenizer = folder / "tokenizer.json"
    content = tokenizer.read_bytes()
    tokenizer.unlink()
    if damage != "missing":
        tokenizer.write_bytes(content[:-1] if damage == "cut" else content[:-1] + b" ")
    with pytest.raises(embedding.ModelUnavailable) as refused:
        embedding.load()
    assert str(tokenizer) in refused.value.message
    assert "recall --lexical" in refused.value.hint
