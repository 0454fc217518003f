"""What each expression of a rule is: its kind, its interval, and which names a list has."""
