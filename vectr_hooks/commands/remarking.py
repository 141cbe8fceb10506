"""What commands print of notes that they take from authors: remarks, and errors by file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vectr_hooks import output
from vectr_hooks.core.lint import Remark
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.front_matter import Problem

# Of an import of thousands, what a person would still read.
_MOST_PRINTED = 20


def tell_remarks(by_name: Mapping[str, Sequence[Remark]], strict: bool, as_json: bool) -> None:
    """Print what was pointed out, each with the name of its note; with `strict`, refuse then if there is any.

    JSON holds the remarks itself, so with `as_json` only a refusal prints them.
    """
    lines = [
        f"remark: {name}{': ' if name else ''}{remark.text}; {remark.hint}"
        for name, remarks in by_name.items()
        for remark in remarks
    ]
    if not as_json or strict:
        for line in lines[:_MOST_PRINTED]:
            output.remark(line)
        if len(lines) > _MOST_PRINTED:
            output.remark(f"remark: {len(lines) - _MOST_PRINTED:,} more like these; --json gives all")
    if strict and lines:
        there = "is a remark" if len(lines) == 1 else f"are {len(lines):,} remarks"
        raise VectrHooksError(
            f"nothing was stored: --strict was given, and there {there}",
            "mend what is pointed out, or leave out --strict",
        )


def remark_fields(by_name: Mapping[str, Sequence[Remark]], key: str = "") -> list[dict[str, str]]:
    """The remarks as JSON gives them; the name of the note under `key`, where given."""
    return [
        ({key: name} if key else {}) | {"code": remark.code, "text": remark.text, "hint": remark.hint}
        for name, remarks in by_name.items()
        for remark in remarks
    ]


def refuse_wrong(wrong: Mapping[str, Sequence[Problem]], as_json: bool = False) -> None:
    """Print everything that is wrong with files, as JSON too where that is wanted, and refuse them."""
    errors = [(file, problem) for file, problems in wrong.items() for problem in problems]
    if not errors:
        return
    for file, problem in errors:
        hint = f"; {problem.hint}" if problem.hint else ""
        output.remark(f"{file}:{problem.line}: {problem.message}{hint}")
    if as_json:
        output.json_result(
            {
                "errors": [
                    {"file": file, "line": problem.line, "message": problem.message, "hint": problem.hint}
                    for file, problem in errors
                ]
            }
        )
    files, count = output.counted(len(wrong), "file"), output.counted(len(errors), "error")
    raise VectrHooksError(f"nothing was stored: {count} in {files}", "mend what is listed, and try again")
