"""Random games and broken ones, by which every engine and every answer is compared; see ``docs/fuzzing.md``."""
