"""python -m howsure."""

from howsure.cli import main

main()
