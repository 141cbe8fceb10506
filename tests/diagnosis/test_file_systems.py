"""Where a store is not safe."""

from __future__ import annotations

import pytest

from vectr_hooks.diagnosis.file_systems import UNSAFE, Mount, danger, mounts, of_mount_command, of_mountinfo

ROOT = Mount("/", "ext4")


@pytest.mark.parametrize("type", UNSAFE)
def test_a_store_is_not_safe_below_such_a_mount(type: str) -> None:
    found = danger("/mnt/far/vectr-hooks/notes.db", [ROOT, Mount("/mnt/far", type)])
    assert found.endswith(f"({type})")


@pytest.mark.parametrize(
    "others",
    [
        [],
        [ROOT],
        [Mount("/mnt", "nfs4"), Mount("/mnt/far", "ext4")],
        [Mount("/mnt/fa", "nfs4"), ROOT],
        # What is mounted later at the same folder hides what was there.
        [ROOT, Mount("/mnt/far", "nfs4"), Mount("/mnt/far", "xfs")],
    ],
)
def test_the_innermost_and_latest_mount_decides(others: list[Mount]) -> None:
    assert danger("/mnt/far/vectr-hooks/notes.db", others) == ""


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("/Users/a/Library/CloudStorage/OneDrive-Firm/v/notes.db", "OneDrive"),
        ("/Users/a/Library/CloudStorage/Firm/v/notes.db", "a cloud service"),
        ("/home/a/OneDrive - Firm/v/notes.db", "OneDrive"),
        ("/home/a/Dropbox (Personal)/v/notes.db", "Dropbox"),
        ("/Users/a/Library/Mobile Documents/com~apple~CloudDocs/notes.db", "iCloud"),
        ("/home/a/notes of Dropbox/v/notes.db", ""),
        ("/home/a/dropboxes/v/notes.db", ""),
    ],
)
def test_folders_that_are_synced_are_known_by_their_names(path: str, service: str) -> None:
    found = danger(path, [ROOT])
    assert (service in found) if service else not found


def test_mounts_are_read_as_linux_writes_them() -> None:
    text = (
        "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"
        "40 22 0:35 / /mnt/my\\040share rw - NFS4 host:/x rw,vers=4.2\n"
        "nonsense\n"
    )
    assert list(of_mountinfo(text)) == [ROOT, Mount("/mnt/my share", "nfs4")]


def test_mounts_are_read_as_macos_writes_them() -> None:
    text = "/dev/disk3 on / (apfs, sealed, local)\n//a@host/x on /Volumes/my share (smbfs, nodev)\nnonsense\n"
    assert list(of_mount_command(text)) == [Mount("/", "apfs"), Mount("/Volumes/my share", "smbfs")]


def test_this_machine_tells_what_is_mounted() -> None:
    assert any(mount.folder == "/" for mount in mounts())
