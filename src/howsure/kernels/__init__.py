"""Pure numerics on floats and arrays: no project types, no input checking, no printing."""
