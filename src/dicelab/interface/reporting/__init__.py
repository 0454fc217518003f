"""A report about a game in one HTML file without scripts: its rules, and an answer to every question that applies."""
