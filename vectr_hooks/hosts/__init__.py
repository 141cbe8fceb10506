"""One module per host: its payload to facts, an outcome to its output."""
