"""Owns the plain models behind the panes: rows and places, tested without a terminal."""
