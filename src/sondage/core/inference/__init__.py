"""Owns what an expression can be, and so where a call leads."""
