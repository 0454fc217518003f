"""The parts of `dicelab.judge`: the sample, the tests, the mistakes that would explain it, and the words."""
