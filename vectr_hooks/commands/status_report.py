"""What is set up in a project and whether it works: gathered, and said in lines."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from vectr_hooks import output, team_notes
from vectr_hooks.diagnosis import registrations
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import Project, open_project
from vectr_hooks.registration import hosts
from vectr_hooks.store import activity, configuration, inspection, journal
from vectr_hooks.store.create import open_store
from vectr_hooks.store.workspace import home_folder, locate


@dataclass(frozen=True)
class Registration:
    """A settings file that has to do with our hooks."""

    scope: str
    path: str
    installed: bool
    """Our commands are in it."""
    plugin: bool
    """It enables our plugin, which registers the same."""
    disables_hooks: bool


@dataclass(frozen=True)
class StoreStatus:
    """What is in the project's store."""

    size_bytes: int
    notes: dict[str, int]
    """By kind."""
    residual_notes: int
    events_24h: int
    deliveries_24h: int
    errors: int
    last_error: str
    enabled: bool


@dataclass(frozen=True)
class TeamStatus:
    """How the notes that come with the repository stand: how many files."""

    trusted: int
    untrusted: int
    """Whose notes are not delivered until `trust`: new, changed, moved or there again."""
    gone: int
    broken: int


@dataclass(frozen=True)
class Status:
    """Everything that `status` tells."""

    root: str
    workspace: str
    store_path: str
    store: StoreStatus | None
    team: TeamStatus
    outer_root: str
    """A folder further up with a store that is not in force here, or ''."""
    registrations: tuple[Registration, ...]
    switched_off: bool
    """`VECTR_HOOKS=off` is set here."""


def gather(folder: str) -> Status:
    place = _project(folder)
    root = place.root if place else _root(folder)
    path = place.store_path if place else ""
    return Status(
        root=root,
        workspace=place.workspace.id if place else "",
        store_path=path,
        store=read_store(path) if os.path.exists(path) else None,
        team=read_team(path, root),
        outer_root=outer_root(root),
        registrations=tuple(read_registrations(folder, root)),
        switched_off=os.environ.get("VECTR_HOOKS") == "off",
    )


def _project(folder: str) -> Project | None:
    try:
        return open_project(folder)
    except VectrHooksError:
        return None


def _root(folder: str) -> str:
    workspace = locate(folder, home_folder(dict(os.environ)))
    return workspace.root if workspace else folder


def read_store(path: str) -> StoreStatus:
    now_ms = time.time_ns() // 1_000_000
    with closing(open_store(path)) as con:
        counts = journal.counts(con)
        day = activity.since(con, now_ms - activity.DAY_MS)
        errors = journal.recent_errors(con, 1, output.LeftOut())
        residual = len(inspection.residual(con))
        enabled = bool(configuration.current(con)["enabled"])
    return StoreStatus(
        size_bytes=counts.bytes,
        notes=dict(counts.notes),
        residual_notes=residual,
        events_24h=day.events,
        deliveries_24h=day.deliveries,
        errors=counts.errors,
        last_error=f"{output.utc(errors[0].at)} {errors[0].event}: {errors[0].message}" if errors else "",
        enabled=enabled,
    )


def read_team(path: str, root: str) -> TeamStatus:
    """How the repository's notes stand to the store at `path`, which may not be there."""
    if os.path.exists(path):
        with closing(open_store(path)) as con:
            found = team_notes.survey(con, root)
    else:
        found = team_notes.survey(None, root)
    gone = len(found.of(team_notes.GONE))
    others = len(found.changes) - gone - len(found.of(team_notes.YOURS))
    return TeamStatus(len(found.settled), others, gone, len(found.problems))


def outer_root(root: str) -> str:
    """The nearest folder above `root` whose store a session started here does not see."""
    folder = os.path.dirname(root)
    while folder != os.path.dirname(folder):
        outer = _project(folder)
        if outer is None:
            return ""
        if os.path.exists(outer.store_path):
            return outer.root
        folder = os.path.dirname(outer.root)
    return ""


def read_registrations(start: str, root: str) -> Iterator[Registration]:
    """The settings files of a client started in `start` or at the root that have to do with our hooks."""
    for file in registrations.around(start, root, os.environ):
        if file.entries or file.plugin or file.disables_hooks:
            yield Registration(
                file.scope, file.path, bool(file.entries), bool(file.plugin), file.disables_hooks
            )
    for _, scope, path in hosts.registered(root, os.environ):
        yield Registration(scope, path, installed=True, plugin=False, disables_hooks=False)


def lines(status: Status) -> Iterator[str]:
    yield f"project: {status.root}"
    if status.outer_root:
        yield f"{status.outer_root} has a store as well; it is not in force here"
    if status.store is None:
        yield "store: none, so hooks do nothing here. `vectr-hooks init` creates it"
    else:
        yield f"workspace: {status.workspace}"
        yield f"store: {status.store_path} ({status.store.size_bytes:,} bytes)"
        yield from _store_lines(status.store)
    yield from _team_lines(status.team)
    yield from _hook_lines(status)


def _store_lines(store: StoreStatus) -> Iterator[str]:
    by_kind = ", ".join(f"{count} {kind}" for kind, count in store.notes.items())
    yield f"notes: {by_kind or 'none yet; `vectr-hooks remember` stores one'}"
    yield f"last 24 hours: {store.events_24h} events, {store.deliveries_24h} deliveries"
    if store.residual_notes:
        yield f"looked at at every event of some sort, for want of a key: {store.residual_notes} notes"
    if store.errors:
        yield f"errors in hooks: {store.errors}, the last {store.last_error}"
    if not store.enabled:
        yield "switched off by a setting: `vectr-hooks config set enabled true` switches on"


def _team_lines(team: TeamStatus) -> Iterator[str]:
    counts = {
        "trusted": team.trusted,
        "not trusted": team.untrusted,
        "gone": team.gone,
        "broken": team.broken,
    }
    told = ", ".join(f"{count} {how}" for how, count in counts.items() if count)
    remedy = "; `vectr-hooks trust` shows them" if team.untrusted or team.gone or team.broken else ""
    if told:
        yield f"notes of the team: {told}{remedy}"


def _hook_lines(status: Status) -> Iterator[str]:
    active = [each for each in status.registrations if each.installed or each.plugin]
    for each in active:
        yield f"hooks: in {each.path} ({each.scope}{', by the plugin' if each.plugin else ''})"
    if not active:
        yield "hooks: not installed; `vectr-hooks install` registers them"
    for each in status.registrations:
        if each.disables_hooks:
            yield f"{each.path} sets disableAllHooks: Claude Code runs no hook at all"
    if status.switched_off:
        yield "switched off: VECTR_HOOKS=off is set here"
