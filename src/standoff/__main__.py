"""``python -m standoff``: the command."""

from standoff.cli import main

main()
