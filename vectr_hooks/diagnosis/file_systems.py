"""Where a store must not lie: where SQLite's write-ahead log is not safe, and in synced folders."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from typing import NamedTuple

NETWORK = "a network file system"
OF_THE_HOST = "a folder of another system, seen through a virtual machine"
SIMPLE = "a file system without locks and permissions of its own"

# The log needs memory that all processes share, and locks that hold.
UNSAFE = {
    type: what
    for what, types in {
        NETWORK: (
            "nfs nfs3 nfs4 cifs smb2 smb3 smbfs afpfs afs ceph glusterfs lustre ncpfs davfs webdav"
            " fuse.davfs2 fuse.sshfs fuse.rclone fuse.s3fs"
        ),
        OF_THE_HOST: "9p v9fs drvfs vboxsf prl_fs vmhgfs fuse.vmhgfs-fuse",
        SIMPLE: "vfat msdos exfat fat32",
    }.items()
    for type in types.split()
}

# By how a folder of the path begins: two machines would write to one store, and a copy of half of it may win.
SYNCED = (
    ("OneDrive", "OneDrive"),
    ("Dropbox", "Dropbox"),
    ("iCloud Drive", "iCloud"),
    ("iCloudDrive", "iCloud"),
    ("Mobile Documents", "iCloud"),
    ("CloudStorage", "a cloud service"),
    ("Google Drive", "Google Drive"),
    ("GoogleDrive", "Google Drive"),
    ("Nextcloud", "Nextcloud"),
    ("ownCloud", "ownCloud"),
    ("pCloudDrive", "pCloud"),
    ("pCloud Drive", "pCloud"),
    ("Box Sync", "Box"),
    ("Syncthing", "Syncthing"),
)

_ESCAPED = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """A folder at which a file system is mounted."""

    folder: str
    type: str


def danger(path: str, mounts: Iterable[Mount]) -> str:
    """Why a store at `path`, which is absolute, is not safe there, or ''."""
    here = [mount for mount in mounts if _holds(mount.folder, path)]
    # Of several at one folder, the last one hides the others.
    type = max(reversed(here), key=lambda mount: len(mount.folder)).type if here else ""
    if type in UNSAFE:
        return f"{UNSAFE[type]} ({type})"
    folders = os.path.dirname(path).split(os.sep)
    service = next((name for start, name in SYNCED if any(part.startswith(start) for part in folders)), "")
    return f"a folder that {service} keeps in step with other machines" if service else ""


def mounts() -> list[Mount]:
    """What is mounted on this machine; nothing where it does not tell."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            return list(of_mountinfo(file.read()))
    except OSError:
        pass
    try:
        done = subprocess.run(["/sbin/mount"], stdin=subprocess.DEVNULL, capture_output=True, timeout=5)
    except (OSError, subprocess.SubprocessError):
        return []
    return list(of_mount_command(os.fsdecode(done.stdout)))


def of_mountinfo(text: str) -> Iterator[Mount]:
    """Linux: `36 35 98:0 /root /folder options - type source options`, with blanks as `\\040`."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) > 4 and after:
            folder = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4])
            yield Mount(folder, after.split(" ")[0].lower())


def of_mount_command(text: str) -> Iterator[Mount]:
    """macOS and BSD: `source on /folder (type, options)`."""
    for line in text.splitlines():
        match = re.fullmatch(r".*? on (/.*) \(([^,)]+).*\)", line)
        if match:
            yield Mount(match[1], match[2].lower())


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
