"""The program that a host runs at an event: standard input to standard output, whatever is wrong.

Anything that goes wrong is recorded where `vectr-hooks doctor` shows it; nothing is printed then, and the
exit status is 0 on every path.
"""

import gc
import os
import time

# The process ends before a collection could pay for itself.
gc.disable()

from vectr_hooks.native import signals
from vectr_hooks.payload import fields, receive, tool_result
from vectr_hooks.store.connection import begin, close_if_large, open_for_hook, open_scratch
from vectr_hooks.store.workspace import data_home, home_folder, locate, store_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from sqlite3 import Connection
    from types import ModuleType
    from typing import NoReturn

    from vectr_hooks.core.occurrence import Occurrence
    from vectr_hooks.response import Response
    from vectr_hooks.store.workspace import Workspace

DEADLINE_S = 2.0
ERROR_FILE = "errors.log"
ERROR_FILE_BYTES = 64 * 1024


class Deadline(Exception):
    """The hook took longer than a user should wait."""


class Invocation:
    """One run of a hook: what it was told from outside."""

    def __init__(
        self, host: "ModuleType", event_name: str, environ: "Mapping[str, str]", started_ns: int
    ) -> None:
        self.host = host
        #: as registered; the payload's own name decides
        self.event_name = event_name
        self.environ = environ
        self.started_ns = started_ns
        self.place: "Workspace | None" = None
        self.path = ""
        self.connection: "Connection | None" = None
        self.writable = False

    def run(self) -> None:
        """Answer the payload on standard input, if the workspace has a store."""
        folder = self.host.project_folder(self.environ)
        if folder and not self._open_store(folder):
            return
        event = self._read_event()
        if event is None or not (self.connection or self._open_store(event.folder or os.getcwd())):
            return
        assert self.connection is not None
        assert self.place is not None
        from vectr_hooks.response import Response

        now_ms = time.time_ns() // 1_000_000
        response = Response(self.connection, self.host, event, self.place, now_ms, self.started_ns)
        if not self.writable:
            write_all(1, response.answer_unrecorded())
            return
        begin(self.connection)
        write_all(1, response.answer())
        self.connection.execute("COMMIT")
        close_if_large(self.connection, self.path)

    def _read_event(self) -> "Occurrence | None":
        # Any connection has SQLite's JSON functions; using the store's own saves opening a second.
        connection = self.connection or open_scratch()
        return read_event(connection, self.host, receive(0, connection))

    def _open_store(self, folder: str) -> bool:
        """Open the store of the workspace that `folder` is in; False where there is none."""
        if not self._find_store(folder):
            return False
        self.connection, self.writable = open_for_hook(self.path)
        return True

    def record(self, error: BaseException) -> None:
        """Note what went wrong in the store, or in a bounded file when the store is the problem."""
        message = type(error).__name__ + ": " + str(error)
        now_ms = time.time_ns() // 1_000_000
        try:
            folder = self.host.project_folder(self.environ) or os.getcwd()
            if not self.path and not self._find_store(folder):
                return
            connection = self.connection or open_for_hook(self.path)[0]
            # The user has waited long enough.
            connection.execute("PRAGMA busy_timeout = 50")
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            from vectr_hooks.store.audit import record_error

            record_error(connection, self.event_name, message, now_ms)
        except Exception:  # the store is the problem
            self._record_beside(self.event_name + ": " + message, now_ms)

    def _find_store(self, folder: str) -> bool:
        place = locate(folder, home_folder(self.environ))
        if place is None or not place.id:
            return False
        path = store_path(data_home(self.environ), place.id)
        # Without a store a hook does nothing; a broken one is reported when it is opened.
        if not os.path.lexists(path):
            return False
        self.place, self.path = place, path
        return True

    def _record_beside(self, message: str, now_ms: int) -> None:
        path = os.path.join(os.path.dirname(self.path), ERROR_FILE)
        try:
            fresh = os.path.getsize(path) > ERROR_FILE_BYTES
        except OSError:
            fresh = False
        flags = (
            os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if fresh else os.O_APPEND) | getattr(os, "O_NONBLOCK", 0)
        )
        try:
            descriptor = os.open(path, flags, 0o600)
        except OSError:
            return
        line = str(now_ms) + " " + " ".join(message.split())
        os.write(descriptor, line.encode("utf-8", "replace")[:1000] + b"\n")
        os.close(descriptor)


def main(host_name: str, event_name: str) -> "NoReturn":
    """Answer one event of the host `host_name` and end the process with status 0."""
    started_ns = time.perf_counter_ns()
    invocation = None
    try:
        if os.environ.get("VECTR_HOOKS") != "off":
            _arm_deadline()
            invocation = Invocation(_host(host_name), event_name, os.environ, started_ns)
            invocation.run()
    except Exception as error:  # a hook must never harm its session
        if invocation is not None:
            _disarm_deadline()
            invocation.record(error)
    finally:
        # Skips the interpreter's own clean-up, a third of a bare start.
        os._exit(0)


def read_event(connection: "Connection", host: "ModuleType", text: str) -> "Occurrence | None":
    """Read a payload as `host` writes it; None for an event that is not ours."""
    event: "Occurrence | None" = host.read_event(*fields(connection, text))
    if event is not None:
        event.result = lambda: tool_result(connection, text)
    return event


def rehearse(
    path: str,
    host_name: str,
    payloads: "Sequence[str]",
    look: "Callable[[Connection, Response], None] | None" = None,
) -> str:
    """Play `payloads`, as JSON, to the store at `path`, recording nothing; give what the last would print.

    Before everything is rolled back, `look` is shown the store and the last response.
    """
    from vectr_hooks.response import Response

    host = _host(host_name)
    connection, writable = open_for_hook(path)
    output, response = b"", None
    if writable:
        begin(connection)
    try:
        for payload in payloads:
            event = read_event(connection, host, payload)
            place = locate(event.folder, home_folder(os.environ)) if event else None
            if event is None or place is None:
                continue
            response = Response(connection, host, event, place, time.time_ns() // 1_000_000)
            output = response.answer() if writable else response.answer_unrecorded()
        if look is not None and response is not None:
            look(connection, response)
    finally:
        if writable:
            connection.execute("ROLLBACK")
        connection.close()
    return output.decode("utf-8", "replace")


def write_all(descriptor: int, output: bytes) -> None:
    while output:
        output = output[os.write(descriptor, output) :]


def _host(name: str) -> "ModuleType":
    if name == "claude":
        from vectr_hooks.hosts import claude

        return claude
    raise ValueError("unknown host " + name)


def _arm_deadline() -> None:
    if hasattr(signals, "setitimer"):
        signals.signal(signals.SIGALRM, _expire)
        signals.setitimer(signals.ITIMER_REAL, DEADLINE_S)


def _disarm_deadline() -> None:
    if hasattr(signals, "setitimer"):
        signals.setitimer(signals.ITIMER_REAL, 0)


def _expire(number: int, frame: object) -> None:
    raise Deadline("not done within " + str(DEADLINE_S) + " s")
