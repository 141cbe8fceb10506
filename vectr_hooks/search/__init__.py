"""The code index of a workspace: a second file in the cache folder, which can be deleted at any time."""
