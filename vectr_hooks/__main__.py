"""`python -m vectr_hooks` is the program `vectr-hooks`."""

from vectr_hooks.cli import main

if __name__ == "__main__":
    main()
