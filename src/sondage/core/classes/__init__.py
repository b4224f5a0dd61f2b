"""Owns names and classes: which file is which module, what a name means, bases, MRO, members."""
