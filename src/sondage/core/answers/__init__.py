"""Owns the frozen values that every face receives: answers with their evidence, and nothing that shows them.

Lines and columns count from 1; a column counts Unicode code points. Paths are relative to the root with `/` between,
and hold undecodable bytes as surrogates (PEP 383) until a face shows them through `core.safe`. Field names are the
names promised for JSON (`class_` is written `class`).
"""
