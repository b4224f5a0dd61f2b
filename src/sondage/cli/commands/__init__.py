"""Owns the commands, each module a family of them; a module is imported when one of its commands is asked for."""
