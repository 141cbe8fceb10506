"""The program that a host runs at an event: standard input to standard output, whatever is wrong.

Anything that goes wrong is recorded where `vectr-hooks doctor` shows it; nothing is printed then, and the
exit status is 0 on every path. Only a program that is no longer whole is told of, to the user, when a session
starts: else it would be silent for ever.
"""

import gc
import os
import stat
import sys
import time

# The process ends before a collection could pay for itself.
gc.disable()

from vectr_hooks.hosts import NAMES
from vectr_hooks.native import signals, sqlite
from vectr_hooks.payload import TOOL_RESULTS, Malformed, fields, receive, spelling, tool_result
from vectr_hooks.store.connection import (
    StoreError,
    begin,
    close_if_large,
    is_damage,
    open_for_hook,
    open_scratch,
)
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

# Nobody waits for a hook longer than two seconds: what comes after each of these fits in as well, if only the
# record of what went wrong.
LOCK_WAIT_ENDS_S = 1.7
DEADLINE_S = 1.8
AGAIN_S = 0.05
COULD_NOT_START = "vectr-hooks could not start; run: vectr-hooks doctor"
UNWRITABLE = "the store cannot be written: notes come at session starts and after compactions only"
ERROR_FILE = "errors.log"
ERROR_FILE_BYTES = 64 * 1024
ERROR_LINE_BYTES = 1000

# What an import raises when the program's files are missing, or cut short.
NOT_WHOLE = (ImportError, SyntaxError, EOFError)


class Deadline(Exception):
    """The hook took longer than a user should wait."""


class Invocation:
    """One run of a hook: what it was told from outside."""

    def __init__(
        self, host_name: str, event_name: str, environ: "Mapping[str, str]", started_ns: int
    ) -> None:
        self.host_name = host_name
        #: as registered; the payload's own name decides
        self.event_name = event_name
        self.environ = environ
        self.started_ns = started_ns
        #: as the host's environment names it; '' for none
        self.folder = ""
        self.place: "Workspace | None" = None
        self.path = ""
        self.connection: "Connection | None" = None
        self.writable = False

    def run(self) -> None:
        """Answer the payload on standard input, if the workspace has a store."""
        host = _host(self.host_name)
        self.folder = host.project_folder(self.environ)
        if self.folder and not self._open_store(self.folder):
            return
        # Any connection has SQLite's JSON functions; using the store's own saves opening a second.
        connection = self.connection or open_scratch()
        text = receive(0, connection)
        top, tool_input = fields(connection, text)
        # Other hosts run what is registered for this one as well.
        writer = host.written_by(top, self.environ)
        if writer != host.NAME:
            host = _host(writer)
        event = as_event(connection, host, text, top, tool_input, self.event_name)
        if event is None or not (self.connection or self._open_store(event.folder or os.getcwd())):
            return
        assert self.connection is not None
        assert self.place is not None
        from vectr_hooks.response import Response

        now_ms = time.time_ns() // 1_000_000
        response = Response(self.connection, host, event, self.place, now_ms, self.started_ns)
        if not self.writable or not begin(self.connection, LOCK_WAIT_ENDS_S - self._elapsed_s()):
            write_all(1, response.answer_unrecorded())
            self._record_beside(UNWRITABLE, now_ms)
            return
        write_all(1, response.answer())
        self.connection.execute("COMMIT")
        # It is answered: nothing that follows is late.
        _disarm_deadline()
        close_if_large(self.connection, self.path)

    def _elapsed_s(self) -> float:
        return (time.perf_counter_ns() - self.started_ns) / 1e9

    def _open_store(self, folder: str) -> bool:
        """Open the store of the workspace that `folder` is in; False where there is none."""
        if not self._find_store(folder):
            return False
        self.connection, self.writable = open_for_hook(self.path)
        return True

    def record(self, error: BaseException) -> None:
        """Note what went wrong in the store, or in a bounded file when the store is the problem."""
        message = describe(error)
        now_ms = time.time_ns() // 1_000_000
        try:
            if not self.path and not self._find_store(self.folder or os.getcwd()):
                return
            if not is_damage(error):
                self._record_inside(message, now_ms)
                return
        except Exception:  # the store is the problem
            pass
        self._record_beside(message, now_ms)

    def _record_inside(self, message: str, now_ms: int) -> None:
        connection = self.connection or open_for_hook(self.path)[0]
        # The user has waited long enough.
        connection.execute("PRAGMA busy_timeout = 50")
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        from vectr_hooks.store.audit import record_error

        record_error(connection, self.event_name, message, now_ms)

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
        if not self.path:
            return
        line = str(now_ms) + " " + self.event_name + ": " + " ".join(message.split())
        path = os.path.join(os.path.dirname(self.path), ERROR_FILE)
        try:
            append_bounded(path, line.encode("utf-8", "replace")[:ERROR_LINE_BYTES] + b"\n")
        except OSError:
            pass  # nowhere to say it


def main(host_name: str, event_name: str) -> "NoReturn":
    """Answer one event of the host `host_name` and end the process with status 0."""
    invocation = Invocation(host_name, event_name, os.environ, time.perf_counter_ns())
    try:
        if os.environ.get("VECTR_HOOKS") != "off":
            _arm_deadline()
            invocation.run()
    except Exception as error:  # a hook must never harm its session
        _disarm_deadline()
        invocation.record(error)
        # Nothing is imported once something was printed.
        if event_name == "SessionStart" and isinstance(error, NOT_WHOLE):
            write_all(1, b'{"systemMessage":"' + COULD_NOT_START.encode() + b'"}')
    finally:
        # Skips the interpreter's own clean-up, a third of a bare start.
        os._exit(0)


def describe(error: BaseException) -> str:
    """Say what went wrong, but not with what: texts are the user's, and paths come from the environment."""
    name = type(error).__name__
    if isinstance(error, (Deadline, Malformed, StoreError, sqlite.Error)):
        return name + ": " + str(error)
    if isinstance(error, OSError) and error.errno:
        name += ": " + os.strerror(error.errno)
    elif isinstance(error, ImportError) and error.name:
        name += ": " + error.name
    return name + _place(error)


def _place(error: BaseException) -> str:
    """Name the innermost line of ours that `error` came through."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("vectr_hooks"):
            place = " (" + module + ":" + str(trace.tb_lineno) + ")"
        trace = trace.tb_next
    return place


def append_bounded(path: str, line: bytes) -> None:
    """Append to a file of the user's own, which starts anew when it has grown; raise OSError if it cannot."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return
        if not found.st_mode & stat.S_IRUSR and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)  # such was the umask
        if found.st_size > ERROR_FILE_BYTES:
            os.ftruncate(descriptor, 0)
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def read_event(connection: "Connection", host: "ModuleType", text: str) -> "Occurrence | None":
    """Read a payload as `host` writes it; None for an event that is not ours."""
    return as_event(connection, host, text, *fields(connection, text))


def as_event(
    connection: "Connection",
    host: "ModuleType",
    text: str,
    top: "Mapping[str, object]",
    tool_input: "Mapping[str, object]",
    registered: str = "",
) -> "Occurrence | None":
    """Read the payload `text`, of which `fields` gave the rest; None for an event that is not ours.

    `registered` is the event that the hook was registered for: some hosts do not name it in the payload.
    """
    event: "Occurrence | None" = host.read_event(top, tool_input, registered)
    if event is not None:
        event.result = lambda: tool_result(connection, text, spelling(TOOL_RESULTS, top) or TOOL_RESULTS[0])
        event.size = len(text)
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
    writable = writable and begin(connection)
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
    """Write `output` to its end, also where the host has made the descriptor non-blocking."""
    while output:
        try:
            output = output[os.write(descriptor, output) :]
        except BlockingIOError:
            import select

            select.select([], [descriptor], [])


def _host(name: str) -> "ModuleType":
    if name not in NAMES:
        raise ValueError("unknown host")
    # Only this one: what the others take would cost every start.
    module: "ModuleType" = __import__("vectr_hooks.hosts." + name, fromlist=("NAME",))
    return module


def _arm_deadline() -> None:
    if hasattr(signals, "setitimer"):
        signals.signal(signals.SIGALRM, _expire)
        # Who starts us may have it blocked.
        signals.pthread_sigmask(signals.SIG_UNBLOCK, (signals.SIGALRM,))
        # One that rises in a callback of the interpreter's own is reported and forgotten: be silent, and rise
        # again.
        sys.unraisablehook = lambda unraisable: None
        signals.setitimer(signals.ITIMER_REAL, DEADLINE_S, AGAIN_S)


def _disarm_deadline() -> None:
    if hasattr(signals, "setitimer"):
        signals.setitimer(signals.ITIMER_REAL, 0)


def _expire(number: int, frame: object) -> None:
    raise Deadline("not done within " + str(DEADLINE_S) + " s")
