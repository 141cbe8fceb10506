"""Reading and replacing a settings file: whole or not at all, through links, with its mode."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from vectr_hooks.atomic_files import replacing
from vectr_hooks.errors import VectrHooksError


def read(path: str) -> bytes | None:
    """The bytes of the file that `path` leads to; None where there is none."""
    with _named(path):
        try:
            # Asked before it is opened: a FIFO would wait for a writer.
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise VectrHooksError(f"{path} is not a regular file")
            with open(path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None


def decode(content: bytes, path: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise VectrHooksError(
            f"{path} is not UTF-8: byte {error.start + 1} cannot be read", hint="save the file as UTF-8"
        ) from None


@contextlib.contextmanager
def in_file(path: str) -> Iterator[None]:
    """Say in which file it was, when what stands there is refused."""
    try:
        yield
    except VectrHooksError as error:
        raise VectrHooksError(f"{path}: {error.message}", hint=error.hint) from None


def replace(path: str, before: bytes | None, after: bytes | None) -> None:
    """Let the file that `path` leads to hold `after` instead of `before`; None means no file.

    A link stays a link. Refused, with nothing changed, when the file no longer holds `before`.
    """
    target = os.path.realpath(path)
    with _named(path):
        status = None if before is None else os.stat(target)
        if before is not None and not os.access(target, os.W_OK):
            raise VectrHooksError(f"{path} is read-only", hint="make it writable, or choose another --scope")
        if after is None:
            _check_unchanged(path, before)
            os.unlink(target)
            return
        with replacing(target) as draft:
            _write(draft, after, status)
            _check_unchanged(path, before)


def write_private(path: str, content: bytes) -> None:
    """Write a file that only its owner can read, atomically."""
    with _named(path), replacing(path) as draft:
        _write_new(draft, content, 0o600)


def _write(path: str, content: bytes, like: os.stat_result | None) -> None:
    if like is None:
        _write_new(path, content, 0o666)
        return
    _write_new(path, content, 0o600)
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(path, like.st_uid, like.st_gid)
    os.chmod(path, stat.S_IMODE(like.st_mode))


def _write_new(path: str, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _check_unchanged(path: str, before: bytes | None) -> None:
    if read(path) != before:
        raise VectrHooksError(
            f"{path} was changed by another program meanwhile", hint="run the command again"
        )


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VectrHooksError(f"{path}: {error.strerror or error}") from None
