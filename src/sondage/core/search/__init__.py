"""Owns search: typed patterns over bytes, globs, and names by a few letters."""
