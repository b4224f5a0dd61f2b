"""Owns the five panes: they show values and post what the user asks for; they know no service and not each other."""
