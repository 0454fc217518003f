"""The loop of the kernel that plays by rules, with marked slots: `dicelab.extras.gpu.rules` fills them."""
