"""The templates of texts that commands write."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment, Template


@cache
def template(name: str) -> Template:
    """The template `name`, relative to the folder `templates/` or beside it; values are escaped in HTML."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    package = Path(__file__).parent
    # Beside the package in a checkout, inside it where it is installed.
    folder = next(place for place in (package / "templates", package.parent / "templates") if place.is_dir())
    return Environment(
        loader=FileSystemLoader((folder, folder.parent)),
        autoescape=select_autoescape(("html", "html.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
