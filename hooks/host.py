"""Hosts other than Claude Code run this, with their name and that of the event as arguments."""

import os
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if not os.path.exists(os.path.join(root, "vectr_hooks", "hook.py")):
    root = os.path.dirname(root)  # installed: this folder lies inside the package
sys.path.append(root)

from vectr_hooks.hook import main  # noqa: E402

main(*[*sys.argv[1:], "", ""][:2])
