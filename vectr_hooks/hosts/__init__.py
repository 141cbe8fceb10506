"""One module for each program whose hooks call us: its payloads as occurrences, its answers as it reads them.

Each of those named here has NAME, EVENTS, `project_folder`, `written_by`, `read_event`, `compacted_since` and
`answer`, as `claude` documents them. What most payloads have in common is read by `shared`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # A hook imports the one that runs it by its name.
    from vectr_hooks.hosts import claude, codex, copilot, cursor, droid, gemini, qwen, vscode  # noqa: F401

NAMES = ("claude", "codex", "gemini", "copilot", "qwen", "droid", "cursor", "vscode")
