"""Owns the configuration: where sondage keeps its files, what its user may set, and the theme files.

Everything here is read and checked, never written: the configuration is the user's.
"""
