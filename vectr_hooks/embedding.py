"""Texts as vectors, by a model in local files: the one that comes with the package, or one of fastembed's.

A vector depends on its text and the model alone: not on the texts beside it, the number of threads or the
process. So texts are run together only when they have the same number of tokens, and none is padded. Nothing
but `fetch` opens a socket, and nothing but `vectr-hooks model pull` calls it.
"""

import os

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.workspace import data_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    #: texts to vectors of length 1, float32, little-endian
    Embed = Callable[[Sequence[str]], list[bytes]]

#: what the package brings: sha256 of each file that a vector depends on
SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", "minilm-int8")
SHIPPED_FILES = {
    "model.onnx": "68fb1cfeedd1ef6b9a5a0a816c7b656ceb58ac4f989ad69fc4fe1f6924add877",
    "tokenizer.json": "6681992d43e581b35b3dd61f3c81ee0f891fbf13ad54f8b692ea868bd46b066b",
}
#: tokens of a text that the shipped model reads, the two marks around it included; what follows is left out
LONGEST = 256
_LEXICAL = "`recall --lexical` needs no model"
#: tokens run at once: more gain nothing on a CPU, and take memory
_AT_ONCE = 1024


class ModelUnavailable(VectrHooksError):
    """The model's files are missing or damaged, or what runs them is not installed."""


class Embedder:
    """A loaded model. `hash` names what its vectors depend on; two of one hash give the same bytes."""

    __slots__ = ("_embed", "dimensions", "hash")

    def __init__(self, hash: str, dimensions: int, embed: "Embed") -> None:
        self.hash = hash
        self.dimensions = dimensions
        self._embed = embed

    def embed(self, texts: "Sequence[str]") -> "list[bytes]":
        """Give the vector of each text: `dimensions` little-endian float32, of length 1.

        Raises `ModelUnavailable`.
        """
        # A tokenizer takes no lone surrogates, which a text from a host may hold.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        try:
            return self._embed(clean) if clean else []
        except Exception as error:
            # It raises what its libraries do, such as for want of memory.
            raise ModelUnavailable(f"the embedding model cannot be run: {error}", _LEXICAL) from error


def load(model: str = "", threads: int = 1) -> Embedder:
    """Load the shipped model, or the one that fastembed knows as `model`; `threads` changes the speed alone.

    Raises `ModelUnavailable`.
    """
    return _fetched(model, threads) if model else _shipped(SHIPPED, threads)


def models_folder(environ: "Mapping[str, str]") -> str:
    """Name the folder that `model pull` fetches into."""
    return os.path.join(data_home(environ), "models")


def known_models() -> "dict[str, float]":
    """Name the models that can be fetched, with the size of each in GB."""
    from fastembed import TextEmbedding

    return {str(one["model"]): float(one["size_in_GB"]) for one in TextEmbedding.list_supported_models()}


def fetch(model: str) -> None:
    """Fetch the model that fastembed knows as `model` from the network, showing how far it has come.

    Raises `ModelUnavailable`.
    """
    from fastembed import TextEmbedding

    try:
        TextEmbedding(model, cache_dir=models_folder(os.environ), lazy_load=True)
    except Exception as error:
        # It raises what its libraries do, whatever is in the way.
        raise ModelUnavailable(
            f"the embedding model {model!r} could not be fetched: {error}", "check the network, and try again"
        ) from error


def _shipped(folder: str, threads: int) -> Embedder:
    contents = {name: _checked(os.path.join(folder, name), digest) for name, digest in SHIPPED_FILES.items()}
    try:
        import numpy
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelUnavailable(
            f"the embedding model cannot be run: {error}",
            "install vectr-hooks with its dependencies, such as by `pipx install vectr-hooks`",
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(contents["model.onnx"], options, ["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_buffer(contents["tokenizer.json"])
    except Exception as error:
        # They raise what they like, such as for want of memory.
        raise ModelUnavailable(f"the embedding model cannot be loaded: {error}", _LEXICAL) from error
    tokenizer.enable_truncation(max_length=LONGEST)

    def embed(texts: "Sequence[str]") -> "list[bytes]":
        tokens = [tokenizer.encode(text).ids for text in texts]
        vectors = [b""] * len(texts)
        for places in _of_one_length(tokens):
            ids = numpy.array([tokens[place] for place in places], dtype=numpy.int64)
            inputs = {
                "input_ids": ids,
                "attention_mask": numpy.ones_like(ids),
                "token_type_ids": numpy.zeros_like(ids),
            }
            hidden = session.run(None, inputs)[0]
            # Summed in float64, as fastembed does, for the same bytes.
            pooled = numpy.sum(hidden, axis=1, dtype=numpy.float64) / ids.shape[1]
            unit = pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)
            for row, place in enumerate(places):
                vectors[place] = unit[row].astype("<f4").tobytes()
        return vectors

    return Embedder(_named("minilm-int8", *SHIPPED_FILES.values()), 384, embed)


def _of_one_length(tokens: "Sequence[Sequence[int]]") -> "Iterator[list[int]]":
    """Give the places of texts that can be run together, a bounded number at a time."""
    by_length: "dict[int, list[int]]" = {}
    for place, ids in enumerate(tokens):
        by_length.setdefault(len(ids), []).append(place)
    for length, places in by_length.items():
        most = max(1, _AT_ONCE // length)
        for start in range(0, len(places), most):
            yield places[start : start + most]


def _checked(path: str, digest: str) -> bytes:
    from hashlib import sha256

    reinstall = "install vectr-hooks again; " + _LEXICAL
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise ModelUnavailable(
            f"the embedding model's {path} cannot be read: {error.strerror}", reinstall
        ) from error
    if sha256(content).hexdigest() != digest:
        raise ModelUnavailable(f"the embedding model's {path} is damaged", reinstall)
    return content


def _named(*parts: str) -> str:
    from hashlib import sha256

    return sha256("\0".join(parts).encode()).hexdigest()


def _fetched(model: str, threads: int) -> Embedder:
    # Read by the libraries as they are imported: without it they would ask the network for newer files.
    os.environ["HF_HUB_OFFLINE"] = "1"
    pull = (
        f"`vectr-hooks model pull {model}` fetches it; `vectr-hooks config unset semantic.model` takes the"
        " shipped one"
    )
    folder = models_folder(os.environ)
    if not os.path.isdir(folder):
        raise ModelUnavailable(f"the embedding model {model!r} is not on this machine", pull)
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise ModelUnavailable(f"the embedding model {model!r} cannot be run: {error}", pull) from error
    try:
        loaded = _quietly(TextEmbedding, model, folder, threads)
    except Exception as error:
        # It raises what its libraries do, whatever is wrong with the files.
        raise ModelUnavailable(f"the embedding model {model!r} cannot be loaded: {error}", pull) from error

    def embed(texts: "Sequence[str]") -> "list[bytes]":
        # One at a time: a model with activations in int8 gives other bytes for other neighbours.
        import numpy

        vectors = []
        for vector in loaded.embed(list(texts), batch_size=1):
            length = numpy.linalg.norm(vector.astype(numpy.float64))
            vectors.append((vector / max(length, 1e-12)).astype("<f4").tobytes())
        return vectors

    try:
        digests = _digests(str(loaded.model._model_dir))
    except OSError as error:
        raise ModelUnavailable(
            f"the embedding model {model!r} cannot be read: {error.strerror}", pull
        ) from error
    return Embedder(_named(model, *digests), loaded.embedding_size, embed)


def _digests(folder: str) -> "list[str]":
    """Name every file under `folder`, in order, each with the digest of its content."""
    from hashlib import sha256

    parts = []
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                parts += [os.path.relpath(path, folder).replace(os.sep, "/"), sha256(file.read()).hexdigest()]
    return parts


def _quietly(text_embedding: "Any", model: str, folder: str, threads: int) -> "Any":
    from loguru import logger

    # What it logs on the way, `ModelUnavailable` says.
    logger.disable("fastembed")
    return text_embedding(model, cache_dir=folder, threads=threads, local_files_only=True)
