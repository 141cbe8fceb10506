"""Registering the hooks in a host's settings, and taking them out again."""
