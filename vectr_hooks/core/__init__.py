"""The decisions, as pure functions: values in, values out."""
