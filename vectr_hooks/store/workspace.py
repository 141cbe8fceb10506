"""Which workspace a folder belongs to, and where its store is."""

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ID_LENGTH = 32
LINE_BYTES = 4096

# How git begins the one line of its files `HEAD` and `.git`.
BRANCH = "ref: refs/heads/"
GIT_FOLDER = "gitdir: "

HEX_DIGITS = frozenset("0123456789abcdef")


class Workspace:
    """A project as found from one of its folders; `id` is empty where `init` has not run."""

    __slots__ = ("head_file", "id", "id_file", "root")

    def __init__(self, root: str, id: str, id_file: str, head_file: str = "") -> None:
        #: absolute, symbolic links resolved
        self.root = root
        #: 32 hexadecimal digits, or ''
        self.id = id
        #: where the id is kept, or would be
        self.id_file = id_file
        #: git's HEAD of this worktree, or '' without git
        self.head_file = head_file


def data_home(environ: "Mapping[str, str]") -> str:
    """Name the folder that holds every store: `$VECTR_HOOKS_HOME`, else the platform's user data folder."""
    own = environ.get("VECTR_HOOKS_HOME")
    if own:
        return os.path.abspath(own)
    home = home_folder(environ)
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "vectr-hooks")
    if sys.platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(base, "vectr-hooks")
    base = environ.get("XDG_DATA_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    if not base.startswith("/"):
        base = os.path.join(home, ".local", "share")
    return os.path.join(base, "vectr-hooks")


def home_folder(environ: "Mapping[str, str]") -> str:
    """Name the user's home folder, from the account database where the environment has none."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return os.path.realpath(home if home else os.path.expanduser("~"))


def store_path(data_home: str, workspace_id: str) -> str:
    return os.path.join(data_home, "workspaces", workspace_id, "notes.db")


def locate(start: str, home: str) -> "Workspace | None":
    """Climb from `start` to the first repository, or to a folder with an id of its own.

    Never past `home`, which is a workspace only when started there. None where there is neither.
    """
    folder = os.path.realpath(start)
    first = folder
    while True:
        if folder == home and folder != first:
            return None
        git = os.path.join(folder, ".git")
        if os.path.exists(git):
            return _repository(folder, git)
        id_file = os.path.join(folder, ".vectr", "id")
        found = read_id(id_file)
        if found:
            return Workspace(folder, found, id_file)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _repository(root: str, git: str) -> "Workspace | None":
    git_folder = git
    if os.path.isfile(git):
        line = read_line(git)
        if not line.startswith(GIT_FOLDER):
            return None
        git_folder = os.path.join(root, line[len(GIT_FOLDER) :])
    common = read_line(os.path.join(git_folder, "commondir"))
    common = os.path.join(git_folder, common) if common else git_folder
    id_file = os.path.join(os.path.normpath(common), "vectr-hooks")
    own = read_id(id_file) or read_id(os.path.join(root, ".vectr", "id"))
    return Workspace(root, own, id_file, os.path.join(git_folder, "HEAD"))


def read_id(path: str) -> str:
    """Read a project's id; '' for anything else, and for what is reached through a link."""
    # An id becomes part of a path, so nothing but the form that `init` writes is taken.
    text = read_line(path)
    if len(text) != ID_LENGTH or not HEX_DIGITS.issuperset(text):
        return ""
    # A repository may bring a link to the id of another project, whose notes would then be told here.
    return "" if os.path.islink(path) or os.path.islink(os.path.dirname(path)) else text


def read_line(path: str) -> str:
    """Read the first line of a small regular file; '' for anything else."""
    text = beginning(path, LINE_BYTES) or b""
    return text.split(b"\n", 1)[0].decode("utf-8", "replace").strip()


def beginning(path: str, most: int) -> "bytes | None":
    """Read up to `most` bytes of a regular file; None for anything else, which is not even opened."""
    try:
        # Opening alone lets a FIFO's writer go on, and has some devices do something.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        # Non-blocking, should one have come into the file's place since.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    try:
        return os.read(descriptor, most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def branch(workspace: Workspace) -> str:
    """Name the branch checked out in this worktree; '' when detached or without git."""
    head = read_line(workspace.head_file) if workspace.head_file else ""
    return head[len(BRANCH) :] if head.startswith(BRANCH) else ""


def relative_path(root: str, path: str, folder: str) -> str:
    """Give `path` (which may be relative to `folder`) relative to `root`; '' when it lies outside.

    Components are separated by `/`, in NFC. `root` is resolved; `path` is resolved only when it does not lie
    under `root` as written, so a link inside the workspace keeps its own name.
    """
    if os.sep == "\\":
        path = path.replace("/", "\\")
    path = os.path.normpath(os.path.join(folder, path))
    base = root if root.endswith(os.sep) else root + os.sep
    if path == root:
        return ""
    if not path.startswith(base):
        path = os.path.realpath(path)
        if not path.startswith(base):
            return ""
    relative = path[len(base) :]
    if os.sep == "\\":
        relative = relative.replace("\\", "/")
    if not relative.isascii():
        import unicodedata

        relative = unicodedata.normalize("NFC", relative)
    return relative
