"""Owns the version, and nothing else: importing the package costs nothing."""

__version__ = "0.1.0"
