"""Learning to play from games alone: the environments of Gymnasium and PettingZoo, and a tabular learner."""
