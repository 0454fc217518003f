"""Results as text: the page they are printed on, its numbers and tables, and the same in a notebook."""
