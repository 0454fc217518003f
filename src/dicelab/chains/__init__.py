"""Games as absorbing chains: every position that can be reached, and what follows from each, exactly."""
