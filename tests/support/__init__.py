"""Owns what several rooms' tests share: the real parts they are tested against."""
