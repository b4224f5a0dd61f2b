"""Owns the terminal app: it asks Dig and shows; it decides nothing about code."""
