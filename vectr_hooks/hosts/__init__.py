"""One module per host: its payload to an occurrence, a text to its output."""
