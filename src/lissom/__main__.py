"""`python -m lissom` is the command `lissom`."""

from lissom.cli import main

main()
