"""The loop of the kernel that plays by rules, with marked slots: `dicelab.compile.gpu.rules` fills them."""
