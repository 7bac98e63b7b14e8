"""`python -m dicetower` is the command `dicetower`."""

from dicetower.cli import main

if __name__ == "__main__":
    main()
