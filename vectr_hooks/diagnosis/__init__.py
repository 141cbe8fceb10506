"""The checks of `vectr-hooks doctor`, which look and change nothing."""
