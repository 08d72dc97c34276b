"""The benchmark: howsure against other packages, in one run. Start it with `make bench`."""
