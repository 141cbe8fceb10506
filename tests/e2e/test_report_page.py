"""The report in a browser: nothing to complain about, and it can be searched and sorted."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands.test_audit_report import HOSTILE
from vectr_hooks.authoring import remember
from vectr_hooks.project import init_project
from vectr_hooks.store.create import open_store

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (Debian: apt install chromium)"),
]

QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--enable-logging=stderr", "--virtual-time-budget=3000"),
)

SEARCH = """<script>
const field = document.querySelector("input[data-filter]");
field.value = "CANARY";
field.dispatchEvent(new Event("input"));
const rows = [...document.querySelectorAll("#notes tbody tr")];
const shown = rows.filter((row) => getComputedStyle(row).display !== "none");
document.querySelectorAll("#notes th")[0].click();
const order = [...document.querySelectorAll("#notes tbody tr")].map((row) => row.cells[0].textContent);
document.title = `shown ${shown.length} of ${rows.length}, sorted ${order}`;
</script></body>"""


def opened(page: Path) -> tuple[str, list[str]]:
    """The page's document after its script ran, and what the browser's console said."""
    assert CHROMIUM is not None
    done = subprocess.run(
        [
            CHROMIUM,
            *QUIET,
            f"--user-data-dir={page.parent / 'profile'}",
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture
def page(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The report of a store of hostile notes and one about the canary."""
    from click.testing import CliRunner

    from vectr_hooks.cli import program

    place = init_project(str(project))
    con = open_store(place.store_path)
    for text in (*HOSTILE, "Deploys go through the canary."):
        remember(con, place.root, f"Fact. {text}", title=text, provenance="agent", now_ms=1)
    con.close()
    monkeypatch.chdir(project)
    path = tmp_path / "report.html"
    done = CliRunner().invoke(program, ["audit", "report", "--html", str(path)], catch_exceptions=False)
    assert done.exit_code == 0
    return path


def test_the_console_stays_empty_and_nothing_hostile_runs(page: Path) -> None:
    document, complaints = opened(page)
    assert complaints == []
    assert document.count("<script>") == 1
    assert "Deploys go through the canary." in document


def test_notes_can_be_searched_and_sorted(page: Path) -> None:
    changed = page.with_name("searched.html")
    changed.write_text(page.read_text(encoding="utf-8").replace("</body>", SEARCH), encoding="utf-8")
    document, complaints = opened(changed)
    assert complaints == []
    assert "<title>shown 1 of 7, sorted 7,6,5,4,3,2,1</title>" in document
