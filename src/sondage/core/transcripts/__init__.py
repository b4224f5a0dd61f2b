"""Owns transcripts: entries, their words, and what is made of them."""
