"""The version of the package: the one place; the build reads it from here."""

VERSION = "0.2.0"
