"""The loop of the kernel that plays by rules, with marked slots: `dicelab.gpu.rules` fills them."""
