"""Owns the tests of the terminal app."""
