"""Dicetower: real dice, read, assigned, resolved and shown live."""
