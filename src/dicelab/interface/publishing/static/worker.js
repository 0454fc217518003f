// Plays games of one simulation in a worker, and sends what it counted.
import { Simulator } from "./engine.js";

const CHUNK = 120; // milliseconds between two messages
let simulator = null;

self.onmessage = async ({ data }) => {
  if (data.start) {
    const { kernel, game, point, seats, seed } = data.start;
    simulator = await Simulator.of(kernel, game, point, seats, seed);
    self.postMessage({ ready: true });
    return;
  }
  const [low, high] = data.play, began = performance.now();
  const { games, failed, spilled } = simulator.play(low, high);
  const seconds = (performance.now() - began) / 1000;
  self.postMessage({ games, failed, spilled, ...simulator.take(), seconds, next: CHUNK / 1000 / Math.max(seconds, 1e-6) });
};
