"""Owns the tests of the command line."""
