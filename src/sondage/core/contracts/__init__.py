"""Owns contracts: what is asked of a class, whether it is there, and how that changes."""
