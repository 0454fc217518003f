"""Random numbers: the stream of every game, R's generator, and the outcomes of rolls as arrays for kernels."""
