"""`python -m lissom` is the command `lissom`."""

import sys


def main() -> None:
    """The entry point; Ctrl-C while the command is being loaded ends as it does later."""
    try:
        from lissom.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
