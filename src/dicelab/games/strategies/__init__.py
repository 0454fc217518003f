"""Strategies outside the files of their games, found by every command about these games; the folder is scanned."""
