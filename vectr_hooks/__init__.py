"""Deliver notes to a coding agent through its editor's own hooks."""

__version__ = "0.1.0.dev0"
