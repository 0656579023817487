"""``python -m graphmt`` is the ``graphmt`` command."""

from graphmt.cli import main

main()
