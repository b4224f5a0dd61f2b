"""Owns the way from bytes to what a file says: text, syntax, facts. The parser is known here and nowhere else."""
