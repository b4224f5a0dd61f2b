"""Owns the command line: arguments → Dig → lines and exit codes."""
