"""One module a set of groups; every module here is found and run by itself."""
