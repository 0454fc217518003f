"""Games and strategies found by name, file or entry point, and the text of their code."""
